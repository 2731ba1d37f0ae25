"""Detects renamed people between two readings of one chat from their messages. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from ...schemas import SYSTEM_SPEAKER, ConversationMessage
from .aliases import ANYBODY, Aliases
from .document_comparison import DocumentComparison, MinutePiece
from .message_distance import CHANGED, HOLE, REREAD, SAME, UNFLAGGED, UNMATCHED, is_distinctive, minute_of
from .overlap import overlap

_RENAMED = 2 * UNMATCHED
"""The cost of taking two names for one person: as much as keeping one message twice, less than a gap."""
_ROUNDS = 4
_SHORT = 8
"""The length in characters of texts that two people may well send in one minute, such as "ok" or "thanks"."""
_TRIED = 8
"""The most people of one piece for whom the cost without the guessed rename is computed."""


_Proof = Literal["once", "plain", "doubtful", "changed"]
"""The evidence of a pair of messages: "once": the words occur once on each side; "plain": no other unknown person has
them in that minute; "doubtful": another one has; "changed": the wordings differ.
"""


def renamed_people(comparison: DocumentComparison, minutes: Sequence[Sequence[MinutePiece]]) -> dict[str, str]:
    """Return renames of people whose names are unknown to one side, as far as their messages prove them.

    A distinctive text is proof enough. Otherwise both names must be unknown to the other side, and one message in a
    minute in which one side may end and the other begin is too little, unless its words occur once and are not short.
    Merging two people is worse than keeping one under two names: nothing separates them again.
    """
    ours, theirs = comparison.strangers
    if not ours and not theirs:
        return {}
    pieces = [piece for minute in minutes for piece in minute]
    renames = _renamed_by_distinctive_text(comparison)
    refused: set[tuple[str, str]] = set()
    for _ in range(_ROUNDS):  # each round of accepted and refused guesses leaves fewer candidates
        guessed = _guessed(comparison, pieces, renames, refused)
        if not guessed:
            break
        worth = _cost_differences(comparison, pieces, renames, guessed)
        refused |= {(mine, other) for mine, other in guessed.items() if worth[mine] <= _RENAMED}
        renames |= {mine: other for mine, other in guessed.items() if worth[mine] > _RENAMED}
    return renames


def _unknown(comparison: DocumentComparison, renames: Mapping[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    names = {*renames, *renames.values()}
    ours, theirs = comparison.strangers
    return ours - names, theirs - names


def _guessed(
    comparison: DocumentComparison,
    pieces: Sequence[MinutePiece],
    renames: Mapping[str, str],
    refused: Collection[tuple[str, str]],
) -> dict[str, str]:
    """Candidate renames: pairs of authors, each known to one side only, whose messages would match if they were one
    person.
    """
    ours, theirs = _unknown(comparison, renames)
    if not ours or not theirs:
        return {}
    unknown = ours | theirs
    votes: Counter[tuple[str, str]] = Counter()
    for _, pairs in _shared(comparison, pieces, {**renames, **dict.fromkeys(unknown, ANYBODY)}, unknown):
        for mine, other, proof in pairs:
            if mine in ours and other in theirs:
                votes[mine, other] += 1 if proof == "changed" else 2
    return _one_to_one(Counter({pair: count for pair, count in votes.items() if pair not in refused}))


def _cost_differences(
    comparison: DocumentComparison,
    pieces: Sequence[MinutePiece],
    renames: Mapping[str, str],
    guessed: Mapping[str, str],
) -> Counter[str]:
    """Return the additional cost of the alignment without each of the guessed renames."""
    ours, theirs = _unknown(comparison, renames)
    renamed = {**renames, **guessed}
    # If the sides have no person in common, only the guess suggests that they cover the same time.
    anchored = len(guessed) > 1 or bool(renames) or not set(comparison.people[0]).isdisjoint(comparison.people[1])
    worth: Counter[str] = Counter()
    for piece, pairs in _shared(comparison, pieces, renamed, ours | theirs):
        proofs_by_name: dict[str, list[_Proof]] = {}
        for mine, other, proof in pairs:
            if guessed.get(mine) == other:
                proofs_by_name.setdefault(mine, []).append(proof)
        for mine, proofs in proofs_by_name.items():
            if "once" in proofs:
                worth[mine] += 2 * _RENAMED
            elif "plain" in proofs or "changed" in proofs:
                proven = _cost_difference(comparison, piece, renamed, mine, len(proofs_by_name))
                weak = piece.edges.meeting or (proven < HOLE and not _decides_alone(comparison, piece, proofs))
                if weak and not anchored:
                    proven = min(proven, _RENAMED if "plain" in proofs else 0)
                worth[mine] += min(2 * _RENAMED, proven)
            else:
                worth[mine] += 2 * UNMATCHED * len(proofs)
    return worth


def _decides_alone(comparison: DocumentComparison, piece: MinutePiece, proofs: Collection[_Proof]) -> bool:
    """Return whether equal words identify two names, or no other person of the piece comes into question."""
    ours, theirs = comparison.people
    return "plain" in proofs or len({ours[i] for i in piece.old}) == len({theirs[j] for j in piece.new}) == 1


def _cost_difference(
    comparison: DocumentComparison, piece: MinutePiece, renamed: Mapping[str, str], mine: str, count: int
) -> int:
    """Return the additional cost of a piece without one guessed rename; not computed if there are many at once."""
    if count > _TRIED:
        return 0 if piece.edges.meeting else 2 * _RENAMED
    without = {name: other for name, other in renamed.items() if name != mine}
    costs = [overlap(comparison.sides(piece, each).without(UNFLAGGED)).cost for each in (without, renamed)]
    return costs[0] - costs[1]


def _one_to_one(votes: Counter[tuple[str, str]]) -> dict[str, str]:
    """Return at most one partner for each person, most votes first; none if two partners have equally many votes."""
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    most: Counter[tuple[str, int]] = Counter()
    for (mine, other), count in votes.items():
        most.update([(mine, count), (other, count)])
    for (mine, other), count in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if mine not in pairs and other not in taken and most[mine, count] == most[other, count] == 1:
            pairs[mine] = other
            taken.add(other)
    return pairs


def _renamed_by_distinctive_text(comparison: DocumentComparison) -> dict[str, str]:
    """Return renames proved by a distinctive text that is on both sides, under a name that one side does not know."""
    ours, theirs = comparison.strangers
    once: list[dict[tuple[str, str], str]] = []
    for messages, people in zip((comparison.old, comparison.new), comparison.people, strict=True):
        texts = _once(messages)
        once.append(
            {
                (message.content, minute_of(message)): person
                for message, person in zip(messages, people, strict=True)
                if message.content in texts and is_distinctive(message)
            }
        )
    votes: Counter[tuple[str, str]] = Counter()
    for name, mine in once[0].items():
        other = once[1].get(name, mine)
        if other != mine and (mine in ours or other in theirs):
            votes[(mine, other) if mine in ours else (other, mine)] += 1
    return _one_to_one(votes)


def _shared(
    comparison: DocumentComparison, pieces: Sequence[MinutePiece], renamed: Mapping[str, str], unknown: Collection[str]
) -> Iterator[tuple[MinutePiece, list[tuple[str, str, _Proof]]]]:
    """Yield pieces with the authors of messages that both sides have under these renames, and the evidence. Pieces
    without any of these people are skipped.
    """
    ours, theirs = comparison.people
    once = [_once(side) for side in (comparison.old, comparison.new)]
    for piece in pieces:
        if not any(ours[index] in renamed for index in piece.old) and not any(
            theirs[index] in renamed for index in piece.new
        ):
            continue
        sides = comparison.sides(piece, renamed).without(UNFLAGGED)
        pairs: list[tuple[str, str, _Proof]] = []
        doubtful = {
            *_said_by_several(comparison.old, ours, [index for index in piece.old if ours[index] in unknown]),
            *_said_by_several(comparison.new, theirs, [index for index in piece.new if theirs[index] in unknown]),
        }
        steps = overlap(sides).steps
        if not piece.edges.meeting and all(i is not None and j is not None for i, j in steps):
            doubtful = set[str]()  # both sides have the same messages there, so their order identifies the people
        for i, j in steps:
            apart = None if i is None or j is None else sides.distance(i, j)
            if i is None or j is None or apart is None or apart > CHANGED:
                continue
            old, new = piece.old[i], piece.new[j]
            content = comparison.old[old].content
            proof: _Proof = "doubtful" if content in doubtful else "plain"
            if apart > (REREAD if proof == "plain" else SAME):
                proof = "changed"
            elif content in once[0] and content in once[1] and not (piece.edges.meeting and len(content) <= _SHORT):
                proof = "once"
            pairs.append((ours[old], theirs[new], proof))
        yield piece, pairs


def _said_by_several(
    messages: Sequence[ConversationMessage], people: Sequence[str], indexes: Sequence[int]
) -> set[str]:
    """Return the contents that several people have in a piece."""
    first: dict[str, str] = {}
    return {
        messages[index].content
        for index in indexes
        if first.setdefault(messages[index].content, people[index]) != people[index]
    }


def _once(messages: Sequence[ConversationMessage]) -> set[str]:
    """Return the texts that exactly one message has."""
    counts = Counter(message.content for message in messages if message.kind == "text")
    return {content for content, count in counts.items() if count == 1}


def renamed_names(
    old: Sequence[ConversationMessage],
    new: Sequence[ConversationMessage],
    matches: Sequence[int | None],
    aliases: Aliases,
) -> dict[str, str]:
    """Return stored to incoming names where every common message of one name now has another one, and either the chat
    knows both as one person's, or neither is used by both sides. Unclear cases are omitted.
    """
    ours, theirs = {message.speaker for message in old}, {message.speaker for message in new}
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for message, match in zip(new, matches, strict=True):
        if match is not None and old[match].speaker != message.speaker:
            seen[old[match].speaker].add(message.speaker)
    meant: defaultdict[str, set[str]] = defaultdict(set)
    for name, others in seen.items():
        for other in others:
            meant[other].add(aliases.person(name))
    renames: dict[str, str] = {}
    for name, others in seen.items():
        other = next(iter(others))
        if len(others) > 1 or name in theirs or SYSTEM_SPEAKER in (name, other):
            continue
        alone = other not in ours and len(meant[other]) == 1
        if alone or aliases.person(name) == aliases.person(other):
            renames[name] = other
    return renames
