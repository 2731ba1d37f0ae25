"""An HTTP client with a limit on the size of answers, so that an endless answer costs bounded memory.

A request timeout alone would let a fast endpoint fill the memory, and so could a small compressed answer.
"""

from __future__ import annotations

from typing import Any

ANSWER_BYTES = 512 * 1024 * 1024
"""The most bytes of an uncompressed answer: enough for 2,048 vectors, the most of one request, of 8,192 numbers in JSON
of some 22 characters each.
"""
FILE_BYTES = 1024 * 1024 * 1024
"""The most bytes of a file with the answers of a batch."""
RANKING_BYTES = 16 * 1024 * 1024
"""The most bytes of an answer of a reranker, which may repeat the texts; there are a hundred at most."""
_REWRITTEN = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
"""Headers that describe the transferred bytes, not the content."""


class TooLongError(Exception):
    """An answer exceeds the size of any valid one; ``limit`` is the limit in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


def bounded_client(kind: Any, failure: type[Exception]) -> Any:  # noqa: ANN401 - the SDK is not imported for its types
    """Return a subclass of the SDK's client whose ``send`` reads the whole answer and raises ``failure``, the SDK's own
    error class, if the answer is too long.
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
    """Return the `TooLongError` in an error's chain of causes, or None; the SDK may wrap errors of the client."""
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
    if path.endswith("/rerank"):
        return RANKING_BYTES
    return FILE_BYTES if path.endswith("/content") else ANSWER_BYTES
