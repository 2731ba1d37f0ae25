"""Commands and responses over a real socket: several at once, interrupted, compressed, and with what goes wrong."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator

import anyio
import pytest
from anyio.abc import ByteStream

from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError
from memd.connectors.live.imap import connection as connection_module
from memd.connectors.live.imap.commands import Command, Text
from memd.connectors.live.imap.connection import Done
from memd.connectors.live.imap.errors import ProtocolError
from memd.connectors.live.imap.refusals import CommandRefusedError
from memd.connectors.live.imap.responses import Count, Fetch, Status, Vanished
from memd.connectors.live.imap.transport import DeflateStream
from memd.connectors.live.imap.uid_set import UidSet
from memd.tests.connectors.live.imap.scripted_server import Talk, connected

pytestmark = pytest.mark.anyio


async def test_a_command_gives_its_responses() -> None:
    """Those before its end, and the end as the last."""

    async def script(talk: Talk) -> None:
        await talk.answer(rb'EXAMINE "a \\"folder\\""', b"* 3 EXISTS", b"* OK [UIDVALIDITY 7] ok")

    async with connected(script) as connection:
        exists, validity, end = await connection.run(b"EXAMINE", Text(b'a "folder"'))
    assert exists == Count("EXISTS", 3)
    assert isinstance(validity, Status)
    assert isinstance(end, Status)
    assert (end.tag, end.kind) == ("m1", "OK")


async def test_four_commands_are_on_their_way() -> None:
    """The fifth is sent when the first is answered; each ends as its own, in whatever order."""
    sent: list[int] = []

    async def script(talk: Talk) -> None:
        for _ in range(4):
            await talk.expect(rb"UID FETCH \d \(FLAGS\)")
        with anyio.move_on_after(0.1):
            await talk.line()
            sent.append(5)
        await talk.say(b"* 1 FETCH (UID 1 FLAGS ())", b"m2 OK done", b"m1 NO [NONEXISTENT] gone")
        await talk.expect(rb"UID FETCH 5 \(FLAGS\)")
        await talk.say(b"m3 OK done", b"m4 OK done", b"m5 OK done")

    commands = [Command.of(b"UID FETCH", b"%d" % number, b"(FLAGS)") for number in range(1, 6)]
    async with connected(script) as connection:
        found = [each async for each in connection.pipeline(commands)]
    ended = [each for each in found if isinstance(each, Done)]
    assert not sent
    assert [commands.index(each.command) for each in ended] == [1, 0, 2, 3, 4]
    assert [each.status.kind for each in ended] == ["OK", "NO", "OK", "OK", "OK"]
    assert [type(each) for each in found[:1]] == [Fetch]


async def test_long_commands_go_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on its way fits into buffers, so that nobody waits for the other for ever."""
    monkeypatch.setattr(connection_module, "IN_FLIGHT_BYTES", 30)

    async def script(talk: Talk) -> None:
        for _ in range(3):
            await talk.expect(rb"NOOP x+")
            with pytest.raises(TimeoutError):
                with anyio.fail_after(0.05):
                    await talk.line()
            await talk.say(b"TAG OK done")

    async with connected(script) as connection:
        found = [each async for each in connection.pipeline([Command.of(b"NOOP", b"x" * 20)] * 3)]
    assert len(found) == 3


async def test_a_pipeline_that_is_left_breaks_the_connection() -> None:
    """The answers of what was sent would be taken for those of the next command."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"NOOP")
        await talk.say(b"* 1 EXISTS")
        await talk.line()

    async with connected(script) as connection:
        found = connection.pipeline([Command.of(b"NOOP")])
        assert await anext(found) == Count("EXISTS", 1)
        await found.aclose()
        with pytest.raises(UnavailableError, match="cannot be used any more"):
            await connection.run(b"NOOP")


@pytest.mark.parametrize("capability", [b"", b"LITERAL+", b"LITERAL-"])
async def test_texts_that_cannot_be_quoted_are_literals(capability: bytes) -> None:
    """The server is asked first, unless it said that it need not be."""

    async def script(talk: Talk) -> None:
        await talk.answer(b"CAPABILITY", b"* CAPABILITY IMAP4rev1 " + capability)
        await talk.expect(rb"LOGIN \{6\+?\}")
        if not capability:
            with pytest.raises(TimeoutError):
                with anyio.fail_after(0.05):
                    await talk.line()
            await talk.say(b"+ go on")
        assert await talk.line() == "Zoë12".encode()
        await talk.say(b"TAG OK done")

    async with connected(script) as connection:
        await connection.run(b"CAPABILITY")
        await connection.run(b"LOGIN", Text("Zoë12".encode()))


async def test_a_literal_may_be_refused() -> None:
    """Then nothing of it is sent."""

    async def script(talk: Talk) -> None:
        await talk.expect(rb"LOGIN \{4\}")
        await talk.say(b"TAG NO [LIMIT] later")
        await talk.answer(b"NOOP")

    async with connected(script) as connection:
        with pytest.raises(RateLimitError):
            await connection.run(b"LOGIN", Text("Zoë".encode()))
        await connection.run(b"NOOP")


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (b"TAG NO [NONEXISTENT] no such folder", CommandRefusedError),
        (b"TAG BAD what", CommandRefusedError),
        (b"TAG NO [UNAVAILABLE] try later", RateLimitError),
        (b"TAG NO [THROTTLED] slowly", RateLimitError),
        (b"TAG NO [EXPIRED] who are you", AuthorizationError),
        (b"* BYE shutting down", UnavailableError),
        (b"* BYE [LIMIT] too many connections", RateLimitError),
        (b"x9 OK done", ProtocolError),
        (b"+ more", ProtocolError),
        (b"<html>", ProtocolError),
    ],
)
async def test_each_end_has_its_error(end: bytes, error: type[Exception]) -> None:
    """So that the caller knows whether to ask again, to wait, or to tell somebody."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"EXAMINE x")
        await talk.say(end)
        await talk.line()

    async with connected(script) as connection:
        with pytest.raises(error) as caught:
            await connection.run(b"EXAMINE", b"x")
        assert type(caught.value) is error


async def test_an_error_names_neither_account_nor_folder() -> None:
    """Of a refused command the code is told; of a goodbye also the words, without the account and addresses."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"EXAMINE x")
        await talk.say(b"TAG NO [NOPERM] may not read Secret")
        await talk.expect(b"EXAMINE x")
        await talk.say(b"* BYE Ann\x07 (ann@example.org) must go " + b"x" * 500)

    async with connected(script) as connection:
        with pytest.raises(CommandRefusedError) as caught:
            await connection.run(b"EXAMINE", b"x")
        assert (caught.value.code, caught.value.message) == ("NOPERM", "the server refused EXAMINE [NOPERM]")
        with pytest.raises(UnavailableError) as ended:
            await connection.run(b"EXAMINE", b"x")
    assert ended.value.message.startswith('the server closed the connection: "… (…) must go xxx')
    assert len(ended.value.message) < 300


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (b"", "the server closed the connection"),
        (b"* 1 FETCH (BODY[] {100}\r\nabc", "the server closed the connection in the middle of a response"),
    ],
    ids=["between responses", "in a literal"],
)
async def test_a_connection_that_is_cut_is_told(words: bytes, reason: str) -> None:
    """Half a mail is no mail."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"NOOP")
        await talk.stream.send(words or b"* 1 EXISTS\r\n")

    async with connected(script) as connection:
        with pytest.raises(UnavailableError) as caught:
            await connection.run(b"NOOP")
        assert caught.value.message == reason
        with pytest.raises(UnavailableError, match="cannot be used any more: the server closed"):
            await connection.run(b"NOOP")


@pytest.mark.slow
async def test_a_server_that_says_nothing_is_gone() -> None:
    """After a while without a byte, not after a while in all."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"NOOP")
        for _ in range(6):
            await anyio.sleep(0.1)
            await talk.say(b"* OK still working")
        await talk.say(b"TAG OK done")
        await talk.expect(b"NOOP")
        await anyio.sleep_forever()

    async with connected(script, silence_s=0.4) as connection:
        await connection.run(b"NOOP")
        with pytest.raises(UnavailableError, match="said nothing"):
            await connection.run(b"NOOP")


async def test_idle_tells_changes_and_is_asked_anew() -> None:
    """Words that change nothing do not end it; it ends when the server has answered DONE."""
    rounds: list[bytes] = []

    async def script(talk: Talk) -> None:
        await talk.expect(b"IDLE")
        await talk.say(b"+ idling", b"* OK Still here")
        rounds.append(await talk.line())
        await talk.say(b"TAG OK done")
        await talk.expect(b"IDLE")
        await talk.say(b"+ idling", b"* OK Still here", b"* 0 RECENT", b"* 5 EXISTS")
        rounds.append(await talk.line())
        await talk.say(b"* VANISHED 3", b"TAG OK done")
        await talk.answer(b"NOOP")

    async with connected(script) as connection:
        changes = await connection.idle(rearm_s=0.2)
        await connection.run(b"NOOP")
    assert rounds == [b"DONE", b"DONE"]
    assert changes == [Count("EXISTS", 5), Vanished(UidSet(((3, 3),)), earlier=False)]


@pytest.mark.slow
async def test_idle_may_be_silent_longer_than_an_answer() -> None:
    """Nobody owes anything while nothing changes; a refusal is told."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"IDLE")
        await talk.say(b"+ idling")
        await anyio.sleep(0.4)
        await talk.say(b"* 5 EXISTS")
        assert await talk.line() == b"DONE"
        await talk.say(b"TAG OK done")
        await talk.expect(b"IDLE")
        await talk.say(b"TAG NO not now")

    async with connected(script, silence_s=0.2) as connection:
        assert await connection.idle() == [Count("EXISTS", 5)]
        with pytest.raises(CommandRefusedError):
            await connection.idle()


async def test_a_compressed_connection() -> None:
    """Both directions, from the answer on; a mail of any size passes."""
    body = b"The same words over and over. " * 100_000

    async def script(talk: Talk) -> None:
        await talk.expect(b"COMPRESS DEFLATE")
        # What follows in the same packet is compressed already.
        captured = _Pieces([])
        packed = DeflateStream(captured)
        await packed.send(b"* 1 EXISTS\r\n")
        await talk.stream.send(talk.tag + b" OK done\r\n" + captured.sent)
        packed.inner = talk.stream
        talk.stream = packed
        await talk.answer(b"UID FETCH 1 BODY.PEEK", b"* 1 FETCH (UID 1 BODY[] {%d}" % len(body), body + b")")

    async with connected(script) as connection:
        await connection.compress()
        exists, mail, _ = await connection.run(b"UID FETCH", b"1", b"BODY.PEEK")
    assert exists == Count("EXISTS", 1)
    assert isinstance(mail, Fetch)
    text = mail.section("BODY[]")
    assert text is not None
    assert not isinstance(text, bytes)
    assert text.data == body


class _Pieces(ByteStream):
    """Gives some bytes, and keeps what is sent."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces
        self.sent = b""

    async def receive(self, max_bytes: int = 65536) -> bytes:  # noqa: ARG002
        if not self.pieces:
            raise anyio.EndOfStream
        return self.pieces.pop(0)

    async def send(self, item: bytes) -> None:
        self.sent += item

    async def send_eof(self) -> None: ...

    async def aclose(self) -> None: ...


async def _everything(stream: ByteStream) -> AsyncGenerator[bytes, None]:
    while True:
        try:
            yield await stream.receive()
        except anyio.EndOfStream:
            return


async def test_what_unpacks_to_much_comes_in_small_pieces() -> None:
    """A few bytes that unpack to many are no danger; damaged ones are told."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(b"\0" * 5_000_000) + packer.flush(zlib.Z_SYNC_FLUSH)
    pieces = [len(each) async for each in _everything(DeflateStream(_Pieces([bomb[:10], bomb[10:]])))]
    assert (sum(pieces), max(pieces) <= 65536) == (5_000_000, True)
    with pytest.raises(ProtocolError):
        await DeflateStream(_Pieces([b"\xff" * 50])).receive()


@pytest.mark.parametrize("idle", [False, True], ids=["a command", "IDLE"])
async def test_an_answer_without_an_end(monkeypatch: pytest.MonkeyPatch, idle: bool) -> None:
    """Is an error before it takes much memory, however short its lines are."""
    monkeypatch.setattr(connection_module, "ANSWER_BYTES", 100_000)

    async def script(talk: Talk) -> None:
        await talk.line()
        while True:
            await talk.say(*[b"* 1 EXISTS"] * 100)

    async with connected(script) as connection:
        with anyio.fail_after(20), pytest.raises(ProtocolError, match="more than 100000 bytes"):
            await (connection.idle() if idle else connection.run(b"NOOP"))
        with pytest.raises(UnavailableError, match="cannot be used any more"):
            await connection.run(b"NOOP")


async def test_cancelling_closes_what_was_asked() -> None:
    """A connection that was interrupted in a command is closed without waiting for the server."""

    async def script(talk: Talk) -> None:
        await talk.expect(b"NOOP")
        await anyio.sleep_forever()

    async with connected(script) as connection:
        with anyio.move_on_after(0.1) as scope:
            await connection.run(b"NOOP")
        assert scope.cancelled_caught
        with anyio.fail_after(2):
            await connection.log_out()


def test_a_text_with_a_nul_cannot_be_sent() -> None:
    """IMAP has no way to."""
    with pytest.raises(ValueError, match="NUL"):
        Command.of(b"LOGIN", Text(b"a\0b")).encoded(b"m1")
