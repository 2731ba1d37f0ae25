"""Lists of messages as documents: sessions, local days, speakers, ids."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from memd.schemas import UNKNOWN_USER, ConversationDocument
from memd.schemas.message_list import MessageList, documents_of_messages
from memd.tests.cases import for_each

LISTS: TypeAdapter[MessageList] = TypeAdapter(MessageList)
ARRIVED = datetime(2024, 1, 15, 23, 30, tzinfo=UTC)


def documents(*messages: dict[str, Any], zone: str = "UTC") -> list[ConversationDocument]:
    """A list as documents; new ids are `new`."""
    read = LISTS.validate_python(messages)
    return documents_of_messages(read, arrived=ARRIVED, zone=ZoneInfo(zone), new_id=lambda: "new")


def test_the_example_of_the_format() -> None:
    """Role as speaker, the arrival as time, the session as document."""
    session = {"session_id": "session123"}
    (one,) = documents(
        {"role": "user", "content": "Tell me about Mars", "metadata": session},
        {"role": "assistant", "content": "Mars is the fourth planet…", "metadata": session | {"model": "x", "n": 1}},
    )
    assert (one.id, one.source, one.conversation.user) == ("messages:session123:2024-01-15", "messages", "user")
    assert [(m.speaker, m.role, m.time, m.id) for m in one.messages] == [
        ("user", "user", ARRIVED, "new"),
        ("assistant", "assistant", ARRIVED, "new"),
    ]
    assert one.messages[1].metadata == {"model": "x", "n": "1"}


def test_the_name_goes_before_the_role() -> None:
    """And is the user where the role is; without a user there is the placeholder."""
    (one,) = documents({"role": "assistant", "content": "x"}, {"role": "user", "name": "Ann", "content": "y"})
    assert (one.conversation.user, one.conversation.people) == ("Ann", ("assistant", "Ann"))
    (other,) = documents({"role": "assistant", "content": "x"})
    assert other.conversation.user == UNKNOWN_USER


def test_sessions_and_local_days_are_documents() -> None:
    """A day begins in the zone; without a session there is a default one."""
    at = {"role": "user", "content": "x"}
    found = documents(
        at,
        at | {"metadata": {"session_id": "b"}},
        at | {"time": "2024-01-15T22:30:00Z"},
        at | {"timestamp": "2024-01-16T00:30:00Z", "id": "own"},
        zone="Europe/Berlin",
    )
    assert [(each.id, len(each.messages)) for each in found] == [
        ("messages:default:2024-01-16", 2),
        ("messages:b:2024-01-16", 1),
        ("messages:default:2024-01-15", 1),
    ]
    assert found[0].messages[1].id == "own"


def test_each_user_agent_and_session_has_documents_of_its_own() -> None:
    """With the scope as tags, and the speakers by the names of user and agent where they have none."""
    scope = {"user_id": "ann", "agent_id": "guide", "session_id": "7"}
    one, other, *_ = found = documents(
        {"role": "user", "content": "x", "metadata": scope | {"n": "1"}},
        {"role": "user", "content": "x", "metadata": {"user_id": " ann ", "agent_id": " "}},
        {"role": "assistant", "content": "y", "metadata": scope},
        {"role": "system", "content": "y", "metadata": scope},
        {"role": "user", "name": "Ann", "content": "z", "metadata": scope},
        {"role": "user", "content": "x"},
    )
    assert [each.id for each in found] == [
        "messages/user=ann/agent=guide:7:2024-01-15",
        "messages/user=ann:default:2024-01-15",
        "messages:default:2024-01-15",
    ]
    assert [each.tags for each in found] == [
        ("user:ann", "agent:guide", "session:7"),
        ("user:ann", "session:default"),
        ("session:default",),
    ]
    assert one.metadata == {"chat": "messages/user=ann/agent=guide:7", "title": "7", **scope}
    assert other.metadata == {"chat": "messages/user=ann:default", "title": "default", "user_id": "ann"} | {
        "session_id": "default"
    }
    assert [message.speaker for message in one.messages] == ["ann", "guide", "system", "Ann"]
    assert [message.metadata for message in one.messages] == [{"n": "1"}, {}, {}, {}]


@given(st.lists(st.tuples(*[st.text("a:/=%", max_size=4)] * 3), min_size=2, unique=True))
def test_no_two_scopes_have_one_document(scopes: list[tuple[str, str, str]]) -> None:
    """Whatever stands in the names."""
    keys = ("user_id", "agent_id", "session_id")
    named = [dict(zip(keys, scope, strict=True)) for scope in scopes]
    named = [{**scope, "session_id": scope["session_id"] or "default"} for scope in named]
    found = documents(*({"role": "user", "content": "x", "metadata": scope} for scope in named))
    assert len(found) == len({tuple(scope.values()) for scope in named})
    assert len({each.id for each in found}) == len({each.tags for each in found}) == len(found)


@for_each(
    [
        {"role": "boss", "content": "x"},
        {"role": "user", "content": " \n"},
        {"role": "user", "content": "\x1c\x1f"},
        {"role": "user", "content": "x", "name": "\x1d"},
        {"role": "user"},
        {"role": "user", "content": "x", "time": "2024-01-15T12:00:00"},
        {"role": "user", "content": "x", "other": 1},
        {"role": "user", "content": "x", "name": " "},
        {"role": "user", "content": "x", "time": "0001-01-01T00:00:00Z"},
        {"role": "user", "content": "x", "time": "0001-01-01T00:00:00+14:00"},
        {"role": "user", "content": "x", "time": "9999-12-31T23:59:59-12:00"},
        {"role": "user", "content": "x", "metadata": {"a": json.loads("[" * 500 + "]" * 500)}},
    ]
)
def test_what_is_no_message_is_refused(wrong: dict[str, Any]) -> None:
    """Unknown roles and keys, blank words, times without a zone."""
    with pytest.raises(ValidationError):
        documents(wrong)


def test_an_empty_list_is_no_document() -> None:
    """Nothing comes of nothing."""
    assert documents() == []
