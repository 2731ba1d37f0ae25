"""Results on standard output: one JSON object or JSON lines, for programs, and harmless where people see them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from ..client import json_body
from .render.charset import escaped_json
from .render.terminal import HARMFUL


def print_json(body: Mapping[str, Any], stream: TextIO | None = None) -> None:
    """One object in one line, at once visible to whoever reads along."""
    # A lone surrogate can only be in here from the command line: every text of a noun is valid Unicode.
    print_line(json_body(body) + b"\n", stream)
    (stream or sys.stdout).flush()


def print_line(line: bytes, stream: TextIO | None = None) -> None:
    r"""One line of JSON as it is, with its newline.

    On a terminal, what it would obey is written as ``\u`` and the code: the same JSON to whoever copies it. JSON itself
    escapes only the codes below 32, and a terminal obeys others as well.
    """
    out = stream or sys.stdout
    if out.isatty():
        line = escaped_json(HARMFUL.sub(_escaped, line.decode("utf-8", "replace"))).encode()
    out.buffer.write(line)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
