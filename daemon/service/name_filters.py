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
from ...memory.lookup import whole_document_key, whole_message_key
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
_OF_PEOPLE = ("speaker", "person", "subject", "name")
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
    "name": "`memd people` and `memd facts` list names",
}

Names = Callable[[], Awaitable[Collection[str]]]
_Query = TypeVar("_Query", bound=Query)


class NameFilters:
    """Completes parts of names to stored names."""

    def __init__(self, memory: EvolvingMemory) -> None:
        self._database = memory.database
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
        if not parts:  # the beginning of an id, too, selects nothing
            stored = NameIndex(await self._sources() if selection.sources else ())
            whole = replace(selection, sources=tuple(map(stored.as_stored, selection.sources)))
        else:
            whole = await self._by_parts(selection)
        for name in dict.fromkeys((*whole.speakers, *whole.people)):
            await self._refuse_namesakes(name, whole.sources)
        return whole

    async def _refuse_namesakes(self, name: str, sources: Sequence[str]) -> None:
        people = await self._person_service.namesakes(name, sources)
        if not people:
            return
        listing = "; ".join(
            " = ".join(f"{each.source}:{each.name}" for each in person.identities[:SHOWN]) for person in people[:SHOWN]
        )
        where = [
            dict.fromkeys(each.source for each in person.identities if folded(each.name) == folded(name))
            for person in people[:SHOWN]
        ]
        hint = " or ".join(" ".join(f"--source {source}" for source in some) for some in where)
        raise NotFoundError(f"{name[:LONGEST]!r} means several people who were split: {listing}", hint=f"add {hint}")

    async def _by_parts(self, selection: ForgetSelection) -> ForgetSelection:
        sources, chats = await self.whole_chats(selection.sources, selection.chats, absent=True)
        near = await self._people_of(chats, sources)
        return replace(
            selection,
            speakers=await self.whole("speaker", selection.speakers, self._speakers, absent=True, near=near),
            people=await self._people_to_forget(selection.people, near),
            documents=tuple([await whole_document_key(self._database, each) for each in selection.documents]),
            messages=tuple([await whole_message_key(self._database, each) for each in selection.messages]),
            sources=sources,
            chats=chats,
        )

    async def _people_to_forget(self, names: tuple[str, ...], near: Collection[str]) -> tuple[str, ...]:
        """Complete names as `whole` does; a name that others mention but whose owner has no messages left is not
        completed.
        """
        told_of = (
            {folded(name) for name in await self._read(documents_read.distinct, "subjects")}
            if names
            else frozenset[str]()
        )
        parts = tuple(name for name in names if folded(name) not in told_of)
        whole_names = dict(
            zip(parts, await self.whole("person", parts, self._people, absent=True, near=near), strict=True)
        )
        return tuple(whole_names.get(name, name) for name in names)

    async def taken(
        self,
        selection: ForgetSelection,
        whole: ForgetSelection,
        *,
        parts: bool = True,
        present: Collection[str] = (),
    ) -> list[TakenName]:
        """Return the names in a selection that were replaced by others.

        Args:
            selection: the selection as it came.
            whole: the selection that `of_selection` made of it.
            parts: as there.
            present: folded names in the selected messages: one that memd does not list is not reported, such as the
                title of a document without a chat, or the name of somebody whose first message is still in the journal.
        """
        replacements: list[TakenName] = [
            {"kind": kind, "asked": beginning, "name": key}
            for kind, beginnings, keys in (
                ("document", selection.documents, whole.documents),
                ("message", selection.messages, whole.messages),
            )
            for beginning, key in zip(beginnings, keys, strict=True)
            if beginning != key
        ]
        for kind, before, after, names, also in (
            ("speaker", selection.speakers, whole.speakers, self._speakers, _nobody),
            (
                "person",
                selection.people,
                whole.people,
                self._people,
                lambda: self._read(documents_read.distinct, "subjects"),
            ),
            ("source", selection.sources, whole.sources, self._sources, _nobody),
            ("chat", selection.chats, whole.chats, self._chats_in(whole.sources), _nobody),
        ):
            if before:
                index = NameIndex(await names())
                pairs = list(zip(before, after, strict=True))
                others = {folded(name) for name in await also()}.union(present)
                replacements += await to_thread.run_sync(partial(_taken, kind, pairs, index, others, parts=parts))
        return replacements

    async def whole(
        self, kind: str, parts: Sequence[str], all_names: Names, *, absent: bool = False, near: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Whole names for these parts.

        Args:
            kind: what is named, a key of the hints.
            parts: parts of names, or whole ones.
            all_names: all names.
            absent: one that means nobody stays as it is.
            near: folded names; a part that means several means the only one among these.

        Raises:
            NotFoundError: one means nobody, or several.
        """
        if not parts:
            return ()
        names = await all_names()
        merged = await self._merged() if kind in _OF_PEOPLE else ()
        # In a thread, because there may be ten thousand names and as many parts.
        return await to_thread.run_sync(lambda: _whole(kind, parts, NameIndex(names), near, merged, absent=absent))

    async def whole_person(self, name: str) -> str:
        """Return the whole name of a person who wrote, as `whole`."""
        return (await self.whole("person", (name,), self._speakers))[0]

    async def subjects(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the whole names of people who wrote or have facts, as `whole`."""
        return await self.whole("subject", names, self._subjects)

    async def speakers(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the whole names of people who wrote, as `whole`."""
        return await self.whole("speaker", names, self._speakers)

    async def graph_names(self, names: Sequence[str], all_names: Collection[str]) -> tuple[str, ...]:
        """Return the whole names of nodes of the graph, as `whole`."""

        async def of_nodes() -> Collection[str]:
            return all_names

        return await self.whole("name", names, of_nodes)

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

    async def _people_of(self, chats: Sequence[str], sources: Sequence[str]) -> frozenset[str]:
        """Return the folded names of the people who write in these chats of these sources; empty if neither is given."""
        if not chats and not sources:
            return frozenset()
        wanted = {folded(name) for name in chats}
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
    names: Sequence[str],
    index: NameIndex,
    near: Collection[str],
    merged: Sequence[Sequence[str]],
    *,
    absent: bool,
) -> tuple[str, ...]:
    # Names of people and chats are compared in folded case everywhere, sources and tags as they are stored.
    stored = index.as_stored if kind in ("source", "tag") else str
    return tuple(
        stored(each) if each in index else _one(kind, each, index, near, merged, absent=absent) for each in names
    )


def _one(
    kind: str,
    name_part: str,
    index: NameIndex,
    near: Collection[str],
    merged: Sequence[Sequence[str]],
    *,
    absent: bool,
) -> str:
    matches = _distinct(index.matches(name_part))
    here = [name for name in matches if folded(name) in near]
    # "Nora's sister" is a subject of its own, and does not match a query for Nora.
    whole = {*map(folded, matches)}
    matches = [name for name in matches if whole.isdisjoint(_owners(folded(name)))]
    matches = here if len(here) == 1 else matches
    if len(matches) > 1 and (name := _name_of_all(matches, merged)):
        return name
    if len(matches) == 1:
        return matches[0]
    shown = name_part if len(name_part) <= LONGEST else f"{name_part[:LONGEST]}…"
    if matches:
        matches = _one_each(matches, merged)
        listing = ", ".join(matches[:SHOWN]) + (f" and {len(matches) - SHOWN} more" if len(matches) > SHOWN else "")
        raise NotFoundError(f"{shown!r} means several: {listing}", hint="give more of the name")
    if absent:
        return name_part
    near = _near(name_part, index.names)
    hint = f"did you mean {' or '.join(near)}?" if near else _LISTS[kind]
    raise NotFoundError(f"there is no {kind} {shown!r}", hint=hint)


def _owners(name: str) -> Iterator[str]:
    """Return all prefixes of a name that end before a "'s "."""
    return (name[: match.start()] for match in _OWNED.finditer(name))


def _name_of_all(matches: Sequence[str], merged: Sequence[Sequence[str]]) -> str:
    """Return the name of the one person who has all of these names; empty if there is none."""
    names = {folded(name) for name in matches}
    return next((person[0] for person in merged if names <= {folded(name) for name in person}), "")


def _one_each(matches: Sequence[str], merged: Sequence[Sequence[str]]) -> list[str]:
    """Return the first of these names of each person; a name that several people have represents none of them."""
    people = Counter(folded(name) for person in merged for name in {*map(folded, person)})
    whose = {
        folded(name): number for number, person in enumerate(merged) for name in person if people[folded(name)] == 1
    }
    once: dict[int | str, str] = {}
    for name in matches:
        once.setdefault(whose.get(folded(name), name), name)
    return list(once.values())


def _taken(
    kind: str, pairs: Sequence[tuple[str, str]], index: NameIndex, others: Collection[str], *, parts: bool
) -> list[TakenName]:
    """The first of these names that are another's part or nobody's. ``others`` are folded names
    that exist, too, and that no part stands for.
    """
    replacements: list[TakenName] = []
    for part, name in pairs:
        if len(replacements) == MOST_TAKEN:
            break
        if folded(part) != folded(name):
            replacements.append({"kind": kind, "asked": part, "name": name})
        elif name not in index and folded(name) not in others:
            one: TakenName = {"kind": kind, "asked": part, "nearest": _near(part, index.names)}
            if part_of := [] if parts else _distinct(index.matches(part))[:SHOWN]:
                one["part_of"] = part_of
            replacements.append(one)
    return replacements


def _near(name: str, names: Collection[str]) -> list[str]:
    """Return the names of which the query may be a misspelling."""
    return _distinct(alike(name, names, SHOWN))


def _distinct(names: Collection[str]) -> list[str]:
    """Return the first spelling of each name."""
    once: dict[str, str] = {}
    for name in names:
        once.setdefault(folded(name), name)
    return list(once.values())
