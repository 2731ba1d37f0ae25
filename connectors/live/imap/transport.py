"""The stream to a server: TCP, TLS, and compression. Certificates are always checked."""

from __future__ import annotations

import os
import ssl
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSAttribute, TLSStream

from ....schemas.errors import ConfigError
from ...errors import UnavailableError, UntrustedCertificateError
from .errors import ProtocolError

CONNECT_SECONDS = 30.0
"""The limit in seconds for the connection, and again for the handshake of TLS."""
CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Server:
    """The address of an account's server."""

    host: str
    port: int = 993
    security: Literal["tls", "starttls"] = "tls"
    """TLS from the first byte, or after the command STARTTLS (port 143 as a rule). There is no connection without."""
    ca_file: Path | None = None
    """The trusted certificates in PEM, instead of the system's, for servers with a private authority."""


async def connect(server: Server) -> ByteStream:
    """Return a stream to the server, with TLS if that comes first.

    Raises:
        ConfigError: the file of certificates cannot be used.
        UntrustedCertificateError: the certificate is not trusted, or another server's.
        UnavailableError: the server cannot be reached.
    """
    context = _context(server) if server.security == "tls" else None
    with telling(f"the server {server.host} cannot be reached at port {server.port}"):
        with anyio.fail_after(CONNECT_SECONDS):
            stream = await anyio.connect_tcp(server.host, server.port)
    return stream if context is None else await _encrypted(stream, server, context)


async def encrypt(stream: ByteStream, server: Server) -> ByteStream:
    """Return the stream wrapped in TLS; the stream is closed if that fails.

    Raises:
        ConfigError, UntrustedCertificateError, UnavailableError: as `connect`.
    """
    return await _encrypted(stream, server, _context(server))


async def _encrypted(stream: ByteStream, server: Server, context: ssl.SSLContext) -> ByteStream:
    try:
        with telling("the server does not speak TLS as it should"), anyio.fail_after(CONNECT_SECONDS):
            encrypted = await TLSStream.wrap(
                stream, server_side=False, hostname=server.host, ssl_context=context, standard_compatible=False
            )
            return JoinedRecords(encrypted)
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise


def _context(server: Server) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=server.ca_file)
    except (OSError, ssl.SSLError) as error:
        problem = f"the certificates of ca_file cannot be read: {reason_of(error)}"
        raise ConfigError(problem, hint="ca_file names a file of certificates in PEM") from error


@contextmanager
def telling(problem: str) -> Generator[None]:
    """Raise errors of the network as errors of a source."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise UntrustedCertificateError(
            f"the server's certificate is not trusted: {error.verify_message}",
            hint="if it is your own server, let ca_file name the certificate of who signed it",
        ) from error
    except ssl.SSLError as error:
        hint = 'a server that begins without TLS needs security = "starttls", at port 143 as a rule'
        raise UnavailableError(f"{problem}: {error.reason or 'no TLS was agreed on'}", hint=hint) from error
    except TimeoutError as error:
        raise UnavailableError(f"{problem}: no answer in {CONNECT_SECONDS:.0f} seconds") from error
    except (OSError, anyio.EndOfStream, anyio.BrokenResourceError) as error:
        raise UnavailableError(f"{problem}: {reason_of(error)}") from error


def reason_of(error: Exception) -> str:
    """Return the system's description of an error. If all addresses of a name fail, only the errors of the single
    addresses have one.
    """
    cause = error.__cause__
    causes = cast("BaseExceptionGroup[Exception]", cause).exceptions if isinstance(cause, ExceptionGroup) else (cause,)
    reasons: dict[str, None] = {}
    for each in (error, *causes):
        if isinstance(each, OSError) and each.strerror:
            # For a refused connection, asyncio puts the address into `strerror`; errors of name resolution have numbers
            # below 0.
            reasons[os.strerror(each.errno) if each.errno is not None and each.errno > 0 else each.strerror] = None
    return ", ".join(reasons) or "the connection was closed"


@dataclass(eq=False)
class JoinedRecords(ByteStream):
    """A TLS stream that returns all records received so far at once: servers send small ones, and waiting for each
    costs more than reading it.
    """

    inner: TLSStream
    _tls: ssl.SSLObject = field(init=False)

    def __post_init__(self) -> None:
        self._tls = self.inner.extra(TLSAttribute.ssl_object)  # noqa: S610 - no Django

    async def receive(self, max_bytes: int = CHUNK) -> bytes:
        """Return bytes, at least one.

        Raises:
            EndOfStream: there are no more.
        """
        data = await self.inner.receive(max_bytes)
        records = [data]
        left = max_bytes - len(data)
        try:
            while left and (data := self._tls.read(left)):
                records.append(data)
                left -= len(data)
        except (
            ssl.SSLWantReadError,
            ssl.SSLZeroReturnError,
        ):  # no more have come; the next read waits, or tells the end
            pass
        return b"".join(records)

    async def send(self, item: bytes) -> None:
        """Encrypt and send at once."""
        await self.inner.send(item)

    async def send_eof(self) -> None:
        """End this direction."""
        await self.inner.send_eof()

    async def aclose(self) -> None:
        """Close the stream below."""
        await self.inner.aclose()


@dataclass(eq=False)
class DeflateStream(ByteStream):
    """A stream whose both directions are compressed (COMPRESS=DEFLATE, RFC 4978).

    What one read gives is bounded, however much a few bytes unpack to.
    """

    inner: ByteStream
    received: bytes = b""
    """Compressed bytes that were received before."""
    _compressor: Any = field(default_factory=lambda: zlib.compressobj(wbits=-zlib.MAX_WBITS), init=False)
    _decompressor: Any = field(default_factory=lambda: zlib.decompressobj(wbits=-zlib.MAX_WBITS), init=False)
    _full: bool = field(default=False, init=False)
    """True if the last read filled the buffer: the decompressor may hold more."""

    async def receive(self, max_bytes: int = CHUNK) -> bytes:
        """Return bytes, at least one.

        Raises:
            ProtocolError: they are damaged.
            EndOfStream: there are no more.
        """
        while True:
            if not self.received and not self._full:
                self.received = await self.inner.receive()
            try:
                data: bytes = self._decompressor.decompress(self.received, max_bytes)
            except zlib.error as error:
                raise ProtocolError("what the server compressed is damaged") from error
            self.received = self._decompressor.unconsumed_tail
            self._full = len(data) == max_bytes
            if data:
                return data
            if self._decompressor.eof:
                raise anyio.EndOfStream

    async def send(self, item: bytes) -> None:
        """Compress and send at once."""
        await self.inner.send(self._compressor.compress(item) + self._compressor.flush(zlib.Z_SYNC_FLUSH))

    async def send_eof(self) -> None:
        """End this direction."""
        await self.inner.send_eof()

    async def aclose(self) -> None:
        """Close the stream below."""
        await self.inner.aclose()
