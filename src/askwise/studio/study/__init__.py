"""Studies with people: the study file, the screens and conditions of each person, the export and the report."""
