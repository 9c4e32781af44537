"""Studies: many episodes of many methods, with tables, figures and a report; one of them reproduces the paper.

`schema` defines a study, `running` plays it and stores its tables, `analysis` turns the tables into numbers, figures
and a report, and `pipeline` calls one after the other.
"""
