"""The definition of a study, the reader of study files, and the columns of the tables of results.

The packages `running` and `analysis` import this package, but not each other.
"""
