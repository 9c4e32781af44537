"""Problems (goals, prices, answers, agents) and episodes played on them: questions, beliefs, decisions and rules."""
