"""The values beside the long lists: small ones are parsed, large ones are skipped in constant memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .events import Broken, Field, Skipped
from .scanner import CUT_OFF, NOT_ENDING, JSONScanner, too_long

_OPENED = re.compile(rb"[\[{]\r?\n")
_LONGEST_LINE_END = 3


class FieldReader:
    """Reads the value at which the scanner stands."""

    def __init__(self, scan: JSONScanner, parse: Callable[[bytes], Any], cap: int) -> None:
        self._scan = scan
        self._parse = parse
        self._cap = cap

    def read(self, holder: str, key: str, pointer: str, line: bytes | None) -> tuple[Field | Skipped | Broken, bool]:
        """Return the event for a field's value, and whether the value's end was found: if not, only its first byte is
        passed.

        ``line`` is the indentation of its key, where that begins a line. Then the line that closes it is its end, and a
        bracket that was lost inside costs no more than this value.
        """
        scan = self._scan
        offset = scan.offset
        scan.have(_LONGEST_LINE_END)
        end = None
        if line and _OPENED.match(scan.data, scan.at):
            end = re.compile(rb"\n" + line + rb"[\]}]")
        length, reason = self._length(end)
        if reason == too_long(self._cap):
            reason = self._skip(end)
            if not reason:
                return Skipped(holder, key, scan.offset - offset), True
        if reason:
            scan.at += min(1, len(scan.data) - scan.at)
            return Broken(pointer, offset, CUT_OFF if reason == NOT_ENDING else reason), False
        try:
            value = self._parse(bytes(scan.data[scan.at : scan.at + length]))
        except ValueError as error:
            scan.at += length
            return Broken(pointer, offset, str(error)), True
        scan.at += length
        return Field(holder, key, value), True

    def _length(self, end: re.Pattern[bytes] | None) -> tuple[int, str]:
        if end is None:
            return self._scan.length(self._cap)
        length = self._scan.length_to(end, self._cap)
        return length, "" if length else too_long(self._cap)

    def _skip(self, end: re.Pattern[bytes] | None) -> str:
        if end is None:
            return self._scan.skip()
        match = self._scan.seek(end)
        if match is None:
            return NOT_ENDING
        self._scan.at = match.end()
        return ""
