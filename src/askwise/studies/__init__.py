"""Studies play many episodes of many methods, and make tables, figures and a report; one study reproduces the paper.

`schema` defines a study, `running` plays it and stores its tables, `analysis` turns the tables into numbers, figures
and a report, and `pipeline` calls one after the other.
"""
