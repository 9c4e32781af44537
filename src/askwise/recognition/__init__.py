"""Tables over many planning problems: how alike their goals are, how well goals are recognised."""
