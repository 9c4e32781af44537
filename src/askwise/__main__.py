"""``python -m askwise``: the command line, where ``askwise`` is not on the path."""

import sys

from askwise.cli import main

sys.exit(main())
