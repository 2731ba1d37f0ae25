"""Large lists of JSON objects that are written with indentation, in batches: Slack writes its files so.

No string of JSON holds a raw line end, so where every object of a list begins at the same indentation, the line ends
before them tell where to cut, which is much faster than to look for the end of each object. A batch is parsed as JSON;
where that fails, the rest is left to whoever reads object by object.
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
    """Reads batches from a stream whose first bytes were taken already. ``rest`` is what follows the last batch, as the
    beginning of a list; ``count`` how many objects came before it. ``cap``: bytes of one object.
    """

    def __init__(self, data: bytes, read: Callable[[int], bytes], cap: int) -> None:
        self.rest = data
        self.count = 0
        self._read = read
        self._cap = cap

    def batches(self) -> Iterator[list[Any]]:
        """Whole objects, as long as everything is as expected. What breaks the stream is left to who reads the rest."""
        match = _BEGINNING.match(self.rest)
        if match is None:
            return
        line = match[1]
        between = line + b"}," + line + b"{"
        data = self.rest[match.end() :]
        while True:
            cut = data.rfind(between)
            if cut > self._cap:
                break  # there may be an object over the cap in it
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
