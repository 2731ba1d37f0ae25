"""Filters by parts of names: a part of exactly one name stands for it; any other part is refused, with the possible
names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

from ...memory.forgetting.selection import ForgetSelection
from ...memory.memory import EvolvingMemory
from ...memory.store import documents_read
from ...memory.text.name_matching import NameIndex, alike
from ...memory.text.names import folded
from ...schemas import Conversation, Query
from ...schemas.errors import NotFoundError

if TYPE_CHECKING:
    from .answers.upkeep import TakenName

SHOWN = 5
"""The maximum number of names in an error."""
LONGEST = 60
"""The maximum number of characters of the query in an error."""
_OF_PEOPLE = ("speaker", "person", "subject")
"""The filters that may be given several names of one person."""
_OWNED = re.compile("'s ")
MOST_TAKEN = 20
"""The maximum number of names of one kind that a plan explains."""
_LISTS = {
    "speaker": "`memd people` lists everybody who wrote",
    "person": "`memd people` lists everybody who wrote",
    "source": "`memd chats` and `memd documents` tell the sources",
    "tag": "`memd documents` shows what is stored",
    "chat": "`memd chats` lists those that are stored",
    "subject": "`memd facts` lists what is known",
}

Names = Callable[[], Awaitable[Collection[str]]]
_Query = TypeVar("_Query", bound=Query)


class NameFilters:
    """Completes parts of names to stored names."""

    def __init__(self, memory: EvolvingMemory) -> None:
        self._read = memory.database.read
        self._person_service = memory.person_service

    async def of_query(self, query: _Query) -> _Query:
        """The same question with whole names.

        Raises:
            NotFoundError: a name means nobody, or several; the hint tells whom it may mean.
        """
        sources, chats = await self.whole_chats(query.sources, query.chats)
        near = await self._people_of(chats, sources)
        whole = {
            "speakers": await self.whole("speaker", query.speakers, self._speakers, near=near),
            "people": await self.whole("person", query.people, self._people, near=near),
            "sources": sources,
            "chats": chats,
            "tags": await self.whole("tag", query.tags, lambda: self._read(documents_read.distinct, "tags")),
        }
        changed = {name: names for name, names in whole.items() if names != getattr(query, name)}
        return query.model_copy(update=changed) if changed else query

    async def whole_chats(
        self, sources: Sequence[str], chats: Sequence[str], *, absent: bool = False
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Whole names of sources, and of chats in these sources alone: ids of chats are numbers that others have, too.

        Raises:
            NotFoundError: as `whole`.
        """
        within = await self.whole("source", sources, self._sources, absent=absent)
        return within, await self.whole("chat", chats, self._chats_in(within), absent=absent)

    async def of_selection(self, selection: ForgetSelection, *, parts: bool = True) -> ForgetSelection:
        """Return the selection with whole names. A name that nobody has stays as it is: it may be in the journal.

        Args:
            selection: as it came.
            parts: a part of a name stands for the one that it means. Else a name means itself alone: what is forgotten is
                gone, and where Bob was forgotten, Bob must not mean Bobby.

        Raises:
            NotFoundError: a name means several, as a part, or since the user split those who have it.
        """
        if not parts:
            stored = NameIndex(await self._sources() if selection.sources else ())
            found = replace(selection, sources=tuple(map(stored.as_stored, selection.sources)))
        else:
            found = await self._by_parts(selection)
        for name in dict.fromkeys((*found.speakers, *found.people)):
            await self._refuse_namesakes(name, found.sources)
        return found

    async def _refuse_namesakes(self, name: str, sources: Sequence[str]) -> None:
        people = await self._person_service.namesakes(name, sources)
        if not people:
            return
        told = "; ".join(
            " = ".join(f"{each.source}:{each.name}" for each in person.identities[:SHOWN]) for person in people[:SHOWN]
        )
        where = [
            dict.fromkeys(each.source for each in person.identities if folded(each.name) == folded(name))
            for person in people[:SHOWN]
        ]
        hint = " or ".join(" ".join(f"--source {source}" for source in some) for some in where)
        raise NotFoundError(f"{name[:LONGEST]!r} means several people who were split: {told}", hint=f"add {hint}")

    async def _by_parts(self, selection: ForgetSelection) -> ForgetSelection:
        sources, chats = await self.whole_chats(selection.sources, selection.chats, absent=True)
        near = await self._people_of(chats, sources)
        return replace(
            selection,
            speakers=await self.whole("speaker", selection.speakers, self._speakers, absent=True, near=near),
            people=await self._people_to_forget(selection.people, near),
            sources=sources,
            chats=chats,
        )

    async def _people_to_forget(self, asked: tuple[str, ...], near: Collection[str]) -> tuple[str, ...]:
        """Complete names as `whole` does; a name that others mention but whose owner has no messages left is not
        completed.
        """
        told_of = (
            {folded(name) for name in await self._read(documents_read.distinct, "subjects")}
            if asked
            else frozenset[str]()
        )
        parts = tuple(name for name in asked if folded(name) not in told_of)
        found = dict(zip(parts, await self.whole("person", parts, self._people, absent=True, near=near), strict=True))
        return tuple(found.get(name, name) for name in asked)

    async def taken(
        self,
        asked: ForgetSelection,
        whole: ForgetSelection,
        *,
        parts: bool = True,
        present: Collection[str] = (),
    ) -> list[TakenName]:
        """Return the names in a selection that were replaced by others.

        Args:
            asked: the selection as it came.
            whole: the selection that `of_selection` made of it.
            parts: as there.
            present: folded names in the selected messages: one that memd does not list is not reported, such as the
                title of a document without a chat, or the name of somebody whose first message is still in the journal.
        """
        told: list[TakenName] = []
        for kind, before, after, known, also in (
            ("speaker", asked.speakers, whole.speakers, self._speakers, _nobody),
            (
                "person",
                asked.people,
                whole.people,
                self._people,
                lambda: self._read(documents_read.distinct, "subjects"),
            ),
            ("source", asked.sources, whole.sources, self._sources, _nobody),
            ("chat", asked.chats, whole.chats, self._chats_in(whole.sources), _nobody),
        ):
            if before:
                index = NameIndex(await known())
                pairs = list(zip(before, after, strict=True))
                others = {folded(name) for name in await also()}.union(present)
                told += await to_thread.run_sync(partial(_taken, kind, pairs, index, others, parts=parts))
        return told

    async def whole(
        self, kind: str, asked: Sequence[str], known: Names, *, absent: bool = False, near: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Whole names for these parts.

        Args:
            kind: what is named, a key of the hints.
            asked: parts of names, or whole ones.
            known: all names.
            absent: one that means nobody stays as it is.
            near: folded names; a part that means several means the only one among these.

        Raises:
            NotFoundError: one means nobody, or several.
        """
        if not asked:
            return ()
        names = await known()
        merged = await self._merged() if kind in _OF_PEOPLE else ()
        # In a thread, because there may be ten thousand names and as many parts.
        return await to_thread.run_sync(lambda: _whole(kind, asked, NameIndex(names), near, merged, absent=absent))

    async def whole_person(self, asked: str) -> str:
        """Return the whole name of a person who wrote, as `whole`."""
        return (await self.whole("person", (asked,), self._speakers))[0]

    async def subjects(self, asked: Sequence[str]) -> tuple[str, ...]:
        """Return the whole names of people who wrote or have facts, as `whole`."""
        return await self.whole("subject", asked, self._subjects)

    async def speakers(self, asked: Sequence[str]) -> tuple[str, ...]:
        """Return the whole names of people who wrote, as `whole`."""
        return await self.whole("speaker", asked, self._speakers)

    async def _sources(self) -> list[str]:
        return await self._read(documents_read.distinct, "sources")

    async def _speakers(self) -> list[str]:
        """Return the names of all who wrote, and their former and merged names, which may have no messages."""
        merged = [name for names in await self._merged() for name in names]
        return [
            *await self._read(documents_read.names),
            *merged,
            *sorted(await self._read(documents_read.former_names)),
        ]

    async def _people(self) -> list[str]:
        in_chats = [name for _, chat in await self._read(documents_read.conversations) for name in chat.people]
        # In folded case: the spellings before them count.
        mentioned = sorted(await self._read(documents_read.mentioned))
        return [*await self._speakers(), *in_chats, *mentioned]

    async def _subjects(self) -> list[str]:
        return [*await self._people(), *await self._read(documents_read.distinct, "subjects")]

    async def _people_of(self, asked: Sequence[str], sources: Sequence[str]) -> frozenset[str]:
        """Return the folded names of the people who write in these chats of these sources; empty if neither is given."""
        if not asked and not sources:
            return frozenset()
        wanted = {folded(name) for name in asked}
        return frozenset(
            folded(name)
            for _, chat in await self._read(documents_read.conversations)
            if _within(chat, sources) and (not wanted or {folded(chat.title or ""), folded(chat.id)} & wanted)
            for name in chat.people
        )

    def _chats_in(self, sources: Sequence[str]) -> Names:
        """Return the titles and ids of the chats of these sources; of all chats if none is given."""

        async def names() -> list[str]:
            chats = [chat for _, chat in await self._read(documents_read.conversations) if _within(chat, sources)]
            return [name for chat in chats for name in (chat.title, chat.id) if name]

        return names

    async def _merged(self) -> list[Sequence[str]]:
        """Return the names of each person who has several, the displayed name first."""
        people = await self._person_service.people()
        return [
            (person.name, *(each.name for each in person.identities)) for person in people if len(person.identities) > 1
        ]


async def _nobody() -> list[str]:
    return []


def _within(chat: Conversation, sources: Sequence[str]) -> bool:
    return not sources or chat.source in sources


def _whole(
    kind: str,
    asked: Sequence[str],
    index: NameIndex,
    near: Collection[str],
    merged: Sequence[Sequence[str]],
    *,
    absent: bool,
) -> tuple[str, ...]:
    # Names of people and chats are compared in folded case everywhere, sources and tags as they are stored.
    stored = index.as_stored if kind in ("source", "tag") else str
    return tuple(
        stored(each) if each in index else _one(kind, each, index, near, merged, absent=absent) for each in asked
    )


def _one(
    kind: str,
    asked: str,
    index: NameIndex,
    near: Collection[str],
    merged: Sequence[Sequence[str]],
    *,
    absent: bool,
) -> str:
    found = _distinct(index.matches(asked))
    here = [name for name in found if folded(name) in near]
    # "Nora's sister" is a subject of its own, and does not match a query for Nora.
    whole = {*map(folded, found)}
    found = [name for name in found if whole.isdisjoint(_owners(folded(name)))]
    found = here if len(here) == 1 else found
    if len(found) > 1 and (name := _name_of_all(found, merged)):
        return name
    if len(found) == 1:
        return found[0]
    shown = asked if len(asked) <= LONGEST else f"{asked[:LONGEST]}…"
    if found:
        found = _one_each(found, merged)
        told = ", ".join(found[:SHOWN]) + (f" and {len(found) - SHOWN} more" if len(found) > SHOWN else "")
        raise NotFoundError(f"{shown!r} means several: {told}", hint="give more of the name")
    if absent:
        return asked
    near = _near(asked, index.names)
    hint = f"did you mean {' or '.join(near)}?" if near else _LISTS[kind]
    raise NotFoundError(f"there is no {kind} {shown!r}", hint=hint)


def _owners(name: str) -> Iterator[str]:
    """Return all prefixes of a name that end before a "'s "."""
    return (name[: match.start()] for match in _OWNED.finditer(name))


def _name_of_all(found: Sequence[str], merged: Sequence[Sequence[str]]) -> str:
    """Return the name of the one person who has all of these names; empty if there is none."""
    names = {folded(name) for name in found}
    return next((person[0] for person in merged if names <= {folded(name) for name in person}), "")


def _one_each(found: Sequence[str], merged: Sequence[Sequence[str]]) -> list[str]:
    """Return the first of these names of each person; a name that several people have represents none of them."""
    people = Counter(folded(name) for person in merged for name in {*map(folded, person)})
    whose = {
        folded(name): number for number, person in enumerate(merged) for name in person if people[folded(name)] == 1
    }
    once: dict[int | str, str] = {}
    for name in found:
        once.setdefault(whose.get(folded(name), name), name)
    return list(once.values())


def _taken(
    kind: str, pairs: Sequence[tuple[str, str]], index: NameIndex, others: Collection[str], *, parts: bool
) -> list[TakenName]:
    """The first of these names that are another's part or nobody's. ``others`` are folded names
    that exist, too, and that no part stands for.
    """
    told: list[TakenName] = []
    for asked, name in pairs:
        if len(told) == MOST_TAKEN:
            break
        if folded(asked) != folded(name):
            told.append({"kind": kind, "asked": asked, "name": name})
        elif name not in index and folded(name) not in others:
            one: TakenName = {"kind": kind, "asked": asked, "nearest": _near(asked, index.names)}
            if part_of := [] if parts else _distinct(index.matches(asked))[:SHOWN]:
                one["part_of"] = part_of
            told.append(one)
    return told


def _near(asked: str, names: Collection[str]) -> list[str]:
    """Return the names of which the query may be a misspelling."""
    return _distinct(alike(asked, names, SHOWN))


def _distinct(names: Collection[str]) -> list[str]:
    """Return the first spelling of each name."""
    once: dict[str, str] = {}
    for name in names:
        once.setdefault(folded(name), name)
    return list(once.values())
