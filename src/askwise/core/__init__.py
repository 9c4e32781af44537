"""What is played: two sides, the problem that they share, questions, answers, beliefs and the rules of the game."""
