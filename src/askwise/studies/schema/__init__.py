"""What a study is, how its file is read, and which columns its tables have.

`running` plays studies and writes the tables, `analysis` reads them. Both import this folder, and not each other.
"""
