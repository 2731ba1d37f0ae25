"""A chat model behind an endpoint: what it can is found out, trouble is borne, nothing private gets into an error."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.config.credentials import key_source
from memd.memory.llm.chat import ChatSettings, Completion, Prompt, PromptMessage
from memd.memory.llm.openai_chat import OpenAIChat
from memd.memory.llm.store import LLMStore
from memd.schemas.errors import ConfigError, ExtractionError
from memd.tests.llm.places import Place
from memd.tests.openai_server.faults import BROKEN, BUSY, CUT, DROPPED, FILTERED, LONG, REFUSED, TOO_LONG, Fault
from memd.tests.openai_server.server import CHAT, Server

SECRET = "a sentence that must stay private"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
PROMPT = Prompt((PromptMessage("system", "Answer with JSON."), PromptMessage("user", SECRET)), "extract", SCHEMA, 100)


@pytest.mark.anyio
async def test_an_answer_comes_with_what_it_took(place: Place) -> None:
    """Text and tokens, asked for by JSON Schema in strict mode."""
    found = await place.model.complete(PROMPT)
    assert found.ending == "whole"
    assert found.text == '{"facts": [], "summary": ""}'
    assert (found.usage.calls, found.usage.prompt_tokens) == (1, 9)
    asked = place.server.requests[0].body
    assert asked["response_format"]["json_schema"] == {"name": "extract", "strict": True, "schema": SCHEMA}
    assert (asked["max_tokens"], asked["temperature"]) == (100, 0.0)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("takes", "structure", "tries"),
    [(("json_schema", "json_object"), "schema", 1), (("json_object",), "json", 2), ((), "text", 3)],
)
async def test_the_strictest_form_is_found_once(
    server: Server, store: LLMStore, takes: tuple[str, ...], structure: str, tries: int
) -> None:
    """JSON Schema, else JSON mode, else words; the second answer is asked for at once as the first was given."""
    server.takes = takes
    place = Place(server, store)
    await place.model.complete(PROMPT)
    assert len(server.requests) == tries
    assert place.model.structure == structure
    await place.model.complete(PROMPT)
    assert len(server.requests) == tries + 1
    await place.model.aclose()


@pytest.mark.anyio
async def test_fields_that_a_model_does_not_know_are_left_out(server: Server, store: LLMStore) -> None:
    """Reasoning models take neither a temperature nor `max_tokens`."""
    server.unknown = ("temperature", "max_tokens")
    place = Place(server, store, extra={"reasoning_effort": "low"})
    await place.model.complete(PROMPT)
    await place.model.complete(PROMPT)
    assert len(server.requests) == 4
    asked = server.requests[-1].body
    assert asked["max_completion_tokens"] == 100
    assert asked["reasoning_effort"] == "low"
    assert not {"temperature", "max_tokens"} & set(asked)
    assert place.model.structure == "schema"
    await place.model.aclose()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "fault", [BUSY, BROKEN, CUT, DROPPED, Fault(status=503), Fault(change=lambda _: {"choices": []})]
)
@pytest.mark.slow
async def test_trouble_that_may_pass_is_waited_out(place: Place, fault: Fault) -> None:
    """Busy, broken, cut off, hung up, empty: asked again."""
    place.server.fail(fault, fault, path=CHAT)
    assert (await place.model.complete(PROMPT)).ending == "whole"
    assert len(place.server.requests) == 3


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "tries", "message"),
    [
        (BUSY, 4, "answered 429"),
        (BROKEN, 5, "answered 500"),
        (CUT, 5, "no JSON"),
        (DROPPED, 4, "cannot be reached"),
        (Fault(status=429, headers={"Retry-After": "3600"}), 1, "answered 429"),
        (Fault(status=429, code="insufficient_quota"), 1, "insufficient_quota"),
        (Fault(status=404, message=SECRET), 1, "answered 404"),
        (Fault(status=401, message=SECRET), 1, "answered 401"),
        (Fault(status=307, headers={"Location": "http://127.0.0.1:1/v1"}), 1, "answered 307"),
        (Fault(status=400, message=SECRET), 6, "answered 400"),
    ],
)
async def test_trouble_that_stays_is_an_error_without_private_words(
    place: Place, caplog: pytest.LogCaptureFixture, fault: Fault, tries: int, message: str
) -> None:
    """As often as patience allows, then an error that says what it was, and nothing of what was sent."""
    caplog.set_level(logging.DEBUG)
    place.server.fail_always(fault, path=CHAT)
    with pytest.raises(ExtractionError, match=message) as caught:
        await place.model.complete(PROMPT)
    assert len(place.server.requests) == tries
    shown = f"{caught.value!r} {caught.value.hint} {caught.value.__cause__!r}" + caplog.text
    assert SECRET not in shown
    assert "sesame" not in shown


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_silence_is_borne_twice(server: Server, store: LLMStore) -> None:
    """A time-out is over all of an answer, also one that comes in drops."""
    place = Place(server, store, timeout_s=0.8)
    server.fail_always(Fault(drip=0.05), path=CHAT)
    with pytest.raises(ExtractionError, match="in time"):
        await place.model.complete(PROMPT)
    assert len(server.requests) == 3  # the last one asks whether it is this prompt's fault
    await place.model.aclose()


@pytest.mark.anyio
@pytest.mark.slow
async def test_waiting_can_be_cancelled(place: Place) -> None:
    """Whoever no longer wants an answer gets out at once, during the request and between two."""
    place.server.fail_always(Fault(status=429, headers={"Retry-After": "60"}), path=CHAT)
    with anyio.move_on_after(0.3) as scope:
        await place.model.complete(PROMPT)
    assert scope.cancelled_caught


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "ending"), [(REFUSED, "refused"), (FILTERED, "refused"), (LONG, "truncated"), (TOO_LONG, "too-long")]
)
@pytest.mark.slow
async def test_how_an_answer_ended_is_told(place: Place, fault: Fault, ending: str) -> None:
    """Refusals, filters and limits are values: trying again would give the same."""
    place.server.fail_always(fault, path=CHAT)
    assert (await place.model.complete(PROMPT)).ending == ending
    assert len(place.server.requests) == 1


@pytest.mark.anyio
async def test_a_prompt_that_alone_is_refused_is_told_apart_from_a_wrong_configuration(place: Place) -> None:
    """When a small prompt of ours is taken, it is for what is in the other one."""
    place.server.fail_always(Fault(status=400, when=lambda body: SECRET in str(body)), path=CHAT)
    assert (await place.model.complete(PROMPT)).ending == "not-taken"


@pytest.mark.anyio
async def test_what_was_used_is_estimated_when_nobody_tells(place: Place) -> None:
    """Local servers do not all count."""
    place.server.fail(Fault(change=lambda answer: {**answer, "usage": None}), path=CHAT)
    found = await place.model.complete(PROMPT)
    assert found == Completion(found.text, found.usage)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (22, 19)


@pytest.mark.anyio
async def test_the_package_and_the_key_are_asked_for_late(server: Server) -> None:
    """Made without contact; a key that cannot be read is an error of the first answer, with its hint."""

    def key() -> str:
        raise ConfigError("the key file is open to others", hint="chmod 600")

    model = OpenAIChat(ChatSettings("m", server.base_url), key)
    with pytest.raises(ExtractionError, match="open to others") as caught:
        await model.complete(PROMPT)
    assert caught.value.hint == "chmod 600"
    assert not server.requests


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (None, "no key was sent: set the variable X_KEY (llm.api_key_env)"),
        ("wrong", "the key is taken from the variable X_KEY (llm.api_key_env)"),
    ],
)
async def test_where_a_key_is_looked_for_is_told(server: Server, given: str | None, hint: str) -> None:
    """By the name of its variable, and of the setting that names this; not reached is exit code 6."""
    source = key_source("llm", None, "X_KEY")
    model = OpenAIChat(ChatSettings("m", server.base_url, key_source=source), lambda: given)
    with pytest.raises(ExtractionError, match="answered 401") as caught:
        await model.complete(PROMPT)
    assert caught.value.hint == hint
    assert caught.value.meaning.code == "LLM"
    await model.aclose()


def test_places_of_keys_have_names() -> None:
    """A file goes over a variable; without either the settings are named that would tell one."""
    assert key_source("embedding", Path("/k"), "X_KEY") == "the file /k (embedding.api_key_file)"
    assert key_source("embedding", None, "") == "embedding.api_key_env or embedding.api_key_file"


@pytest.mark.anyio
async def test_only_this_machine_is_asked_when_it_must_be() -> None:
    """Nothing is resolved, connected or sent."""
    model = OpenAIChat(ChatSettings("m", "https://llm.example/v1", local_only=True), lambda: None)
    with pytest.raises(ConfigError, match="not on this machine"):
        await model.complete(PROMPT)


@pytest.mark.anyio
async def test_a_local_endpoint_is_asked_past_every_proxy(
    server: Server, store: LLMStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the environment would carry the words elsewhere."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    place = Place(server, store, local_only=True)
    assert (await place.model.complete(PROMPT)).ending == "whole"
    await place.model.aclose()


@pytest.mark.anyio
async def test_the_test_server_streams_as_the_sdk_expects(server: Server) -> None:
    """Its events are read by the SDK's own parser."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(api_key="sesame", base_url=server.base_url) as client:
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hello"}], stream=True
        )
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    assert text == '{"facts": [], "summary": ""}'


def test_the_audit_shows_no_password_of_an_address() -> None:
    """What a model was sent is kept with the place that it was sent to."""
    settings = ChatSettings(model="m", base_url="http://bob:s3@cret@127.0.0.1:1/v1", key_source="nothing")
    assert OpenAIChat(settings, lambda: None).place == "http://…@127.0.0.1:1/v1"
