"""The beginning of a member is read once for all connectors that look at it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.opening.recognised_member import KEPT, RecognisedMember
from memd.schemas.errors import SourceError
from memd.tests.cases import for_each
from memd.tests.contracts.connector import Shelf


def member(data: bytes, fail_after: int | None = None) -> tuple[Shelf, RecognisedMember]:
    """A member of these bytes, and what knows how often it is opened."""
    shelf = Shelf("shelf", {"folder/chat.txt": data}, fail_after)
    return shelf, RecognisedMember(shelf.members()[0])


@for_each([0, 1, KEPT - 1, KEPT, KEPT + 1, 3 * KEPT])
def test_the_bytes_are_the_members(size: int) -> None:
    """Below and beyond what is kept, as often as it is opened; what is read on is closed with it."""
    data = bytes(range(251)) * (size // 251 + 1)
    shelf, known = member(data[:size])
    for _ in range(3):
        with known.open() as stream:
            assert stream.read() == data[:size]
    assert all(stream.closed for stream in shelf.streams)
    assert (known.name, known.size) == ("chat.txt", size)


@given(st.lists(st.integers(1, 50_000), max_size=8))
def test_reading_in_pieces_gives_the_same(sizes: list[int]) -> None:
    """Whatever the pieces."""
    data = bytes(range(256)) * 600
    _, known = member(data)
    with known.open() as stream:
        read = b"".join(stream.read(size) for size in sizes)
    assert read == data[: sum(sizes)]


def test_heads_are_read_once() -> None:
    """Fifteen connectors that look at the beginning of a long file open it once."""
    shelf, known = member(b"x" * 3 * KEPT)
    for _ in range(15):
        with known.open() as stream:
            assert stream.read(4096) == b"x" * 4096
    assert len(shelf.streams) == 1


def test_what_is_whole_of_a_damaged_member_is_read() -> None:
    """A connector that looks at less than what is kept meets no damage behind it."""
    _, known = member(b"x" * KEPT, fail_after=10_000)
    for _ in range(2):
        with known.open() as stream:
            assert stream.read(4096) == b"x" * 4096
            with pytest.raises(SourceError):
                stream.read()
