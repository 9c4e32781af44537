import sys

from askwise.cli import main

sys.exit(main())
