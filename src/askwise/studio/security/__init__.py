"""Who may ask for what: hosts and origins, keys and cookies, sizes and rates."""
