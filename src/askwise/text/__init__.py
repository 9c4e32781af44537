"""Text and files: reading, writing, limits, names and wording."""
