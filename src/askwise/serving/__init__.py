"""askwise for other programs: tools that a language-model agent can call, over standard input and output."""
