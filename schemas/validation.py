"""The rules of a conversation document, with their public wording; all problems are reported, not only the first.

Rule 1: a rule that is checked anywhere is written here. Rule 2: nothing here changes a document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .model import valid_unicode
from .times import GO_ZERO_TIME
from .wording import wrong_value

if TYPE_CHECKING:
    from .conversation import StructuredConversation

DOCUMENT_ID = "document ID is required"
SOURCE = "conversation source is required"
PEOPLE = "at least one person must be specified in the conversation"
USER = "user field is required to identify the primary user"
MESSAGES = "conversation must contain at least one message"

_RULE = "rule"
_SPEAKER, _CONTENT, _YEAR = map(attrgetter, ("speaker", "content", "time.year"))
_ZERO_TIMES = ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00")


def user_missing(user: str) -> str:
    """Return the wording for a user who is not among the people."""
    return f"user '{user}' must be included in the people list"


def _blank(value: object) -> bool:
    return not isinstance(value, str) or not value.strip()


def _message_problems(index: int, message: Mapping[str, Any], people: frozenset[str]) -> list[str]:
    """Return the problems of one message, in their public order."""
    problems: list[str] = []
    speaker = message.get("speaker")
    if _blank(speaker):
        problems.append(f"message {index}: speaker is required")
    if _blank(message.get("content")):
        problems.append(f"message {index}: content is required")
    time = message.get("time")
    if time is None or time in ("", *_ZERO_TIMES) or time == GO_ZERO_TIME:
        problems.append(f"message {index}: time is required")
    if isinstance(speaker, str) and speaker.strip() and speaker not in people:
        problems.append(f"message {index}: speaker '{speaker}' must be included in the people list")
    return problems


def document_problems(document_id: object, conversation: object) -> list[str]:
    """Return every broken rule of a conversation document given as plain data, in their public order.

    ``document_id`` and ``conversation`` are the values of the keys ``id`` and ``conversation``, however wrong.
    """
    problems = [DOCUMENT_ID] if _blank(document_id) else []
    body: Mapping[str, Any] = _mapping(conversation)
    if _blank(body.get("source")):
        problems.append(SOURCE)
    people = [p for p in _items(body.get("people")) if isinstance(p, str)]
    if not any(p.strip() for p in people):
        problems.append(PEOPLE)
    user = body.get("user")
    if _blank(user):
        problems.append(USER)
    elif user not in people:
        problems.append(user_missing(str(user)))
    messages = _items(body.get("conversation"))
    if not messages:
        problems.append(MESSAGES)
    names = frozenset(people)
    for index, message in enumerate(messages):
        plain = _mapping(message) or _fields(message)
        problems.extend(_message_problems(index, plain, names))
    return problems


def conversation_holds(conversation: StructuredConversation) -> bool:
    """Return whether a well-typed conversation keeps every rule: the quick path, without building a message."""
    people, messages = {*conversation.people}, conversation.conversation
    if not conversation.source.strip() or conversation.user not in people or not conversation.user.strip():
        return False
    speakers = {*map(_SPEAKER, messages)}
    if not messages or not speakers <= people or not all(map(str.strip, speakers)):
        return False
    contents = [*map(_CONTENT, messages)]
    if not all(contents) or any(map(str.isspace, contents)):
        return False
    return 1 not in map(_YEAR, messages) or all(message.time != GO_ZERO_TIME for message in messages)


def broken_rules(title: str, problems: Sequence[str], rest: Sequence[InitErrorDetails] = ()) -> ValidationError:
    """Return one pydantic error with every broken rule, followed by the other errors of types."""
    details = [
        InitErrorDetails(type=PydanticCustomError(_RULE, "{text}", {"text": valid_unicode(text)}), input=None)
        for text in problems
    ]
    return ValidationError.from_exception_data(title, [*details, *rest])


def structural_errors(error: ValidationError) -> list[InitErrorDetails]:
    """Return pydantic's errors beyond the rules above: wrong types, naive times, unknown keys."""
    reported = {"source", "people", "user", "conversation", "speaker", "content", "time", "id"}
    rest: list[InitErrorDetails] = []
    for detail in error.errors(include_url=False):
        place = detail["loc"]
        if place and place[-1] in reported and (detail["type"] == "missing" or detail["input"] in (None, "")):
            continue
        wording = _located(place, wrong_value(detail))
        rest.append(
            InitErrorDetails(
                type=PydanticCustomError("type", "{text}", {"text": wording}), loc=tuple(place), input=None
            )
        )
    return rest


def messages_of(error: ValidationError) -> list[str]:
    """Return the plain wordings of an error, one per problem, without input values."""
    return [
        detail["msg"] if detail["type"] in (_RULE, "type") else _located(detail["loc"], wrong_value(detail))
        for detail in error.errors(include_url=False, include_input=False)
    ]


def _located(place: tuple[int | str, ...], wording: str) -> str:
    return f"{'.'.join(str(part) for part in place)}: {wording}" if place else wording


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Any]:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return list(cast("Sequence[Any]", value))
    return []


def _fields(value: object) -> dict[str, Any]:
    return {
        name: field
        for name in ("speaker", "content", "time")
        if isinstance(field := getattr(value, name, None), str | datetime)
    }
