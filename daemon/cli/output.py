"""Results on standard output: one JSON object or JSON lines, for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any


def print_json(body: Mapping[str, Any]) -> None:
    """One object in one line, at once visible to whoever reads along."""
    # A lone surrogate cannot be in here: every text of a noun is valid Unicode.
    sys.stdout.buffer.write(json.dumps(body, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


def print_line(line: bytes) -> None:
    """One line of JSON as it is, with its newline."""
    sys.stdout.buffer.write(line)
