"""Planning under uncertainty about the teammate's goal: exact values, belief-space search, bounds."""
