"""An HTTP client whose answers have an end: an endpoint that sends without one costs bounded memory.

The time-out of a request alone would let a fast endpoint fill the memory, and so would few packed bytes that become many.
"""

from __future__ import annotations

from typing import Any

ANSWER_BYTES = 512 * 1024 * 1024
"""Of an unpacked answer: 2,048 vectors, the most of one request, of 8,192 numbers in JSON of some 22 characters each fit."""
FILE_BYTES = 1024 * 1024 * 1024
"""Of a file with the answers of a batch."""
_REWRITTEN = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
"""Headers that are about the bytes on their way."""


class TooLongError(Exception):
    """An answer has more bytes than any that is right; ``limit`` is how many it may have."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


def bounded_client(kind: Any, failure: type[Exception]) -> Any:  # noqa: ANN401 - the SDK is not imported for its types
    """A client as this one of the SDK, but ``send`` reads the whole answer, and raises ``failure``, the SDK's own kind,
    where that is too long.
    """

    class Bounded(kind):
        async def send(self, request: Any, **options: Any) -> Any:  # noqa: ANN401 - as above
            response = await kind.send(self, request, **{**options, "stream": True})
            try:
                content = await _content_of(response, _limit_for(request.url.path))
            except TooLongError as error:
                raise failure("the answer is too long") from error
            finally:
                await response.aclose()
            return _read(response, content)

    return Bounded


def _read(response: Any, content: bytes) -> Any:  # noqa: ANN401 - as above
    headers = [each for each in response.headers.raw if each[0].lower() not in _REWRITTEN]
    return type(response)(
        response.status_code,
        headers=headers,
        content=content,
        request=response.request,
        extensions=response.extensions,
    )


def too_long(error: BaseException | None) -> TooLongError | None:
    """Why a request failed, where its answer was too long; the SDK may wrap what the client raises."""
    while error is not None and not isinstance(error, TooLongError):
        error = error.__cause__
    return error


async def _content_of(response: Any, limit: int) -> bytes:  # noqa: ANN401 - as above
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():  # unpacked, so much at a time as one packet holds
        size += len(piece)
        if size > limit:
            raise TooLongError(limit)
        pieces.append(piece)
    return b"".join(pieces)


def _limit_for(path: str) -> int:
    return FILE_BYTES if path.endswith("/content") else ANSWER_BYTES
