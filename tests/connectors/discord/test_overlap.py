"""Later exports that overlap earlier ones: exactly what is new is added, and edits supersede."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

from memd.connectors.connector import Record
from memd.connectors.formats.llm_chats.chatgpt import ChatGPTConnector
from memd.memory.merge.plan import MergePlan, Stored, plan_conversation
from memd.memory.records import StoredMessage
from memd.schemas import ConversationDocument
from memd.tests.connectors.discord.exports import ANN, BO, CHANNEL, OPTIONS, documents, export, message, read
from memd.tests.contracts.connector import Shelf


def merged(stored: Stored | None, incoming: ConversationDocument) -> tuple[Stored, MergePlan]:
    """Apply a plan as a store would."""
    plan = plan_conversation(stored, incoming, b"digest")
    assert plan is not None
    rows = {} if stored is None else {row.key: row for row in stored.messages}
    for key, position in plan.moved.items():
        rows[key] = StoredMessage(key, rows[key].document, position, rows[key].message)
    rows |= {row.key: row for row in (*plan.added, *plan.updated)}
    return Stored(plan.document, sorted(rows.values(), key=lambda row: row.position)), plan


def one(records: list[Record]) -> ConversationDocument:
    """The only document."""
    (found,) = documents(records)
    return found


def test_a_later_export_adds_what_is_new_and_supersedes_what_was_edited() -> None:
    """By the ids of Discord; the older wording stays with the message."""
    stored, _ = merged(None, one(read({"a.json": export(message(1, ANN, "One"), message(2, BO, "Tow"))})))
    later = export(message(2, BO, "Two", timestampEdited="2024-01-15T12:30:00+00:00"), message(3, ANN, "Three"))
    stored, plan = merged(stored, one(read({"b.json": later})))
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (1, 1, 0)
    assert [row.message.content for row in stored.messages] == ["One", "Two", "Three"]
    assert [edit.content for edit in stored.messages[1].message.edits] == ["Tow"]
    _, plan = merged(stored, one(read({"b.json": later})))
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (0, 0, 2)


def test_the_package_adds_nothing_to_an_export_of_the_same_chat() -> None:
    """Both name the same messages."""
    stored, _ = merged(None, one(read({"a.json": export(message(1, ANN, "One"), message(2, BO, "Two"))})))
    row = {"ID": 900000000000000001, "Timestamp": "2024-01-15 12:01:00", "Contents": "One", "Attachments": ""}
    account = {
        "id": ANN["id"],
        "username": "ann_99",
        "discriminator": 0,
        "global_name": "Ann",
        "email": "a@example.org",
    }
    files: dict[str, Any] = {f"messages/c{CHANNEL}/messages.json": [row], "account/user.json": account}
    stored, plan = merged(stored, one(read(files)))
    assert len(plan.added) == 0
    assert [row.message.content for row in stored.messages] == ["One", "Two"]


def test_a_user_who_was_named_once_stays_named() -> None:
    """An export that is read again without the name does not take it back."""

    def exported(me: str | None) -> ConversationDocument:
        content = {"content_type": "text", "parts": ["Hi"]}
        said = {"id": "q", "author": {"role": "user"}, "create_time": 1.7e9, "content": content}
        mapping: dict[str, Any] = {"q": {"id": "q", "message": said, "parent": None, "children": []}}
        chat = {"id": "c", "title": "T", "create_time": 1.7e9, "mapping": mapping, "current_node": "q"}
        shelf = Shelf("a", {"conversations.json": json.dumps([chat]).encode()})
        return one(list(ChatGPTConnector().read(shelf, replace(OPTIONS, me=me))))

    stored, _ = merged(None, exported(None))
    for me in ("Ann", None, "Ann"):
        stored, plan = merged(stored, exported(me))
        assert [row.message.speaker for row in stored.messages] == ["Ann"]
        assert (plan.document.user, plan.document.people) == ("Ann", ("Ann",))


def test_a_conversation_with_a_model_goes_on() -> None:
    """The answers that came since are added to it."""

    def node(own: str, parent: str | None, role: str, minute: int) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [own]}
        said = {"id": own, "author": {"role": role}, "create_time": 1.7e9 + minute * 60, "content": content}
        return {"id": own, "message": said, "parent": parent, "children": []}

    nodes = [node("q1", None, "user", 0), node("a1", "q1", "assistant", 1), node("q2", "a1", "user", 2)]

    def exported(count: int) -> ConversationDocument:
        mapping = {each["id"]: each for each in nodes[:count]}
        chat = {
            "id": "c",
            "title": "T",
            "create_time": 1.7e9,
            "mapping": mapping,
            "current_node": nodes[count - 1]["id"],
        }
        shelf = Shelf("a", {"conversations.json": json.dumps([chat]).encode()})
        return one(list(ChatGPTConnector().read(shelf, OPTIONS)))

    stored, _ = merged(None, exported(2))
    stored, plan = merged(stored, exported(3))
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (1, 0, 2)
    assert [row.message.content for row in stored.messages] == ["q1", "a1", "q2"]


def test_a_table_and_a_text_add_nothing_to_an_export_of_the_same_chat() -> None:
    """In the reader's zone all forms have a message on one day, though two have no ids and one has no seconds."""
    times = ("2024-01-15T23:20:10.1230000+00:00", "2024-01-15T23:25:40.4560000+00:00")
    said = [(ANN, "Who moors?", times[0]), (BO, "I do", times[1])]
    table = "AuthorID,Author,Date,Content,Attachments,Reactions\n" + "".join(
        f'"{author["id"]}","{author["nickname"]}","{time}","{words}","",""\n' for author, words, time in said
    )
    line = "=" * 62
    text = f"{line}\nGuild: Sailors\nChannel: Talk / harbour\n{line}\n\n" + "".join(
        f"[16/01/2024 00:{time[14:16]}] {author['nickname']}\n{words}\n\n" for author, words, time in said
    )
    name = f"Sailors - Talk - harbour [{CHANNEL}]"
    forms = [
        {"a.json": export(*(message(n, author, words, time) for n, (author, words, time) in enumerate(said)))},
        {f"{name}.csv": table.encode()},
        {f"{name}.txt": text.encode()},
    ]
    options = replace(OPTIONS, zone=timezone(timedelta(hours=1)), date_order="dmy")
    for first in forms:
        stored, _ = merged(None, one(read(first, options)))
        for other in forms:
            incoming = one(read(other, options))
            assert incoming.id == stored.document.id
            stored, plan = merged(stored, incoming)
            assert (len(plan.added), len(stored.messages)) == (0, 2)
