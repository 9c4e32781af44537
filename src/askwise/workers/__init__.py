"""Supervised worker processes: heartbeat, time limits, exit status, deferred Ctrl-C."""
