"""Reads Gemini's conversations of Workspace accounts: one file each, with the turns of the user and of the model. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from ....schemas import Rejected
from ...record_faults import or_reason
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .documents import Chat, Message, assistant_name
from .gemini_activity import ASSISTANT, SOURCE

_TIMES = ("creation_time", "create_time", "last_modified_time", "update_time", "timestamp")


@or_reason
def turns_chat(conversation: dict[str, Any], user: str, zone: tzinfo, locator: str) -> Chat | str:
    """Return the chat of a conversation, or the reason why it cannot be read. Its id is made from the time of its
    creation.
    """
    made = _time(conversation, zone)
    turns = [object_of(turn) for turn in list_of(conversation.get("conversation_turns"))]
    if made is None:
        return "a conversation without a time"
    messages: list[Message] = []
    time = made
    for number, turn in enumerate(turns):
        for side in ("user_turn", "system_turn"):
            item = object_of(turn.get(side))
            time = max(time, _time(item, zone) or time)
            index = id_of(item.get("turn_index")) or str(number)
            for part, text in _parts(item, side):
                is_own = side == "user_turn"
                messages.append(
                    {
                        "speaker": user if is_own else assistant_name(ASSISTANT, user),
                        "content": text,
                        "time": time,
                        "id": f"{index}/{part}",
                        "role": "user" if is_own else "assistant",
                        "metadata": {"content_type": "thoughts"} if part == "thoughts" else {},
                    }
                )
    own_id = f"conversation-{made.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"
    title = words_of(conversation.get("title")) or f"{ASSISTANT} conversation"
    return Chat(SOURCE, own_id, title, user, {}, messages, locator)


def not_turns(conversation: dict[str, Any], locator: str) -> Iterator[Rejected]:
    """Yield a rejection for each entry among the turns, or among the parts of an answer, that is not a JSON object with
    content.
    """
    for number, turn in enumerate(list_of(conversation.get("conversation_turns"))):
        if not object_of(turn):
            yield Rejected(locator=f"{locator}/{number}", reason="a turn must be a JSON object that holds something")
        for part in list_of(object_of(object_of(turn).get("system_turn")).get("text")):
            if not object_of(part):
                reason = "a part of an answer must be a JSON object that holds something"
                yield Rejected(locator=f"{locator}/{number}", reason=reason)


def _parts(item: dict[str, Any], side: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of one turn, each with the name of its part."""
    if side == "user_turn":
        parts = {"prompt": text_of(item.get("prompt"))}
    else:
        said = [text_of(object_of(part).get("data")) for part in list_of(item.get("text"))]
        thoughts = item.get("model_thoughts")
        shown = [text_of(thoughts), *map(text_of, list_of(thoughts))]
        parts = {
            "thoughts": "\n".join(part for part in shown if part),
            "answer": text_of(item.get("text")) or "\n".join(part for part in said if part),
        }
    yield from ((part, text) for part, text in parts.items() if text.strip())


def _time(item: dict[str, Any], zone: tzinfo) -> datetime | None:
    return next((time for key in _TIMES if (time := instant_of(item.get(key), zone))), None)
