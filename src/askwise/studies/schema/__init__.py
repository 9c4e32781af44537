"""The definition of a study, study files, and the columns of its tables.

`running` plays studies and writes the tables, `analysis` reads them. Both import this folder, and not each other.
"""
