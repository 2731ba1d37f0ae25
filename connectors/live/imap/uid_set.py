"""Sets of UIDs as ranges, which stay small even if a folder has a million mails. No I/O."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .errors import ProtocolError

LARGEST_UID = 2**32 - 1
_PART = re.compile(r"(\d{1,10})(?::(\d{1,10}))?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class UidSet:
    """UIDs in ascending order."""

    ranges: tuple[tuple[int, int], ...] = ()
    """First and last of each range; ranges neither overlap nor touch."""

    @classmethod
    def of(cls, uids: Iterable[int]) -> UidSet:
        """Return the set of some UIDs."""
        return cls.of_ranges((uid, uid) for uid in uids)

    @classmethod
    def of_ranges(cls, ranges: Iterable[tuple[int, int]]) -> UidSet:
        """Return the set of some ranges in any order, which may overlap; a range may begin with its larger end, as IMAP
        allows.
        """
        joined: list[tuple[int, int]] = []
        for first, last in sorted((min(each), max(each)) for each in ranges):
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = (joined[-1][0], max(joined[-1][1], last))
            else:
                joined.append((first, last))
        return cls(tuple(joined))

    @classmethod
    def parse(cls, text: str) -> UidSet:
        """Return the set that ``1:5,9`` names.

        Raises:
            ProtocolError: it is none; a server never sends ``*``.
        """
        ranges: list[tuple[int, int]] = []
        for part in text.split(","):
            match = _PART.match(part)
            if match is None:
                raise ProtocolError("a response has something else where UIDs must be")
            first = int(match[1])
            last = first if match[2] is None else int(match[2])
            if not 1 <= min(first, last) <= max(first, last) <= LARGEST_UID:
                raise ProtocolError("a response has a UID that cannot be one")
            ranges.append((first, last))
        return cls.of_ranges(ranges)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.ranges)

    def __iter__(self) -> Iterator[int]:
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __contains__(self, uid: int) -> bool:
        place = bisect_right(self.ranges, (uid, LARGEST_UID)) - 1
        return place >= 0 and self.ranges[place][0] <= uid <= self.ranges[place][1]

    def __str__(self) -> str:
        """Return the set in the form of commands: ``1:5,9``."""
        return ",".join(str(first) if first == last else f"{first}:{last}" for first, last in self.ranges)

    def union(self, other: UidSet) -> UidSet:
        """Return the UIDs that are in either of the two sets."""
        return UidSet.of_ranges((*self.ranges, *other.ranges))

    def without(self, other: UidSet) -> UidSet:
        """Return the UIDs that are in this set and not in the other."""
        left: list[tuple[int, int]] = []
        theirs = iter(other.ranges)
        gap = next(theirs, None)
        for first, last in self.ranges:
            start = first
            while gap is not None and gap[1] < start:
                gap = next(theirs, None)
            while gap is not None and gap[0] <= last:
                if start < gap[0]:
                    left.append((start, gap[0] - 1))
                start = gap[1] + 1
                if gap[1] > last:
                    break
                gap = next(theirs, None)
            if start <= last:
                left.append((start, last))
        return UidSet(tuple(left))

    def parts(self, size: int, *, longest: int = 4000) -> Iterator[UidSet]:
        """Yield the set in parts of at most ``size`` UIDs each, whose text has at most ``longest`` characters, since
        the length of a command line is limited.

        Args:
            size: UIDs.
            longest: characters; more than 21, which one range may have.
        """
        part: list[tuple[int, int]] = []
        room, characters = size, 0
        for first, last in self.ranges:
            start = first
            while start <= last:
                end = min(last, start + room - 1)
                width = len(f"{start}:{end},")
                if part and characters + width > longest:
                    yield UidSet(tuple(part))
                    part, room, characters = [], size, 0
                    continue
                part.append((start, end))
                characters += width
                room -= end - start + 1
                start = end + 1
                if not room:
                    yield UidSet(tuple(part))
                    part, room, characters = [], size, 0
        if part:
            yield UidSet(tuple(part))
