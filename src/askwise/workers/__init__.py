"""Supervised processes for code of other people: one `main`, one message format and one pool for all applications.

- `pool.py` lends workers to studies, lists of jobs, audits and the studio, and ends them with their run.
- `process.py` starts a process, ends it when it exceeds a limit, and reports how and at which line it ended. It
  also has the program that the process runs.
- `heartbeat.py` has the limits, shows in shared memory what a process is doing and since when, and defers Ctrl-C.
"""
