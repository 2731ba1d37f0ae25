"""HTTP answers that are read up to a number of bytes, and no further. Imports aiohttp, which is an extra."""

from __future__ import annotations

from typing import Any

import aiohttp

from .web_api import LARGEST_ANSWER, decoded


class BoundedResponse(aiohttp.ClientResponse):
    """An answer whose body is limited in size, also after decompression, and whose JSON is read by memd's parser."""

    async def read(self) -> bytes:
        """Return the body.

        Raises:
            aiohttp.ClientPayloadError: it is too large, or breaks off.
        """
        if self._body is None:
            parts: list[bytes] = []
            size = 0
            async for part in self.content.iter_chunked(1 << 16):
                size += len(part)
                if size > LARGEST_ANSWER:
                    self.close()
                    raise aiohttp.ClientPayloadError("an answer is too large")
                parts.append(part)
            self._body = b"".join(parts)
        return self._body

    async def json(self, **_: Any) -> Any:  # noqa: ANN401 - as the library has it
        """Return the JSON value; None for invalid JSON."""
        return decoded(await self.read())
