"""People over the sources: who there is, who may be one, and the user's decisions, kept in one store."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

import anyio

from ..schemas import Person
from ..schemas.errors import InvalidError, NotFoundError
from .facts.service import DOCUMENTS_AT_ONCE, FactService
from .people.decisions import THE_USER, Action, Decision, last_standing, split_pairs, standing, undone_numbers
from .people.proposals import Identity, Proposal, proposals
from .store import people_rows
from .store.sqlite_store import SQLiteStore
from .text.names import folded


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """A person with the names of all sources, those with most messages first."""

    person: Person
    identities: tuple[Identity, ...]

    @property
    def name(self) -> str:
        """The name with most messages."""
        return self.identities[0].name

    @property
    def messages(self) -> int:
        """How many this person wrote."""
        return sum(each.messages for each in self.identities)


@dataclass(frozen=True, slots=True)
class NotedDecision:
    """A decision as it is listed."""

    decision: Decision
    stands: bool
    identities: tuple[Identity, ...]
    """Whom it names; of those that nothing stored mentions any more, nothing."""
    forgotten: int
    """How many these are."""


class PersonService:
    """Merging, splitting and taking back; the messages stay as they are.

    Args:
        backend: the store.
        facts: groups what is said by and about people anew.
        writing: held while the store is written to.
    """

    def __init__(self, backend: SQLiteStore, facts: FactService, writing: anyio.Lock) -> None:
        self._backend = backend
        self._facts = facts
        self._writing = writing

    async def set_own_names(self, names: Mapping[str, str]) -> None:
        """Take over what the settings call the user, by source; an empty source stands for all."""
        async with self._writing:
            await self._backend.write(lambda connection: people_rows.set_own_names(connection, names))

    async def people(self) -> list[KnownPerson]:
        """Everybody whom a document names, those with most messages first."""
        return await self._backend.read(_people)

    async def proposals(self) -> list[Proposal]:
        """Who may be one, with the evidence."""
        return await self._backend.read(_proposals)

    async def decisions(self) -> list[NotedDecision]:
        """All decisions, the oldest first."""
        return await self._backend.read(_noted)

    async def namesakes(self, name: str, sources: Collection[str] = ()) -> list[KnownPerson]:
        """The people who have this name in these sources (empty: in any), where the user split them; else nobody.

        Equal names in two sources may be one person's. Where one of them was split from others they are not, so that what is
        forgotten of one must not go with the other.
        """
        return await self._backend.read(lambda connection: _namesakes(connection, folded(name), sources))

    async def merge(self, keys: Sequence[UUID]) -> int:
        """Make one person of those who have these identities; returns the decision's number.

        Raises:
            InvalidError: they are one already.
        """
        return await self._decide("merge", tuple(dict.fromkeys(keys)))

    async def split(self, keys: Sequence[UUID]) -> int:
        """Let these identities stand by themselves again; returns the decision's number.

        Raises:
            InvalidError: they do already.
        """
        return await self._decide("split", tuple(dict.fromkeys(keys)))

    async def undo(self, number: int | None = None) -> NotedDecision:
        """Take back a decision, which may be an undo; None: the last merge or split that stands. Returns what it was.

        Raises:
            NotFoundError: there is no such decision, or it was taken back already.
        """
        async with self._writing:
            known = await self.decisions()
            found = _to_undo(known, number)
            waiting = await self._backend.write(lambda connection: _decide(connection, "undo", (), found.decision.id))
        await self._group_anew(waiting[1])
        return found

    async def _decide(self, action: Action, keys: tuple[UUID, ...]) -> int:
        async with self._writing:
            number, waiting = await self._backend.write(lambda connection: _decide(connection, action, keys, None))
        await self._group_anew(waiting)
        return number

    async def _group_anew(self, documents: Sequence[UUID]) -> None:
        """Resolve the statements of documents that wait only because somebody in them is another person now. Their windows
        are known, so nobody is asked; killed in between, they still wait and the pipeline does it.
        """
        for begin in range(0, len(documents), DOCUMENTS_AT_ONCE):
            await self._facts.regroup(uuid4().hex, documents[begin : begin + DOCUMENTS_AT_ONCE])


def _decide(
    connection: sqlite3.Connection, action: Action, keys: Sequence[UUID], target: int | None
) -> tuple[int, list[UUID]]:
    """The decision's number, and the documents that wait since."""
    labels = people_rows.labels(connection)
    number, documents = people_rows.decide(connection, action, datetime.now(UTC), keys, target)
    if action != "undo" and labels == people_rows.labels(connection):
        what = "they are one person already" if action == "merge" else "they are nobody else's names"
        raise InvalidError(what, hint="`memd people` shows who is one person, `memd people log` the decisions")
    return number, people_rows.document_keys(connection, documents)


def _to_undo(known: Sequence[NotedDecision], number: int | None) -> NotedDecision:
    if number is None:
        last = last_standing([each.decision for each in known])
        if last is None:
            raise NotFoundError("no decision on people stands", hint="`memd people log` lists them")
        number = last.id
    found = next((each for each in known if each.decision.id == number), None)
    if found is None:
        raise NotFoundError(f"there is no decision {number}", hint="`memd people log` lists them")
    if not found.stands:
        hint = "`memd people log` shows by which; taking that one back restores it"
        raise NotFoundError(f"decision {number} is taken back already", hint=hint)
    return found


def _people(connection: sqlite3.Connection) -> list[KnownPerson]:
    return grouped(people_rows.identities(connection), people_rows.labels(connection))


def _namesakes(connection: sqlite3.Connection, name: str, sources: Collection[str]) -> list[KnownPerson]:
    known = people_rows.identities(connection)
    alike = [each for each in known if folded(each.name) == name and (not sources or each.source in sources)]
    if len(alike) < 2:
        return []
    labels = people_rows.labels(connection)
    apart = {key for each in standing(people_rows.decisions(connection)) if each.action == "split" for key in each.keys}
    keys = {each.key for each in alike}
    found = [each for each in grouped(known, labels) if any(one.key in keys for one in each.identities)]
    return found if len(found) > 1 and not keys.isdisjoint(apart) else []


def grouped(identities: Sequence[Identity], labels: Mapping[UUID, str]) -> list[KnownPerson]:
    """These identities by the person they belong to."""
    members: defaultdict[str, list[Identity]] = defaultdict(list)
    for each in identities:
        members[labels.get(each.key, f"person:{each.key.hex}")].append(each)
    found = [_known(label, tuple(some)) for label, some in members.items()]
    return sorted(found, key=lambda each: (-each.messages, each.name, each.person.id))


def _known(label: str, identities: tuple[Identity, ...]) -> KnownPerson:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for each in identities:
        names[each.source].append(each.name)
    told = {source: tuple(names[source]) for source in sorted(names)}
    return KnownPerson(Person(id=label, names=told, is_user=label == THE_USER), identities)


def _proposals(connection: sqlite3.Connection) -> list[Proposal]:
    labels = people_rows.labels(connection)
    apart = split_pairs(standing(people_rows.decisions(connection)), labels)
    own = people_rows.own_sources(connection)
    return proposals(people_rows.identities(connection), labels, apart, own)


def _noted(connection: sqlite3.Connection) -> list[NotedDecision]:
    decisions = people_rows.decisions(connection)
    known = {each.key: each for each in people_rows.identities(connection)}
    stand = _standing_ids(decisions)
    return [
        NotedDecision(
            each,
            each.id in stand,
            tuple(known[key] for key in each.keys if key in known),
            sum(key not in known for key in each.keys),
        )
        for each in decisions
    ]


def _standing_ids(decisions: Sequence[Decision]) -> Collection[int]:
    return {each.id for each in decisions} - undone_numbers([(each.id, each.target) for each in decisions])
