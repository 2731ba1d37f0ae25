"""Whatever stands in a file of Google Chat: what can be read is read, the rest is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.schemas import Rejected
from memd.tests.connectors.google_chat.exports import (
    ANN,
    BO,
    FOLDER,
    documents,
    event,
    hangouts,
    read,
    rejected,
    said,
    space,
    written,
)
from memd.tests.effort import examples

KEYS = ["name", "email", "emoji", "unicode", "reactor_emails", "url_metadata", "format_metadata", "format_type", "title",
        "start_index", "length", "original_name", "message_id", "text", "segment", "gaia_id", "participant_id"]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8) | st.sampled_from(["\0", "(system)", "(me)", "9" * 30, " ", "MONOSPACE"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
FIELDS = ["creator", "created_date", "updated_date", "text", "annotations", "topic_id", "message_id", "attached_files",
          "quoted_message_metadata", "reactions", "message_state", "deletion_metadata", "previous_message_versions"]  # fmt: skip
EVENTS = ["sender_id", "timestamp", "chat_message", "event_id", "event_type", "hangout_event", "membership_change",
          "conversation_rename"]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6), members=VALUES, name=VALUES)
def test_wrong_types_are_no_exception(fields: dict[str, Any], members: Any, name: Any) -> None:
    """Whatever stands where a text, a number, a list or an object should be: each message is kept or rejected."""
    files = space(said(1, ANN, "a"), {**said(2, BO, "x"), **fields}, said(3, ANN, "b"))
    files[f"{FOLDER}group_info.json"] = {"name": name, "members": members, "user_type": ""}
    records = read(files)
    found = [m.content for d in documents(records) for m in d.messages]
    assert {"a", "b"} <= set(found)
    assert len(found) + len([each for each in records if isinstance(each, Rejected)]) == 3


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.dictionaries(st.sampled_from(EVENTS), VALUES, max_size=5), more=st.fixed_dictionaries({"participant_data": VALUES, "name": VALUES, "self_conversation_state": VALUES}))  # fmt: skip
def test_wrong_types_in_hangouts_are_no_exception(fields: dict[str, Any], more: dict[str, Any]) -> None:
    """The same of its events and of what describes them."""
    records = read(
        {"h.json": hangouts(event(1, "11", "a"), {**event(2, "22", "x"), **fields}, event(3, "11", "b"), **more)}
    )
    found = [m.content for d in documents(records) for m in d.messages]
    assert {"a", "b"} <= set(found)
    assert len(found) + len([each for each in records if isinstance(each, Rejected)]) == 3


def test_a_broken_message_costs_itself() -> None:
    """Also when a bracket or a quote of it is lost."""
    files = space(said(1, ANN, "a"), said(2, BO, "b"), said(3, ANN, "c"))
    data = written(files[f"{FOLDER}messages.json"])
    for old, new in ((b'"text": "b"', b'"text": "b'), (b'"text": "b"', b"text")):
        records = read({**files, f"{FOLDER}messages.json": data.replace(old, new)})
        assert [m.content for d in documents(records) for m in d.messages] == ["a", "c"]
        assert len(rejected(records)) == 1


def test_a_message_over_the_limit_is_refused() -> None:
    """More than 16 MiB of text."""
    records = read(space(said(1, ANN, "a"), said(2, BO, "b" * ((16 << 20) + 1))))
    assert [m.content for d in documents(records) for m in d.messages] == ["a"]
    assert [reason for _, reason in rejected(records)] == ["more than 16777216 bytes in one message"]


def test_a_damaged_description_leaves_the_messages() -> None:
    """Their ids are the key then, and nobody is known to be the user."""
    files = {**space(said(1, ANN, "a")), f"{FOLDER}group_info.json": b'{"members": [{"user_type": '}
    (day,) = documents(read(files))
    assert day.metadata["title"] == "AAAAspace01"
