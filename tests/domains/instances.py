"""The example of the instance format, for tests to change."""

from __future__ import annotations

import json
from typing import Any

EXAMPLE = """\
{"format": "askwise/tool-fetching@1", "width": 20, "height": 20, "walls": [[3, 4]],
 "toolboxes": {"T1": [2, 3]},
 "stations": {"S1": {"at": [7, 2], "toolbox": "T1"}, "S2": {"at": [7, 8], "toolbox": "T1"}},
 "worker": [5, 0], "fetcher": [4, 0],
 "prior": {"kind": "far", "temperature": 1.0},
 "query_cost": {"base": 0.5, "per_station": 0.1}}
"""


def instance_json(**changes: Any) -> dict[str, Any]:
    """Return the example as parsed JSON, with some keys replaced."""
    data: dict[str, Any] = json.loads(EXAMPLE)
    return {**data, **changes}
