"""What the Explore page works out: a drawn problem that is changed by hand, and all that follows from it."""
