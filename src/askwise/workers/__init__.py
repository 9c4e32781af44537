"""Worker processes, in which third-party code, such as agents, runs within limits of time and memory.

- `pool.py` lends workers to runs, such as an execution of a study or the web studio.
- `process.py` starts a process, ends it when it exceeds a limit, and has the program that it runs.
- `heartbeat.py` has the limits, shows in shared memory what a process is doing, and delays Ctrl-C.
"""
