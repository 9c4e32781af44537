"""Problems that a file describes by a graph or drawn map for each agent, and by the agents' common goals.

The modules::

    reader.py, sides.py, policies.py, plans.py   read and check each part of a file
    file.py                                      ProblemFile (the checked contents of a file) and StatedProblem
    domain.py                                    the registered domain, which reads and writes files
"""
