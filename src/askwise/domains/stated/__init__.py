"""Problems stated in a file: two graphs or drawn maps, and the goals in both.

The way of a problem file through this package:

    reader.py, sides.py, policies.py, plans.py   read and check each part of a file
    file.py                                      `ProblemFile`: the checked contents; `StatedProblem`: the problem made
        from them
    domain.py                                    the registered domain: reads files, makes problems, writes both
"""
