"""`python -m memd.daemon.cli`: the command, where it is not installed under its name."""

import sys

from .dispatch import main

sys.exit(main())
