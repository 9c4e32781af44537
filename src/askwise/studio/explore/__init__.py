"""The Explore page: people change a problem by hand (the changed problem is a draft), and see the results at once."""
