"""A server that lets language-model agents call askwise as a tool, over standard input and output."""
