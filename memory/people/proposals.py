"""Proposes people who may be one person: by account, mail address, phone number, or full name in two sources. Pure.

Never by a first name alone. A proposal merges nothing: the user confirms it.
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
"""The most people who may share a mail address or number; more indicate a shared one, such as a mailing list or ticket
system.
"""
_ORDER: tuple[EvidenceKind, ...] = ("account", "mail address", "phone number", "full name", "user of documents")
_SHARED = ("noreply", "no-reply", "donotreply", "do-not-reply", "notifications", "notification", "mailer-daemon")
"""Prefixes of automatic senders' addresses: the names beside them belong to other people."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A name in a source, with its properties."""

    source: str
    name: str
    key: UUID
    messages: int = 0
    links: tuple[str, ...] = ()
    """`mailto:…`, `tel:…`, `id:…`."""
    own: int = 0
    """The number of documents whose user it is."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reason why some people may be one."""

    kind: EvidenceKind
    """The kind of evidence, such as `full name`."""
    value: str
    """The name, address or number that they share."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Identities of several people who may be one person."""

    identities: tuple[Identity, ...]
    evidence: tuple[Evidence, ...]


@dataclass(slots=True)
class _Sharing:
    """The people who share a value of a kind of evidence."""

    people: dict[str, list[Identity]] = field(default_factory=lambda: defaultdict(list))
    """Identities by person: the label, or the key of an identity by itself."""
    sources: set[str] = field(default_factory=set[str])


def proposals(
    identities: Sequence[Identity],
    labels: Mapping[UUID, str],
    apart: Collection[UUID] = (),
    own_sources: Collection[str] = (),
) -> list[Proposal]:
    """Return the merges that the user may confirm, best evidence first.

    Args:
        identities: all identities, once for each name in each source.
        labels: the persons of merged identities; see `persons`.
        apart: identities that the user separated from a person.
        own_sources: sources in which several people are the user of documents.
    """
    shared: defaultdict[tuple[EvidenceKind, str], _Sharing] = defaultdict(_Sharing)
    for each in identities:
        if each.key in apart:
            continue
        person = labels.get(each.key, str(each.key))
        for kind, value in _values(each, own_sources):
            sharing = shared[kind, value]
            sharing.people[person].append(each)
            sharing.sources.add(each.source)
    reasons: defaultdict[frozenset[str], list[Evidence]] = defaultdict(list)
    members: defaultdict[frozenset[str], dict[UUID, Identity]] = defaultdict(dict)
    for (kind, value), sharing in shared.items():
        too_many = kind not in ("account", "full name") and len(sharing.people) > MOST_PEOPLE
        if len(sharing.people) < 2 or too_many or (kind == "full name" and len(sharing.sources) < 2):
            continue
        group = frozenset(sharing.people)
        reasons[group].append(Evidence(kind, value))
        members[group] |= {each.key: each for some in sharing.people.values() for each in some}
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
        elif scheme == "id" and not value.startswith("@"):  # an abandoned handle may belong to another person by now
            yield "account", f"{identity.source} {value}"
    words = plain(identity.name)
    if not links_in_name(identity.name) and sum(any(map(str.isalpha, word)) for word in words.split()) >= 2:
        yield "full name", words
    if identity.own and identity.source in own_sources:
        yield "user of documents", identity.source
