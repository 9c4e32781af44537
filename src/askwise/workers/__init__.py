"""Worker processes, in which code of other people, such as their agents, runs within limits of time and memory.

- `pool.py` lends worker processes to runs, such as one execution of a study or the web studio.
- `process.py` starts a process, ends it when it exceeds a limit, and reports how it ended. It also has the program that
  the process runs.
- `heartbeat.py` has the limits, shows in shared memory what a process is doing, and delays the effect of Ctrl-C.
"""
