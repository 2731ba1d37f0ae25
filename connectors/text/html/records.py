"""Pages that are long lists of records, cut at the mark of each record; a page is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

CUT_PAGE = "the page ends in the middle: what stood behind is lost"
_CHUNK = 256 * 1024
_TAIL = 4096


def html_records(read: Callable[[int], bytes], mark: bytes, cap: int) -> Iterator[bytes]:
    """Yield the bytes before the first record, then the bytes of each record; a piece larger than the cap is yielded
    empty.

    Args:
        read: of a stream of UTF-8 or ASCII; gives no bytes at the end.
        mark: what each record begins with.
        cap: bytes.
    """
    data = bytearray()
    searched, oversized = 0, False
    while chunk := read(_CHUNK):
        data += chunk
        while (mark_at := data.find(mark, searched)) >= 0:
            yield b"" if oversized or mark_at > cap else bytes(data[:mark_at])
            del data[:mark_at]
            searched, oversized = 1, False
        if len(data) > cap:
            oversized = True
            del data[: len(data) - len(mark)]
            searched = 1
        searched = max(searched, len(data) - len(mark) + 1)
    yield b"" if oversized else bytes(data)


def is_cut(end: bytes) -> bool:
    """Return whether a page lacks its closing ``</html>``. ``end``: its last bytes; without any, the answer is no."""
    return bool(end) and b"</html" not in end[-_TAIL:].lower()
