"""Which people may be one, and by what: one account of a source, equal mail address, equal phone number, equal full name in two
sources. Pure.

Never by a first name alone. Nothing is merged by a proposal: the user confirms it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from ...schemas.identity_links import links_in_name
from ..text.name_matching import plain

EvidenceKind = Literal["account", "mail address", "phone number", "full name", "user of documents"]
MOST_PEOPLE = 6
"""People of one mail address or number; more share it, as everybody does whom a mailing list or a ticket system writes for."""
_ORDER: tuple[EvidenceKind, ...] = ("account", "mail address", "phone number", "full name", "user of documents")
_SHARED = ("noreply", "no-reply", "donotreply", "do-not-reply", "notifications", "notification", "mailer-daemon")
"""What the addresses of machines begin with: names beside them are those of other people."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A name in a source, with what is known of it."""

    source: str
    name: str
    key: UUID
    messages: int = 0
    links: tuple[str, ...] = ()
    """`mailto:…`, `tel:…`, `id:…`"""
    own: int = 0
    """Documents whose user it is."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why some may be one."""

    kind: EvidenceKind
    value: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Identities of several people that may be one."""

    identities: tuple[Identity, ...]
    evidence: tuple[Evidence, ...]


@dataclass(slots=True)
class _Sharing:
    """Who has the same value of a kind."""

    people: dict[str, list[Identity]] = field(default_factory=lambda: defaultdict(list))
    """By person: the label, or the key of an identity that is by itself."""
    sources: set[str] = field(default_factory=set[str])


def proposals(
    identities: Sequence[Identity],
    labels: Mapping[UUID, str],
    apart: Collection[UUID] = (),
    own_sources: Collection[str] = (),
) -> list[Proposal]:
    """What the user may confirm, the best evidence first.

    Args:
        identities: everybody, once for each name in each source.
        labels: whom those belong to who are one already; see `persons`.
        apart: identities that the user took out of a person.
        own_sources: sources in which several people are the user of documents.
    """
    shared: defaultdict[tuple[EvidenceKind, str], _Sharing] = defaultdict(_Sharing)
    for each in identities:
        if each.key in apart:
            continue
        person = labels.get(each.key, str(each.key))
        for kind, value in _values(each, own_sources):
            found = shared[kind, value]
            found.people[person].append(each)
            found.sources.add(each.source)
    reasons: defaultdict[frozenset[str], list[Evidence]] = defaultdict(list)
    members: defaultdict[frozenset[str], dict[UUID, Identity]] = defaultdict(dict)
    for (kind, value), found in shared.items():
        too_many = kind not in ("account", "full name") and len(found.people) > MOST_PEOPLE
        if len(found.people) < 2 or too_many or (kind == "full name" and len(found.sources) < 2):
            continue
        group = frozenset(found.people)
        reasons[group].append(Evidence(kind, value))
        members[group] |= {each.key: each for some in found.people.values() for each in some}
    made = [
        Proposal(
            tuple(sorted(members[group].values(), key=lambda each: (-each.messages, each.source, each.name))),
            tuple(sorted(reasons[group], key=lambda each: (_ORDER.index(each.kind), each.value))),
        )
        for group in reasons
    ]
    return sorted(made, key=_rank)


def _rank(proposal: Proposal) -> tuple[int, int, str, str]:
    first = proposal.identities[0]
    return (
        min(_ORDER.index(each.kind) for each in proposal.evidence),
        -sum(each.messages for each in proposal.identities),
        first.source,
        first.name,
    )


def _values(identity: Identity, own_sources: Collection[str]) -> Iterable[tuple[EvidenceKind, str]]:
    for link in dict.fromkeys([*identity.links, *links_in_name(identity.name)]):
        scheme, _, value = link.partition(":")
        if scheme == "mailto" and not value.startswith(_SHARED):
            yield "mail address", value
        elif scheme == "tel" and value.startswith("+"):
            yield "phone number", value
        elif scheme == "id" and not value.startswith("@"):  # a handle is somebody else's when it was given up
            yield "account", f"{identity.source} {value}"
    words = plain(identity.name)
    if not links_in_name(identity.name) and sum(any(map(str.isalpha, word)) for word in words.split()) >= 2:
        yield "full name", words
    if identity.own and identity.source in own_sources:
        yield "user of documents", identity.source
