"""A chat model behind an OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, LM Studio, llama.cpp and others.

The endpoint's abilities are found by trying and then remembered: JSON Schema, else JSON, else words; the name of the
field for the token limit; support for a temperature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import anyio
import orjson

from ...schemas.errors import ExtractionError
from ...schemas.secret_urls import without_password
from ..openai_http.connection import Connection, Target
from ..openai_http.failures import EndpointFailure, RetryPolicy, timeout_failure
from ..openai_http.loopback import is_loopback
from .chat import ChatSettings, Completion, Ending, Prompt, PromptMessage, Structure, Usage
from .token_estimate import estimated_tokens

_NO_TOKENIZER = frozenset({400, 404, 405, 415, 422, 501})
"""HTTP statuses of an endpoint without a ``/tokenize`` of a known form."""
COUNTING_S = 5.0
"""The time limit for counting one text, in seconds."""
SECTION = "llm"
"""The section of the configuration."""
_TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length", "request_too_large"})
_FILTERED = frozenset({"content_filter", "content_policy_violation"})
_LOOSER: dict[Structure, Structure] = {"schema": "json", "json": "text"}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_PROBE = Prompt((PromptMessage("user", 'Answer with this JSON: {"ok": true}'),), "probe", _SCHEMA, 64)


@dataclass(frozen=True, slots=True)
class _Abilities:
    structure: Structure
    limit: str = "max_tokens"
    temperature: bool = True


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A response 4xx about the request itself."""

    trouble: EndpointFailure
    code: str
    parameter: str


class OpenAIChat:
    """A `ChatModel`; made without any contact, for one event loop.

    Args:
        settings: the endpoint and the parameters of requests.
        key: returns the API key, or None if none is needed; called when a connection is made.
    """

    def __init__(self, settings: ChatSettings, key: Callable[[], str | None]) -> None:
        self.settings = settings
        target = Target(
            SECTION, settings.base_url, settings.key_source, ExtractionError, local_only=settings.local_only
        )
        self.connection = Connection(target, key)
        self._can = _Abilities(settings.structure or "schema", temperature=settings.temperature is not None)
        self._takes_anything = False
        self._may_count = True

    @property
    def name(self) -> str:
        """The model's name, as the ledger shows it."""
        return self.settings.model

    @property
    def place(self) -> str:
        """The address of the endpoint, as the audit log shows it, without a key or password."""
        return without_password(self.settings.base_url)

    @property
    def structure(self) -> Structure:
        """The form in which answers are requested, as far as it is known."""
        return self._can.structure

    async def aclose(self) -> None:
        """Close the connections."""
        await self.connection.aclose()

    async def ready(self) -> None:
        """Check that the settings allow a request, before it is audited as sent; no contact is made.

        Raises:
            ConfigError: the endpoint is not allowed, or its key cannot be read.
        """
        await self.connection.client()

    async def complete(self, prompt: Prompt) -> Completion:
        """Complete one turn, repeating within bounds while the failure may pass.

        Raises:
            ExtractionError: the model cannot be reached or used. The message quotes nothing of the prompt.
        """
        can = self._can
        while True:
            outcome = await self._sent(prompt, can)
            if isinstance(outcome, Completion):
                self._can, self._takes_anything = can, True
                return outcome
            if isinstance(outcome, EndpointFailure):
                return await self._failed(prompt, outcome, can)
            lesser = _reduced_abilities(can, outcome, free=self.settings.structure is None)
            if lesser is None:
                return await self._not_taken(prompt, outcome)
            can = lesser

    async def token_counts(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text by the model's own tokenizer; None if the endpoint has no known
        tokenizer.

        llama.cpp and vLLM count at ``/tokenize``. Only an endpoint on this machine is asked: elsewhere an unknown path
        may cost money or reach a third party. An endpoint that does not count is asked once.
        """
        if not self._may_count or not is_loopback(self.settings.base_url):
            return None
        client = await self.connection.client()
        counts: list[int] = []
        for text in texts:
            with anyio.move_on_after(COUNTING_S):
                try:
                    answer = await client.post(self._tokenizer, cast_to=object, body=_tokenize_body(self.name, text))
                except self.connection.failures as error:
                    self._may_count = getattr(error, "status_code", None) not in _NO_TOKENIZER
                    return None
                count = _count_in(answer)
                self._may_count = count is not None
                if count is not None:
                    counts.append(count)
        return counts if len(counts) == len(texts) else None

    @property
    def _tokenizer(self) -> str:
        return f"{self.settings.base_url.rstrip('/').removesuffix('/v1')}/tokenize"

    async def probe(self) -> None:
        """Find out the endpoint's abilities with a small test prompt, unless they are known.

        Raises:
            ExtractionError: the endpoint cannot be reached or used.
        """
        if not self._takes_anything:
            await self.complete(_PROBE)

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """Return the request as JSON, for the file of a batch."""
        return {**self._body(prompt, self._can), **self.settings.extra}

    async def _not_taken(self, prompt: Prompt, refusal: _Refusal) -> Completion:
        """Interpret the refusal of every form of a request: return a completion if this prompt is the cause, else
        raise.
        """
        if refusal.code in _TOO_LONG:
            return Completion("", Usage(), "too-long")
        if refusal.code in _FILTERED:
            return Completion("", Usage(), "refused")
        if prompt is not _PROBE:
            await self.probe()  # raises if the prompt is not the cause
        if self._takes_anything:
            return Completion("", Usage(), "too-long" if refusal.trouble.message.endswith("413") else "not-taken")
        raise ExtractionError(refusal.trouble.message, hint=refusal.trouble.hint)

    async def _failed(self, prompt: Prompt, failure: EndpointFailure, can: _Abilities) -> Completion:
        """Interpret a failure after the last attempt: return a completion if the endpoint fails at this prompt alone,
        else raise.
        """
        if prompt is not _PROBE and failure.broken and isinstance(await self._attempt(_PROBE, can), Completion):
            return Completion("", Usage(), "failed")
        raise ExtractionError(failure.message, hint=failure.hint)

    async def _sent(self, prompt: Prompt, can: _Abilities) -> Completion | _Refusal | EndpointFailure:
        """Send one request, repeated as often as the retry policy allows and the failure may pass."""
        retries = RetryPolicy(self.settings.attempts)
        while True:
            response = await self._attempt(prompt, can)
            if not isinstance(response, EndpointFailure):
                return response
            pause = retries.pause_after(response)
            if pause is None:
                return response
            await anyio.sleep(pause)

    async def _attempt(self, prompt: Prompt, can: _Abilities) -> Completion | _Refusal | EndpointFailure:
        client = await self.connection.client()
        # A limit for the whole response: the SDK's own time-out restarts with each byte that arrives.
        with anyio.move_on_after(self.settings.timeout_s):
            try:
                response = await client.chat.completions.with_raw_response.create(
                    **self._body(prompt, can), extra_body=dict(self.settings.extra), timeout=self.settings.timeout_s
                )
            except self.connection.failures as error:  # its text may quote the prompt: report only its kind
                trouble = self.connection.failure_of(error)
                if trouble.refused:
                    return _Refusal(trouble, str(getattr(error, "code", "")), str(getattr(error, "param", "")))
                return trouble
            return completion_of(cast("bytes", response.content), prompt)
        return timeout_failure(SECTION)

    def _body(self, prompt: Prompt, can: _Abilities) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [{"role": turn.role, "content": turn.text} for turn in prompt.turns],
            can.limit: prompt.max_tokens,
        }
        if can.temperature:
            body["temperature"] = self.settings.temperature
        if can.structure == "schema" and prompt.schema:
            schema = {"name": prompt.schema_name, "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif can.structure != "text":
            body["response_format"] = {"type": "json_object"}
        return body


def _reduced_abilities(can: _Abilities, refusal: _Refusal, *, free: bool) -> _Abilities | None:
    """Return the abilities to try after a refusal; None if nothing is left to try, or the refusal has another cause."""
    if refusal.code in _TOO_LONG or refusal.code in _FILTERED:
        return None
    if refusal.parameter == "max_tokens" and can.limit == "max_tokens":
        return replace(can, limit="max_completion_tokens")
    if refusal.parameter == "temperature" and can.temperature:
        return replace(can, temperature=False)
    looser = _LOOSER.get(can.structure) if free else None
    return None if looser is None else replace(can, structure=looser)


def _tokenize_body(model: str, text: str) -> dict[str, Any]:
    """Return a body with the text under both names: ``content`` of llama.cpp, ``prompt`` of vLLM."""
    return {"model": model, "content": text, "prompt": text, "add_special_tokens": False}


def _count_in(answer: object) -> int | None:
    """Parse ``{"count": n}`` of vLLM, or the length of ``{"tokens": […]}`` of llama.cpp."""
    fields = _dict(answer)
    count, tokens = fields.get("count"), fields.get("tokens")
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    return len(cast("list[object]", tokens)) if isinstance(tokens, list) else None


def completion_of(body: bytes, prompt: Prompt) -> Completion | EndpointFailure:
    """Parse the completion in a response's body; return a failure if there is none, since a repetition may succeed."""
    try:
        answer: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return EndpointFailure("the llm endpoint's answer is no JSON", again=True, broken=True)
    completion = completion_in(answer, prompt)
    return completion or EndpointFailure(
        "the llm endpoint's answer holds no message", hint="is llm.base_url right?", again=True, broken=True
    )


def completion_in(answer: object, prompt: Prompt | None) -> Completion | None:
    """Parse the completion in the JSON of a response: ``{"choices": [{"message": …, "finish_reason": …}], "usage":
    …}``.
    """
    whole = _dict(answer)
    choices = whole.get("choices")
    choice = _dict(cast("list[object]", choices)[0]) if isinstance(choices, list) and choices else {}
    message = _dict(choice.get("message"))
    if not message:
        return None
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    reason = choice.get("finish_reason")
    ending: Ending = "whole"
    if reason == "content_filter" or (message.get("refusal") and not text):
        ending = "refused"
    elif reason == "length":
        ending = "truncated"
    return Completion(text, _usage(_dict(whole.get("usage")), text, prompt), ending)


def _usage(usage: dict[str, Any], text: str, prompt: Prompt | None) -> Usage:
    """Return the usage that the endpoint reports; if it reports none, an estimate that is rather too high."""
    sent, got = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or sent < 0:
        sent = sum(estimated_tokens(turn.text) for turn in prompt.turns) if prompt else 0
    if not isinstance(got, int) or got < 0:
        got = estimated_tokens(text)
    return Usage(1, sent, got)


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
