"""A compiled filter as one of Weaviate's, which is applied inside its searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import _Filters as Condition  # pyright: ignore[reportPrivateUsage]

from ....schemas.message import MessageKind
from ...search_types import CompiledFilter, NameFilter
from .rows import exact

KINDS: tuple[str, ...] = get_args(MessageKind)


class NothingPasses(Exception):  # noqa: N818 - no failure
    """A filter that no row can pass: Weaviate takes no empty list."""


def conditions_of(where: CompiledFilter | None) -> list[Condition]:
    """Return the filter's conditions, all of which must hold; empty if everything passes.

    Raises:
        NothingPasses: no row can.
    """
    if where is None:
        return []
    conditions: list[Condition] = []
    if where.speakers is not None:
        conditions.append(any_of(_names("speaker_key", where.speakers)))
    if where.people is not None:
        crowds = [within("crowd", list(where.crowds))] if where.crowds else []
        conditions.append(any_of([*_names("people_keys", where.people), *crowds]))
    if where.sources:
        conditions.append(within("source_key", [exact(each) for each in where.sources]))
    conditions += [within("tag_keys", [exact(each) for each in group]) for group in where.tags]
    # Told by what may be, never by what may not: versions of Weaviate exist that spoil their lists while they exclude.
    if where.kinds or where.without_kinds:
        kinds = where.kinds or KINDS
        conditions.append(within("kind", [kind for kind in kinds if kind not in where.without_kinds]))
    if where.only == "message":  # for pieces of texts there is no such condition; what comes too much is dropped
        conditions.append(Filter.by_property("speaker_key").like("[*"))
    if where.chats is not None:
        conditions.append(within("chat_key", [chat.hex() for chat in where.chats]))
    if where.rows is not None:
        conditions.append(within("row", list(where.rows)))
    if where.since is not None:
        conditions.append(Filter.by_property("micros").greater_or_equal(where.since))
    if where.until is not None:
        conditions.append(Filter.by_property("micros").less_than(where.until))
    return conditions


def all_of(conditions: Sequence[Condition]) -> Condition | None:
    """One condition; None for none."""
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else Filter.all_of(list(conditions))


def any_of(conditions: Sequence[Condition]) -> Condition:
    """One condition.

    Raises:
        NothingPasses: of none.
    """
    if not conditions:
        raise NothingPasses
    return conditions[0] if len(conditions) == 1 else Filter.any_of(list(conditions))


def within(name: str, values: Sequence[str] | Sequence[int]) -> Condition:
    """A property has one of these values.

    Raises:
        NothingPasses: there are none.
    """
    if not values:
        raise NothingPasses
    return Filter.by_property(name).contains_any(cast("list[str]", list(values)))


def _names(name: str, names: NameFilter) -> list[Condition]:
    either = [within(name, [exact(each) for each in sorted(names.anywhere)])] if names.anywhere else []
    for chat, aliases in names.in_chats:
        here = within("chat_key", [chat.hex()])
        either += [Filter.all_of([here, within(name, [exact(each) for each in sorted(aliases)])])] if aliases else []
    for source, aliases in names.in_sources:
        here = within("source_key", [exact(source)])
        either += [Filter.all_of([here, within(name, [exact(each) for each in sorted(aliases)])])] if aliases else []
    return either
