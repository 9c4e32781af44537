"""Tools for text and files: reading and writing files, parsing data, checking values, and wording of messages."""
