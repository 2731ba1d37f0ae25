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
from ..records import LinkKey, LinkKeyKind, StoredFact
from ..text.analyzer import fold, words
from ..text.language import language_of
from ..text.stemmer import english_stem
from ..text.stopwords import stop_words

MAX_FACTS_PER_KEY = 32
"""The most facts of a meaningful link key. A key shared by more (the name of the main author, an everyday word, a text
with a hundred facts) says little about any two of them.
"""
MIN_SHARED_KEYWORDS = 2
"""The number of common keywords from which on two facts share a topic."""
MAX_KEYWORDS = 12
MIN_KEYWORD_LENGTH = 3

_COUNTERPARTS: Mapping[LinkKeyKind, tuple[LinkKeyKind, FactLinkKind]] = {
    "keyword": ("keyword", "shared-topic"),
    "message": ("message", "same-evidence"),
    "subject": ("value", "about"),
    "value": ("subject", "about"),
    "fact": ("ended-by", "supersedes"),
    "ended-by": ("fact", "supersedes"),
}


@dataclass(frozen=True, slots=True)
class Linkable:
    """The fields of a fact that determine its links."""

    key: UUID
    subject: str
    """The single name of the person or thing that the fact is about."""
    value: str
    content: str
    keywords: tuple[str, ...] = ()
    """The keywords as its extractor gave them."""
    messages: tuple[UUID, ...] = ()
    superseded_by: UUID | None = None


def linkable(stored: StoredFact) -> Linkable:
    """Return the fields of a stored fact that determine its links."""
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


def keywords_of(content: str, keywords: Collection[str] = (), subject: str = "") -> frozenset[str]:
    """Return the words by which a fact is linked: its extractor's keywords, else the longest significant words of its
    content.

    The words are stemmed and folded, so that both kinds match; the subject's name is left out, since it has a link key
    of its own.
    """
    stems = {stem for text in keywords for stem in _stems(text)} if keywords else _significant_words(content)
    left = {stem for stem in stems - _stems(subject) if len(stem) >= MIN_KEYWORD_LENGTH}
    return frozenset(sorted(left, key=lambda term: (-len(term), term))[:MAX_KEYWORDS])


def _significant_words(text: str) -> set[str]:
    """Return the stems of significant words, in English and in the text's own language if it is certain."""
    tokens = words(text)
    language = language_of(text, tokens)
    silent = stop_words("en") | (stop_words(language) if language else frozenset[str]())
    return {english_stem(word) for word in tokens if word not in silent}


@lru_cache(maxsize=1 << 10)
def _stems(name: str) -> frozenset[str]:
    return frozenset(english_stem(word) for word in words(name))


def tags_of(category: str, tags: Collection[str] = ()) -> tuple[str, ...]:
    """Return the tags of a fact: its category and its extractor's tags, folded, without duplicates."""
    return tuple(sorted({fold(tag).strip() for tag in (category, *tags)} - {""}))


def link_keys_of(fact: Linkable) -> frozenset[LinkKey]:
    """Return the link keys of a fact. A value that equals the subject has none: it leads to no other fact."""
    subject, value = fold(fact.subject).strip(), fold(fact.value).strip()
    keys: set[LinkKey] = {("fact", str(fact.key)), ("subject", subject)}
    if value not in (subject, ""):
        keys.add(("value", value))
    if fact.superseded_by is not None:
        keys.add(("ended-by", str(fact.superseded_by)))
    keys |= {("message", str(message)) for message in fact.messages}
    keys |= {("keyword", word) for word in keywords_of(fact.content, fact.keywords, fact.subject)}
    return frozenset(keys)


def counterpart(link_key: LinkKey) -> LinkKey:
    """Return the key whose facts are linked with the facts of this key; for most kinds the same key."""
    return _COUNTERPARTS[link_key[0]][0], link_key[1]


def with_counterparts(link_keys: Iterable[LinkKey]) -> frozenset[LinkKey]:
    """Return the keys whose facts are needed to find the links of a fact that has these keys."""
    listed = list(link_keys)
    return frozenset(listed) | {counterpart(link_key) for link_key in listed}


FactsByKey = Mapping[LinkKey, Collection[UUID]]
"""The facts of each link key. A list longer than `MAX_FACTS_PER_KEY` may be cut off anywhere beyond that number."""


def facts_if_selective(facts_by_key: FactsByKey, link_key: LinkKey) -> Collection[UUID]:
    """Return the facts with this key; none if too many have it."""
    facts = facts_by_key.get(link_key, ())
    return facts if len(facts) <= MAX_FACTS_PER_KEY else ()


def links_of(key: UUID, link_keys: Iterable[LinkKey], facts_by_key: FactsByKey) -> tuple[FactLink, ...]:
    """Return the links of a fact with these link keys, in a fixed order.

    Args:
        key: the fact's key.
        link_keys: the fact's link keys.
        facts_by_key: the facts of all `with_counterparts`, including this fact.
    """
    shared: Counter[tuple[FactLinkKind, UUID]] = Counter()
    for link_key in link_keys:
        if not facts_if_selective(facts_by_key, link_key):
            continue
        kind = _COUNTERPARTS[link_key[0]][1]
        shared.update(
            (kind, other) for other in facts_if_selective(facts_by_key, counterpart(link_key)) if other != key
        )
    links = [
        FactLink(kind=kind, other=other, weight=weight if kind in ("shared-topic", "same-evidence") else 1)
        for (kind, other), weight in shared.items()
        if kind != "shared-topic" or weight >= MIN_SHARED_KEYWORDS
    ]
    return by_strength(links)


def by_strength(links: Iterable[FactLink]) -> tuple[FactLink, ...]:
    """Return the links in the order of their significance: facts about one another, facts from the same message, the
    strongest topics, successors.
    """
    return tuple(sorted(links, key=_order))


def _order(link: FactLink) -> tuple[int, int, UUID]:
    return _NEAREST.index(link.kind), -link.weight, link.other


_NEAREST: tuple[FactLinkKind, ...] = ("about", "same-evidence", "shared-topic", "supersedes")
