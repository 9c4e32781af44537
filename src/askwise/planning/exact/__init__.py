"""The exact optimum: the recursion of `askwise.planning` over all actions and all questions."""
