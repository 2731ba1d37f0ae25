"""Streaming JSON: what is read equals what a parser of the whole reads, in any layout; what is broken costs itself."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.text.json_stream import (
    Broken,
    Element,
    Elements,
    Ended,
    Event,
    Field,
    JSONStream,
    Path,
    Skipped,
    Started,
)
from memd.connectors.text.json_stream.scanner import JSONScanner
from memd.tests.cases import for_each
from memd.tests.effort import examples

CHATS: tuple[Path, ...] = (("messages",), ("chats", "list", "*", "messages"), ())

ACCOUNT: dict[str, Any] = {
    "about": 'text with [ and { and \\" in it',
    "chats": {
        "list": [
            {"name": "one", "messages": [{"id": 1, "more": [{"no": 9}]}, {"id": 4}], "behind": True},
            {"name": "two", "messages": []},
            {"name": "three", "messages": [{"id": 6}], "type": "x"},
        ]
    },
    "last": 5,
}

LAYOUTS: dict[str, Callable[[Any], bytes]] = {
    "compact": orjson.dumps,
    "spaced": lambda value: json.dumps(value).encode(),
    "indented": lambda value: json.dumps(value, indent=1).encode(),
    "tabs": lambda value: json.dumps(value, indent="\t").encode(),
    "windows": lambda value: json.dumps(value, indent=2).replace("\n", "\r\n").encode(),
    "flush": lambda value: json.dumps(value, indent=0).encode(),
    "a line each": lambda value: orjson.dumps(value).replace(b",{", b",\n{"),
}
every_layout = for_each(LAYOUTS.values())
layouts = st.sampled_from([*LAYOUTS.values()])


def stream(data: bytes, chunk: int = 1 << 18, paths: tuple[Path, ...] = CHATS, **more: Any) -> list[Event]:
    """What is told of these bytes, given in chunks of at most so many."""
    source = io.BytesIO(data)
    more = {"genuine": has("id"), **more}
    return list(JSONStream(lambda count: source.read(min(count, chunk)), paths, orjson.loads, **more).events())


def has(key: str) -> Callable[[Any], bool]:
    """A test for objects with this key."""
    return lambda value: isinstance(value, dict) and key in value


def elements(events: list[Event]) -> list[tuple[str, Any]]:
    """The elements by their places."""
    return [(event.pointer, event.value) for event in events if isinstance(event, Element)]


def fields(events: list[Event]) -> list[tuple[str, str, Any]]:
    """What stands beside them."""
    return [(event.holder, event.key, event.value) for event in events if isinstance(event, Field)]


def broken(events: list[Event]) -> list[str]:
    """The places of what cannot be read."""
    return [event.pointer for event in events if isinstance(event, Broken)]


@for_each([(layout, chunk) for layout in LAYOUTS.values() for chunk in [1, 7, 1 << 18]])
def test_everything_is_told_once_and_in_its_order(layout: Callable[[Any], bytes], chunk: int) -> None:
    """Elements, what stands before, between and behind them, and where each begins and ends."""
    data = layout(ACCOUNT)
    events = stream(data, chunk)
    assert broken(events) == []
    assert elements(events) == [
        ("/chats/list/0/messages/0", {"id": 1, "more": [{"no": 9}]}),
        ("/chats/list/0/messages/1", {"id": 4}),
        ("/chats/list/2/messages/0", {"id": 6}),
    ]
    assert fields(events) == [
        ("", "about", ACCOUNT["about"]),
        ("/chats/list/0", "name", "one"),
        ("/chats/list/0", "behind", True),
        ("/chats/list/1", "name", "two"),
        ("/chats/list/2", "name", "three"),
        ("/chats/list/2", "type", "x"),
        ("", "last", 5),
    ]
    assert [event.holder for event in events if isinstance(event, Started)] == [f"/chats/list/{n}" for n in range(3)]
    ends = [(event.pointer, event.whole) for event in events if isinstance(event, Ended)]
    assert ends == [*((f"/chats/list/{n}", True) for n in range(3)), ("/chats", True), ("", True)]
    for event in events:
        if isinstance(event, Element):
            assert orjson.loads(data[event.offset : event.offset + event.size]) == event.value


@every_layout
def test_a_list_may_be_the_whole(layout: Callable[[Any], bytes]) -> None:
    """The empty path is the root."""
    assert elements(stream(layout([{"id": 1}, "two", 3, None, [4]]))) == [
        ("/0", {"id": 1}),
        ("/1", "two"),
        ("/2", 3),
        ("/3", None),
        ("/4", [4]),
    ]


# A layout that puts lines between elements would put one into a string that has their signs, which is no JSON.
texts = st.text(max_size=8).filter(lambda text: ",{" not in text)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=examples(150), deadline=None)
@given(
    layout=layouts, values=st.lists(st.dictionaries(texts, values, max_size=4), max_size=5), chunk=st.integers(1, 40)
)
def test_any_elements_come_as_they_are(layout: Callable[[Any], bytes], values: list[Any], chunk: int) -> None:
    """Whatever they hold, however they are written, wherever the chunks are cut."""
    events = stream(layout({"messages": values, "behind": values}), chunk)
    assert [value for _, value in elements(events)] == values
    assert fields(events) == [("", "behind", values)]
    assert broken(events) == []


@for_each(
    [
        (damage, indent)
        for damage in [(b'"id": 3', b'"id: 3'), (b'"id": 3', b'"id": x'), (b'{"id": 3', b'["id": 3')]
        for indent in [None, 1]
    ]
)
def test_a_broken_element_costs_itself(damage: tuple[bytes, bytes], indent: int | None) -> None:
    """Also when it lost a quote or a bracket; nothing inside it is taken for an element."""
    messages = [{"id": n, "sub": [{"id": 100}, {"no": 1}]} for n in range(6)]
    data = json.dumps({"messages": messages, "name": "n"}, indent=indent).encode()
    old, new = damage
    if old.startswith(b"{") and indent:
        old, new = b'{\n   "id": 3', b'[\n   "id": 3'
    assert data.count(old) == 1
    events = stream(data.replace(old, new), genuine=has("sub"))
    assert [value["id"] for _, value in elements(events)] == [0, 1, 2, 4, 5]
    assert broken(events) == ["/messages/3"]
    assert fields(events) == [("", "name", "n")]


@pytest.mark.slow
def test_any_number_of_broken_elements_cost_only_themselves() -> None:
    """Each lost a bracket, so that the rest of the file seems to belong to it."""
    good = [{"id": number, "sub": ["x" * 30] * 40} for number in range(4000)]
    data = json.dumps({"messages": good, "name": "n"}, indent=1).encode()
    data = data.replace(b'"sub": [', b'"sub": [{', 3000)
    events = stream(data)
    assert [value["id"] for _, value in elements(events)] == list(range(3000, 4000))
    assert len(broken(events)) == 3000
    assert fields(events) == [("", "name", "n")]


@pytest.mark.slow
@every_layout
def test_every_truncation_keeps_what_is_whole(layout: Callable[[Any], bytes]) -> None:
    """Each element that stands before the cut is read, and the cut is told."""
    data = layout(ACCOUNT)
    whole = [event for event in stream(data) if isinstance(event, Element)]
    for cut in range(len(data) - 1):
        events = stream(data[:cut])
        expected = [(event.pointer, event.value) for event in whole if event.offset + event.size <= cut]
        assert elements(events) == expected
        assert broken(events) or any(isinstance(event, Ended) and not event.whole for event in events)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["indented", "tabs", "windows"])
def test_every_flipped_byte_leaves_the_other_chats_alone(layout: str) -> None:
    """Elements that are read stand where they stood: none moves to another list; indentation tells them apart."""
    data = LAYOUTS[layout](ACCOUNT)
    behind = data.index(b'"messages": [') + len(b'"messages": [')
    for place in range(len(data)):
        for flip in (0x01, 0x20, 0x80):
            flipped = bytearray(data)
            flipped[place] ^= flip
            read = elements(stream(bytes(flipped)))
            found = {value["id"]: pointer.rsplit("/", 1)[0] for pointer, value in read if has("id")(value)}
            lists = [found.get(number) for number in (1, 4, 6)]
            assert None in lists[:2] or lists[0] == lists[1]
            assert lists[2] is None or lists[2] not in lists[:2]
            if place > behind:
                assert sum(where is not None for where in lists) >= 2


def test_a_broken_object_of_a_list_costs_itself() -> None:
    """Behind a damaged field its own list is found; behind a damaged object the next one."""
    data = json.dumps(ACCOUNT, indent=1).encode()
    events = stream(data.replace(b'"name": "two"', b'name": "two"').replace(b'"name": "one"', b'"name" "one"'))
    assert [value["id"] for _, value in elements(events)] == [1, 4, 6]
    assert broken(events) == ["/chats/list/0", "/chats/list/1"]
    assert ("/chats/list/2", "name", "three") in fields(events)


def test_caps_are_kept() -> None:
    """An element and a field that are too large are told and passed over, and are never held."""
    data = json.dumps(
        {"f": "x" * 5000, "messages": [{"id": 1}, {"id": 2, "t": "y" * 5000}, {"id": 3}], "g": 1}, indent=1
    )
    events = stream(data.encode(), 100, element_cap=1000, field_cap=1000)
    assert [value["id"] for _, value in elements(events)] == [1, 3]
    assert [event for event in events if isinstance(event, Skipped)] == [Skipped("", "f", 5002)]
    assert fields(events) == [("", "g", 1)]
    (told,) = (event for event in events if isinstance(event, Broken))
    assert (told.pointer, told.reason) == ("/messages/1", "more than 1000 bytes in one record")


@pytest.mark.slow
@pytest.mark.parametrize(
    "deep", [b"[" * 200_000, b'{"a":' * 200_000, b"[" * 5000 + b"]" * 5000], ids=["open", "keys", "closed"]
)
def test_depth_is_no_exception(deep: bytes) -> None:
    """Deeper than any parser goes."""
    events = stream(b'{"messages": [{"id": 1},\n' + deep + b',\n{"id": 2}]}')
    assert elements(events)[0] == ("/messages/0", {"id": 1})
    assert broken(events)
    assert stream(b'{"messages": ' + deep)


def test_what_is_no_json_is_told() -> None:
    """Empty, a word, a half of something, something behind the end."""
    assert broken(stream(b"")) == [""]
    assert broken(stream(b" \n ")) == [""]
    assert broken(stream(b"word")) == [""]
    assert broken(stream(b'{"messages": [] } {"messages": []}')) == [""]
    assert broken(stream(b"{word}")) == [""]


def test_a_first_element_that_is_written_otherwise_costs_no_search_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its indentation says where elements end; where that leads astray, it is asked no more."""
    searches = 0
    real = JSONScanner.length_to

    def counted(self: JSONScanner, pattern: re.Pattern[bytes], cap: int) -> int:
        nonlocal searches
        searches += 1
        return real(self, pattern, cap)

    monkeypatch.setattr(JSONScanner, "length_to", counted)
    elements = ",\n".join(json.dumps({"id": number, "text": "x"}, indent=2) for number in range(3000))
    for end in ("\n  ]\n}", '\n  ],\n  "more": {\n    "a": 1\n    }\n}'):
        data = ('{\n  "messages": [\n    ' + elements + end).encode()
        stream = JSONStream(io.BytesIO(data).read, (("messages",),), json.loads, genuine=lambda _: True)
        assert sum(isinstance(event, Element) for event in stream.events()) == 3000
    assert searches <= 30


def together(data: bytes, chunk: int, **more: Any) -> list[Event]:
    """What `JSONStream.batches` tells of these bytes, its elements one by one; they tell no place in the stream."""
    source = io.BytesIO(data)
    more = {"genuine": has("id"), **more}
    events: list[Event] = []
    for event in JSONStream(lambda count: source.read(min(count, chunk)), CHATS, orjson.loads, **more).batches():
        if isinstance(event, Elements):
            events += [Element(event.array, event.index + n, value, 0, 0) for n, value in enumerate(event.values)]
        else:
            events.append(event)
    return events


def without_places(events: list[Event]) -> list[Event]:
    """The same events, elements without their place in the stream."""
    return [Element(each.array, each.index, each.value, 0, 0) if isinstance(each, Element) else each for each in events]


@settings(max_examples=examples(150), deadline=None)
@given(
    layout=layouts,
    values=st.lists(st.dictionaries(st.text(max_size=3), values, max_size=4), max_size=9),
    chunk=st.integers(1, 400),
)
def test_batches_are_the_same_elements(layout: Callable[[Any], bytes], values: list[Any], chunk: int) -> None:
    """Whatever they hold, however they are written, wherever the chunks are cut."""
    data = layout({"messages": values, "behind": values})
    assert together(data, chunk) == without_places(stream(data, chunk))


@pytest.mark.slow
@every_layout
def test_batches_tell_damage_as_single_elements_do(layout: Callable[[Any], bytes]) -> None:
    """Every flipped byte, and every truncation."""
    chance = random.Random(1)
    messages = [{"id": number, "sub": [{"id": number, "x": "a, b"}]} for number in range(8)]
    data = layout({"name": "n", "messages": messages, "behind": 1})
    for place in range(len(data)):
        assert together(data[:place], 1 << 18) == without_places(stream(data[:place]))
        flipped = bytearray(data)
        flipped[place] ^= chance.choice((0x01, 0x20, 0x80))
        assert together(bytes(flipped), 1 << 18) == without_places(stream(bytes(flipped)))


def test_batches_keep_the_cap_of_an_element() -> None:
    """What is too large alone is not read together with others."""
    messages = [{"id": 1}, {"id": 2, "t": "y" * 5000}, {"id": 3}, {"id": 4}]
    for indent in (None, 1):
        data = json.dumps({"messages": messages}, indent=indent).encode()
        assert together(data, 1 << 18, element_cap=1000) == without_places(stream(data, element_cap=1000))


@pytest.mark.parametrize("inner", [0, 1, 3])
def test_elements_whose_parts_begin_with_the_same_key_are_whole(inner: int) -> None:
    """Also where the last brackets of one element are more or fewer than those of the first."""
    ends: list[tuple[int, dict[str, Any]]] = [
        (inner, {}),
        (2, {}),
        (0, {}),
        (1, {"last": {"a": [{}]}}),
        (2, {"last": 1}),
    ]
    chats: list[dict[str, Any]] = [
        {"uuid": str(number), "said": [{"uuid": f"{number}.{part}", "files": []} for part in range(count)], **more}
        for number, (count, more) in enumerate(ends * 5)
    ]
    data = json.dumps(chats).encode()
    for step in (7, 64, 1 << 20):
        assert [value for _, value in elements(stream(data, step, ((),), genuine=has("uuid")))] == chats
