"""Converts the talks of further assistants to chats: each program's record to nodes, then the branch last shown to messages.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from ...record_faults import or_reason
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .claude_content import Piece, pieces_of
from .details_blocks import pieces_in
from .documents import Chat, Message, Tally, assistant_name, hash_of_beginning

_USER = frozenset({"human", "user"})
_FILES_OF_CHUNK = frozenset(
    {
        "driveDocument",
        "driveImage",
        "driveVideo",
        "driveAudio",
        "inlineFile",
        "inlineImage",
        "inlineData",
        "youtubeVideo",
    }
)
"""The keys of a chunk of AI Studio that stand for a file."""
_FRAGMENTS = {"REQUEST": "text", "RESPONSE": "text", "THINK": "thinking"}


@dataclass(slots=True)
class Node:
    """A message of a tree of versions."""

    id: str
    parent: str
    by_user: bool
    time: object
    """As `instant_of` reads it; None for none."""
    pieces: Sequence[Piece]
    files: Sequence[str] = ()
    model: str = ""


@dataclass(slots=True)
class Talk:
    """A conversation as a program exports it."""

    id: str
    title: str
    begun: object
    nodes: list[Node] = field(default_factory=list[Node])
    last: str = ""
    """The id of the message that was shown last; empty for the newest."""
    hidden: int = 0
    """The number of messages that the program itself does not show."""
    broken: int = 0
    """The number of entries that are no messages, or no parts of one."""

    def objects(self, entries: object) -> list[dict[str, Any]]:
        """Return the objects of a list; anything else in it, or an empty one, is counted as broken."""
        listed = list_of(entries)
        objects = [item for each in listed if (item := object_of(each))]
        self.broken += len(listed) - len(objects)
        return objects


@or_reason
def as_chat(
    record: dict[str, Any],
    read: Callable[[dict[str, Any]], Talk],
    source: str,
    assistant: str,
    user: str,
    zone: tzinfo,
    tally: Tally,
    locator: str,
    broken: list[str],
) -> Chat | str:
    """Return the chat of a record, or the reason why it cannot be read.

    Args:
        record: a conversation.
        read: returns its talk; one of the functions below.
        source: the name of the program.
        assistant: the name of its speaker.
        user: the name of the user.
        zone: in which times are given.
        tally: the counts to add to.
        locator: the place of the record.
        broken: gets the reason for each entry that is no message.
    """
    talk = read(record)
    broken += ["not a message"] * talk.broken
    nodes = _branch(talk)
    tally.add("branches-left-out", len(talk.nodes) - len(nodes))
    tally.add("hidden-messages", talk.hidden)
    time = instant_of(talk.begun, zone) or next((t for node in nodes if (t := instant_of(node.time, zone))), None)
    messages: list[Message] = []
    for node in nodes:
        own_time = instant_of(node.time, zone)
        time = own_time or time
        if time is None:
            return "a conversation without any time"
        said = list(_messages(node, time, assistant_name(assistant, user), user))
        tally.add("time-assumed", 0 if own_time or not said else 1)
        messages += said
    models = dict.fromkeys(node.model for node in nodes if node.model)
    key = talk.id or hash_of_beginning([message["content"] for message in messages[:1]])
    return Chat(
        source, key, talk.title or f"{assistant} conversation", user, {"model": ", ".join(models)}, messages, locator
    )


def _branch(talk: Talk) -> list[Node]:
    """Return the messages up to the one shown last; all of them if none names its parent."""
    by_id = {node.id: node for node in talk.nodes}
    if not any(node.parent in by_id for node in talk.nodes):
        return talk.nodes
    current = by_id.get(talk.last) or _newest_leaf(talk.nodes)
    path: list[Node] = []
    seen: set[str] = set()
    while current is not None and current.id not in seen:
        seen.add(current.id)
        path.append(current)
        current = by_id.get(current.parent)
    return path[::-1]


def _newest_leaf(nodes: Sequence[Node]) -> Node:
    parents = {node.parent for node in nodes}
    leaves = [node for node in nodes if node.id not in parents] or list(nodes)
    return max(leaves, key=lambda node: f"{node.time or ''}")


def _messages(node: Node, time: datetime, assistant: str, user: str) -> Iterable[Message]:
    """Yield the parts of a message; its first part of text has its id, the others the id with a number."""
    pieces = [piece for piece in node.pieces if piece.text.strip()]
    if not pieces and node.files:
        pieces = [Piece("[file]", kind="media")]
    first = next((piece for piece in pieces if piece.type == "text" and not piece.tool), None)
    for number, piece in enumerate(pieces):
        main = piece is first or (first is None and number == 0)
        message: Message = {
            "speaker": f"{assistant} ({piece.tool})" if piece.tool else user if node.by_user else assistant,
            "content": piece.text,
            "time": time,
            "id": node.id if main else f"{node.id}#{number}",
            "role": "tool" if piece.tool else "user" if node.by_user else "assistant",
            "kind": piece.kind,
        }
        if piece.segment:
            message["segments"] = [{"kind": piece.segment, "start": 0, "end": len(piece.text)}]
        if piece.type != "text":
            message["metadata"] = {"content_type": piece.type}
        if main and node.files:
            message["attachments"] = [{"name": name, "missing": True} for name in node.files]
        yield message


def grok(record: dict[str, Any]) -> Talk:
    """Return the talk of an entry of Grok's export."""
    about = object_of(record.get("conversation"))
    talk = Talk(
        id_of(about.get("id")),
        words_of(about.get("title")),
        about.get("create_time"),
        last=id_of(about.get("leaf_response_id")),
    )
    for entry in talk.objects(record.get("responses")):
        raw = object_of(entry.get("response"))
        files = [
            each if isinstance(each, str) else words_of(object_of(each).get("file_name"))
            for each in list_of(raw.get("file_attachments"))
        ]
        pieces = [Piece(text_of(raw.get("thinking_trace")), "thinking"), Piece(text_of(raw.get("message")))]
        pieces += _searched(raw.get("web_search_results"), "preview")
        talk.nodes.append(
            Node(
                id_of(raw.get("_id")),
                id_of(raw.get("parent_response_id")),
                words_of(raw.get("sender")).lower() in _USER,
                _date_of(raw.get("create_time")),
                pieces,
                [name for name in files if name],
                words_of(raw.get("model")),
            )
        )
    return talk


def _searched(results: object, key: str) -> list[Piece]:
    """Return what was found on the web: titles, addresses, and the words under ``key``."""
    lines: list[str] = []
    for each in [object_of(each) for each in list_of(results)]:
        if each.get("url"):
            lines += [f"{words_of(each.get('title'))} <{words_of(each.get('url'))}>".strip(), words_of(each.get(key))]
    return [Piece("\n".join(line for line in lines if line), "tool_result", "search", "quote")] if lines else []


def deepseek(record: dict[str, Any]) -> Talk:
    """Return the talk of a conversation of DeepSeek's export; in older ones only the order tells who speaks."""
    talk = Talk(id_of(record.get("id")), words_of(record.get("title")), record.get("inserted_at"))
    by_user: dict[str, bool] = {}
    for key, value in object_of(record.get("mapping")).items():
        node = object_of(value)
        raw, parent = object_of(node.get("message")), id_of(node.get("parent"))
        if not raw:
            continue
        fragments = talk.objects(raw.get("fragments"))
        pieces = [
            Piece(
                text_of(each.get("content")),
                _FRAGMENTS.get(words_of(each.get("type")), words_of(each.get("type")).lower() or "unknown"),
            )
            for each in fragments
        ] or [Piece(text_of(raw.get("reasoning_content")), "thinking"), Piece(text_of(raw.get("content")))]
        for results in (raw.get("search_results"), *(each.get("results") for each in fragments)):
            pieces += _searched(results, "snippet")
        pieces += [
            Piece(words, "attachment", segment="quote")
            for each in list_of(raw.get("files"))
            if (words := text_of(object_of(each).get("content")))
        ]
        is_question = (
            any(each.get("type") == "REQUEST" for each in fragments) if fragments else not by_user.get(parent, False)
        )
        by_user[key] = is_question
        files = [
            words_of(object_of(each).get("file_name")) or words_of(object_of(each).get("name"))
            for each in list_of(raw.get("files"))
        ]
        talk.nodes.append(
            Node(
                key,
                parent,
                is_question,
                raw.get("inserted_at"),
                pieces,
                [name for name in files if name],
                "" if is_question else words_of(raw.get("model")),
            )
        )
    return talk


def open_webui(record: dict[str, Any]) -> Talk:
    """Return the talk of a chat of Open WebUI."""
    chat = object_of(record.get("chat")) or record  # of the first versions, which had no users
    history = object_of(chat.get("history"))
    begun = record.get("created_at") or chat.get("timestamp")
    talk = Talk(
        id_of(record.get("id")),
        words_of(record.get("title")) or words_of(chat.get("title")),
        begun,
        last=id_of(history.get("currentId")),
    )
    listed: Mapping[str, Any] = object_of(history.get("messages")) or {
        id_of(object_of(each).get("id")) or str(number): each
        for number, each in enumerate(list_of(chat.get("messages")))
    }
    for key, value in listed.items():
        raw = object_of(value)
        files = [words_of(object_of(each).get("name")) for each in list_of(raw.get("files"))]
        talk.nodes.append(
            Node(
                key,
                id_of(raw.get("parentId")),
                words_of(raw.get("role")) in _USER,
                raw.get("timestamp"),
                [
                    each
                    for piece in pieces_of(raw)
                    for each in (pieces_in(piece.text) if piece.type == "text" else [piece])
                ]
                or _of_phases(raw.get("content_list")),
                [name for name in files if name],
                words_of(raw.get("model")),
            )
        )
    return talk


def _of_phases(entries: object) -> list[Piece]:
    """Return the thoughts and the words of an answer of Qwen, whose chats are those of Open WebUI otherwise."""
    phases = [(words_of(each.get("phase")), text_of(each.get("content"))) for each in map(object_of, list_of(entries))]
    return [Piece(text, "thinking" if phase.startswith("think") else "text") for phase, text in phases if text]


def ai_studio(record: dict[str, Any]) -> Talk:
    """Return the talk of a file that Google's AI Studio keeps in Drive; its title, of the file, is under ``title``."""
    model = words_of(object_of(record.get("runSettings")).get("model")).removeprefix("models/")
    prompt = object_of(record.get("chunkedPrompt"))
    listed = list_of(prompt.get("chunks"))
    begun = next(filter(None, (words_of(object_of(each).get("createTime")) for each in listed)), "")
    talk = Talk(begun and f"prompt-{begun}", words_of(record.get("title")), begun or None)
    instruction = {**object_of(record.get("systemInstruction")), "role": "user"}
    for number, chunk in enumerate([instruction, *talk.objects(listed)]):
        by_user = chunk.get("role") in _USER
        parts = "".join(text_of(each.get("text")) for each in talk.objects(chunk.get("parts")))
        piece = Piece(text_of(chunk.get("text")) or parts, "thinking" if chunk.get("isThought") is True else "text")
        files = [id_of(object_of(value).get("id")) or key for key, value in chunk.items() if key in _FILES_OF_CHUNK]
        talk.nodes.append(
            Node(f"{number}", "", by_user, chunk.get("createTime"), [piece], files, "" if by_user else model)
        )
    talk.hidden = len(talk.objects(prompt.get("pendingInputs")))  # written, and not sent
    return talk


def claude_code(record: dict[str, Any]) -> Talk:
    """Return the talk of a session of Claude Code: the lines of its file, under ``lines``."""
    lines = [object_of(each) for each in list_of(record.get("lines"))]
    titles = [words_of(each.get("customTitle")) for each in lines if each.get("type") == "custom-title"][::-1]
    titles += [words_of(each.get("summary")) for each in lines if each.get("type") == "summary"]
    title = next(filter(None, titles), "")
    talk = Talk(
        words_of(record.get("session")),
        title,
        next((each.get("timestamp") for each in lines if each.get("timestamp")), None),
    )
    for each in lines:
        raw = object_of(each.get("message"))
        if each.get("type") not in ("user", "assistant") or not raw:
            continue
        if each.get("isMeta") or each.get("isSidechain"):
            talk.hidden += 1
        else:
            by_user = each.get("type") == "user" and not each.get("isCompactSummary")  # which the model wrote
            talk.nodes.append(
                Node(
                    words_of(each.get("uuid")),
                    "",
                    by_user,
                    each.get("timestamp"),
                    list(pieces_of(raw)),
                    (),
                    words_of(raw.get("model")),
                )
            )
    return talk


def _date_of(value: object) -> object:
    """Return a time, also from the form of MongoDB, with a number of milliseconds as text."""
    date = object_of(value).get("$date")
    number = object_of(date).get("$numberLong")
    return number if number is not None else date if date is not None else value
