"""`python -m memd.daemon.cli`: the command, where it is not installed under its name."""

import sys

from .command import main

sys.exit(main())
