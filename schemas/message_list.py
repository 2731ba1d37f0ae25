"""Lists of messages as chat programs send them ({role, content, metadata}), and the documents that they become. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, cast

import orjson
from pydantic import AfterValidator, AliasChoices, BeforeValidator, ConfigDict, Field, StringConstraints

from .conversation import ConversationDocument, StructuredConversation
from .message import UNKNOWN_USER, ConversationMessage, Role
from .model import Metadata, Model, Text
from .scope import AGENT_ID, KINDS, SESSION_ID, USER_ID, scope_tags
from .stated_fact import FACT, fact_to_text
from .times import Instant, fixed_offset
from .wording import NOT_BLANK

SOURCE = "messages"
"""The source of documents that are made of lists of messages."""
FIRST = datetime(1, 1, 2, tzinfo=UTC)
LAST = datetime(9999, 12, 30, tzinfo=UTC)
DEFAULT_SESSION = "default"
"""The session of messages that name none."""


def _as_text(value: object) -> object:
    """Values of metadata are text here; what else JSON has is kept as JSON."""
    if not isinstance(value, dict):
        return value
    plain = cast("dict[Any, Any]", value)
    try:
        return {
            key: fact_to_text(each) if key == FACT else each if isinstance(each, str) else orjson.dumps(each).decode()
            for key, each in plain.items()
            if each is not None
        }
    except orjson.JSONEncodeError:
        raise ValueError("metadata is nested too deeply") from None


def _in_all_zones(value: datetime | None) -> datetime | None:
    """Refuse the first and the last day of the calendar, which are in no year in some zones."""
    if value is not None and not FIRST <= value <= LAST:
        raise ValueError("time must lie between the years 1 and 9999 in every zone")
    return value


NotBlank = Annotated[Text, StringConstraints(pattern=NOT_BLANK)]


class Message(Model):
    """One message of a list."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, populate_by_name=True)

    role: Role
    """The role of the speaker."""
    content: NotBlank
    """The text, not blank."""
    metadata: Annotated[Metadata, BeforeValidator(_as_text)] = Field(default_factory=dict)
    """`user_id`, `agent_id` and `session_id` name the scope, `fact` {subject, attribute, value, negated?, valid_from?} is
    a fact that the content states; the rest is kept with the message.
    """
    name: NotBlank | None = None
    """The speaker's name; without it the speaker of `user` is the user, that of `assistant` the agent, else the role."""
    time: Annotated[Instant | None, AfterValidator(_in_all_zones)] = Field(
        default=None, validation_alias=AliasChoices("time", "timestamp")
    )
    """Without it the time of arrival."""
    id: NotBlank | None = None
    """The sender's own: a message of the same session, day and id is the same message."""

    @property
    def scope(self) -> Mapping[str, str]:
        """The session that it belongs to, and the user and the agent if they are named, by the keys of ``KINDS``."""
        names = {key: self.metadata.get(key, "").strip() for key in KINDS}
        return {key: name for key, name in names.items() if name} | {SESSION_ID: names[SESSION_ID] or DEFAULT_SESSION}

    @property
    def speaker(self) -> str:
        """The name of the speaker, or that of the user or the agent, or the role if there is no name."""
        key = {"user": USER_ID, "assistant": AGENT_ID}.get(self.role, "")
        return self.name or self.scope.get(key) or self.role

    def within(self, scope: Mapping[str, str]) -> Message:
        """Return the message in this scope, as far as its own metadata names none."""
        metadata = {name: value for name, value in self.metadata.items() if name not in KINDS or value.strip()}
        return self.model_copy(update={"metadata": {**scope, **metadata}}) if scope else self


MessageList = tuple[Message, ...]
"""A round of a conversation, in its order."""
MessageBatchList = tuple[MessageList, ...]
"""Several of them, in their order."""


def documents_of_messages(
    messages: Sequence[Message], *, arrived: datetime, zone: tzinfo, new_id: Callable[[], str]
) -> list[ConversationDocument]:
    """A list as documents: one for each user, agent, session and local day, in the order in which they first occur.

    Every message gets an id, its own or a new one: by their ids the pieces of a session that arrive one after the other
    add up, and equal words that were sent twice stay two messages.

    Args:
        messages: one list.
        arrived: the time of messages without one; with a zone.
        zone: in which a day begins.
        new_id: an id for a message without one, unlike all others.
    """
    days: dict[tuple[str, str], list[Message]] = {}
    for message in messages:
        day = (message.time or arrived).astimezone(zone).date().isoformat()
        days.setdefault((_chat(message.scope), day), []).append(message)
    return [_day(chat, day, some, arrived, new_id) for (chat, day), some in days.items()]


def _chat(scope: Mapping[str, str]) -> str:
    """Return the id of the chat of a scope: ``messages:SESSION``, or ``messages/user=NAME/agent=NAME:SESSION``.

    No two scopes have the same id: what separates its parts is escaped in the names before the session.
    """
    named = "".join(f"/{KINDS[key]}={_escaped(scope[key])}" for key in (USER_ID, AGENT_ID) if key in scope)
    return f"{SOURCE}{named}:{scope[SESSION_ID]}"


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F").replace(":", "%3A")


def _day(
    chat: str, day: str, messages: Sequence[Message], arrived: datetime, new_id: Callable[[], str]
) -> ConversationDocument:
    scope = messages[0].scope
    user = next((message.speaker for message in messages if message.role == "user"), UNKNOWN_USER)
    people = dict.fromkeys([*(message.speaker for message in messages), user])
    return ConversationDocument(
        id=f"{chat}:{day}",
        conversation=StructuredConversation(
            source=SOURCE,
            people=tuple(people),
            user=user,
            conversation=tuple(
                ConversationMessage(
                    speaker=message.speaker,
                    content=message.content,
                    time=fixed_offset(message.time or arrived),
                    id=message.id or new_id(),
                    role=message.role,
                    metadata={name: value for name, value in message.metadata.items() if name not in KINDS},
                )
                for message in messages
            ),
        ),
        tags=scope_tags(scope),
        metadata={"chat": chat, "title": scope[SESSION_ID], **scope},
    )
