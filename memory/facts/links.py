"""Links between facts, and what its neighbours add to a fact: pure, symmetric, and the same however facts came in.

After A-Mem (Xu et al. 2025, https://arxiv.org/abs/2502.12110): notes with keywords, tags and links, whose context evolves
as neighbours come in. There a model writes all three and the order of arrival decides; here they follow from the facts.

A fact *stands at* spots: its keywords, the messages it rests on, its subject, its value, the fact that ended it. Two
facts are linked when one stands where the other does (or at the spot that meets it: the value of the one names the
subject of the other), and the spot tells something: no more than `MOST_AT` facts stand there. So a link depends on its
two facts and on how many others stand at the spots they share, on nothing else; and nobody has links without number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from ..records import Link, LinkKey, LinkKind, SpotKind
from ..text.analyzer import fold, words
from ..text.language import language_of
from ..text.stemmer import english_stem
from ..text.stopwords import stop_words

MOST_AT = 32
"""Facts at a spot that tells something. Where more stand (the name of who writes most, a word of every day, a text of
a hundred facts) being there too says little about two of them."""
FEWEST_SHARED = 2
"""Keywords that two facts must have in common to share a topic."""
MOST_KEYWORDS = 12
SHORTEST_KEYWORD = 3
MOST_CONTEXT = 1
"""Neighbours whose words add to a fact. With three in the embedded text, evidence was found less often than with one."""
LONGEST_CONTEXT = 200
"""Characters of what neighbours add: about as long as a fact, so that it stays found by itself."""

_MEETS: Mapping[SpotKind, tuple[SpotKind, LinkKind]] = {
    "keyword": ("keyword", "shared-topic"),
    "message": ("message", "same-evidence"),
    "subject": ("value", "about"),
    "value": ("subject", "about"),
    "fact": ("ended-by", "supersedes"),
    "ended-by": ("fact", "supersedes"),
}


@dataclass(frozen=True, slots=True)
class Linkable:
    """What of a fact decides its links, and what it may add to others."""

    key: UUID
    subject: str
    """The one name of whom or what it is about."""
    value: str
    content: str
    keywords: tuple[str, ...] = ()
    """As its extractor gave them."""
    messages: tuple[UUID, ...] = ()
    active: bool = True
    superseded_by: UUID | None = None


def keywords_of(content: str, given: Collection[str] = (), subject: str = "") -> frozenset[str]:
    """The words that a fact is linked by: those its extractor gave, else the longest of its content that say something.

    As stems and folded, so that both kinds meet; without the name of whom it is about, which its subject tells.
    """
    told = {stem for text in given for stem in _stems(text)} if given else _telling(content)
    left = {stem for stem in told - _stems(subject) if len(stem) >= SHORTEST_KEYWORD}
    return frozenset(sorted(left, key=lambda term: (-len(term), term))[:MOST_KEYWORDS])


def _telling(text: str) -> set[str]:
    """The stems of words that say something, in English and in the text's own language where it is sure."""
    found = words(text)
    own = language_of(text, found)
    silent = stop_words("en") | (stop_words(own) if own else frozenset[str]())
    return {english_stem(word) for word in found if word not in silent}


@lru_cache(maxsize=1 << 10)
def _stems(name: str) -> frozenset[str]:
    return frozenset(english_stem(word) for word in words(name))


def tags_of(category: str, given: Collection[str] = ()) -> tuple[str, ...]:
    """The tags of a fact: its category and those its extractor gave, folded, each once."""
    return tuple(sorted({fold(tag).strip() for tag in (category, *given)} - {""}))


def link_keys_of(fact: Linkable) -> frozenset[LinkKey]:
    """Where it stands. A value that is the subject itself leads to nobody else."""
    subject, value = fold(fact.subject).strip(), fold(fact.value).strip()
    found: set[LinkKey] = {("fact", str(fact.key)), ("subject", subject)}
    if value not in (subject, ""):
        found.add(("value", value))
    if fact.superseded_by is not None:
        found.add(("ended-by", str(fact.superseded_by)))
    found |= {("message", str(message)) for message in fact.messages}
    found |= {("keyword", word) for word in keywords_of(fact.content, fact.keywords, fact.subject)}
    return frozenset(found)


def meeting(spot: LinkKey) -> LinkKey:
    """The spot at which those stand who are linked with whoever stands at this one; mostly the same."""
    return _MEETS[spot[0]][0], spot[1]


def asked_for(spots: Iterable[LinkKey]) -> frozenset[LinkKey]:
    """Whose holders must be known to find the links of a fact that stands at these spots."""
    listed = list(spots)
    return frozenset(listed) | {meeting(spot) for spot in listed}


Holders = Mapping[LinkKey, Collection[UUID]]
"""Who stands at spots. More than `MOST_AT` at one may be cut off anywhere beyond that number."""


def telling(holders: Holders, spot: LinkKey) -> Collection[UUID]:
    """Who stands there, if the spot tells something; else nobody."""
    found = holders.get(spot, ())
    return found if len(found) <= MOST_AT else ()


def links_at(key: UUID, spots: Iterable[LinkKey], holders: Holders) -> tuple[Link, ...]:
    """The links of a fact that stands at these spots, in a fixed order.

    Args:
        key: of the fact.
        spots: where it stands.
        holders: for all that are `asked_for`, itself among them.
    """
    shared: Counter[tuple[LinkKind, UUID]] = Counter()
    for spot in spots:
        if not telling(holders, spot):
            continue
        kind = _MEETS[spot[0]][1]
        shared.update((kind, other) for other in telling(holders, meeting(spot)) if other != key)
    links = [
        Link(kind, other, weight if kind in ("shared-topic", "same-evidence") else 1)
        for (kind, other), weight in shared.items()
        if kind != "shared-topic" or weight >= FEWEST_SHARED
    ]
    return in_order(links)


def in_order(links: Iterable[Link]) -> tuple[Link, ...]:
    """Those that say most first: about one another, said together, the strongest topics, one after the other."""
    return tuple(sorted(links, key=_order))


def _order(link: Link) -> tuple[int, int, UUID]:
    return _NEAREST.index(link.kind), -link.weight, link.other


_NEAREST: tuple[LinkKind, ...] = ("about", "same-evidence", "shared-topic", "supersedes")


def holders_of(facts: Iterable[Linkable]) -> dict[LinkKey, set[UUID]]:
    """Who stands where, of facts that are all at hand."""
    found: dict[LinkKey, set[UUID]] = {}
    for fact in facts:
        for spot in link_keys_of(fact):
            found.setdefault(spot, set()).add(fact.key)
    return found


def all_links(facts: Iterable[Linkable]) -> dict[UUID, tuple[Link, ...]]:
    """The links of facts that are all at hand."""
    listed = list(facts)
    holders = holders_of(listed)
    return {fact.key: links_at(fact.key, link_keys_of(fact), holders) for fact in listed}


@dataclass(frozen=True, slots=True)
class LinkDelta:
    """Facts before and after a change, by where they stand."""

    before: Mapping[UUID, frozenset[LinkKey]]
    """Of the facts that changed, as they were; without those that are new."""
    after: Mapping[UUID, frozenset[LinkKey]]
    """As they are now; without those that are gone."""

    @property
    def touched(self) -> frozenset[LinkKey]:
        """Spots whose holders must be known to tell what the change does to links."""
        everything = frozenset[LinkKey]().union(*self.before.values(), *self.after.values())
        return asked_for(everything)

    def wanted(self, spots: Collection[LinkKey]) -> dict[LinkKey, int]:
        """How many holders must be looked up at each of these spots, so that it is sure who stands there after all."""
        leaving = Counter(spot for stood in self.before.values() for spot in stood)
        return {spot: MOST_AT + 1 + leaving[spot] for spot in spots}

    def now(self, stored: Holders) -> dict[LinkKey, set[UUID]]:
        """Who stands there after the change, where ``stored`` is who stood there before it."""
        found = {spot: {key for key in keys if key not in self.before} for spot, keys in stored.items()}
        for key, spots in self.after.items():
            for spot in spots:
                if spot in found:
                    found[spot].add(key)
        return found

    def disturbed(self, stored: Holders) -> set[UUID]:
        """Facts that did not change and may still have gained or lost links with each other: those at a spot that
        tells something now and did not before, or the other way round.
        """
        now = self.now(stored)
        found: set[UUID] = set()
        for spot, keys in stored.items():
            if (len(keys) <= MOST_AT) != (len(now[spot]) <= MOST_AT):
                found |= set(keys) if len(keys) <= MOST_AT else now[spot]
        return found - self.before.keys() - self.after.keys()


def neighbours(fact: Linkable, links: Iterable[Link], of: Callable[[UUID], Linkable | None]) -> tuple[Linkable, ...]:
    """The neighbours whose words are added to a fact: few, short, and none when they add nothing.

    Facts about whom the value names, and others said in the same breath, before those that share a topic; only what
    holds, only to what holds, and none that repeats the fact's own words or rests on its messages alone: these are found
    by both facts anyway.
    """
    if not fact.active:
        return ()
    said = {fold(fact.content)}
    parts: list[Linkable] = []
    length = 0
    for link in in_order(links):
        if link.kind == "supersedes":
            continue
        other = of(link.other)
        if other is None or not other.active or set(other.messages) <= set(fact.messages):
            continue
        told = _on_one_line(other.content)
        if fold(told) in said:
            continue
        if len(parts) == MOST_CONTEXT or length + len(told) > LONGEST_CONTEXT:
            break
        said.add(fold(told))
        parts.append(other)
        length += len(told) + 1
    return tuple(parts)


def context(added: Iterable[Linkable]) -> str:
    """The words that these neighbours add."""
    return " ".join(_on_one_line(other.content) for other in added)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
