"""A pool of processes for benchmarks that compute many things at once."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

from askwise.workers.child import one_thread


def process_pool() -> ProcessPoolExecutor:
    """Return a pool of fresh processes, one for each core, with one thread each."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn"), initializer=one_thread)
