"""Posts as the interface of a server gives them: ids, replies, reactions, files, names from beside, damage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.mattermost.connector import MattermostConnector
from memd.schemas import ConversationDocument, Rejected
from memd.tests.contracts.connector import Shelf

START = 1_705_320_000_250
USERS = [{"id": "u1", "username": "ann", "nickname": "", "first_name": "Ann", "last_name": "Archer"}]
PLACE = {"id": "c1", "name": "harbour", "display_name": "Harbour", "type": "O"}


def post(number: int, user: str, message: str, **more: Any) -> dict[str, Any]:
    """A post of a minute."""
    return {"id": f"p{number}", "create_at": START + number * 60_000, "edit_at": 0, "delete_at": 0, "user_id": user, "channel_id": "c1", "root_id": "", "message": message, "type": "", "props": {}, "metadata": {}, **more}  # fmt: skip


POSTS = [
    post(1, "u1", "when?"),
    post(2, "u2", "at noon", root_id="p1", metadata={"reactions": [{"user_id": "u1", "emoji_name": "tada"}]}),
    post(3, "u1", "", file_ids=["f1"], metadata={"files": [{"id": "f1", "name": "map.pdf"}]}),
    post(4, "u1", "", delete_at=START),
]
SHAPES = {
    "answer": {"order": ["p4", "p3", "p2", "p1"], "posts": {each["id"]: each for each in reversed(POSTS)}},
    "list": POSTS,
    "wrapped": {"channel": PLACE, "posts": POSTS},
    "lines": "\n".join(json.dumps(each) for each in POSTS),
}
TICKET = {"id": "1", "create_at": "2024-01-01", "root_id": "4", "message": "leaks", "user_id": "u1"}


def read(files: Mapping[str, Any]) -> list[Record]:
    """Everything that these files hold."""
    raw = {name: (data if isinstance(data, str) else json.dumps(data)).encode() for name, data in files.items()}
    return list(MattermostConnector().read(Shelf("x", raw), ReadOptions(zone=UTC, zone_origin="option")))


@pytest.mark.parametrize("shape", SHAPES)
def test_posts_are_read_in_every_shape(shape: str) -> None:
    """With the server's ids; what is answered is the thread."""
    source = Shelf("x", {"posts.json": (SHAPES[shape] if shape == "lines" else json.dumps(SHAPES[shape])).encode()})  # type: ignore[union-attr]
    assert MattermostConnector().sniff(source) >= 0.8
    (day,) = [each for each in read({"posts.json": SHAPES[shape]}) if isinstance(each, ConversationDocument)]
    assert day.id == "mattermost:c1:2024-01-15"
    asked, answered, sent, gone = day.messages
    assert [m.id for m in day.messages] == ["p1", "p2", "p3", "p4"]
    assert (asked.content, answered.content, answered.thread, asked.thread) == ("when?", "at noon", "p1", None)
    assert [(r.emoji, r.people) for r in answered.reactions] == [(":tada:", ("u1",))]
    assert (sent.kind, [a.name for a in sent.attachments]) == ("media", ["map.pdf"])
    assert (gone.kind, gone.deleted, gone.content) == ("deleted", True, "[deleted message]")


def test_names_lie_beside_the_posts() -> None:
    """Lists of people and the file of a channel, in any order of the files."""
    records = read({"channel.json": PLACE, "posts.json": POSTS, "users.json": USERS})
    (day,) = [each for each in records if isinstance(each, ConversationDocument)]
    assert (day.messages[0].speaker, day.messages[1].speaker) == ("Ann Archer", "u2")
    assert day.metadata["title"] == "Harbour"


def test_posts_that_name_the_author_keep_the_name() -> None:
    """Tools put a name in place of the account, and leave the channel out."""
    rows = [{"id": "a", "root_id": "", "username": "ann", "message": "hi", "create_at": START}, {"id": "b", "root_id": "a", "username": "bo", "message": "yes", "create_at": START + 1}]  # fmt: skip
    (day,) = [each for each in read({"town.json": rows}) if isinstance(each, ConversationDocument)]
    assert [(m.speaker, m.thread) for m in day.messages] == [("ann", None), ("bo", "a")]
    assert day.metadata["chat"] == "town"


def test_a_broken_post_costs_itself() -> None:
    """A post without a time is told with its place."""
    records = read({"posts.json": [POSTS[0], {**POSTS[1], "create_at": "?"}, POSTS[2]]})
    assert [each.locator for each in records if isinstance(each, Rejected)] == ["x!posts.json#/1"]
    (day,) = [each for each in records if isinstance(each, ConversationDocument)]
    assert len(day.messages) == 2


def test_a_post_alone_is_a_file() -> None:
    """As a question for one post is answered; it was rejected."""
    source = Shelf("x", {"post.json": json.dumps(POSTS[0]).encode()})
    assert MattermostConnector().sniff(source) >= 0.8
    (day,) = [each for each in read({"post.json": POSTS[0]}) if isinstance(each, ConversationDocument)]
    assert [(m.id, m.content) for m in day.messages] == [("p1", "when?")]


@pytest.mark.parametrize("other", [[TICKET, TICKET], {"items": [TICKET], "total": 1}], ids=["list", "answer"])
def test_other_programs_have_such_keys_too(other: object) -> None:
    """Posts tell their times in milliseconds, and who wrote them."""
    assert MattermostConnector().sniff(Shelf("x", {"tickets.json": json.dumps(other).encode()})) == 0


def test_files_of_one_name_in_several_folders_are_several_chats() -> None:
    """Where posts name no channel, a folder may stand for each."""
    rows = [{key: value for key, value in each.items() if key != "channel_id"} for each in POSTS[:1]]
    records = read({"a/posts.json": rows, "b/posts.json": rows, "team.one.json": rows, "team.two.json": rows})
    days = [each for each in records if isinstance(each, ConversationDocument)]
    assert sorted(day.metadata["chat"] for day in days) == ["a/posts", "b/posts", "team.one", "team.two"]
