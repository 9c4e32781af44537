"""Tools of askwise for language-model agents, over standard input and output."""
