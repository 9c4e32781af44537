"""The game: two sides, the problem that they share, questions, answers, beliefs, decisions and the rules."""
