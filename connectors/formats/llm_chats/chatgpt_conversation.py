"""Converts one conversation of ChatGPT's export to messages: speaker, visible content, time. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from hashlib import sha256
from typing import Any, cast

from ...record_faults import or_reason
from ...text.json_fields import object_of, words_of
from ...times.instants import instant_of
from .chatgpt_content import Content, FindFile, custom_instructions, has_citations, read_content, without_citations
from .chatgpt_tree import shown_path
from .documents import Chat, Message, Tally, assistant_name, hash_of_beginning

SOURCE = "chatgpt"
ASSISTANT = "ChatGPT"
SYSTEM = "(system)"
_BESIDE_WORDS = frozenset(
    {"attachments", "is_user_system_message", "is_visually_hidden_from_conversation", "user_context_message_data"}
)
"""The metadata keys of a message that has more than text, or is no message of the chat."""
_EVERYBODY = (None, "", "all", "assistant")
"""The recipients of messages in the conversation; any other recipient is a tool."""
MOST_INSTRUCTIONS = 1000
"""The maximum number of versions of custom instructions that are kept apart; an export has a handful."""


@dataclass(slots=True)
class Instructions:
    """The versions of the user's custom instructions, each with the earliest time at which it occurs."""

    first_seen: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def add(self, text: str, time: datetime) -> None:
        """Add a version with the time of a message that has it."""
        if text in self.first_seen or len(self.first_seen) < MOST_INSTRUCTIONS:
            self.first_seen[text] = min(time, self.first_seen.get(text, time))

    def chats(self, user: str, locator: str) -> list[Chat]:
        """Return a chat of one message for each version; the id is a hash of the text, so that later exports give the
        same one.
        """
        result: list[Chat] = []
        for text, time in self.first_seen.items():
            name = "custom-instructions-" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            message = {"speaker": user, "content": text, "time": time, "id": name, "role": "user"}
            result.append(Chat(SOURCE, name, "Custom instructions", user, {}, [message], locator))
        return result


@dataclass(slots=True)
class ConversationReader:
    """Converts the conversations of one export."""

    user: str
    zone: tzinfo
    find_file: FindFile
    tally: Tally = field(default_factory=Tally)
    instructions: Instructions = field(default_factory=Instructions)
    _assistant: str = field(init=False)
    _speakers: dict[str, str] = field(init=False)
    """The speakers by role."""

    def __post_init__(self) -> None:
        self._assistant = assistant_name(ASSISTANT, self.user)
        self._speakers = {"user": self.user, "assistant": self._assistant}

    @or_reason
    def chat(self, conversation: dict[str, Any], locator: str) -> Chat | str:
        """Return the chat of a conversation, or the reason why it cannot be read; a chat may have no messages.

        A conversation has a tree of messages and times.
        """
        if not isinstance(conversation.get("mapping"), dict):
            return "a conversation without messages"
        path, beside = shown_path(conversation)
        message_id = (
            words_of(conversation.get("conversation_id"))
            or words_of(conversation.get("id"))
            or hash_of_beginning(_beginning(path))
        )
        self.tally.add("branches-left-out", beside)
        messages = self._each(conversation, path)
        if messages is None:
            return "a conversation without any time"
        title = words_of(conversation.get("title")) or f"{ASSISTANT} conversation"
        metadata = {"model": words_of(conversation.get("default_model_slug"))}
        return Chat(SOURCE, message_id, title, self.user, metadata, messages, locator)

    def _each(self, conversation: dict[str, Any], path: list[tuple[str, dict[str, Any]]]) -> list[Message] | None:
        """Return the messages converted one by one; None if no time is known."""
        time = instant_of(conversation.get("create_time"), self.zone) or instant_of(
            conversation.get("update_time"), self.zone
        )
        messages: list[Message] = []
        for key, node in path:
            message = object_of(node.get("message"))
            if not message:
                continue
            own_time = instant_of(message.get("create_time"), self.zone)
            time = own_time or time
            if time is None:
                time = _first_time(path, self.zone)
            if time is None:
                return None
            own_id = words_of(message.get("id")) or key
            said = self._words(message, own_id, time) or self._said(message, own_id, time)
            if said is not None:
                messages.append(said)
                if own_time is None:
                    self.tally.add("time-assumed")
        return messages

    def _words(self, message: dict[str, Any], message_id: str, time: datetime) -> Message | None:
        """Return a plain text message of the user or the model, as nearly all are; None for any other message.

        This is the hot path: a missing field or a field of another type raises, so that no field needs to be checked
        before.
        """
        try:
            content = message["content"]
            parts = content["parts"]
            text = parts[0]
            role = message["author"]["role"]
            speaker = self._speakers[role]
            if content["content_type"] != "text" or type(parts) is not list or len(cast("list[object]", parts)) != 1:
                return None
        except (KeyError, IndexError, TypeError):
            return None
        if type(text) is not str or not text or text.isspace() or message.get("weight") == 0:
            return None
        if message.get("recipient") not in _EVERYBODY:
            return None
        if has_citations(text) and without_citations(text, message) != text:
            return None
        result: Message = {"speaker": speaker, "content": text, "time": time, "id": message_id, "role": role}
        if metadata := object_of(message.get("metadata")):
            if not _BESIDE_WORDS.isdisjoint(metadata):
                return None
            if model := words_of(metadata.get("model_slug")):
                result["metadata"] = {"model": model}
        return result

    def _said(self, message: dict[str, Any], message_id: str, time: datetime) -> Message | None:
        """Return any message; None if it is empty, hidden in the app, or the custom instructions, which are kept apart."""
        instructions = custom_instructions(message)
        if instructions is not None:
            if instructions.strip():
                self.instructions.add(instructions, time)
            return None
        content = read_content(message, self.find_file)
        if not content.text.strip():
            return None
        hidden = object_of(message.get("metadata")).get("is_visually_hidden_from_conversation")
        if hidden or message.get("weight") == 0:
            self.tally.add("hidden-messages")
            return None
        if not content.known:
            self.tally.add("content-unknown")
        return self._plain(message, content, message_id, time)

    def _plain(self, message: dict[str, Any], content: Content, message_id: str, time: datetime) -> Message:
        author = object_of(message.get("author"))
        name, recipient = words_of(author.get("name")), words_of(message.get("recipient"))
        role = words_of(author.get("role"))
        to_tool = bool(recipient) and recipient not in ("all", "assistant")
        speaker, shown_role, kind = self._assistant, "assistant", content.kind
        if role == "user":
            speaker, shown_role = self.user, "user"
        elif role == "system":
            speaker, shown_role, kind = SYSTEM, "system", "system"
        elif role != "assistant" or to_tool:
            tool = recipient if to_tool else name
            speaker, shown_role = f"{ASSISTANT} ({tool})" if tool else f"{ASSISTANT} (tool)", "tool"
        text = without_citations(content.text, message) or content.text
        result: Message = {
            "speaker": speaker,
            "content": text,
            "time": time,
            "id": message_id,
            "role": shown_role,
            "kind": kind,
        }
        if content.attachments:
            result["attachments"] = content.attachments
        if content.segment:
            result["segments"] = [{"kind": content.segment, "start": 0, "end": len(text)}]
        details: dict[str, str] = {}
        if content.type not in ("text", "multimodal_text"):
            details["content_type"] = content.type
        if model := words_of(object_of(message.get("metadata")).get("model_slug")):
            details["model"] = model
        if details:
            result["metadata"] = details
        return result


def _beginning(path: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """Return the fields of the first message that are the same in later exports."""
    for key, node in path:
        if message := object_of(node.get("message")):
            return [key, message.get("create_time"), message.get("content")]
    return []


def _first_time(path: list[tuple[str, dict[str, Any]]], zone: tzinfo) -> datetime | None:
    for _, node in path:
        if time := instant_of(object_of(node.get("message")).get("create_time"), zone):
            return time
    return None
