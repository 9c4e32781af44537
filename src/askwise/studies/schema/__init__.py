"""What a study is, how its file is read, and what the columns of its tables mean.

`running` plays studies and writes the tables, `analysis` reads them; both build on this folder and neither on the
other.
"""
