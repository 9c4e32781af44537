"""The problem, and the game that is played on it: goals, questions, answers, beliefs, decisions and the rules."""
