"""Which part of its message's text a chunk ``c`` stands for, in SQL: the whole of it where it is in a reader's words."""

from __future__ import annotations

IN_READERS_WORDS = "c.message IS NOT NULL AND c.ordinal >= 1000"
"""A fact, or an expansion: the span of such a chunk counts in the text of who read the message, which is not the message's."""
START = f"CASE WHEN {IN_READERS_WORDS} THEN 0 ELSE c.start END"
END = f'CASE WHEN {IN_READERS_WORDS} THEN NULL ELSE c."end" END'
"""NULL: up to the end."""
