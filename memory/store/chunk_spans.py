"""SQL for the part of a message's text that a chunk ``c`` covers; the whole text for chunks in an extractor's words."""

from __future__ import annotations

IN_READERS_WORDS = "c.message IS NOT NULL AND c.ordinal >= 1000"
"""SQL condition for a chunk of a fact or an expansion: its span counts in the extracted text, not in the message's."""
START = f"CASE WHEN {IN_READERS_WORDS} THEN 0 ELSE c.start END"
END = f'CASE WHEN {IN_READERS_WORDS} THEN NULL ELSE c."end" END'
"""The end offset; NULL means the end of the text."""
