"""The version of the rules, without what reads by them: comparing it is all that most starts need, and takes a twentieth of
the time.
"""

from __future__ import annotations

from .patterns import table_hash

ENGINE = "5"
"""Raised when code, not the table, makes other statements come out."""
VERSION = f"{ENGINE}-{table_hash()}"
NAME = "rules"
