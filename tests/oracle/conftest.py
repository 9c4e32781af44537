"""Makes the stormpy conversion, which the benchmarks use too, importable from here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
