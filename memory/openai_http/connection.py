"""The connection to an OpenAI-compatible endpoint through the `openai` package, which is imported when first needed.

Every text that leaves goes through here: no redirection is followed, no proxy is asked for what stays on this machine,
nothing that was sent is logged or quoted, and no answer is read without an end.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from anyio import to_thread

from ...schemas.errors import MemdError
from .bounded import bounded_client, too_long
from .failures import EndpointFailure, failure_of_status, timeout_failure
from .installation import install_command
from .loopback import is_loopback, require_local

_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


@dataclass(frozen=True, slots=True)
class Target:
    """The endpoint that texts are sent to."""

    section: str
    """The section of the configuration that names it, for messages: ``llm``, ``embedding``."""
    base_url: str
    key_source: str
    """The settings that name the key, for messages to the user."""
    error: type[MemdError]
    """The error to raise if the endpoint cannot be used."""
    local_only: bool = False
    """Refuse an address that is not on this machine."""


class Connection:
    """Made without any contact; the client is made when first needed, and anew after a key was refused.

    Args:
        target: where.
        key: gives the key, or None where none is needed; asked when the client is made.
    """

    def __init__(self, target: Target, key: Callable[[], str | None]) -> None:
        self._target = target
        self._key = key
        self._connecting = threading.Lock()
        self._client: Any = None
        self._dropped: list[Any] = []
        self._sdk: Any = None
        self._keyless = False

    async def client(self) -> Any:  # noqa: ANN401 - the SDK is not imported for its types
        """The SDK's client.

        Raises:
            MemdError: the target's kind: the package is not installed, or the key cannot be read.
            ConfigError: the endpoint is not on this machine though it must be.
        """
        return await to_thread.run_sync(self._connected)

    @property
    def failures(self) -> type[Exception]:
        """The base class of the SDK's errors; available only after `client`."""
        base: type[Exception] = self._sdk.OpenAIError
        return base

    async def aclose(self) -> None:
        """Close the connections."""
        open_ones = [client for client in (*self._dropped, self._client) if client is not None]
        self._dropped, self._client = [], None
        for client in open_ones:
            await client.close()

    def failure_of(self, error: Exception) -> EndpointFailure:
        """Classify an error of the SDK. Its text may quote what was sent, so only its kind is used."""
        section = self._target.section
        if isinstance(error, self._sdk.APIStatusError):
            status: Any = error
            if status.status_code in {401, 403}:
                # The key may be replaced. The client is not closed yet: other tasks may be waiting for its answers.
                self._dropped.append(self._client)
                self._client = None
            headers = status.response.headers
            trouble = failure_of_status(status.status_code, status.code, headers, self._target.key_source, section)
            if status.status_code == 401 and self._keyless:
                return replace(trouble, hint=f"no key was sent: set {self._target.key_source}")
            if status.code in _SPENT:  # arrives as a 429, but waiting does not help
                return replace(trouble, again=False, hint="the account at the endpoint has nothing left to spend")
            return trouble
        if (long := too_long(error)) is not None:
            message = f"the answer of the {section} endpoint has more than {long.limit:,} bytes"
            fewer = ", or lower embedding.request_texts" if section == "embedding" else ""
            hint = f"is {section}.base_url right? look what the endpoint sends{fewer}"
            return EndpointFailure(message, hint=hint)
        if isinstance(error, self._sdk.APITimeoutError):
            return timeout_failure(section)
        if isinstance(error, self._sdk.APIConnectionError):
            hint = f"is it running, and is {section}.base_url right?"
            return EndpointFailure(f"the {section} endpoint cannot be reached", hint=hint, again=True)
        return EndpointFailure(f"the {section} endpoint failed: {type(error).__name__}")

    def _connected(self) -> Any:  # noqa: ANN401 - see `client`
        with self._connecting:
            if self._client is None:
                if self._target.local_only:
                    require_local(self._target.base_url, self._target.section)
                self._client = self._made()
            return self._client

    def _made(self) -> Any:  # noqa: ANN401 - see `client`
        try:
            self._sdk = import_module("openai")
        except ImportError:
            raise self._target.error("the package openai is not installed", hint=install_command()) from None
        # At debug level the SDK logs what is sent, and an environment variable of its own enables that.
        logging.getLogger("openai").setLevel(logging.WARNING)
        try:
            key = self._key()
        except MemdError as error:
            raise self._target.error(error.message, hint=error.hint) from error
        self._keyless = not key
        # A redirection would send the texts to an address that the user did not allow, and so would a proxy from the
        # environment for texts that must stay on this machine.
        stays = self._target.local_only or is_loopback(self._target.base_url)
        client = bounded_client(self._sdk.DefaultAsyncHttpxClient, self._sdk.OpenAIError)
        carrier = client(follow_redirects=False, trust_env=not stays)
        return self._sdk.AsyncOpenAI(
            # The SDK requires a key even if the endpoint needs none.
            api_key=key or "none",
            base_url=self._target.base_url,
            max_retries=0,
            http_client=carrier,
        )
