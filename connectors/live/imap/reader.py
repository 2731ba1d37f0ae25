"""Bytes of a server in, responses out. No I/O."""

from __future__ import annotations

from .frames import FrameReader, ReaderLimits
from .responses import Response, parse_response


class ResponseReader:
    """Give it bytes with `feed`, then take responses with `next_response` until there is none.

    Args:
        limits: what one response may cost.
    """

    def __init__(self, limits: ReaderLimits | None = None) -> None:
        self._limits = limits or ReaderLimits()
        self._frames = FrameReader(self._limits)

    @property
    def is_empty(self) -> bool:
        """Return whether the stream is between two responses; otherwise an end of the stream here cuts one off."""
        return self._frames.is_empty

    @property
    def held(self) -> int:
        """Return the number of bytes in memory for the incomplete response."""
        return self._frames.held

    @property
    def given(self) -> int:
        """Return the approximate memory in bytes of all responses returned so far."""
        return self._frames.given

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._frames.feed(data)

    def take_rest(self) -> bytes:
        """Return the bytes that were fed and not read; they belong to another stream, such as a compressed one."""
        return self._frames.take_rest()

    def next_response(self) -> Response | None:
        """Return the next response; None if more bytes are needed.

        Raises:
            ProtocolError: what was sent is no IMAP, or more than the limits; the stream cannot be read any further.
        """
        frame = self._frames.next_frame()
        return None if frame is None else parse_response(frame, self._limits)
