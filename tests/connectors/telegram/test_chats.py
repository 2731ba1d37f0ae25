"""Chats of an export: their keys, their people, whose export it is, and what lies in one source."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.schemas import UNKNOWN_USER, Notice
from memd.schemas.identity_links import identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import (
    OPTIONS,
    account,
    chat,
    codes,
    documents,
    messages,
    read,
    rejected,
    said,
    written,
)
from memd.tests.contracts.connector import Shelf

KEYS = [
    ("personal_chat", "user7"),
    ("bot_chat", "user7"),
    ("saved_messages", "user7"),
    ("replies", "user7"),
    ("verification_codes", "user7"),
    ("private_group", "chat7"),
    ("private_supergroup", "channel7"),
    ("public_supergroup", "channel7"),
    ("private_channel", "channel7"),
    ("public_channel", "channel7"),
    ("something_newer", "peer7"),
]


@for_each(KEYS)
def test_keys_of_chats_are_their_ids(kind: str, key: str) -> None:
    """As messages name them; a group that becomes public, or gets another name, keeps its key."""
    (document,) = documents(read(written(chat([said(1, "x")], kind=kind, number=7))))
    assert document.id == f"telegram:{key}:2024-01-15"
    assert document.metadata["chat"] == key


def test_ids_of_older_exports_say_their_kind_in_high_bits() -> None:
    """Of chats and of people; they give the same keys."""
    old = said(1, "x")
    old["from_id"] = 4_294_967_296 * 2 + 5
    (document,) = documents(read(written(chat([old], kind="private_supergroup", number=8_589_934_599))))
    assert document.id == "telegram:channel7:2024-01-15"
    assert document.messages[0].metadata["from_id"] == "channel5"
    assert messages(read(written(chat([{**old, "from_id": 6}]))))[0].metadata["from_id"] == "user6"


def test_a_whole_account() -> None:
    """Every chat, also those that were left; the rest is named as left out; the owner is the user."""
    other: dict[str, Any] = {"who": "Bob", "peer": "user2"}
    records = read(
        written(
            account(
                [
                    chat([said(1, "hi"), said(2, "yo", **other)]),
                    chat([said(1, "note")], kind="saved_messages", number=1),
                    chat([]),
                ],
                [chat([said(5, "bye", **other)], name="Club", kind="public_supergroup", number=3)],
            )
        )
    )
    found = {document.id: document for document in documents(records)}
    assert list(found) == [f"telegram:{key}:2024-01-15" for key in ("user2", "user1", "channel3")]
    assert {document.conversation.user for document in found.values()} == {"Ann Lee"}
    assert found["telegram:user2:2024-01-15"].conversation.people == ("Ann Lee", "Bob")
    assert [document.metadata["title"] for document in found.values()] == ["Bob", "Saved Messages", "Club"]
    assert [document.metadata["chat_type"] for document in found.values()] == ["personal_chat", "saved_messages", "public_supergroup"]  # fmt: skip
    assert codes(records) == ["sections-left-out"]
    assert rejected(records) == []


OWN = ["id:@ann", "id:user1", "tel:+49301234567"]


def test_people_are_told_with_their_accounts_and_numbers() -> None:
    """The owner's number and handle; a contact's number, found by the chat with the contact; of others the account."""
    chats = [
        chat([said(1, "hi", who="Bob", peer="user2")]),
        chat(
            [said(1, "a", who="Bob", peer="user2"), said(2, "b", who="Bob", peer="user9")],
            kind="private_group",
            number=4,
        ),
    ]
    one, group = documents(read(written(account(chats))))
    bob = ["id:user2", "tel:+49301000001"]
    assert identities_of(one.metadata) == {"Ann Lee": OWN, "Bob": bob}
    assert identities_of(group.metadata) == {"Ann Lee": OWN, "Bob": bob, "Bob (user9)": ["id:user9"]}


@for_each(
    [
        ([{"user_id": 2, "first_name": "Robert", "phone_number": "+49301000002"}], ["id:user2", "tel:+49301000002"]),
        ([{"first_name": "Bob", "phone_number": f"+4930100000{n}"} for n in (3, 4)], ["id:user2"]),
        ([{"first_name": "Bob", "last_name": "Ray", "phone_number": "+49301000005"}], ["id:user2"]),
        ([{"first_name": "Bob", "phone_number": 7}, None, "x"], ["id:user2"]),
        ("x", ["id:user2"]),
    ]
)
def test_the_number_of_a_contact_is_that_of_no_namesake(contacts: Any, told: list[str]) -> None:
    """By the account where the contact has one; of two contacts of one name nobody knows whose the chat is."""
    value = account([chat([said(1, "hi", who="Bob", peer="user2")])])
    value["contacts"]["list"] = contacts
    (document,) = documents(read(written(value)))
    assert identities_of(document.metadata)["Bob"] == told


def test_in_a_group_a_contact_is_not_known_by_the_name_alone() -> None:
    """Somebody else may be called so."""
    value = account([chat([said(1, "a", who="Bob", peer="user9")], kind="private_group", number=4)])
    (document,) = documents(read(written(value)))
    assert identities_of(document.metadata)["Bob"] == ["id:user9"]


def test_who_exported_a_chat_between_two() -> None:
    """Whoever is not the other one: the chat's id is the other one's."""
    both = [said(1, "hi", who="Bob", peer="user2"), said(2, "yo")]
    records = read(written(chat(both)))
    assert documents(records)[0].conversation.user == "Ann Lee"
    assert codes(records) == []
    assert TelegramConnector().preview(Shelf("x", {"result.json": written(chat(both))}), OPTIONS).user == "Ann Lee"


def test_who_exported_a_group_is_not_known() -> None:
    """Unless it was given."""
    group = written(chat([said(1, "hi")], kind="private_group"))
    records = read(group)
    assert documents(records)[0].conversation.user == UNKNOWN_USER
    assert codes(records) == ["user-unknown"]
    given = read(group, replace(OPTIONS, me="Ann Lee"))
    assert (documents(given)[0].conversation.user, codes(given)) == ("Ann Lee", [])


def test_two_accounts_in_one_folder() -> None:
    """Each export has its own owner; one that shows none is nobody's."""
    mine = written(account([chat([said(1, "x")])]))
    theirs = written(
        chat([said(1, "hi", who="Cy", peer="user3"), said(2, "yo", who="Bob", peer="user2")], number=3, name="Cy")
    )
    group = written(chat([said(1, "hi")], kind="private_group", number=8))
    records = read({"a.json": mine, "b.json": theirs, "c.json": group})
    assert [document.conversation.user for document in documents(records)] == ["Ann Lee", "Bob", UNKNOWN_USER]
    assert [document.conversation.user for document in documents(read({"a.json": mine, "c.json": group}))] == ["Ann Lee"] * 2  # fmt: skip


def test_people_of_one_name_stay_apart() -> None:
    """By their ids; also those whose accounts are gone, and those who call themselves like nobody may."""
    records = [
        said(1, "a", who="Sam", peer="user5"),
        said(2, "b", who="Sam", peer="user6"),
        said(3, "c", who="Sam", peer="user5"),
        said(4, "d", who=None, peer="user7"),
        said(5, "e", who=None, peer="user8"),
        said(6, "f", who="(system)", peer="user9"),
        said(7, "g", who="Ann Lee", peer="user10"),
        said(8, "h"),
    ]
    found = messages(read(written(account([chat(records, kind="private_group")]))))
    assert [each.speaker for each in found] == [
        "Sam",
        "Sam (user6)",
        "Sam",
        "Deleted Account (user7)",
        "Deleted Account (user8)",
        "(system) (user9)",
        "Ann Lee (user10)",
        "Ann Lee",
    ]


def test_posts_of_a_channel() -> None:
    """The channel speaks; in older exports without a name."""
    post = said(1, "news", who="Daily", peer="channel3")
    bare = {key: value for key, value in said(2, "old").items() if key not in ("from", "from_id")}
    found = messages(read(written(chat([post, bare], name="Daily", kind="public_channel", number=3))))
    assert [each.speaker for each in found] == ["Daily", "Daily"]


def test_a_chat_of_a_deleted_account() -> None:
    """It has an id and no name."""
    (document,) = documents(read(written(chat([said(1, "x", who=None, peer="user2")], name=None))))
    assert (document.id, document.metadata["title"]) == ("telegram:user2:2024-01-15", "Deleted Account")


def test_a_given_key_is_that_of_one_chat() -> None:
    """For an account it is refused."""
    options = replace(OPTIONS, chat="mine")
    one = written(chat([said(1, "x")]))
    assert documents(read(one, options))[0].id == "telegram:mine:2024-01-15"
    assert documents(read({"a/result.json": one, "b/result.json": one}, options))[0].id == "telegram:mine:2024-01-15"
    records = read(written(account([chat([said(1, "x")])])), options)
    assert documents(records)[0].id == "telegram:user2:2024-01-15"
    assert "chat-ignored" in codes(records)


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_programs_may_write_it_anew(indent: int | None) -> None:
    """With sorted keys, so that what is said of a chat stands behind its messages; in any layout."""
    value = account([chat([said(1, "a"), said(2, "b", who="Bob", peer="user2")]), chat([said(9, "c")], kind="private_group", number=4)])  # fmt: skip
    anew = json.dumps(value, sort_keys=True, indent=indent).encode()
    assert documents(read(anew)) == documents(read(written(value)))
    single = chat([said(1, "a"), said(2, "b", who="Bob", peer="user2")])
    anew = json.dumps(single, sort_keys=True, indent=indent).encode()
    assert [document.id for document in documents(read(anew))] == ["telegram:user2:2024-01-15"]


def test_chats_may_be_a_list_at_once() -> None:
    """Programs that write an account anew leave the object around its chats out."""
    whole = {"about": "x", "chats": [chat([said(1, "a")]), chat([said(2, "b")], kind="private_group", number=5)]}
    records = read(written(whole))
    assert [(day.metadata["chat"], day.messages[0].content) for day in documents(records)] == [
        ("user2", "a"),
        ("chat5", "b"),
    ]
    assert TelegramConnector().sniff(Shelf("x", {"x.json": written(whole)})) > 0.9


def test_the_preview_counts() -> None:
    """Messages, and who wrote them."""
    data = written(chat([said(1, "a"), said(2, "b"), said(3, "c", who="Bob", peer="user2")]))
    preview = TelegramConnector().preview(Shelf("x", {"result.json": data}), OPTIONS)
    assert (preview.messages, list(preview.speakers), preview.title, preview.chat) == (
        3,
        ["Ann Lee", "Bob"],
        "Bob",
        "user2",
    )


def test_large_parts_beside_the_chats_are_passed_over() -> None:
    """A list of contacts of megabytes is left out, and told."""
    value = account([chat([said(1, "x")])])
    value = {"contacts": {"about": "c", "list": [{"first_name": "x" * 100}] * 20_000}, **value}
    records = read(written(value))
    assert [message.content for message in messages(records)] == ["x"]
    (notice,) = [record for record in records if isinstance(record, Notice)]
    assert "contacts" in notice.hint


@for_each(["Ann Lee", "ann lee", "@ann", "ann", "1", "user1"])
def test_the_user_is_known_by_name_number_or_user_name(me: str) -> None:
    """The documents have the name that the export shows, and nothing is told."""
    whole = account([chat([said(1, "a"), said(2, "b", who="Bob", peer="user2")])])
    records = read(written(whole), replace(OPTIONS, me=me))
    assert documents(records)[0].conversation.people == ("Ann Lee", "Bob")
    assert documents(records)[0].conversation.user == "Ann Lee"
    assert "user-not-seen" not in codes(records)


def test_in_a_group_the_user_is_found_by_an_id() -> None:
    """However late the user writes; older exports leave out what kind of id it is."""
    texts = [*(said(n, "x", who="Bob", peer="user2") for n in range(1, 50)), said(50, "y", who="Cy", peer="user3")]
    older = [{**each, "from_id": int(each["from_id"].removeprefix("user"))} for each in texts]
    for export in (texts, older):
        group = written(chat(export, kind="private_group", number=4))
        for me in ("user3", "3"):
            assert {d.conversation.user for d in documents(read(group, replace(OPTIONS, me=me)))} == {"Cy"}


def test_a_user_whom_nobody_in_the_export_is_called_is_told() -> None:
    """The owner whom the export shows stays; in a group that shows none, the name is taken, and told."""
    own = chat([said(1, "a"), said(2, "b", who="Bob", peer="user2")])
    group = chat([said(1, "a")], kind="private_group", number=4)
    for export, user in ((own, "Ann Lee"), (group, "Zoe")):
        records = read(written(export), replace(OPTIONS, me="Zoe"))
        assert documents(records)[0].conversation.user == user
        assert [(r.code, r.locator) for r in records if isinstance(r, Notice)] == [
            ("user-not-seen", "export!result.json")
        ]


def test_messages_without_ids() -> None:
    """Programs that write an export anew leave out ids and what they do not need; the messages are read, without ids."""
    said_by = {"type": "message", "from": "Ann Lee", "text": "hello"}
    whole = {**said_by, "date_unixtime": "1705320000", "text": [{"type": "bold", "text": "Link:"}, " x"]}
    dated = {**said_by, "date": "2024-01-15T12:01:00"}
    for data in ({"messages": [whole, dated]}, {"chats": {"list": [{"name": "Boats", "messages": [whole, dated]}]}}):
        files = {"some.json": json.dumps(data).encode()}
        assert TelegramConnector().sniff(Shelf("some.json", files)) >= 0.5
        assert [(each.id, each.speaker, each.content) for each in messages(read(files))] == [
            (None, "Ann Lee", "Link: x"),
            (None, "Ann Lee", "hello"),
        ]


def test_what_a_bot_says_is_no_persons() -> None:
    """In a chat with a bot its messages are those of a program, the user's are the user's."""
    data = chat([said(1, "/start"), said(2, "I am a bot", who="Helper", peer="user2")], name="Helper", kind="bot_chat")
    assert [(m.speaker, m.role) for m in messages(read(written(data)))] == [("Ann Lee", None), ("Helper", "tool")]
