"""Guards: recorded results that must stay the same, bit for bit, while the package is restructured.

- `recorded/` holds the results, one file for each guard, as text in which a difference can be read.
- `test_guards.py` computes every result again and compares.
- ``python -m tests.guards.record`` writes the files again: all, or those whose names begin with an argument.
- ``python -m tests.guards.coupling`` measures how many modules and files a command touches.

Guards reach results through public names and commands, because modules move. Floats are written so that reading them
gives the same bits. Another processor or another version of numpy may round differently. If guards fail on an untouched
copy of the package, record them there first.
"""
