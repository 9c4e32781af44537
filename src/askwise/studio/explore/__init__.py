"""The Explore page: drafts, which are problems that people change by hand, and the results for them."""
