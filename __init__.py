"""memd: a daemon that turns conversations, mail and notes into a memory that can be asked.

This file is the package's face and stays light: importing `memd` imports nothing else. Beside it the
root holds `__main__.py` alone, because the checkout itself is the package and anything beside it would land in the wheel.
"""

__version__ = "0.1.0"
"""The one place where the version is written; the build reads it from here without importing the package."""
