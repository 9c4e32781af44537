"""Gymnasium knows the environments as soon as both packages are imported, and askwise loads nothing for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

MISSED = """
import askwise, sys
sys.modules['gymnasium'] = None
try:
    import gymnasium
except ImportError:
    sys.exit(0)
sys.exit(1)
"""
KNOWN = (
    "assert sorted(i for i in gymnasium.registry if i.startswith('askwise/')) == "
    "['askwise/Problem-v0', 'askwise/ProblemFlat-v0', 'askwise/ToolFetching-v0', 'askwise/ToolFetchingFlat-v0']"
)


@pytest.mark.parametrize(
    "code",
    [
        f"import askwise, gymnasium; {KNOWN}",
        f"import gymnasium, askwise; {KNOWN}",
        f"import askwise; from gymnasium.envs import registration; import gymnasium; {KNOWN}",
        f"import askwise, askwise.envs, gymnasium; {KNOWN}",
        "import askwise, sys; assert not {'gymnasium', 'numpy', 'numba'} & set(sys.modules)",
        "import askwise, importlib.util; assert importlib.util.find_spec('gymnasium').name == 'gymnasium'",
        # One that is not there is missed as usual.
        MISSED,
    ],
)
def test_in_whichever_order(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
