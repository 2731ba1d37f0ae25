"""Batches of objects from large indented JSON lists, the form of Slack's files.

No string of JSON holds a raw line end, so where every object of a list begins at the same indentation, the line ends
before them mark where to cut, which is much faster than finding the end of each object. Each batch is parsed as JSON;
where that fails, the caller reads the rest object by object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from ....schemas.errors import SourceError

_BEGINNING = re.compile(rb"\s{0,64}\[(\n[ \t]{1,64})(?=\{)")
_CHUNK = 1 << 20


class IndentedList:
    """Reads batches from a stream whose first bytes are given. ``rest``: the text behind the last batch, as the
    beginning of a list; ``count``: the number of objects before it. ``cap``: the maximum number of bytes of one
    object.
    """

    def __init__(self, data: bytes, read: Callable[[int], bytes], cap: int) -> None:
        self.rest = data
        self.count = 0
        self._read = read
        self._cap = cap

    def batches(self) -> Iterator[list[Any]]:
        """Yield batches while the text has the expected form. An error of the stream is left to the reader of the
        rest.
        """
        match = _BEGINNING.match(self.rest)
        if match is None:
            return
        line = match[1]
        between = line + b"}," + line + b"{"
        data = self.rest[match.end() :]
        while True:
            cut = data.rfind(between)
            if cut > self._cap:
                break  # the batch may hold an object over the cap
            if cut >= 0:
                try:
                    items = orjson.loads(b"[" + data[:cut] + b"}]")
                except orjson.JSONDecodeError:
                    break
                data = data[cut + len(between) - 1 :]
                self.rest = b"[" + data
                self.count += len(items)
                yield items
            elif len(data) > self._cap:
                break
            try:
                chunk = self._read(_CHUNK)
            except SourceError:
                break
            if not chunk:
                break
            data += chunk
        self.rest = b"[" + data
