"""Links between facts, and what its neighbours add to a fact: pure, symmetric, and the same however facts came in.

After A-Mem (Xu et al. 2025, https://arxiv.org/abs/2502.12110): notes with keywords, tags and links, whose context evolves
as neighbours come in. There a model writes all three and the order of arrival decides; here they follow from the facts.

Two facts are linked because of what both of them hold, never because of other links; only which of many shared topics
are kept depends on more: each fact names its strongest, and a link is kept that either of the two names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from ..analysis import fold, query_terms

LinkKind = Literal["about", "same-evidence", "shared-topic", "supersedes"]
MOST_TOPICS = 8
"""Shared topics that a fact names: its strongest."""
FEWEST_SHARED = 2
"""Keywords that two facts must have in common to share a topic."""
MOST_KEYWORDS = 12
SHORTEST_KEYWORD = 3
MOST_CONTEXT = 3
"""Neighbours whose words go into the text that is embedded for a fact."""
LONGEST_CONTEXT = 400
"""Characters of what neighbours add: less than most facts with their header, so that a fact stays found by itself."""


@dataclass(frozen=True, slots=True)
class Linkable:
    """What of a fact decides its links."""

    key: UUID
    subject: str
    """The one name of whom or what it is about."""
    value: str
    content: str
    keywords: frozenset[str]
    messages: frozenset[UUID]
    active: bool = True
    superseded_by: UUID | None = None


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """One end of a link: it stands at both facts, with the other one's key."""

    kind: LinkKind
    other: UUID
    weight: int = 1
    """Keywords in common; 1 for other kinds."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts may be linked with some: any that has one of these."""

    keys: frozenset[UUID]
    """Facts themselves, and facts that supersede or are superseded by them (`superseded_by` is one of these)."""
    subjects: frozenset[str]
    """Folded: facts about these."""
    values: frozenset[str]
    """Folded: facts whose value is one of these."""
    keywords: frozenset[str]
    messages: frozenset[UUID]


Lookup = Callable[[Wanted], Iterable[Linkable]]
"""Gives at least the present facts that are wanted; more do no harm."""


def keywords_of(content: str, given: Collection[str] = ()) -> frozenset[str]:
    """The words that a fact is linked by: those its extractor gave, else the longest of its content that say something.

    As stems and folded, so that both kinds meet.
    """
    texts = list(given) or [content]
    found = {term for text in texts for term in query_terms(text, "en") if len(term) >= SHORTEST_KEYWORD}
    return frozenset(sorted(found, key=lambda term: (-len(term), term))[:MOST_KEYWORDS])


def tags_of(category: str, given: Collection[str] = ()) -> tuple[str, ...]:
    """The tags of a fact: its category and those its extractor gave, folded, each once."""
    return tuple(sorted({fold(tag).strip() for tag in (category, *given)} - {""}))


def wanted_by(facts: Iterable[Linkable]) -> Wanted:
    """What to look up so that all links of these facts are found."""
    listed = list(facts)
    superseding = {fact.superseded_by for fact in listed if fact.superseded_by is not None}
    return Wanted(
        keys=frozenset({fact.key for fact in listed} | superseding),
        subjects=frozenset(fold(fact.value) for fact in listed),
        values=frozenset(fold(fact.subject) for fact in listed),
        keywords=frozenset[str]().union(*(fact.keywords for fact in listed)),
        messages=frozenset[UUID]().union(*(fact.messages for fact in listed)),
    )


def is_wanted(fact: Linkable, wanted: Wanted) -> bool:
    """Whether a lookup must give this fact."""
    return (
        fact.key in wanted.keys
        or fact.superseded_by in wanted.keys
        or fold(fact.subject) in wanted.subjects
        or fold(fact.value) in wanted.values
        or not fact.keywords.isdisjoint(wanted.keywords)
        or not fact.messages.isdisjoint(wanted.messages)
    )


def lookup_in(facts: Iterable[Linkable]) -> Lookup:
    """A lookup in facts that are all at hand."""
    listed = list(facts)
    return lambda wanted: [fact for fact in listed if is_wanted(fact, wanted)]


def links_between(one: Linkable, other: Linkable) -> list[Link]:
    """The links of two facts as they stand at ``one``, before those of shared topics are bounded."""
    if one.key == other.key:
        return []
    found: list[Link] = []
    if other.key == one.superseded_by or one.key == other.superseded_by:
        found.append(Link("supersedes", other.key))
    if not one.messages.isdisjoint(other.messages):
        found.append(Link("same-evidence", other.key))
    if _about(one, other) or _about(other, one):
        found.append(Link("about", other.key))
    shared = len(one.keywords & other.keywords)
    if shared >= FEWEST_SHARED:
        found.append(Link("shared-topic", other.key, shared))
    return found


def links_of(facts: Iterable[Linkable], lookup: Lookup) -> dict[UUID, tuple[Link, ...]]:
    """The links of each of these facts, those of the strongest topics among them, in a fixed order.

    Two rounds of looking up: whether a fact's topic is kept depends on whether the other one names it.
    """
    listed = {fact.key: fact for fact in facts}
    near = {fact.key: fact for fact in lookup(wanted_by(listed.values()))} | listed
    beyond = {fact.key: fact for fact in lookup(wanted_by(near.values()))} | near
    index = _Index(beyond.values())
    named = {key: _named_topics(fact, index) for key, fact in near.items()}
    found: dict[UUID, tuple[Link, ...]] = {}
    for key, fact in listed.items():
        links = [link for other in index.near(fact) for link in links_between(fact, other)]
        kept = [
            link
            for link in links
            if link.kind != "shared-topic"
            or link.other in named[key]
            or key in named.get(link.other, frozenset[UUID]())
        ]
        found[key] = tuple(sorted(kept, key=lambda link: (link.kind, -link.weight, link.other)))
    return found


def changed_links(
    before: Mapping[UUID, Linkable], after: Mapping[UUID, Linkable], lookup: Lookup
) -> dict[UUID, tuple[Link, ...]]:
    """The present facts whose links or context may have changed with some facts, with their links anew.

    Args:
        before: the facts that changed, as they were; without those that are new.
        after: as they are now; without those that are gone.
        lookup: gives present facts, with ``after`` among them.
    """
    moved = [*before.values(), *after.values()]
    near = {fact.key: fact for fact in lookup(wanted_by(moved))} | dict(after)
    # A neighbour may name another topic instead of the one that came or went, which then has a link more or less.
    beyond = {fact.key: fact for fact in lookup(wanted_by(near.values()))} | near
    return links_of([beyond[key] for key in sorted(beyond)], lookup)


def context(fact: Linkable, linked: Sequence[tuple[Link, Linkable]]) -> str:
    """What the neighbours of a fact add to it, for the text that is embedded: short, and empty when they add nothing.

    Facts about whom the value names, and others said in the same breath, before those that share a topic; only present
    ones, and none that repeats the fact's own words.
    """
    said = {fold(fact.content)}
    parts: list[str] = []
    length = 0
    order = sorted(linked, key=lambda each: (_NEAREST.index(each[0].kind), -each[0].weight, each[1].key))
    for link, other in order:
        words = " ".join(other.content.split())
        if link.kind == "supersedes" or not other.active or fold(words) in said:
            continue
        if len(parts) == MOST_CONTEXT or length + len(words) > LONGEST_CONTEXT:
            break
        said.add(fold(words))
        parts.append(words)
        length += len(words) + 1
    return " ".join(parts)


_NEAREST: tuple[LinkKind, ...] = ("about", "same-evidence", "shared-topic", "supersedes")


def _about(one: Linkable, other: Linkable) -> bool:
    """Whether the value of the one names the subject of the other, and it is not about the same one anyway."""
    return fold(one.value) == fold(other.subject) != fold(one.subject)


class _Index:
    """Facts by what links them."""

    def __init__(self, facts: Iterable[Linkable]) -> None:
        self._facts = {fact.key: fact for fact in facts}
        self._by: dict[tuple[str, object], list[UUID]] = {}
        for fact in self._facts.values():
            for place in self._places(fact):
                self._by.setdefault(place, []).append(fact.key)

    def near(self, fact: Linkable) -> list[Linkable]:
        """All that may be linked with it."""
        asked = [*self._places(fact), ("value", fold(fact.subject)), ("subject", fold(fact.value))]
        keys = {key for place in asked for key in self._by.get(place, ())}
        keys |= {*self._by.get(("by", fact.key), ()), *([fact.superseded_by] if fact.superseded_by else [])}
        return [self._facts[key] for key in sorted(keys - {fact.key}) if key in self._facts]

    @staticmethod
    def _places(fact: Linkable) -> list[tuple[str, object]]:
        return [
            ("value", fold(fact.value)),
            ("subject", fold(fact.subject)),
            ("by", fact.superseded_by),
            *(("keyword", keyword) for keyword in fact.keywords),
            *(("message", message) for message in fact.messages),
        ]


def _named_topics(fact: Linkable, index: _Index) -> frozenset[UUID]:
    """The facts with which this one shares most keywords."""
    topics = [link for other in index.near(fact) for link in links_between(fact, other) if link.kind == "shared-topic"]
    strongest = sorted(topics, key=lambda link: (-link.weight, link.other))[:MOST_TOPICS]
    return frozenset(link.other for link in strongest)
