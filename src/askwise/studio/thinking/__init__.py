"""Processes in which methods decide, so that the server itself never waits for one."""
