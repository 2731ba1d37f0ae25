"""Which part of its message's text a chunk ``c`` stands for, in SQL: the whole of it where the chunk is a fact's."""

from __future__ import annotations

_IS_FACT = "c.message IS NOT NULL AND c.ordinal >= 1000"
"""The span of such a chunk counts in the text of the fact, which is not the message's."""
START = f"CASE WHEN {_IS_FACT} THEN 0 ELSE c.start END"
END = f'CASE WHEN {_IS_FACT} THEN NULL ELSE c."end" END'
"""NULL: up to the end."""
