"""Facts that programs state: the message for a fact, and the refusal of facts that no check would let pass. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from ...memory.extraction.rejection import Reason
from ...schemas.errors import InvalidError
from ...schemas.message_list import Message
from ...schemas.stated_fact import FACT, StatedFact, words_of

if TYPE_CHECKING:
    from .requests import AddFactRequest, MessagesRequest

_MEANINGS: Mapping[Reason, str] = {
    Reason.UNGROUNDED_VALUE: "the value does not stand in the content",
    Reason.UNKNOWN_SUBJECT: "the subject is neither a speaker nor named in the content",
    Reason.NOT_A_PERSON: "only messages of the role user state facts",
    Reason.IMPOSSIBLE_DATE: "valid_from is no day, month or year that the content tells",
    Reason.NEGATION_NOT_SAID: "the content does not deny it",
    Reason.NEGATION_DROPPED: "the content denies it",
    Reason.QUESTION: "the content asks",
    Reason.HYPOTHETICAL: "the content only supposes or wishes it",
    Reason.ABOUT_ANOTHER: "the content is about somebody else",
    Reason.REPORTED: "the content reads like somebody else's words",
    Reason.SHORT_QUOTE: "one word says nothing",
    Reason.MANY_SENTENCES: "the value has more than one sentence",
}


def require_facts(request: MessagesRequest, arrived: datetime, *, extracted: bool) -> None:
    """Refuse a request with a fact of which none would be made.

    Args:
        request: the lists.
        arrived: the time of messages without one.
        extracted: whether memd reads facts at all.

    Raises:
        InvalidError: there is one; all of them are in it.
    """
    if not any(FACT in message.metadata for messages in request.batch for message in messages):
        return
    if not extracted:
        raise InvalidError(
            "facts are off, so that none would be made of these", hint="set facts.extractor to rules, or to auto"
        )
    from ...memory.extraction.stated import reasons_against  # its patterns take a while to compile

    places = ["messages"] if request.messages else []
    places += [f"lists.{number}" for number, messages in enumerate(request.lists) if messages]
    problems: list[str] = []
    for place, messages in zip(places, request.batch, strict=True):
        problems += [
            f"{place}.{number}.metadata.{FACT}: {_MEANINGS.get(reason, reason.value)}"
            for number, reason in reasons_against(messages, arrived).items()
        ]
    if problems:
        hint = "a fact rests on the words of its message; docs/facts.md tells the checks"
        raise InvalidError("; ".join(problems), hint=hint, problems=tuple(problems))


def message_of(request: AddFactRequest, new_id: str) -> Message:
    """Return the message that states a fact: its content, or ``SUBJECT ATTRIBUTE: VALUE``."""
    fact = StatedFact(
        subject=request.subject,
        attribute=request.attribute,
        value=request.value,
        negated=request.negated,
        valid_from=request.valid_from,
    )
    return Message(
        role="user",
        content=request.content or words_of(fact),
        name=request.speaker,
        time=request.time,
        id=request.id or new_id,
        metadata={FACT: fact.to_json().decode()},
    )
