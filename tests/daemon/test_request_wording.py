"""What is wrong with a request is told in plain words: no type of a programming language, no value that was sent."""

from __future__ import annotations

import re
from datetime import UTC
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from memd.daemon.config.source_settings import source_settings
from memd.daemon.service import requests
from memd.daemon.service.requests import parse
from memd.schemas import Rejected, document_from_wire
from memd.schemas.errors import InvalidError
from memd.tests.cases import for_each

PYTHON = re.compile(r"[Ii]nput|tuple|dictionary|integer|string|boolean|instance|[a-z]uid|pattern|parse|\bNone\b")


def said(**more: object) -> dict[str, Any]:
    """A list of one message with these fields."""
    return {"messages": [{"role": "user", "content": "private", **more}]}


@for_each(
    [
        (requests.MessagesRequest, {"messages": 3}, "messages: must be a list"),
        (requests.MessagesRequest, {"messages": "private"}, "messages: must be a list"),
        (requests.MessagesRequest, {"messages": {"a": 3}}, "messages: must be a list"),
        (requests.MessagesRequest, {"messages": [3]}, "messages.0: must be an object"),
        (requests.MessagesRequest, {"messages": [None]}, "messages.0: must be an object"),
        (requests.MessagesRequest, {"messages": [["private"]]}, "messages.0: must be an object"),
        (requests.MessagesRequest, said(content=3), "messages.0.content: must be a text"),
        (requests.MessagesRequest, said(content=" "), "messages.0.content: must not be blank"),
        (requests.MessagesRequest, said(role="private"), "messages.0.role must be user, assistant, system or tool"),
        (requests.MessagesRequest, said(metadata=3), "messages.0.metadata: must be an object"),
        (
            requests.MessagesRequest,
            said(time="2024-01-15T12:00:00"),
            "messages.0.time: must be a time with a zone, like 2024-01-15T12:00:00Z",
        ),
        (requests.MessagesRequest, {"lists": [[3]]}, "lists.0.0: must be an object"),
        (requests.QueryRequest, {"text": 3}, "text: must be a text"),
        (requests.QueryRequest, {"text": "x", "limit": "private"}, "limit: must be a whole number"),
        (requests.QueryRequest, {"text": "x", "context": 99}, "context: must be at most 10"),
        (requests.QueryRequest, {"text": "x", "speakers": "private"}, "speakers: must be a list"),
        (requests.QueryRequest, {"text": "x", "speker": ["Bob"]}, "speker: unknown key, did you mean 'speakers'?"),
        (requests.QueryRequest, {"text": "x", "query": "y"}, "query: unknown key"),
        (requests.ForgetRequest, {"dryrun": True}, "dryrun: unknown key, did you mean 'dry_run'?"),
        (requests.LettersRequest, {"colour": "private"}, "colour: unknown key"),
        (requests.LettersRequest, {"ids": [3]}, "ids.0: must be a text"),
        (requests.ListingRequest, {"after": 3}, "after: must be an id as memd writes it"),
        (requests.AddSourceRequest, {"settings": 3}, "settings: must be an object"),
        (requests.PauseSourceRequest, {"name": "x"}, "paused: is required"),
    ]
)
def test_a_wrong_request_is_told_in_plain_words(model: type[BaseModel], plain: dict[str, Any], told: str) -> None:
    """The place in the body, and what is allowed there."""
    with pytest.raises(InvalidError) as raised:
        parse(model, plain, UTC)
    assert raised.value.problems == (told,)
    assert not PYTHON.search(raised.value.message)
    assert "private" not in raised.value.message


def test_an_unknown_key_may_be_meant_for_a_missing_one() -> None:
    """Where no key is like it; both problems are told."""
    with pytest.raises(InvalidError) as raised:
        parse(requests.QueryRequest, {"query": "private"}, UTC)
    assert raised.value.problems == ("text: is required", "query: unknown key, did you mean 'text'?")


def test_wrong_settings_of_a_source_name_their_key() -> None:
    """Also where the rule is one of ours, which speaks of the value alone."""
    with pytest.raises(ValidationError) as raised:
        source_settings({"name": "a", "path": "b\0", "misfire_grace_s": "1e300", "move_to": "c", "jitter_s": True})
    assert requests.problems_of(raised.value) == [
        "path: holds a NUL, which no path may",
        "jitter_s: must be a number",
        "misfire_grace_s: must be at most 31622400",
        "move_to: must be an absolute path",
    ]
    with pytest.raises(ValidationError) as raised:
        source_settings({"name": "a", "path": 7})
    assert requests.problems_of(raised.value) == ["path: must be the path of a file or folder, as a text"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"content": 3}, "document content is required; content: must be a text"),
        ({"content": "x", "tags": 3}, "tags: must be a list"),
        ({"content": "x", "metadata": {"a": 3}}, "metadata.a: must be a text"),
        ({"content": "x", "metadata": 3}, "metadata: must be an object"),
    ],
)
def test_a_wrong_document_is_told_in_plain_words(fields: dict[str, Any], told: str) -> None:
    """As requests are."""
    assert list(document_from_wire({"id": "a", **fields}, "line 1")) == [Rejected(locator="line 1", reason=told)]
