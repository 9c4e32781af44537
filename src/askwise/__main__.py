"""The command line as ``python -m askwise``, for use if the command ``askwise`` is not on the search path."""

import sys

from askwise.cli import main

sys.exit(main())
