"""Studies with people: the study file, the screens and conditions of each person, export and report."""
