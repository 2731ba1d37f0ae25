"""What a change of facts does to links and to what neighbours add: looked up in a store, computed by `facts.links`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from ..records import Link, LinkKey, StoredFact
from ..search_types import FactFilter
from ..store.sqlite_store import SQLiteStore
from .links import Linkable, LinkDelta, asked_for, context, link_keys_of, links_at, neighbours

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Linked:
    """What becomes of links with some changed facts."""

    links: Mapping[UUID, tuple[Link, ...]] = field(default_factory=dict[UUID, tuple[Link, ...]])
    """Of the facts that changed, and of those that thereby gained or lost a link with another that did not."""
    spots: Mapping[UUID, frozenset[LinkKey]] = field(default_factory=dict[UUID, frozenset[LinkKey]])
    """Where the changed facts stand now."""
    facts: Mapping[UUID, StoredFact] = field(default_factory=dict[UUID, StoredFact])
    """The changed facts and all to which neighbours may now add something else, with the keys of who adds."""
    words: Mapping[UUID, str] = field(default_factory=dict[UUID, str])
    """Of each of these facts, what neighbours add."""
    neighbours: Mapping[UUID, StoredFact] = field(default_factory=dict[UUID, StoredFact])
    """Of these facts those that did not change by themselves, as they are stored."""


def linkable(stored: StoredFact) -> Linkable:
    """What of a fact decides its links."""
    fact = stored.fact
    return Linkable(
        key=fact.id,
        subject=fact.subject,
        value=fact.value,
        content=fact.content,
        keywords=fact.keywords,
        messages=stored.messages,
        active=fact.status == "active",
        superseded_by=fact.superseded_by,
    )


async def linked(backend: SQLiteStore, before: Mapping[UUID, StoredFact], after: Mapping[UUID, StoredFact]) -> Linked:
    """What facts that change do to the links of all, and to what neighbours add.

    The store must not change before what comes out is written to it.

    Args:
        backend: the present facts, as they were before.
        before: the facts that change, as they are stored; without those that are new.
        after: as they will be; without those that go.
    """
    if not before and not after:
        return Linked()
    anew = {key: linkable(stored) for key, stored in after.items()}
    spots = {key: link_keys_of(fact) for key, fact in anew.items()}
    moves = LinkDelta({key: link_keys_of(linkable(stored)) for key, stored in before.items()}, spots)
    stored = await backend.holders(moves.wanted(moves.touched))
    disturbed = moves.disturbed(stored)
    others = await _facts(backend, disturbed)
    theirs = {key: link_keys_of(linkable(fact)) for key, fact in others.items()}
    more = asked_for(spot for each in theirs.values() for spot in each) - stored.keys()
    holders = moves.now(stored | await backend.holders(moves.wanted(more)))
    links = {key: links_at(key, each, holders) for key, each in (spots | theirs).items()}
    return await _contexts(backend, before, after, links, spots)


async def _contexts(
    backend: SQLiteStore,
    before: Mapping[UUID, StoredFact],
    after: Mapping[UUID, StoredFact],
    links: Mapping[UUID, tuple[Link, ...]],
    spots: Mapping[UUID, frozenset[LinkKey]],
) -> Linked:
    gone = before.keys() - after.keys()
    old = await backend.links({*before, *links})
    ends = [*old.values(), *links.values()]
    touched = ({link.other for found in ends for link in found} | links.keys() | after.keys()) - gone
    kept = await backend.links(touched - links.keys())
    near: dict[UUID, list[Link]] = {key: list(links.get(key, ())) for key in touched}
    for key, found in kept.items():
        near[key] = [link for link in found if link.other not in links and link.other not in gone]
    for key, found in links.items():
        for link in found:
            if link.other not in links:
                near[link.other].append(Link(link.kind, key, link.weight))
    stored = await _facts(backend, touched - after.keys())
    known = {**stored, **after}
    holding = {key for key, each in known.items() if each.fact.status == "active"}
    adding = {link.other for key in holding for link in near[key] if link.kind != "supersedes"}
    known |= await _facts(backend, adding - known.keys())
    told = {key: linkable(each) for key, each in known.items()}
    facts: dict[UUID, StoredFact] = {}
    words: dict[UUID, str] = {}
    for key in touched & known.keys():
        added = neighbours(told[key], near[key], told.get)
        fact = known[key].fact.model_copy(update={"context": tuple(other.key for other in added)})
        facts[key] = replace(known[key], fact=fact)
        words[key] = context(added)
    return Linked(links, spots, facts, words, stored)


async def _facts(backend: SQLiteStore, keys: Collection[UUID]) -> dict[UUID, StoredFact]:
    """The present facts among these."""
    listed = sorted(keys)
    found: dict[UUID, StoredFact] = {}
    for begin in range(0, len(listed), AT_ONCE):
        part = tuple(listed[begin : begin + AT_ONCE])
        found |= {each.fact.id: each for _, each in await backend.facts(FactFilter(keys=part), 0, len(part))}
    return found
