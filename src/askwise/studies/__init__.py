"""Studies play many episodes of many methods, and make tables, figures and a report; one study reproduces the paper.

`schema` defines what a study plays, `running` plays it and stores its tables, and `analysis` turns the tables into
numbers, figures and a report. `pipeline` does everything from a study to its report.
"""
