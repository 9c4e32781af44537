"""Studies play many episodes of many methods, and make tables, figures and a report; one study reproduces the paper.

`schema` defines studies, `running` plays them, `analysis` makes figures and a report, `pipeline` does it all.
"""
