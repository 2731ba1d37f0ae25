"""One Weaviate server: a client that is made anew after a failure, deadlines of our own, and its errors as ours.

The client repeats by itself what could not be sent, for a minute and longer, whatever time-outs it is given: so every call
runs in a deadline. What a server says of a failure goes into the message, without what was sent.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import weaviate
from anyio import CancelScope, Lock, fail_after, move_on_after
from grpc import StatusCode
from grpc.aio import AioRpcError
from httpx import HTTPError
from weaviate.classes.config import ConsistencyLevel
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.collections import CollectionAsync
from weaviate.collections.classes.types import WeaviateField
from weaviate.exceptions import (
    InsufficientPermissionsError,
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateConnectionError,
    WeaviateStartUpError,
)

from ..errors import IndexServerError, UnreachableServerError
from .settings import WeaviateSettings

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
CLOSE_SECONDS = 2.0
TOLD = 300
"""Characters of what a server says that become part of a message."""
_UNREACHABLE = frozenset({StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED})
_REFUSED = frozenset({StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED})
Properties = dict[str, WeaviateField]
Collection = CollectionAsync[Mapping[str, WeaviateField], None]


@dataclass(frozen=True, slots=True)
class Place:
    """A tenant of a collection."""

    collection: str
    tenant: str


class WeaviateServer:
    """A connection, opened by the first call and again after each failure."""

    def __init__(self, settings: WeaviateSettings) -> None:
        self.settings = settings
        self._client: weaviate.WeaviateAsyncClient | None = None
        self._opening = Lock()
        self.checked: set[str] = set()
        """What was found to be as it must be, since the last failure."""

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self.settings.host}:{self.settings.port}"

    async def read(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]]) -> T:
        """What ``work`` gives, in the time of a question.

        Raises:
            UnreachableServerError: it does not answer in time.
            IndexServerError: it refuses.
        """
        return await self._call(work, self.settings.query_seconds)

    async def write(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]]) -> T:
        """What ``work`` gives, in the time of a batch; raises as `read` does."""
        return await self._call(work, self.settings.write_seconds)

    def collection(self, client: weaviate.WeaviateAsyncClient, place: Place) -> Collection:
        """A tenant of a collection, at the consistency of the settings."""
        found = client.collections.use(place.collection).with_tenant(place.tenant)
        return found.with_consistency_level(ConsistencyLevel(self.settings.consistency))

    async def _call(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]], seconds: float) -> T:
        client: weaviate.WeaviateAsyncClient | None = None
        try:
            with fail_after(seconds):
                client = await self._connected()
                return await work(client)
        except (WeaviateBaseError, AioRpcError, HTTPError, OSError, TimeoutError) as error:
            found = self._translated(error)
            if isinstance(found, UnreachableServerError):
                await self._drop(client)
            raise found from error

    async def _connected(self) -> weaviate.WeaviateAsyncClient:
        async with self._opening:
            if self._client is None:
                wanted = self.settings
                client = weaviate.use_async_with_custom(
                    http_host=wanted.host,
                    http_port=wanted.port,
                    http_secure=wanted.tls,
                    grpc_host=wanted.host,
                    grpc_port=wanted.grpc_port,
                    grpc_secure=wanted.tls,
                    auth_credentials=Auth.api_key(wanted.api_key) if wanted.api_key else None,
                    additional_config=AdditionalConfig(
                        timeout=Timeout(query=wanted.query_seconds, insert=wanted.write_seconds)
                    ),
                    skip_init_checks=True,  # these also ask the package index for newer clients
                )
                try:
                    await client.connect()
                except BaseException:
                    await _closed(client)
                    raise
                self._client = client
            return self._client

    async def _drop(self, client: weaviate.WeaviateAsyncClient | None) -> None:
        """A channel that lost its server waits longer and longer before it tries again; a new one tries at once."""
        if client is not None and client is self._client:
            self._client = None
            await _closed(client)

    def _translated(self, error: Exception) -> IndexServerError:
        cause = error.__cause__
        told = _said(error)
        status = cause.code() if isinstance(cause, AioRpcError) else None
        if isinstance(error, AioRpcError):
            status = error.code()
        code = error.status_code if isinstance(error, UnexpectedStatusCodeError) else 0
        if isinstance(error, InsufficientPermissionsError) or status in _REFUSED or code in {401, 403}:
            return IndexServerError(
                f"the Weaviate server at {self.address} refuses memd: {told}", hint="check the API key and its rights"
            )
        lost = isinstance(error, (WeaviateConnectionError, WeaviateStartUpError, HTTPError, OSError, TimeoutError))
        if lost or status in _UNREACHABLE or code in {502, 503, 504}:
            return UnreachableServerError(
                f"the Weaviate server at {self.address} does not answer: {told}",
                hint="what is stored is kept, and found by the server as soon as it answers again",
            )
        return IndexServerError(
            f"the Weaviate server at {self.address} fails: {told}", hint="`memd doctor` tells more; see also its log"
        )

    async def close(self) -> None:
        """Let the connection go."""
        await self._drop(self._client)


def _said(error: BaseException) -> str:
    if isinstance(error, TimeoutError) and not str(error):
        return "no answer in time"
    text = (error.details() or "") if isinstance(error, AioRpcError) else str(error)
    return " ".join(text.split())[:TOLD] or type(error).__name__


async def _closed(client: weaviate.WeaviateAsyncClient) -> None:
    with CancelScope(shield=True), move_on_after(CLOSE_SECONDS):
        try:
            await client.close()
        except (WeaviateBaseError, AioRpcError, HTTPError, OSError) as error:
            _LOG.debug("the connection to Weaviate was not closed: %s", type(error).__name__)
