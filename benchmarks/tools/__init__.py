"""What the measurements share: cases, processes, clocks, tables, and a description of the machine."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the repository."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment variables that restrict numerical libraries to one thread.

askwise uses one core, so the others do too: on a busy machine, more threads would measure the machine.
"""
