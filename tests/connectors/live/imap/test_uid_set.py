"""Sets of UIDs do what sets of numbers do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.live.imap.errors import ProtocolError
from memd.connectors.live.imap.uid_set import UidSet
from memd.tests.cases import for_each

uids = st.sets(st.integers(1, 60))


@given(uids, uids)
def test_they_are_sets(one: set[int], other: set[int]) -> None:
    """Union, difference, membership, length, order."""
    mine, theirs = UidSet.of(one), UidSet.of(other)
    assert list(mine) == sorted(one)
    assert len(mine) == len(one)
    assert set(mine.union(theirs)) == one | other
    assert set(mine.without(theirs)) == one - other
    assert mine.without(theirs) == UidSet.of(one - other)
    assert {uid for uid in range(62) if uid in mine} == one


@given(uids.filter(bool))
def test_text_and_back(one: set[int]) -> None:
    """What a command names is read again as the same."""
    assert UidSet.parse(str(UidSet.of(one))) == UidSet.of(one)


@given(st.sets(st.integers(1, 5000), max_size=200), st.integers(1, 50), st.integers(22, 80))
def test_parts_are_the_whole(one: set[int], size: int, longest: int) -> None:
    """In order, none larger than asked, none longer than a command may be."""
    parts = list(UidSet.of(one).parts(size, longest=longest))
    assert [uid for part in parts for uid in part] == sorted(one)
    assert all(0 < len(part) <= size and len(str(part)) <= longest for part in parts)


def test_ranges_backwards_are_ranges() -> None:
    """As RFC 3501 has it: 4:2 is 2:4."""
    assert UidSet.parse("4:2,3:9") == UidSet(((2, 9),))


@for_each(["", "*", "1:*", "1,", "0", "4294967296", "1-3", "a", "1:2:3", "٣"])
def test_what_is_no_set_is_told(text: str) -> None:
    """A server names UIDs by ASCII digits, from 1 to 2^32 - 1."""
    with pytest.raises(ProtocolError):
        UidSet.parse(text)


def test_a_huge_range_is_small() -> None:
    """A server that says that four thousand million mails are gone costs nothing."""
    everything = UidSet.parse("1:4294967295")
    assert everything.without(UidSet.of([7])).ranges == ((1, 6), (8, 4294967295))
