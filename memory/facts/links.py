"""Links between facts: pure, symmetric, and the same in whatever order the facts came in.

After A-Mem (Xu et al. 2025, https://arxiv.org/abs/2502.12110): notes with keywords, tags and links. There a model writes
all three and the order of arrival decides; here they follow from the facts.

A fact has link keys: its keywords, the messages it rests on, its subject, its value, the fact that ended it. Two facts
are linked when they share one (or when the value of the one names the subject of the other), unless more than `MAX_FACTS_PER_KEY`
facts have it. So a link depends on its two facts and on how many others have the keys they share, on nothing else; it is
computed when a fact is shown, and no fact has links without number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from ...schemas import FactLink
from ...schemas.fact import FactLinkKind
from ..records import LinkKey, SpotKind, StoredFact
from ..text.analyzer import fold, words
from ..text.language import language_of
from ..text.stemmer import english_stem
from ..text.stopwords import stop_words

MAX_FACTS_PER_KEY = 32
"""Facts at a spot that tells something. Where more stand (the name of who writes most, a word of every day, a text of
a hundred facts) being there too says little about two of them."""
MIN_SHARED_KEYWORDS = 2
"""Keywords that two facts must have in common to share a topic."""
MAX_KEYWORDS = 12
MIN_KEYWORD_LENGTH = 3

_MEETS: Mapping[SpotKind, tuple[SpotKind, FactLinkKind]] = {
    "keyword": ("keyword", "shared-topic"),
    "message": ("message", "same-evidence"),
    "subject": ("value", "about"),
    "value": ("subject", "about"),
    "fact": ("ended-by", "supersedes"),
    "ended-by": ("fact", "supersedes"),
}


@dataclass(frozen=True, slots=True)
class Linkable:
    """What of a fact decides its links."""

    key: UUID
    subject: str
    """The one name of whom or what it is about."""
    value: str
    content: str
    keywords: tuple[str, ...] = ()
    """As its extractor gave them."""
    messages: tuple[UUID, ...] = ()
    superseded_by: UUID | None = None


def linkable(stored: StoredFact) -> Linkable:
    """What of a stored fact decides its links."""
    fact = stored.fact
    return Linkable(
        key=fact.id,
        subject=fact.subject,
        value=fact.value,
        content=fact.content,
        keywords=fact.keywords,
        messages=stored.messages,
        superseded_by=fact.superseded_by,
    )


def keywords_of(content: str, given: Collection[str] = (), subject: str = "") -> frozenset[str]:
    """The words that a fact is linked by: those its extractor gave, else the longest of its content that say something.

    As stems and folded, so that both kinds meet; without the name of whom it is about, which its subject tells.
    """
    told = {stem for text in given for stem in _stems(text)} if given else _significant_words(content)
    left = {stem for stem in told - _stems(subject) if len(stem) >= MIN_KEYWORD_LENGTH}
    return frozenset(sorted(left, key=lambda term: (-len(term), term))[:MAX_KEYWORDS])


def _significant_words(text: str) -> set[str]:
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


FactsByKey = Mapping[LinkKey, Collection[UUID]]
"""Who stands at spots. More than `MAX_FACTS_PER_KEY` at one may be cut off anywhere beyond that number."""


def facts_if_selective(holders: FactsByKey, spot: LinkKey) -> Collection[UUID]:
    """Who stands there, if the spot tells something; else nobody."""
    found = holders.get(spot, ())
    return found if len(found) <= MAX_FACTS_PER_KEY else ()


def links_at(key: UUID, spots: Iterable[LinkKey], holders: FactsByKey) -> tuple[FactLink, ...]:
    """The links of a fact that stands at these spots, in a fixed order.

    Args:
        key: of the fact.
        spots: where it stands.
        holders: for all that are `asked_for`, itself among them.
    """
    shared: Counter[tuple[FactLinkKind, UUID]] = Counter()
    for spot in spots:
        if not facts_if_selective(holders, spot):
            continue
        kind = _MEETS[spot[0]][1]
        shared.update((kind, other) for other in facts_if_selective(holders, meeting(spot)) if other != key)
    links = [
        FactLink(kind=kind, other=other, weight=weight if kind in ("shared-topic", "same-evidence") else 1)
        for (kind, other), weight in shared.items()
        if kind != "shared-topic" or weight >= MIN_SHARED_KEYWORDS
    ]
    return in_order(links)


def in_order(links: Iterable[FactLink]) -> tuple[FactLink, ...]:
    """Those that say most first: about one another, said together, the strongest topics, one after the other."""
    return tuple(sorted(links, key=_order))


def _order(link: FactLink) -> tuple[int, int, UUID]:
    return _NEAREST.index(link.kind), -link.weight, link.other


_NEAREST: tuple[FactLinkKind, ...] = ("about", "same-evidence", "shared-topic", "supersedes")
