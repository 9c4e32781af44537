"""The planner: the recursion of `askwise.planning` over some actions and questions, within a budget of work."""
