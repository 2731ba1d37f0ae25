"""The API of people: authors, candidates for one person, merging, splitting and undoing. Part of the owner's service."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

import anyio.to_thread

from ...memory.memory import EvolvingMemory
from ...memory.people.proposals import Identity
from ...memory.person_service import KnownPerson, NotedDecision
from ...memory.text.name_matching import NameIndex, alike
from ...memory.text.names import folded
from ...schemas.errors import InvalidError, NotFoundError
from ...schemas.identity_links import account_link, links_in_name, mail_link, phone_link
from ..pipeline.pipeline import Pipeline
from .name_filters import LONGEST, SHOWN
from .requests import MergePeopleRequest, SplitPersonRequest, UndoPeopleRequest
from .user_identity import UserIdentity

if TYPE_CHECKING:
    from .answers.people import (
        DecisionAnswer,
        DecisionsAnswer,
        IdentityAnswer,
        MergeReport,
        PeopleAnswer,
        PersonName,
        ProposalsAnswer,
        SplitReport,
        UndonePeople,
    )

LISTED = "`memd people` lists everybody who wrote"


class PeopleService:
    """The operations on people. Methods raise the errors of ``schemas.errors``; each lists those besides ``StoreError``
    (the disk).
    """

    def __init__(self, memory: EvolvingMemory, pipeline: Pipeline, user: UserIdentity) -> None:
        self._memory = memory
        self._user = user
        self._people = memory.person_service
        self._pipeline = pipeline

    async def people(self) -> PeopleAnswer:
        """Return all people who wrote, those with most messages first; merged ones are one person."""
        await self._user.follow()
        return {"people": [person_to_wire(each) for each in await self._people.people() if each.messages]}

    async def proposals(self) -> ProposalsAnswer:
        """Return candidates for one person, with the evidence; nothing is merged."""
        proposals = await self._people.proposals()
        return {"proposals": [{"identities": _lines(each.identities), "evidence": each.evidence} for each in proposals]}

    async def decisions(self) -> DecisionsAnswer:
        """Return all decisions on people, the oldest first."""
        return {"decisions": [decision_to_wire(each) for each in await self._people.decisions()]}

    async def merge(self, request: MergePeopleRequest) -> MergeReport:
        """Plan to make one person of several, or do it. A mail address or phone number means everybody who has it.

        Raises:
            NotFoundError: a name means nobody, or several people, or is a part of one where names must be whole.
            InvalidError: they are one already.
        """
        everybody = await self._people.people()
        parts = request.dry_run and not request.whole_names
        matches = await anyio.to_thread.run_sync(
            lambda: [
                one
                for each in request.people
                for one in _with_link(each, everybody) or [meant(each, everybody, parts=parts)]
            ]
        )
        people = list({each.person.id: each for each, _ in matches}.values())
        if len(people) < 2:
            raise InvalidError("they are one person already", hint="`memd people` shows who is one person")
        number = 0
        if not request.dry_run:
            number = await self._people.merge([identity.key for _, identity in matches])
            self._changed()
        return {
            "people": [person_to_wire(each) for each in people],
            "identities": _lines(identity for _, identity in matches),
            "dry_run": request.dry_run,
            "decision": number,
        }

    async def split(self, request: SplitPersonRequest) -> SplitReport:
        """Plan to let the names of a person stand by themselves again, all of them or some, or do it.

        Raises:
            NotFoundError: as of `merge`.
            InvalidError: there is nothing to split.
        """
        everybody = await self._people.people()
        parts = request.dry_run and not request.whole_names
        person, _ = await anyio.to_thread.run_sync(partial(meant, request.person, everybody, parts=parts))
        identities = list(person.identities)
        if request.names:
            only_person = [person]
            identities = [
                (await anyio.to_thread.run_sync(partial(meant, each, only_person, parts=parts)))[1]
                for each in request.names
            ]
        if len(person.identities) < 2:
            raise InvalidError("this person has one name only", hint="`memd people log` lists what was merged")
        number = 0
        if not request.dry_run:
            number = await self._people.split([each.key for each in identities])
            self._changed()
        return {
            "person": person_to_wire(person),
            "identities": _lines(identities),
            "dry_run": request.dry_run,
            "decision": number,
        }

    async def undo(self, request: UndoPeopleRequest) -> UndonePeople:
        """Undo a decision, or the last one in force.

        Raises:
            NotFoundError: there is none, or it was taken back already.
        """
        decision = await self._people.undo(request.decision)
        self._changed()
        return {"undone": decision_to_wire(replace(decision, stands=False))}

    def _changed(self) -> None:
        """Update dependent state: queries now use other names for the same people, and facts may need new vectors."""
        self._memory.retriever.forget_names()
        self._pipeline.embed_more()


def meant(query: str, everybody: Sequence[KnownPerson], *, parts: bool = True) -> tuple[KnownPerson, Identity]:
    """Return the only person that matches, and the matching name: by key, mail address, phone number, `SOURCE:NAME` (or
    the id of an account or a handle in the place of the name), name or, with ``parts``, part of a name.

    Raises:
        NotFoundError: no person matches, or several, or a part is given without ``parts``.
    """
    matches = (
        _with_key(query, everybody)
        or _with_link(query, everybody)
        or _in_source(query, everybody)
        or _named(query, everybody)
    )
    people = {person.person.id: person for person, _ in matches}
    if len(people) == 1 and not parts and not _is_whole(query, matches):
        part_of = [f"{each.source}:{each.name}" for _, each in matches[:SHOWN]]
        hint = f"name the person whole: {shlex.quote(part_of[0])}"
        raise NotFoundError(f"there is no person {query[:LONGEST]!r}; it is a part of {', '.join(part_of)}", hint=hint)
    if len(people) == 1:
        return matches[0]
    shown = query if len(query) <= LONGEST else f"{query[:LONGEST]}…"
    if people:
        first = {
            person.person.id: each for person, each in reversed(matches)
        }  # of each person the name that was found first
        named = [f"{first[person].source}:{first[person].name}" for person in people]
        listing = ", ".join(named[:SHOWN]) + (f" and {len(named) - SHOWN} more" if len(named) > SHOWN else "")
        raise NotFoundError(
            f"{shown!r} means several: {listing}", hint="give more of the name, or its source before it"
        )
    near = alike(query, [each.name for person in everybody for each in person.identities], SHOWN)
    hint = f"did you mean {' or '.join(near)}?" if near else LISTED
    raise NotFoundError(f"there is no person {shown!r}", hint=hint)


def _is_whole(query: str, matches: Sequence[tuple[KnownPerson, Identity]]) -> bool:
    """Return whether the query matches one of these by more than a part of a name."""
    key, (source, _, name) = _key_of(query), query.partition(":")
    link = mail_link(query) or phone_link(query)
    return any(
        each.key == key
        or folded(each.name) == folded(query.strip())
        or (
            each.source == source.casefold() and (folded(each.name) == folded(name.strip()) or _has_account(each, name))
        )
        or (link is not None and (link in each.links or link in links_in_name(each.name)))
        for _, each in matches
    )


_Found = list[tuple[KnownPerson, Identity]]


def _key_of(query: str) -> UUID | None:
    try:
        return UUID(query)
    except ValueError:
        return None


def _with_key(query: str, people: Sequence[KnownPerson]) -> _Found:
    key = _key_of(query)
    return [(person, each) for person in people for each in person.identities if each.key == key]


def _with_link(query: str, people: Sequence[KnownPerson]) -> _Found:
    link = mail_link(query) or phone_link(query)
    if link is None:
        return []
    return [
        (person, each)
        for person in people
        for each in person.identities
        if link in each.links or link in links_in_name(each.name)
    ]


def _in_source(query: str, people: Sequence[KnownPerson]) -> _Found:
    source, colon, name = query.partition(":")
    here = [
        (person, each) for person in people for each in person.identities if colon and each.source == source.casefold()
    ]
    if not here:
        return []
    return [(person, each) for person, each in here if _has_account(each, name)] or _by_name(name, here)


def _has_account(identity: Identity, account: str) -> bool:
    """Return whether the identity has this account id or handle (``@ann``)."""
    link = account_link(account)
    return link is not None and link.casefold() in map(str.casefold, identity.links)


def _named(query: str, people: Sequence[KnownPerson]) -> _Found:
    return _by_name(query, [(person, each) for person in people for each in person.identities])


def _by_name(query: str, among: _Found) -> _Found:
    index = NameIndex([each.name for _, each in among])
    names = {folded(name) for name in index.matches(query)}
    return [(person, each) for person, each in among if folded(each.name) in names]


def person_to_wire(person: KnownPerson) -> PersonName:
    """Return a person's wire form, with the most used name and all names by source."""
    return {
        "name": person.name,
        "messages": person.messages,
        "id": person.person.id,
        "names": person.person.names,
        "is_user": person.person.is_user,
    }


def _lines(identities: Iterable[Identity]) -> list[IdentityAnswer]:
    """Return each of these names in a source once."""
    return [
        {
            "key": each.key,
            "source": each.source,
            "name": each.name,
            "messages": each.messages,
            "links": each.links,
        }
        for each in dict.fromkeys(identities)
    ]


def decision_to_wire(noted: NotedDecision) -> DecisionAnswer:
    """Return the wire form of a decision, with the names that still occur in the store."""
    return {
        "id": noted.decision.id,
        "action": noted.decision.action,
        "at": noted.decision.at,
        "stands": noted.stands,
        "identities": _lines(noted.identities),
        "forgotten": noted.forgotten,
        "target": noted.decision.target,
    }
