"""Record the results anew: ``python -m tests.guards.record [BEGINNING ...]``, such as ``decisions json/edp``.

Without arguments all files are written, else those whose names begin with one of the arguments. Read the difference
before you keep it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from tests.guards.results import GUARDS, RECORDED


def main(beginnings: Sequence[str]) -> int:
    """Write the files and say how long each took."""
    chosen = [name for name in GUARDS if not beginnings or name.startswith(tuple(beginnings))]
    for name in chosen:
        began = time.process_time()
        path = RECORDED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(GUARDS[name](), encoding="utf-8", newline="\n")
        print(f"{name}: {time.process_time() - began:.2f} s")
    if not chosen:
        print(f"no file begins with {' or '.join(beginnings)}; there are {', '.join(GUARDS)}", file=sys.stderr)
    return 0 if chosen else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
