"""The version of the rules, without what reads by them: comparing it is all that most starts need, and takes a twentieth of
the time.
"""

from __future__ import annotations

from .patterns import ENGINE, table_hash

VERSION = f"{ENGINE}-{table_hash()}"
NAME = "rules"
