"""`python -m memd`: the command, where it is not installed under its name."""

import sys

from .daemon.cli import main

sys.exit(main())
