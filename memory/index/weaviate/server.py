"""One Weaviate server: a client that is made anew after a failure, deadlines of our own, and its errors as ours.

The client repeats by itself what could not be sent, for a minute and longer, whatever time-outs it is given: so every call
runs in a deadline. Of what a server says of a failure its own words go into the message, see `server_messages`. It may answer with
what is no answer of a Weaviate at all, which the client does not foresee.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import weaviate
from anyio import CancelScope, Lock, move_on_after
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
from .server_messages import own_words
from .settings import Connection

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
CLOSE_SECONDS = 2.0
_UNREACHABLE = frozenset({StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED})
_REFUSED = frozenset({StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED})
Properties = dict[str, WeaviateField]
Collection = CollectionAsync[Mapping[str, WeaviateField], None]
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError)
"""The errors of the client for missing or unexpected fields in an answer; if raised by memd's own code they are bugs.
"""
_PACKAGE = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Place:
    """A tenant of a collection."""

    collection: str
    tenant: str


@dataclass(eq=False, slots=True)
class _Connection:
    client: weaviate.WeaviateAsyncClient
    calls: int = 0
    """The number of running calls: closing a client cancels the tasks that wait for it."""


class WeaviateServer:
    """A connection, opened by the first call, and anew by the first after `close`."""

    def __init__(self, settings: Connection) -> None:
        # It logs each refused object with the text and the vector; memd logs the failure in its own words.
        logging.getLogger("weaviate-client").setLevel(logging.CRITICAL + 1)
        self.settings = settings
        self._connection: _Connection | None = None
        self._opening = Lock()
        self._told: set[tuple[str, int]] = set()
        """The code locations (file, line) at which answers could not be understood and were logged."""
        self.checked: set[str] = set()
        """The checks that passed since the last failure."""
        self.filling: set[Place] = set()
        """Tenants that are being filled beside those in use."""

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self.settings.host}:{self.settings.port}"

    async def read(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]]) -> T:
        """Return the result of ``work``, within the time limit of a query.

        Raises:
            UnreachableServerError: it does not answer in time.
            IndexServerError: it refuses, or what it answers cannot be understood.
        """
        return await self._call(work, self.settings.query_seconds)

    async def write(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]]) -> T:
        """Return the result of ``work``, within the time limit of a batch; raises the same errors as `read`."""
        return await self._call(work, self.settings.write_seconds)

    async def query(self, place: Place, work: Callable[[Collection], Awaitable[T]]) -> T:
        """Return the result of ``work`` on a tenant, as `read` does."""
        return await self.read(lambda client: work(self.collection(client, place)))

    async def change(self, place: Place, work: Callable[[Collection], Awaitable[T]]) -> T:
        """Return the result of ``work`` on a tenant, as `write` does."""
        return await self.write(lambda client: work(self.collection(client, place)))

    def collection(self, client: weaviate.WeaviateAsyncClient, place: Place) -> Collection:
        """A tenant of a collection, at the consistency of the settings."""
        tenant = client.collections.use(place.collection).with_tenant(place.tenant)
        return tenant.with_consistency_level(ConsistencyLevel(self.settings.consistency))

    async def _call(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]], seconds: float) -> T:
        try:
            return await self._in_time(work, seconds)
        except (WeaviateBaseError, AioRpcError, HTTPError, OSError, TimeoutError) as error:
            raise self.translated(error) from error
        except MALFORMED as error:
            if _is_ours(error):
                raise
            self._tell_place(error)
            raise IndexServerError(
                f"what answers at {self.address} does not answer as Weaviate does",
                hint="check `url` and `grpc_port` in [weaviate]",
            ) from error

    def _tell_place(self, error: Exception) -> None:
        """Log once where in the client it was raised, without its text, which may hold what was sent."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        line = (place.filename, place.lineno or 0)
        if line not in self._told:
            self._told.add(line)
            _LOG.error("%s in line %d of %s, with an answer of Weaviate", type(error).__name__, line[1], line[0])

    async def _in_time(self, work: Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]], seconds: float) -> T:
        """In a task of its own: gRPC answers a cancellation by one of its own making, which no scope around it would know."""

        async def call() -> T:
            connection = await self._connected()
            connection.calls += 1
            try:
                return await work(connection.client)
            finally:
                connection.calls -= 1
                await self._close_unused(connection)

        task = asyncio.ensure_future(call())
        try:
            await asyncio.wait([task], timeout=seconds)
            if not task.done():
                raise TimeoutError
            if task.cancelled():
                raise ConnectionResetError("the connection was closed")
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                with CancelScope(shield=True):
                    await asyncio.wait([task], timeout=CLOSE_SECONDS)
                if task.done() and not task.cancelled():
                    task.exception()  # looked at, or asyncio would tell of it

    async def _connected(self) -> _Connection:
        async with self._opening:
            if self._connection is None:
                wanted = self.settings
                client = weaviate.use_async_with_custom(
                    http_host=wanted.host,
                    http_port=wanted.port,
                    http_secure=wanted.tls,
                    grpc_host=wanted.grpc_host or wanted.host,
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
                self._connection = _Connection(client)
            return self._connection

    async def _close_unused(self, connection: _Connection) -> None:
        if connection is not self._connection and not connection.calls:
            await _closed(connection.client)

    def translated(self, error: Exception) -> IndexServerError:
        """An error of the client as one of memd, without what was sent."""
        cause = error.__cause__
        said = _said(error)
        reason = f": {said}" if said else ""
        status = cause.code() if isinstance(cause, AioRpcError) else None
        if isinstance(error, AioRpcError):
            status = error.code()
        code = error.status_code if isinstance(error, UnexpectedStatusCodeError) else 0
        if isinstance(error, InsufficientPermissionsError) or status in _REFUSED or code in {401, 403}:
            return IndexServerError(
                f"the Weaviate server at {self.address} refuses memd{reason}",
                hint="check the API key, and what it allows",
            )
        lost = isinstance(error, (WeaviateConnectionError, WeaviateStartUpError, HTTPError, OSError, TimeoutError))
        if lost or status in _UNREACHABLE or code in {502, 503, 504}:
            return UnreachableServerError(
                f"the Weaviate server at {self.address} does not answer{reason}",
                hint="what is stored is kept, and found by the server as soon as it answers again",
            )
        return IndexServerError(
            f"the Weaviate server at {self.address} fails{reason}", hint="`memd doctor` tells more; see also its log"
        )

    async def close(self) -> None:
        """Let the connection go, when the last call that uses it ends; the next call opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await self._close_unused(connection)


def _is_ours(error: Exception) -> bool:
    """Return whether memd's own code raised the error, not the client while reading an answer."""
    place = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    return place.is_relative_to(_PACKAGE) and "site-packages" not in place.relative_to(_PACKAGE).parts


def _said(error: BaseException) -> str:
    """Describe the error for the user; empty if its text is only a name inside the client."""
    if isinstance(error, TimeoutError) and not str(error):
        return "no answer in time"
    text = (error.details() or "") if isinstance(error, AioRpcError) else str(error)
    if phrases := own_words(text):
        return phrases
    if isinstance(error, UnexpectedStatusCodeError):
        return f"status {error.status_code}"
    return f"gRPC status {error.code().name}" if isinstance(error, AioRpcError) else ""


async def _closed(client: weaviate.WeaviateAsyncClient) -> None:
    with CancelScope(shield=True), move_on_after(CLOSE_SECONDS):
        try:
            await client.close()
        except (WeaviateBaseError, AioRpcError, HTTPError, OSError) as error:
            _LOG.debug("the connection to Weaviate was not closed: %s", type(error).__name__)
