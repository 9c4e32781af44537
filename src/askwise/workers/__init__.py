"""Supervised processes for code of others: one `main`, one message format, one pool, used by all applications.

- `pool.py` lends workers to studies, lists of jobs, audits and the studio, and ends them with their run.
- `process.py` starts a process, ends it when it exceeds a limit, and says how it ended and at which line.
- `heartbeat.py` shows, in memory that both processes see, what the process is doing and since when.
- `child.py` is the program of the process.
- `limits.py` has the limits, `interrupts.py` defers Ctrl-C.
"""
