"""Studies that reproduce and extend the paper.

A study (`schema`) is played (`running`), and what was written down is turned into tables, figures and a report
(`analysis`); `conducting` does one after the other.
"""
