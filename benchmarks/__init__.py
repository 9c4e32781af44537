"""Measurements of askwise, compared with other programs and methods: ``python -m benchmarks``.

Each module here measures one question, stated at its top, and has a function ``run(quick)`` that returns tables.
`tools` has what the measurements share, `peers` other implementations to compare with, and `versions` the comparison
with an earlier version of askwise.
"""
