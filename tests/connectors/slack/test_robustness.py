"""Hostile and damaged exports: each bad record costs itself, is told, and nothing raises but SourceError."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.formats.slack import batches as batches_module
from memd.connectors.formats.slack import records as records_module
from memd.schemas import ConversationDocument, Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.slack.exports import (
    CHANNELS,
    USERS,
    Json,
    codes,
    documents,
    message,
    one,
    packed,
    read,
    reasons,
    root,
    stamp,
    user,
    workspace,
)
from memd.tests.effort import examples

ODD: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 10**18, "", "x", "\0", " ", "\n", "1705312800", "(system)", "(me)"),
    *(
        [],
        {},
        [[]],
        [None],
        [1],
        ["U0BO"],
        [{}],
        {"a": {}},
        {"type": "text"},
        [{"type": []}],
        [{"name": 1, "users": 2}],
    ),
    *({"ts": "x"}, {"ts": "1.1", "text": 5}, [{"elements": {}}], [{"type": "rich_text", "elements": [{"type": None}]}]),
]
KEYS = [
    *("type", "subtype", "user", "text", "ts", "thread_ts", "blocks", "attachments", "files", "file", "reactions"),
    *("edited", "bot_id", "bot_profile", "username", "user_profile", "replies", "reply_count", "latest_reply", "room"),
    *("comment", "pinned_to", "message", "original", "deleted_ts", "slackdump_thread_replies", "team"),
]


@pytest.mark.slow
@for_each(KEYS)
def test_any_value_at_any_place(key: str) -> None:
    """A key of a message with every kind of value: the messages beside it are read, it itself is kept or told."""
    for subtype in ({}, {"subtype": "huddle_thread"}, {"subtype": "message_changed"}, {"subtype": "file_comment"}):
        entries = [message(n + 1, "U0BO", "odd", **subtype) | {key: value} for n, value in enumerate(ODD)]
        entries += [{"type": "message", "ts": stamp(n + 50), key: value} for n, value in enumerate(ODD)]
        entries = [message(0, "U0ANN", "first"), *entries, message(99, "U0ANN", "last")]
        records = read(workspace({"2024-01-15": entries}))
        contents = [m.content for r in records if isinstance(r, ConversationDocument) for m in r.messages]
        assert {"first", "last"} <= set(contents)


@for_each([(name, value) for name in ["users.json", "channels.json"] for value in ODD])
def test_any_value_in_a_list(name: str, value: object) -> None:
    """An entry of a list that is none, or has odd names, costs itself."""
    entries = [value, {"id": value, "name": value}, {"id": "U0BO", "name": value, "profile": value, "members": value}]
    files = workspace({"2024-01-15": [message(0, "U0ANN", "x")]}) | packed({name: [*USERS, *CHANNELS, *entries]})
    assert documents(read(files))


@settings(max_examples=examples(40), deadline=None)
@given(
    entries=st.lists(
        st.dictionaries(
            st.sampled_from(KEYS),
            st.recursive(
                st.none()
                | st.booleans()
                | st.integers()
                | st.text(max_size=5)
                | st.sampled_from(["U0BO", stamp(1), " ", "bot_message", "tombstone", "message"]),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
                max_leaves=6,
            ),
            max_size=6,
        ),
        max_size=5,
    )
)
def test_objects_that_nobody_thought_of(entries: list[Json]) -> None:
    """Messages with any values at their keys."""
    entries = [{"ts": stamp(n), **entry} for n, entry in enumerate(entries)]
    for record in read(workspace({"2024-01-15": [message(99, "U0ANN", "x"), *entries]})):
        assert isinstance(record, ConversationDocument | Notice | Rejected)


@for_each(
    [
        None,
        "",
        "yesterday",
        "17.x",
        "-5.000000",
        "1e9",
        "9" * 12 + ".0",
        "9" * 40,
        [],
        True,
        "0.000000",
        "１７０５３１２８００.000100",
    ]
)
def test_records_without_a_time_are_rejected(stamped: object) -> None:
    """Without a time there is no message; its place is told."""
    records = read(workspace({"2024-01-15": [message(0, "U0ANN", "x"), message(1, "U0BO", "y") | {"ts": stamped}]}))
    assert reasons(records) == ["a record without a time stamp that can be read"]
    assert [r.locator for r in records if isinstance(r, Rejected)] == ["acme.zip!general/2024-01-15.json#/1"]


def test_times_as_numbers_are_read() -> None:
    """Some tools write the time stamp as a number."""
    assert one(message(0, "U0ANN", "x") | {"ts": 1705312800}).id == "C0GEN:1705312800.000000"
    assert one(message(0, "U0ANN", "x") | {"ts": 1705312800.25}).id == "C0GEN:1705312800.250000"


def test_records_that_are_no_objects_are_rejected() -> None:
    """The rest of the file goes on."""
    entries: list[Any] = [message(0, "U0ANN", "x"), "words", 5, None, [], message(1, "U0BO", "y")]
    records = read(workspace({"2024-01-15": entries}))
    assert reasons(records) == ["not an object"] * 4
    assert [m.content for m in documents(records)["slack:T0ACME:C0GEN:2024-01-15"].messages] == ["x", "y"]


def test_a_broken_record_costs_itself() -> None:
    """Of a file that is no JSON as a whole, everything before and behind the broken place is read."""
    good = packed({"": [message(n, "U0BO", f"m{n}") for n in range(5)]})[""]
    broken = good.replace(b'"text": "m2"', b'"text": m2"', 1)
    records = read(workspace({"2024-01-15": broken}))
    contents = [m.content for m in documents(records)["slack:T0ACME:C0GEN:2024-01-15"].messages]
    assert contents == ["m0", "m1", "m3", "m4"]
    assert len(reasons(records)) == 1


def test_a_file_that_is_cut_keeps_its_beginning() -> None:
    """Everything before the cut."""
    whole = packed({"": [message(n, "U0BO", f"m{n}") for n in range(5)]})[""]
    records = read(workspace({"2024-01-15": whole[:-300]}))
    assert [m.content for m in documents(records)["slack:T0ACME:C0GEN:2024-01-15"].messages] == ["m0", "m1", "m2", "m3"]
    assert len(reasons(records)) == 1


def test_large_files_are_read_record_by_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comes out as when a file is parsed in one piece."""
    entries = [root(0, "U0ANN", "q", [9]), *(message(n, "U0BO", f"m{n} &lt;") for n in range(1, 9))]
    indented = workspace({"2024-01-15": entries})
    whole = read(indented)
    monkeypatch.setattr(records_module, "_WHOLE", 1500)
    monkeypatch.setattr(batches_module, "_CHUNK", 700)
    flat = json.dumps(entries).encode()
    odd = json.dumps(entries[:3], indent=4)[:-2] + ",\n    " + json.dumps(entries[3:])[1:]
    assert json.loads(odd) == entries
    for files in (indented, workspace({"2024-01-15": flat}), workspace({"2024-01-15": odd.encode()})):
        assert read(files) == whole


def test_places_in_large_files_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what cannot be read, before and behind the place from which a file is read object by object."""
    monkeypatch.setattr(records_module, "_WHOLE", 1500)
    monkeypatch.setattr(batches_module, "_CHUNK", 700)
    entries = [message(n, "U0BO", f"m{n}") for n in range(20)]
    entries[2]["ts"] = "never"
    data = packed({"": entries})[""].replace(b'"text": "m15"', b'"text": m15"', 1)
    records = read(workspace({"2024-01-15": data}))
    places = [r.locator.rpartition("/")[2] for r in records if isinstance(r, Rejected)]
    assert places == ["2", "15"]
    contents = [m.content for m in documents(records)["slack:T0ACME:C0GEN:2024-01-15"].messages]
    assert contents == [f"m{n}" for n in range(20) if n not in (2, 15)]


def test_a_message_over_the_cap_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 16 MiB in one record; what stands beside it is read."""
    monkeypatch.setattr(records_module, "_WHOLE", 1000)
    monkeypatch.setattr(records_module, "RECORD_CAP", 3000)
    entries = [message(0, "U0ANN", "a"), message(1, "U0ANN", "x" * 5000), message(2, "U0BO", "b")]
    records = read(workspace({"2024-01-15": entries}))
    assert reasons(records) == ["more than 3000 bytes in one record"]
    assert [m.content for m in documents(records)["slack:T0ACME:C0GEN:2024-01-15"].messages] == ["a", "b"]


def test_lone_surrogates_and_bytes_that_are_no_text_are_replaced() -> None:
    """U+FFFD stands for them; bytes are told."""
    surrogate = json.dumps([message(0, "U0ANN", "a\ud800b")]).encode()
    (day,) = documents(read(workspace({"2024-01-15": surrogate}))).values()
    assert day.messages[0].content == "a\ufffdb"
    bad = packed({"": [message(0, "U0ANN", "a?b")]})[""].replace(b"a?b", b"a\xffb")
    records = read(workspace({"2024-01-15": bad}))
    (day,) = documents(records).values()
    assert day.messages[0].content == "a\ufffdb"
    assert "replaced-text" in codes(records)


def test_files_with_a_byte_order_mark_are_read() -> None:
    """As editors of some systems write them, UTF-16 too."""
    data = packed({"": [message(0, "U0ANN", "schön")]})[""].decode()
    for encoded in (data.encode("utf-8-sig"), data.encode("utf-16")):
        (day,) = documents(read(workspace({"2024-01-15": encoded}))).values()
        assert day.messages[0].content == "schön"


def test_deep_nesting_is_no_error() -> None:
    """In blocks and in anything else; the message stays."""
    inner: Json = {"type": "text", "text": "deep"}
    for _ in range(200):
        inner = {"type": "rich_text_section", "elements": [inner]}
    found = one(message(0, "U0ANN", "", blocks=[{"type": "rich_text", "elements": [inner]}]))
    assert found.kind == "unknown"
    deep = (
        b'[{"type":"message","ts":"1705312800.000100","user":"U0BO","text":"x","y":' + b"[" * 5000 + b"]" * 5000 + b"}]"
    )
    assert reasons(read(workspace({"2024-01-15": deep, "2024-01-16": [message(0, "U0ANN", "x")]})))


def test_names_cannot_pass_for_nobody() -> None:
    """Somebody who calls themselves like a reserved speaker gets their handle or id behind it."""
    people = [*USERS, user("U0SYS", "sys", "(system)"), user("U0ME", "me", "(me)")]
    entries = [message(0, "U0SYS", "a"), message(1, "U0ME", "b"), message(2, "(me)", "c"), message(3, "  ", "d")]
    (day,) = documents(read(workspace({"2024-01-15": entries}) | packed({"users.json": people}))).values()
    assert [m.speaker for m in day.messages] == ["(system) (sys)", "(me) (me)", "(me) ((me))", "(system)"]


def test_keys_that_come_twice_are_no_error() -> None:
    """The last one counts, as in all JSON."""
    data = b'[{"type":"message","ts":"1705312800.000100","user":"U0BO","user":"U0ANN","text":"a","text":"b"}]'
    (day,) = documents(read(workspace({"2024-01-15": data}))).values()
    assert [(m.speaker, m.content) for m in day.messages] == [("Ann", "b")]


@pytest.mark.slow
def test_many_attachments_take_linear_time() -> None:
    """A record of very many parts is put together once."""
    attachments = [{"text": f"part {number}", "pretext": "same"} for number in range(30_000)]
    found = one(message(0, "U0ANN", "x", attachments=attachments))
    assert found.content.count("\n") == 30_001
