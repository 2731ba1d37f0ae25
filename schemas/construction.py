"""Builds conversation documents from plain data quickly: the checks of the models in plain code, once per field for all
messages.

The resulting models equal those of validation; a test compares the two on random data. Data that this code cannot judge
is passed to validation, which raises all errors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from itertools import chain, islice, repeat
from types import MappingProxyType
from typing import Any, TypeVar, cast, get_args

from pydantic import BaseModel, ValidationError

from .conversation import ConversationDocument
from .email_thread import EmailThreadDocument
from .message import (
    Attachment,
    ConversationMessage,
    Edit,
    MessageKind,
    Reaction,
    Role,
    Segment,
    SegmentKind,
    Status,
)
from .message_columns import MessageColumns, as_messages, joined
from .model import Model
from .times import TimePrecision, ZoneOrigin, is_whole_minutes
from .validation import MESSAGES_HOLD, messages_hold
from .video_call import VideoCallDocument

_Document = TypeVar("_Document", bound=ConversationDocument)
_Model = TypeVar("_Model", bound=Model)


class _UnsureError(Exception):
    """The data needs validation."""


def conversation_document(plain: Mapping[str, Any]) -> ConversationDocument:
    """As ``ConversationDocument.model_validate``, for data whose messages are dicts as connectors make them, or
    `MessageColumns` in the place of some of them.

    Raises:
        pydantic.ValidationError: a rule is broken.
    """
    return _made(ConversationDocument, plain)


def email_thread(plain: Mapping[str, Any]) -> EmailThreadDocument:
    """The same for ``EmailThreadDocument``.

    Raises:
        pydantic.ValidationError: a rule is broken.
    """
    return _made(EmailThreadDocument, plain)


def video_call(plain: Mapping[str, Any]) -> VideoCallDocument:
    """The same for ``VideoCallDocument``.

    Raises:
        pydantic.ValidationError: a rule is broken.
    """
    return _made(VideoCallDocument, plain)


def _made(model: type[_Document], plain: Mapping[str, Any]) -> _Document:
    body: Mapping[str, Any] = plain["conversation"]
    try:
        messages = _messages(body["conversation"], body["people"])
        whole = {**plain, "conversation": {**body, "conversation": messages}}
        return model.model_validate(whole, context=MESSAGES_HOLD)
    except (_UnsureError, ValidationError):
        # Validation takes more, and tells everything that is wrong.
        return model.model_validate(
            {**plain, "conversation": {**body, "conversation": _as_dicts(body["conversation"])}}
        )


def _as_dicts(given: object) -> object:
    """Return the messages as dicts, without columns."""
    return as_messages(cast("list[dict[str, Any] | MessageColumns]", given)) if type(given) is list else given


def _messages(given: object, people: object) -> tuple[ConversationMessage, ...]:
    """Return the messages in order, checking those given by columns and those given as dicts in runs of each kind."""
    named = [*_items(people)]
    _texts(named)
    items = _items(given)
    if MessageColumns not in {*map(type, items)}:
        return _of_dicts(items, named)
    runs = [item for item in items if type(item) is MessageColumns]
    if not all(map(runs[0].joins, runs)):
        return _of_dicts(as_messages(items), named)
    plain = [item for item in items if type(item) is not MessageColumns]
    in_runs = _of_columns(runs[0] if len(runs) == 1 else joined(runs), named)
    if not plain:
        return in_runs
    apart, together = iter(_of_dicts(plain, named)), iter(in_runs)
    made: list[ConversationMessage] = []
    for item in items:
        made += islice(together, len(item)) if type(item) is MessageColumns else (next(apart),)
    return tuple(made)


def _of_columns(run: MessageColumns, named: list[Any]) -> tuple[ConversationMessage, ...]:
    """Return messages of a few simple fields with less than half of the work of `_of_dicts`."""
    columns, same = run.columns, run.same
    names = columns.keys() | same.keys()
    if not columns.keys() >= {*_REQUIRED} or not names <= _SIMPLE or {*map(len, columns.values())} != {len(run)}:
        raise _UnsureError
    for name, column in columns.items():
        _CHECKS[name](column)
    for name, value in same.items():
        _CHECKS[name]([value])
    if not messages_hold({*named}, *(columns[name] for name in _REQUIRED)):
        raise _UnsureError
    like = _DEFAULTS.copy()
    like.update(same)
    held = [*map(dict[str, Any].copy, repeat(like, len(run)))]
    details: Iterable[dict[str, str]] = columns.get("metadata") or repeat(like["metadata"], len(run))
    required = (columns[name] for name in _REQUIRED)
    for fields, speaker, content, time, metadata in zip(held, *required, details, strict=True):
        fields["speaker"], fields["content"], fields["time"], fields["metadata"] = speaker, content, time, {**metadata}
    for name in columns.keys() - {*_REQUIRED, "metadata"}:
        for fields, value in zip(held, columns[name], strict=True):
            fields[name] = value
    return _made_of(held, repeat({*names}))


def _of_dicts(plain: Sequence[Any], named: list[Any]) -> tuple[ConversationMessage, ...]:
    """Return messages whose fields are checked by columns: one call per field for all of them."""
    if {*map(type, plain)} != {dict}:
        raise _UnsureError
    names = cast("set[str]", set[Any]().union(*plain))
    if not names.issuperset(_REQUIRED) or not names <= _CHECKS.keys():
        raise _UnsureError
    alike = {*map(len, plain)} == {len(names)}  # all have the same keys
    columns = {name: [message[name] for message in plain if alike or name in message] for name in names}
    required = [columns[name] for name in _REQUIRED]
    if {*map(len, required)} != {len(plain)}:
        raise _UnsureError
    for name, column in columns.items():
        _CHECKS[name](column)
    if not messages_hold({*named}, *required):
        raise _UnsureError
    held = [*map(dict[str, Any].copy, repeat(_DEFAULTS, len(plain)))]
    _each(dict[str, Any].update, held, plain)
    for name in names & _PARTS.keys():
        make = _PARTS[name]
        for fields in held:
            fields[name] = make(value) if (value := fields[name]) else ()
    for fields in held:
        fields["metadata"] = {**value} if (value := fields["metadata"]) else {}
    return _made_of(held, repeat(names) if alike else _sets_of_names(plain))


def _made_of(held: list[dict[str, Any]], given: Iterable[set[str]]) -> tuple[ConversationMessage, ...]:
    """Return messages with the values that validation would produce; ``given`` are the field names in the data of each."""
    made = tuple(map(object.__new__, repeat(ConversationMessage, len(held))))
    _each(_put_fields, made, held)
    # Nothing changes the field set of a frozen model, and a copy creates a new one, so messages share their sets: one
    # of half a kilobyte per message would be a third of their memory.
    _each(_put_given, made, given)
    _each(_put_extra, made, repeat(None))
    _each(_put_private, made, repeat(None))
    return made


def _each(call: Callable[[Any, Any], object], ones: Iterable[object], others: Iterable[object]) -> None:
    """Call with each pair: a third cheaper than a loop, for millions of messages."""
    deque(map(call, ones, others), maxlen=0)


def _sets_of_names(plain: Iterable[dict[str, Any]]) -> Iterator[set[str]]:
    """Yield the field names of each message, the same set for all messages with the same names in the same order."""
    shapes = [*map(tuple, plain)]
    sets = {shape: set(shape) for shape in {*shapes}}
    return map(sets.__getitem__, shapes)


def from_valid(model: type[_Model], fields: dict[str, Any]) -> _Model:
    """Return a model of fields that are known to be valid, in half the time of ``model_construct``; all fields must be
    given.
    """
    return _new(model, fields, {*fields})


def _new(model: type[_Model], held: dict[str, Any], given: set[str]) -> _Model:
    """Return a model with the values that validation would produce."""
    made = object.__new__(model)
    _put_fields(made, held)
    _put_given(made, given)
    _put_extra(made, None)
    _put_private(made, None)
    return made


# The four attributes of every pydantic model, through their descriptors, because a model itself is frozen.
_put_fields, _put_given, _put_extra, _put_private = (
    cast("Callable[[object, object], None]", BaseModel.__dict__[name].__set__)
    for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


def _items(value: object) -> list[Any] | tuple[Any, ...]:
    if type(value) is list or type(value) is tuple:
        return cast("list[Any]", value)
    raise _UnsureError


def _only(column: Iterable[object], *types: type) -> None:
    """Require that all values have exactly one of these types, not a subclass."""
    if not {*map(type, column)} <= {*types}:
        raise _UnsureError


def _texts(column: list[Any]) -> None:
    """Require strings without lone surrogates."""
    _only(column, str)
    _valid_unicode(column)


def _valid_unicode(column: list[Any]) -> None:
    together = "".join(column)
    if not together.isascii():
        try:
            together.encode()
        except UnicodeEncodeError:
            raise _UnsureError from None


def _optional_texts(column: list[Any]) -> None:
    if {*map(type, column)} == {str}:
        _valid_unicode(column)
    else:
        _texts([value for value in column if value is not None])


def _instants(column: list[Any]) -> None:
    _only(column, datetime)
    zones = {value.tzinfo for value in column}
    _only(zones, timezone)
    if not all(map(is_whole_minutes, zones)):
        raise _UnsureError


def _optional_instants(column: list[Any]) -> None:
    _instants([value for value in column if value is not None])


def _flags(column: list[Any]) -> None:
    _only(column, bool)


def _counts(column: list[Any]) -> None:
    _only(column, int)
    if column and not (min(column) >= 0 and max(column) < 1 << 63):
        raise _UnsureError


def _optional_counts(column: list[Any]) -> None:
    _counts([value for value in column if value is not None])


def _some_of(literal: Any, *, optional: bool = False) -> Callable[[list[Any]], None]:  # noqa: ANN401 - a Literal has no type
    words: tuple[object, ...] = get_args(literal)
    known: frozenset[object] = frozenset((*words, None) if optional else words)

    def check(column: list[Any]) -> None:
        _only(column, str, type(None))
        if not known.issuperset(column):
            raise _UnsureError

    return check


def _lists_of_texts(column: list[Any]) -> None:
    _texts([text for texts in column for text in _items(texts)])


def _metadata(column: list[Any]) -> None:
    _only(column, dict)
    apart = {id(each): each for each in column}.values()  # messages of one author may share what is told of the author
    _texts([*{*chain.from_iterable(apart)}])
    _texts([*chain.from_iterable(map(dict[Any, Any].values, apart))])


def _lists(column: list[Any]) -> None:
    _only(column, list, tuple)


def _as_tuple(value: object) -> tuple[Any, ...]:
    return tuple(_items(value))


def _maker(
    model: type[_Model],
    checks: Mapping[str, Callable[[list[Any]], None]],
    lists: Mapping[str, Callable[[object], object]] = MappingProxyType({}),
) -> Callable[[object], tuple[_Model, ...]]:
    """Return a function that makes the models of a list of dicts, with a check for each field."""
    fields = model.model_fields
    required = frozenset(name for name, field in fields.items() if field.is_required())
    defaults = {name: field.get_default() for name, field in fields.items()}

    def make(values: object) -> tuple[_Model, ...]:
        made: list[_Model] = []
        for value in _items(values):
            if type(value) is not dict:
                raise _UnsureError
            given = cast("dict[str, Any]", value)
            if not required <= given.keys() <= checks.keys():
                raise _UnsureError
            for name, field in given.items():
                checks[name]([field])
            held = {**defaults, **given}
            for name, as_tuple in lists.items():
                held[name] = as_tuple(held[name])
            made.append(_new(model, held, set(given)))
        return tuple(made)

    return make


class _Shared:
    """The attribute dict of an object, and every copy of it, shares its keys with others of the class: it takes less
    than half of the memory of another dict of that size.
    """


def _defaults() -> dict[str, Any]:
    shared = _Shared()
    for name, field in ConversationMessage.model_fields.items():
        setattr(shared, name, field.get_default(call_default_factory=True, validated_data={}))
    return shared.__dict__


_DEFAULTS = _defaults()
"""The default of every field of a message, in order."""
_REQUIRED = ("speaker", "content", "time")
_CHECKS: Mapping[str, Callable[[list[Any]], None]] = {
    "speaker": _texts,
    "content": _texts,
    "time": _instants,
    "id": _optional_texts,
    "reply_to": _optional_texts,
    "thread": _optional_texts,
    "kind": _some_of(MessageKind),
    "role": _some_of(Role, optional=True),
    "edited": _flags,
    "edited_at": _optional_instants,
    "edits": _lists,
    "deleted": _flags,
    "forwarded_from": _optional_texts,
    "attachments": _lists,
    "reactions": _lists,
    "read_by": _lists_of_texts,
    "status": _some_of(Status, optional=True),
    "priority": _optional_texts,
    "segments": _lists,
    "time_precision": _some_of(TimePrecision, optional=True),
    "zone_origin": _some_of(ZoneOrigin, optional=True),
    "metadata": _metadata,
}
_PARTS: Mapping[str, Callable[[Any], object]] = {
    "edits": _maker(Edit, {"content": _texts, "time": _optional_instants}),
    "attachments": _maker(
        Attachment, {"name": _texts, "mime": _optional_texts, "size": _optional_counts, "missing": _flags}
    ),
    "reactions": _maker(Reaction, {"emoji": _texts, "people": _lists_of_texts}, {"people": _as_tuple}),
    "segments": _maker(Segment, {"kind": _some_of(SegmentKind), "start": _counts, "end": _counts, "depth": _counts}),
    "read_by": _as_tuple,
}
_SIMPLE = _CHECKS.keys() - _PARTS.keys()
"""The fields whose value needs no model."""
