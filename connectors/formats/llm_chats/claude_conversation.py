"""Converts one conversation of Claude's export to messages, and projects and memories to texts. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, cast

from ....schemas import UNKNOWN_USER, Rejected
from ...connector import Record
from ...record_faults import or_reason, records_at
from ...text.json_fields import list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .claude_content import FILES, Piece, files_of, of_design_tool, pieces_of
from .documents import Chat, Message, Tally, assistant_name, hash_of_beginning, text_records

SOURCE = "claude"
ASSISTANT = "Claude"
SYSTEM = "(system)"
_NO_OBJECT = "must be a JSON object that holds something"
_USER = frozenset({"human", "user"})


@dataclass(slots=True)
class ConversationReader:
    """Converts the conversations of one export."""

    me: str | None
    accounts: dict[str, str]
    """The names of accounts by id; the export of an organisation has several."""
    zone: tzinfo
    tally: Tally = field(default_factory=Tally)

    @property
    def user(self) -> str:
        """The user of conversations without a known account."""
        names = list(self.accounts.values())
        return self.me or (names[0] if len(names) == 1 else UNKNOWN_USER)

    @or_reason
    def chat(self, conversation: dict[str, Any], locator: str) -> Chat | str:
        """Return the chat of a conversation, or the reason why it cannot be read; a chat may have no messages."""
        _, raw_messages = _messages_of(conversation)
        if not isinstance(raw_messages, list):
            return "a conversation without messages"
        listed = list_of(cast("object", raw_messages))
        entries = cast("list[dict[str, Any]]", [message for message in listed if isinstance(message, dict)])
        shown, beside = shown_messages(entries)
        key = words_of(conversation.get("uuid")) or words_of(conversation.get("id")) or hash_of_beginning(shown[:1])
        self.tally.add("branches-left-out", beside)
        shown = [of_design_tool(message) if isinstance(message.get("content"), dict) else message for message in shown]
        account = words_of(object_of(conversation.get("account")).get("uuid")) or _author_of(entries)
        user = self.me or self.accounts.get(account) or self.user
        messages = self._each(conversation, shown, user)
        if messages is None:
            return "a conversation without any time"
        title = words_of(conversation.get("name")) or words_of(conversation.get("title"))
        project = object_of(conversation.get("project"))
        metadata = {
            "model": words_of(conversation.get("model")),
            "summary": words_of(conversation.get("summary")),
            "project": words_of(project.get("name")) or words_of(conversation.get("project_uuid")),
        }
        return Chat(SOURCE, key, title or f"{ASSISTANT} conversation", user, metadata, messages, locator)

    def _each(self, conversation: dict[str, Any], shown: list[dict[str, Any]], user: str) -> list[Message] | None:
        """Return the messages converted one by one; None if no time is known."""
        time = instant_of(conversation.get("created_at"), self.zone) or instant_of(
            conversation.get("updated_at"), self.zone
        )
        messages: list[Message] = []
        for number, message in enumerate(shown):
            own_time = instant_of(message.get("created_at"), self.zone)
            time = own_time or time or _first_time(shown, self.zone)
            if time is None:
                return None
            message_id = words_of(message.get("uuid")) or f"#{number}"
            said = self._plain(message, message_id, time, user) or [*self._said(message, message_id, time, user)]
            messages += said
            self.tally.add("time-assumed", 0 if own_time or not said else 1)
        return messages

    def _plain(self, message: dict[str, Any], message_id: str, time: datetime, user: str) -> list[Message]:
        """Return a message of one block of text, as nearly all are, as a list; an empty list for any other message."""
        blocks = list_of(message.get("content"))
        if len(blocks) != 1 or any(map(message.get, FILES)):
            return []
        block, sender = object_of(blocks[0]), message.get("sender")
        text = text_of(block.get("text")) if block.get("type") == "text" else ""
        if sender not in ("human", "assistant") or not text or text.isspace():
            return []
        assistant = sender == "assistant"
        return [
            {
                "speaker": assistant_name(ASSISTANT, user) if assistant else user,
                "content": text,
                "time": time,
                "id": message_id,
                "role": "assistant" if assistant else "user",
            }
        ]

    def _said(self, message: dict[str, Any], message_id: str, time: datetime, user: str) -> Iterator[Message]:
        """Yield the parts of a message; its first part of text has its id, the others the id with a number."""
        sender = words_of(message.get("sender")) or words_of(message.get("role"))
        speaker, role, kind = assistant_name(ASSISTANT, user), "assistant", "text"
        if sender in _USER:
            speaker, role = user, "user"
        elif sender == "system":
            speaker, role, kind = SYSTEM, "system", "system"
        attachments, texts = files_of(message)
        pieces = [piece for piece in pieces_of(message) if piece.text.strip()]
        first = next((piece for piece in pieces if piece.type == "text"), None)
        if first is None and attachments:
            first = Piece("[file]", kind="media")
            pieces.insert(0, first)
        if first is not None:
            first.attachments = attachments
        for number, piece in enumerate([*pieces, *texts]):
            self.tally.add("content-unknown", 1 if piece.kind == "unknown" else 0)
            main = piece is first or (first is None and number == 0)
            segments = [{"kind": piece.segment, "start": 0, "end": len(piece.text)}] if piece.segment else []
            yield {
                "speaker": f"{ASSISTANT} ({piece.tool})" if piece.tool else user if piece.by_user else speaker,
                "content": piece.text,
                "time": time,
                "id": message_id if main else f"{message_id}#{number}",
                "reply_to": message_id if piece.type == "attachment" else None,
                "role": "tool" if piece.tool else "user" if piece.by_user else role,
                "kind": kind if piece.kind == "text" else piece.kind,
                "attachments": piece.attachments,
                "segments": segments,
                "metadata": {"content_type": piece.type} if piece.type != "text" else {},
            }


def not_messages(conversation: dict[str, Any], locator: str) -> Iterator[Rejected]:
    """Yield a rejection for each entry among the messages of a conversation that is not a message."""
    key, entries = _messages_of(conversation)
    messages = list_of(entries)
    if {*map(type, messages)} <= {dict} and all(messages):
        return
    for number, message in enumerate(messages):
        if not object_of(message):
            yield Rejected(locator=f"{locator}/{key}/{number}", reason=f"a message {_NO_OBJECT}")


def _messages_of(conversation: dict[str, Any]) -> tuple[str, object]:
    return next(((key, conversation[key]) for key in ("chat_messages", "messages") if key in conversation), ("", None))


def _author_of(messages: list[dict[str, Any]]) -> str:
    """Return the account that wrote to Claude's design tool; empty for other chats."""
    accounts = (words_of(object_of(message.get("content")).get("authorAccountUuid")) for message in messages)
    return next(filter(None, accounts), "")


def shown_messages(messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Return the branch that ends with the newest message, and the number of messages outside it.

    Messages without parents are a list already, and are returned unchanged.
    """
    parent_ids = [message.get("parent_message_uuid") for message in messages]
    if not any(parent_ids):
        return messages, 0
    parents = [*map(words_of, parent_ids)]
    by_id = {words_of(message.get("uuid")): message for message in messages}
    by_id.pop("", None)
    if not any(parent in by_id for parent in parents):
        return messages, 0
    children = set(parents)
    leaves = [message for message in messages if words_of(message.get("uuid")) not in children]
    newest = max(reversed(leaves or messages), key=_time_key)
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    message_id = words_of(newest.get("uuid"))
    while message_id in by_id and message_id not in seen:
        seen.add(message_id)
        path.append(by_id[message_id])
        message_id = words_of(by_id[message_id].get("parent_message_uuid"))
    return path[::-1], len(messages) - len(path)


def project_texts(project: dict[str, Any], zone: tzinfo, locator: str) -> Iterator[Record]:
    """Yield the instructions of a project and its files as texts."""
    project_id, name = words_of(project.get("uuid")), words_of(project.get("name"))
    if not project_id:
        return
    parts = [text_of(project.get(key)) for key in ("description", "prompt_template")]
    about = "\n\n".join(part for part in parts if part.strip())
    made = instant_of(project.get("created_at"), zone)
    yield from _text(f"project:{project_id}", about, name or "Project", made, locator, project=name)
    for number, entry in enumerate(list_of(project.get("docs"))):
        item = object_of(entry)
        if not item:
            yield Rejected(locator=f"{locator}/docs/{number}", reason=f"a file of a project {_NO_OBJECT}")
            continue
        file = words_of(item.get("filename")) or words_of(item.get("file_name")) or f"file {number + 1}"
        made = instant_of(item.get("created_at"), zone)
        identity = f"project:{project_id}:{words_of(item.get('uuid')) or file}"
        yield from _text(identity, text_of(item.get("content")), file, made, locator, project=name)


def memory_texts(memory: dict[str, Any], locator: str) -> Iterator[Record]:
    """Yield Claude's memories of the user as texts, over all chats and for each project; the words are Claude's, not
    the user's.
    """
    account = words_of(memory.get("account_uuid")) or "account"
    noted = text_of(memory.get("conversations_memory"))
    yield from _text(f"memory:{account}", noted, "Claude's memory", None, locator)
    for project, text in object_of(memory.get("project_memories")).items():
        title = "Claude's memory of a project"
        yield from _text(f"memory:{project}", text_of(text), title, None, locator, project=project)


def _text(
    text_id: str, content: str, title: str, time: datetime | None, locator: str, *, project: str = ""
) -> Iterator[Record]:
    metadata = {"source": SOURCE, "title": title, "project": project}
    document: dict[str, Any] = {
        "id": f"{SOURCE}:{text_id}",
        "content": content,
        "timestamp": time,
        "metadata": metadata,
    }
    yield from records_at(locator, text_records, document, locator)


def _time_key(message: dict[str, Any]) -> str:
    return text_of(message.get("created_at"))


def _first_time(messages: list[dict[str, Any]], zone: tzinfo) -> datetime | None:
    return next((time for message in messages if (time := instant_of(message.get("created_at"), zone))), None)
