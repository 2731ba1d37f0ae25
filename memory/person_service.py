"""People across sources: listing, proposals, and the user's decisions, kept in one store."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

import anyio

from ..schemas import Person
from ..schemas.errors import InvalidError, NotFoundError
from .facts.service import DOCUMENTS_AT_ONCE
from .facts.updates import FactUpdates
from .people.decisions import THE_USER, Action, Decision, split_pairs, standing, undone_numbers
from .people.proposals import Identity, Proposal, proposals
from .store import people_rows
from .store.database import Database
from .store.decision_cache import FollowedDecisions
from .text.names import folded


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """A person with the names from all sources, most messages first."""

    person: Person
    identities: tuple[Identity, ...]

    @property
    def name(self) -> str:
        """The name with most messages."""
        return self.identities[0].name

    @property
    def messages(self) -> int:
        """The number of messages by this person."""
        return sum(each.messages for each in self.identities)


@dataclass(frozen=True, slots=True)
class NotedDecision:
    """A decision with its identities, for listing."""

    decision: Decision
    stands: bool
    identities: tuple[Identity, ...]
    """The identities it concerns; those that no stored document mentions any more are missing."""
    forgotten: int
    """The number of missing identities."""


class PersonService:
    """Merges and splits people, and takes decisions back; messages stay unchanged.

    Args:
        database: the store.
        facts: regroups the statements by and about people.
        writing: held while the store is written to.
    """

    def __init__(self, database: Database, facts: FactUpdates, writing: anyio.Lock) -> None:
        self._database = database
        self._facts = facts
        self._writing = writing
        self._followed = FollowedDecisions()

    async def set_own_names(self, names: Mapping[str, str]) -> None:
        """Store the user's names from the settings, by source; an empty source stands for all."""
        async with self._writing:
            await self._database.write(people_rows.set_own_names, names)

    async def people(self) -> list[KnownPerson]:
        """Return all people in documents, most messages first."""
        return await self._database.read(_people)

    async def proposals(self) -> list[Proposal]:
        """Return people who may be one, with the evidence."""
        return await self._database.read(_proposals)

    async def decisions(self) -> list[NotedDecision]:
        """Return all decisions, oldest first."""
        return await self._database.read(_all_noted)

    async def namesakes(self, name: str, sources: Collection[str] = ()) -> list[KnownPerson]:
        """The people who have this name in these sources (empty: in any), where the user split them; else nobody.

        Equal names in two sources may be one person's. Where one of them was split from others they are not, so that what is
        forgotten of one must not go with the other.
        """
        return await self._database.read(_namesakes, folded(name), sources)

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
            decision, waiting = await self._database.write(_undo, number, self._followed)
        await self._group_anew(waiting)
        return decision

    async def _decide(self, action: Action, keys: tuple[UUID, ...]) -> int:
        async with self._writing:
            number, waiting = await self._database.write(_decide, action, keys, self._followed)
        await self._group_anew(waiting)
        return number

    async def _group_anew(self, documents: Sequence[UUID]) -> None:
        """Regroup the statements of documents that wait only because an identity in them now belongs to another person.
        Their windows are known, so no model is asked; if interrupted, the documents still wait for the pipeline.
        """
        for begin in range(0, len(documents), DOCUMENTS_AT_ONCE):
            await self._facts.regroup(uuid4().hex, documents[begin : begin + DOCUMENTS_AT_ONCE])


def _decide(
    connection: sqlite3.Connection, action: Action, keys: Sequence[UUID], followed: FollowedDecisions
) -> tuple[int, list[UUID]]:
    """Return the decision's number, and the documents that wait for it."""
    made = people_rows.decide(connection, action, datetime.now(UTC), keys, followed=followed)
    if not made.changed:
        what = "they are one person already" if action == "merge" else "they are nobody else's names"
        raise InvalidError(what, hint="`memd people` shows who is one person, `memd people log` the decisions")
    return made.number, people_rows.document_keys(connection, made.documents)


def _undo(
    connection: sqlite3.Connection, number: int | None, followed: FollowedDecisions
) -> tuple[NotedDecision, list[UUID]]:
    """Return the decision that was taken back, and the documents that wait for it."""
    followed.follow(connection)
    listed = "`memd people log` lists them"
    if number is None and (number := followed.log.last_standing()) is None:
        raise NotFoundError("no decision on people stands", hint=listed)
    stands = followed.log.stands(number)
    if stands is None:
        raise NotFoundError(f"there is no decision {number}", hint=listed)
    if not stands:
        hint = "`memd people log` shows by which; taking that one back restores it"
        raise NotFoundError(f"decision {number} is taken back already", hint=hint)
    (decision,) = _noted(connection, people_rows.decisions(connection, number), lambda _: True)
    made = people_rows.decide(connection, "undo", datetime.now(UTC), (), number, followed=followed)
    return decision, people_rows.document_keys(connection, made.documents)


def _people(connection: sqlite3.Connection) -> list[KnownPerson]:
    return grouped(people_rows.identities(connection), people_rows.labels(connection))


def _namesakes(connection: sqlite3.Connection, name: str, sources: Collection[str]) -> list[KnownPerson]:
    identities = people_rows.identities(connection)
    alike = [each for each in identities if folded(each.name) == name and (not sources or each.source in sources)]
    if len(alike) < 2:
        return []
    labels = people_rows.labels(connection)
    apart = {key for each in standing(people_rows.decisions(connection)) if each.action == "split" for key in each.keys}
    keys = {each.key for each in alike}
    people = [each for each in grouped(identities, labels) if any(one.key in keys for one in each.identities)]
    return people if len(people) > 1 and not keys.isdisjoint(apart) else []


def grouped(identities: Sequence[Identity], labels: Mapping[UUID, str]) -> list[KnownPerson]:
    """Group these identities by person."""
    members: defaultdict[str, list[Identity]] = defaultdict(list)
    for each in identities:
        members[labels.get(each.key, f"person:{each.key.hex}")].append(each)
    people = [_known(label, tuple(some)) for label, some in members.items()]
    return sorted(people, key=lambda each: (-each.messages, each.name, each.person.id))


def _known(label: str, identities: tuple[Identity, ...]) -> KnownPerson:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for each in identities:
        names[each.source].append(each.name)
    names_by_source = {source: tuple(names[source]) for source in sorted(names)}
    return KnownPerson(Person(id=label, names=names_by_source, is_user=label == THE_USER), identities)


def _proposals(connection: sqlite3.Connection) -> list[Proposal]:
    labels = people_rows.labels(connection)
    apart = split_pairs(standing(people_rows.decisions(connection)), labels)
    own_sources = people_rows.own_sources(connection)
    return proposals(people_rows.identities(connection), labels, apart, own_sources)


def _all_noted(connection: sqlite3.Connection) -> list[NotedDecision]:
    decisions = people_rows.decisions(connection)
    undone = undone_numbers([(each.id, each.target) for each in decisions])
    return _noted(connection, decisions, lambda each: each.id not in undone)


def _noted(
    connection: sqlite3.Connection, decisions: Sequence[Decision], stands: Callable[[Decision], bool]
) -> list[NotedDecision]:
    identities = {each.key: each for each in people_rows.identities(connection)}
    return [
        NotedDecision(
            each,
            stands(each),
            tuple(identities[key] for key in each.keys if key in identities),
            sum(key not in identities for key in each.keys),
        )
        for each in decisions
    ]
