"""A server over a real socket that says what a test tells it, and checks what it is asked."""

from __future__ import annotations

import re
import ssl
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream

from memd.connectors.live.imap.connection import Connection


class Talk:
    """One connection, as the server sees it."""

    def __init__(self, stream: ByteStream) -> None:
        self.stream = stream
        self.tag = b""
        """Of the last command."""
        self._received = b""

    async def say(self, *lines: bytes) -> None:
        """Send lines; ``TAG`` in them stands for the tag of the last command."""
        await self.stream.send(b"".join(line.replace(b"TAG", self.tag) + b"\r\n" for line in lines))

    async def line(self) -> bytes:
        """The next line of the client, without its end."""
        while b"\r\n" not in self._received:
            self._received += await self.stream.receive()
        line, _, self._received = self._received.partition(b"\r\n")
        return line

    async def expect(self, pattern: bytes) -> None:
        """The next line is a command of this shape, behind its tag."""
        self.tag, _, command = (await self.line()).partition(b" ")
        assert re.fullmatch(pattern, command), (command, pattern)

    async def answer(self, pattern: bytes, *lines: bytes) -> None:
        """The next command has this shape; answer it."""
        await self.expect(pattern)
        await self.say(*lines, b"TAG OK done")

    async def encrypt(self, context: ssl.SSLContext) -> None:
        """TLS from here on."""
        self.stream = await TLSStream.wrap(
            self.stream, server_side=True, ssl_context=context, standard_compatible=False
        )


Script = Callable[[Talk], Awaitable[None]]


@asynccontextmanager
async def serving(script: Script, context: ssl.SSLContext | None = None) -> AsyncGenerator[int, None]:
    """The port of a server that follows a script on each connection, then closes it. A script that fails fails the test."""
    failure: Exception | None = None
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)

    async def handle(stream: ByteStream) -> None:
        async with stream:
            talk = Talk(stream)
            try:
                if context is not None:
                    await talk.encrypt(context)
                await script(talk)
            except (anyio.EndOfStream, anyio.BrokenResourceError, ssl.SSLError):
                return  # the client has gone
            finally:
                with anyio.CancelScope(shield=True):  # a close that is cancelled leaves open what is not sent yet
                    await talk.stream.aclose()

    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        try:
            yield int(listener.extra(anyio.abc.SocketAttribute.local_port))
        except Exception as error:  # noqa: BLE001 - it is raised again, outside of the group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


@asynccontextmanager
async def connected(script: Script, silence_s: float = 5.0) -> AsyncGenerator[Connection, None]:
    """A connection to a scripted server, without TLS and login."""
    async with serving(script) as port:
        connection = Connection(await anyio.connect_tcp("127.0.0.1", port), user="ann", silence_s=silence_s)
        try:
            yield connection
        finally:
            await connection.aclose()


def certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate for a server of that name at 127.0.0.1, which it signs itself, and the server's side of it."""
    chain, key = folder / f"{name}.pem", folder / f"{name}.key"
    alternative = f"DNS:{name}" if name != "127.0.0.1" else "IP:127.0.0.1"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            f"/CN={name}",
            "-addext",
            f"subjectAltName={alternative}",
            "-addext",
            "keyUsage=critical,digitalSignature,keyCertSign",
            "-keyout",
            str(key),
            "-out",
            str(chain),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(chain, key)
    return chain, context
