"""Aligns two readings of one minute: finds the entries that are one, and the order of all entries. Pure.

An export is one uninterrupted piece of its chat, in the chat's order. That decides more than the words do:

* The incoming reading is whole. Between two of its messages the chat has nothing else, so a stored message that it
  lacks stands before its beginning or behind its end (``HOLE``: it lacks one elsewhere).
* The stored reading is a union of such pieces. It usually is one piece itself, so an incoming message that it lacks
  stands before its beginning or behind its end, too; elsewhere a piece is missing (``GAP``, which costs less than a hole).
* Matched messages stand in the same order in both. A pair out of order is no overlap: ``no, hi`` and ``hi, no`` have one
  of two messages in common.

Of all ways to lay two readings over one another, the one with the fewest holes is taken, then the one with the fewest
gaps, then the one with the least sum of distances, see `message_distance`; so the longest agreement wins.

What no algorithm can know. The store does not keep where an export began or ended. Of a minute in which the incoming
reading neither begins nor ends, and of one in which both begin, or both end, the order leaves one way to lay readings
without gaps. Ambiguous are

* minutes in which the stored reading ends and the incoming one begins, or the other way round: ``no`` and ``no`` may be
  one message or two, and ``a, b, a`` and ``a, b, a`` may be 3, 5 or 6. The longest agreement is taken, so a later
  reading of the whole minute adds what was missing, whereas nothing would ever take away one that was kept twice;
* minutes in which the stored reading has a gap: what stands behind the gap looks as if it stood before it;
* minutes that are all of both readings and where both have as many messages, all of them equal but some of the same
  authors: these may be edits without a flag or two pieces of the chat. They are taken for edits, which keep both wordings;
* minutes in which people who are unknown to one side say the same, see `renames`: who is who is decided where the order
  leaves no other way, or more than one message tells it. Otherwise messages are kept twice rather than people mixed.
  Where the store has a gap that another person's equal message fills, the order still leaves no other way, and two
  people are taken for one.

The work is linear in the number of messages: a minute whose table would have more than `CELLS` fields is first taken
apart, by whole shifts and by entries that occur once on each side, see `_taken_apart`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence

from .overlap_table import MinuteEdges, MinutePair, Step, UnionPath, cost_of, outside, table

CELLS = 16_384
"""The largest table for one minute: 128 messages on each side."""


def overlap(sides: MinutePair) -> UnionPath:
    """Return the cheapest alignment of two readings of a minute."""
    if len(sides.old) == len(sides.new) and sides.old == sides.new:
        steps = _shift(sides, 0)
        if steps is not None:
            return UnionPath(0, steps)
    if len(sides.old) * len(sides.new) <= CELLS:
        return table(sides)
    steps = _taken_apart(sides)
    return UnionPath(cost_of(sides, steps), steps)


def crossed(sides: MinutePair, steps: Sequence[Step]) -> tuple[list[Step], set[int]]:
    """Also match equal messages in a different order, at their place in the incoming reading; return the union and
    these new messages.

    Two pieces of one minute may have been stored in the wrong order, because nothing tells it while they do not
    overlap. It becomes visible as a hole, or if both sides have unmatched distinctive texts.
    """
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    passed = 0
    for i, j in steps:
        passed += j is not None
        if (
            i is not None
            and j is None
            and (sides.old[i] in sides.telling or not outside(passed, len(sides.new), sides.edges))
        ):
            waiting[sides.old[i]].append(i)
    moved: dict[int, int] = {}
    for i, j in steps if waiting else ():
        if i is None and j is not None and waiting.get(sides.new[j]):
            other = waiting[sides.new[j]].popleft()
            if sides.distance(other, j) is not None:
                moved[j] = other
    if not moved:
        return list(steps), set()
    gone = set(moved.values())
    kept = [(moved.get(j, i) if j is not None else i, j) for i, j in steps if j is not None or i not in gone]
    return kept, set(moved)


# --- large minutes: in linear time ---------------------------------------------------------------------------------


def _taken_apart(sides: MinutePair) -> list[Step]:
    """Align a large minute: as a whole shift of one reading if they agree so, else piece by piece between entries that
    occur once on each side.
    """
    for shift in _shifts(sides):
        steps = _shift(sides, shift)
        if steps is not None:
            return steps
    result: list[Step] = []
    i = j = 0
    for old, new in [*_anchors(sides), (len(sides.old), len(sides.new))]:
        result += _piece(sides, range(i, old), range(j, new))
        if old < len(sides.old):
            result.append((old, new))
        i, j = old + 1, new + 1
    return result


def _shifts(sides: MinutePair) -> Iterator[int]:
    """Yield the positions in the new reading at which the old one may begin (below 0: before it) so that their common
    part agrees and the rest may be absent on the other side; the longest agreement first.
    """
    old, new, edges = sides.old, sides.new, sides.edges
    shifts: list[tuple[int, int]] = []
    for first, second, sign in ((old, new, -1), (new, old, 1)):
        # The longest end of the first that the second begins with, or the whole second within the first.
        start, length = _longest_end(first, second)
        shift = sign * start
        rests = (
            (-shift, edges.new_begins),
            (shift, edges.old_begins),
            (len(old) + shift - len(new), edges.new_ends),
            (len(new) - len(old) - shift, edges.old_ends),
        )
        if length and all(allowed or rest <= 0 for rest, allowed in rests):
            shifts.append((length, shift))
    yield from (shift for _, shift in sorted(shifts, reverse=True))


def _longest_end(text: Sequence[Hashable], pattern: Sequence[Hashable]) -> tuple[int, int]:
    """Return where ``text`` contains a prefix of ``pattern`` that is complete or reaches the text's end, and its
    length, by the Knuth-Morris-Pratt algorithm.
    """
    borders = [0] * len(pattern)
    length = 0
    for index in range(1, len(pattern)):
        while length and pattern[index] != pattern[length]:
            length = borders[length - 1]
        length += pattern[index] == pattern[length]
        borders[index] = length
    length = 0
    for index, label in enumerate(text):
        while length and label != pattern[length]:
            length = borders[length - 1]
        length += label == pattern[length]
        if length == len(pattern):
            return index + 1 - length, length
    return len(text) - length, length


def _shift(sides: MinutePair, shift: int) -> list[Step] | None:
    """Return the union if the old reading begins at ``shift`` in the new one; None if one of its pairs cannot be one
    message.
    """
    olds, news = len(sides.old), len(sides.new)
    low, high = max(0, -shift), min(olds, news - shift)
    if any(sides.distance(i, i + shift) is None for i in range(low, high)):
        return None
    before: list[Step] = [(i, None) for i in range(low)]
    before += [(None, j) for j in range(low + shift)]
    after: list[Step] = [(i, None) for i in range(high, olds)]
    after += [(None, j) for j in range(high + shift, news)]
    return [*before, *((i, i + shift) for i in range(low, high)), *after]


def _anchors(sides: MinutePair) -> list[tuple[int, int]]:
    """Return pairs of entries whose label occurs once on each side, the most that are in one order."""
    once_old, once_new = _once(sides.old), _once(sides.new)
    return _rising([(once_old[label], j) for label, j in once_new.items() if label in once_old], sides)


def _once(labels: Sequence[Hashable]) -> dict[Hashable, int]:
    counts = Counter(labels)
    return {label: index for index, label in enumerate(labels) if counts[label] == 1}


def _piece(sides: MinutePair, olds: range, news: range) -> list[Step]:
    """Align a piece between two anchors: by a table if it is small, else matching equal entries in order."""
    if len(olds) * len(news) <= CELLS:
        edges = MinuteEdges(
            sides.edges.old_begins and olds.start == 0,
            sides.edges.new_begins and news.start == 0,
            sides.edges.old_ends and olds.stop == len(sides.old),
            sides.edges.new_ends and news.stop == len(sides.new),
        )

        def apart(i: int, j: int) -> int | None:
            return sides.distance(olds.start + i, news.start + j)

        part = MinutePair(
            sides.old[olds.start : olds.stop],
            sides.new[news.start : news.stop],
            apart,
            edges,
            sides.telling,
        )
        laid = table(part).steps
        return [(None if i is None else olds.start + i, None if j is None else news.start + j) for i, j in laid]
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for i in olds:
        waiting[sides.old[i]].append(i)
    equals = [(waiting[label].popleft(), j) for j in news if waiting.get(label := sides.new[j])]
    steps: list[Step] = []
    i, j = olds.start, news.start
    for old, new in [*_rising(equals, sides), (olds.stop, news.stop)]:
        steps += [(index, None) for index in range(i, old)]
        steps += [(None, index) for index in range(j, new)]
        if old < olds.stop:
            steps.append((old, new))
        i, j = old + 1, new + 1
    return steps


def _rising(pairs: Sequence[tuple[int, int]], sides: MinutePair) -> list[tuple[int, int]]:
    """Return the longest subset of pairs, given in the order of the new entries, whose old entries ascend too."""
    tails: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    pairs = [pair for pair in pairs if sides.distance(*pair) is not None]
    for number, (old, _) in enumerate(pairs):
        at = bisect_left(tails, old)
        before.append(chosen[at - 1] if at else -1)
        tails[at : at + 1] = [old]
        chosen[at : at + 1] = [number]
    result: list[tuple[int, int]] = []
    number = chosen[-1] if chosen else -1
    while number >= 0:
        result.append(pairs[number])
        number = before[number]
    return result[::-1]
