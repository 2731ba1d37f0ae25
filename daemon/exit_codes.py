"""The exit codes of the command: the meaning of each, and the code of each error. Standard library alone."""

from __future__ import annotations

from collections.abc import Mapping

DONE = 0
UNEXPECTED = 1
NOTHING_READ = 3
PARTLY = 4
INTERRUPTED = 130

MEANINGS: Mapping[int, str] = {
    DONE: "done",
    UNEXPECTED: "unexpected",
    2: "usage or configuration",
    NOTHING_READ: "nothing could be read",
    PARTLY: "partly done",
    5: "busy (another owner)",
    6: "store, model or output not usable, or nobody serves",
    7: "not found",
    INTERRUPTED: "interrupted",
}

OF_CODE: Mapping[str, int] = {
    "VAL": 2,
    "PROC": 4,
    "STORE": 6,
    "EMB": 6,
    "LLM": 6,
    "BUSY": 5,
    "NOT_FOUND": 7,
    "TIMEOUT": 6,
    "UNEXPECTED": UNEXPECTED,
}
"""The exit code by the code of the error envelope. A source of which nothing could be read has code PROC and ends with
`NOTHING_READ`.
"""
