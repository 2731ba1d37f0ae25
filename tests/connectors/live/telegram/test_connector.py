"""A bot that is pulled, from a Bot API on a real socket: nothing lost, nothing confirmed too early, no token told."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, cast

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.errors import (
    AuthorizationError,
    ConflictError,
    RateLimitError,
    UnavailableError,
    UntrustedCertificateError,
)
from memd.connectors.live.contract import Batch
from memd.connectors.live.telegram.connector import TelegramAccount
from memd.connectors.live.telegram.cursor import RANDOM_AFTER_S, Position
from memd.connectors.live.telegram.polling import BotServer
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.read_path import read_records
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.search_types import Filter
from memd.schemas import ConversationDocument, ConversationMessage
from memd.schemas.errors import ConfigError, MemdError
from memd.tests.cases import for_each
from memd.tests.connectors.live.imap.scripted_server import Talk, certificate, serving
from memd.tests.connectors.live.telegram.bot_api import BOT, GROUP, START, TOKEN, BotApi, message

pytestmark = pytest.mark.anyio

OPTIONS = ReadOptions(zone=UTC, zone_origin="option", me="Ann Fox")
CHAT = "channel1234567890"


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A server without updates."""
    with BotApi() as running:
        yield running


def account(api: BotApi, now: float = START) -> TelegramAccount:
    """What reads the bot."""
    return TelegramAccount(BotServer(api.url), TOKEN, OPTIONS, lambda: now)


async def pulled(account: TelegramAccount, cursor: str | None = None) -> list[Batch]:
    """Every batch, but the last, which only notes that Telegram was asked."""
    async with aclosing(account.pull(cursor)) as batches:
        every = [each async for each in batches]
    assert (every[-1].documents, json.loads(every[-1].cursor or "")["asked_at"] > 0) == ((), True)
    return every[:-1]


def messages(batches: list[Batch]) -> list[ConversationMessage]:
    """All messages, in their order."""
    documents = [cast("ConversationDocument", each) for batch in batches for each in batch.documents]
    return [each for document in documents for each in document.conversation.conversation]


@pytest.mark.slow
async def test_everything_comes_once_and_is_confirmed_when_it_is_kept(api: BotApi) -> None:
    """A hundred at a time; the last are confirmed by the question that finds nothing more."""
    for number in range(250):
        api.say(number + 1, f"text {number}")
    batches = await pulled(account(api))
    assert [each.content for each in messages(batches)] == [f"text {number}" for number in range(250)]
    assert [len(messages([batch])) for batch in batches] == [100, 100, 50]
    assert api.updates == []
    assert await pulled(account(api), batches[-1].cursor) == []
    assert batches[0].documents[0].id == f"telegram:{CHAT}:2024-01-15"


@pytest.mark.slow
async def test_what_is_not_kept_comes_again(api: BotApi) -> None:
    """The daemon ends between a batch and its resumption: nothing of it was confirmed, and the old cursor gives it again."""
    for number in range(150):
        api.say(number + 1, f"text {number}")
    async with aclosing(account(api).pull(None)) as batches:
        first = await anext(batches)
    assert len(api.updates) == 150
    again = await pulled(account(api), None)
    assert messages(again)[:100] == messages([first])
    assert len(messages(again)) == 150


@pytest.mark.slow
async def test_a_kill_behind_the_saved_cursor_loses_nothing(api: BotApi) -> None:
    """Batch and cursor are kept, the confirmation was never sent: the next question confirms, and what follows comes once."""
    for number in range(3):
        api.say(number + 1, f"text {number}")
    async with aclosing(account(api).pull(None)) as batches:
        kept = await anext(batches)
    api.say(4, "text 3")
    assert [each.content for each in messages(await pulled(account(api), kept.cursor))] == ["text 3"]


@pytest.mark.slow
async def test_ids_that_became_random_lose_nothing(api: BotApi) -> None:
    """After a week without updates the next id is smaller than the cursor: no offset is sent that would confirm it."""
    api.say(1, "before")
    (kept,) = await pulled(account(api))
    api.next_id = 10
    api.say(2, "after")
    later = account(api, START + RANDOM_AFTER_S)
    batches = await pulled(later, kept.cursor)
    assert [each.content for each in messages(batches)] == ["after"]
    assert [each.code for each in batches[0].notices] == ["privacy-mode", "updates-may-be-missing"]
    assert json.loads(batches[0].cursor or "")["offset"] == 12
    assert api.updates == []


@pytest.mark.slow
async def test_a_silent_bot_that_was_asked_misses_nothing(api: BotApi) -> None:
    """What Telegram keeps counts from the last time it answered, not from the last update; a day without asking is told, also
    where nothing comes.
    """
    api.privacy = False
    api.say(1, "before")
    (kept,) = await pulled(account(api))
    day = 24 * 3600

    async def asked(days: float, cursor: str | None) -> tuple[list[str], str | None]:
        async with aclosing(account(api, START + int(days * day)).pull(cursor)) as batches:
            every = [each async for each in batches]
        return [notice.code for each in every for notice in each.notices], every[-1].cursor

    told, cursor = await asked(0.9, kept.cursor)
    assert told == []
    told, cursor = await asked(1.8, cursor)
    assert told == []
    told, cursor = await asked(3, cursor)
    assert told == ["updates-may-be-missing"]
    api.say(2, "after")
    assert (await asked(3.5, cursor))[0] == []


@pytest.mark.slow
async def test_a_cursor_is_that_of_one_bot(api: BotApi) -> None:
    """Another bot's, or one that cannot be read, is no cursor: everything that is not confirmed comes."""
    api.say(1, "text")
    for cursor in (Position(bot=1, offset=5000, last_update_at=START).to_text(), "nonsense", '{"v": 9}', "[]"):
        async with aclosing(account(api).pull(cursor)) as batches:
            assert [each.content for each in messages([await anext(batches)])] == ["text"]


async def test_only_whole_messages_are_asked_for(api: BotApi) -> None:
    """Updates that hold no message are not sent, so none is passed over."""
    await pulled(account(api))
    assert json.loads(api.asked[0]["allowed_updates"]) == [
        "message",
        "edited_message",
        "channel_post",
        "edited_channel_post",
    ]


async def test_a_bot_that_sees_all_of_its_groups_says_nothing(api: BotApi) -> None:
    """The notice is for those in privacy mode."""
    api.privacy = False
    api.say(1, "text")
    assert [batch.notices for batch in await pulled(account(api))] == [()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("limit", RateLimitError, "too many requests"),
        ("conflict", ConflictError, "another program reads this bot"),
        ("error", UnavailableError, "cannot be reached, or failed"),
        ("cut", UnavailableError, "cannot be reached, or failed"),
        ("garbage", UnavailableError, "nonsense|failed"),
        ("list", UnavailableError, "no list of updates"),
    ],
)
async def test_refusals_are_errors_with_what_to_do(
    api: BotApi, fault: str, error: type[MemdError], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Each says what the daemon does about it; after it everything is still there."""
    caplog.set_level(logging.DEBUG)
    api.say(1, "the zeppelin landed")
    api.faults.append(fault)
    with pytest.raises(error, match=words) as caught:
        await pulled(account(api))
    if isinstance(caught.value, RateLimitError):
        assert caught.value.retry_after_s == 7
    assert len(messages(await pulled(account(api)))) == 1
    for told in (str(caught.value), caught.value.hint, repr(caught.value.__cause__), caplog.text):
        assert TOKEN not in told
        assert "zeppelin" not in told


async def test_a_server_whose_certificate_nobody_trusts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The token is not sent to it, and it is not asked again by itself."""
    caplog.set_level(logging.DEBUG)
    asked: list[bytes] = []

    async def script(talk: Talk) -> None:
        asked.append(await talk.line())

    _, context = certificate(tmp_path, "127.0.0.1")
    async with serving(script, context) as port:
        reads = TelegramAccount(BotServer(f"https://127.0.0.1:{port}"), TOKEN, OPTIONS)
        with pytest.raises(UntrustedCertificateError, match="not trusted") as caught:
            await pulled(reads)
    assert asked == []
    assert TOKEN not in f"{caught.value} {caught.value.hint} {caught.value.__cause__!r} {caplog.text}"


async def test_a_token_that_is_not_valid_is_told_without_it(api: BotApi, caplog: pytest.LogCaptureFixture) -> None:
    """Revoked, empty or wrong: the login says so, and no log or error has the token."""
    caplog.set_level(logging.DEBUG)
    api.token = "another"
    for token in (TOKEN, "", "not a token"):
        with pytest.raises(AuthorizationError, match="token") as caught:
            await pulled(TelegramAccount(BotServer(api.url), token, OPTIONS))
        assert "@BotFather" in caught.value.hint
        assert TOKEN not in f"{caught.value}{caught.value.__cause__!r}{caplog.text}"


async def test_nobody_is_there() -> None:
    """A server that cannot be reached may be there later."""
    with pytest.raises(UnavailableError, match="cannot be reached"):
        await pulled(TelegramAccount(BotServer("http://127.0.0.1:9"), TOKEN, OPTIONS))


@for_each(["http://example.org", "ftp://127.0.0.1/x", "https://ann:secret@example.org", "example.org", ""])
def test_the_token_goes_to_no_server_in_the_clear(address: str) -> None:
    """Only https, or this machine."""
    with pytest.raises(ConfigError, match="Bot API server"):
        BotServer(address)


@pytest.mark.slow
@pytest.mark.parametrize("number", [-99999, True, 2**60, "7", None])
async def test_an_id_that_none_can_be_is_never_confirmed(api: BotApi, number: object) -> None:
    """A negative one would tell Telegram to drop what came before; the cursor stays where it was."""
    api.updates.append({"update_id": number, "message": message(1, text="a")})
    with pytest.raises(UnavailableError, match="no list of updates"):
        await pulled(account(api))


async def test_a_server_that_confirms_nothing_ends_the_reading(api: BotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it gives again is not read for ever."""
    api.say(1, "text")
    given = list(api.updates)
    answer = api.answer

    def forgetful(method: str, asked: dict[str, Any]) -> tuple[int, Any]:
        api.updates = list(given)
        return answer(method, {**asked, "offset": 0})

    monkeypatch.setattr(api, "answer", forgetful)
    async with aclosing(account(api).pull(None)) as batches:
        assert len(messages([await anext(batches)])) == 1
        with pytest.raises(UnavailableError, match="again"):
            await anext(batches)


async def test_what_is_on_this_machine_goes_through_no_proxy(api: BotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token would be told to it."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    api.say(1, "text")
    assert len(messages(await pulled(account(api)))) == 1


@pytest.mark.slow
async def test_an_edit_replaces_and_keeps_the_old_text(api: BotApi, tmp_path: Path) -> None:
    """In the same batch, and in a later one."""
    api.say(1, "at six")
    api.push(edited_message=message(1, text="at seven", edit_date=START + 600))
    (batch,) = await pulled(account(api))
    (edited,) = messages([batch])
    assert (edited.content, edited.edited) == ("at seven", True)
    assert [each.content for each in edited.edits] == ["at six"]
    async with opened(tmp_path) as memory:
        await memory.write(batch.documents)
        api.push(edited_message=message(1, text="at eight", edit_date=START + 700))
        await memory.write((await pulled(account(api), batch.cursor))[0].documents)
        (stored,) = (await everything(memory))[0].conversation.conversation
        assert (stored.content, [each.content for each in stored.edits]) == ("at eight", ["at six", "at seven"])


async def test_an_update_of_another_kind_is_rejected_by_its_id(api: BotApi) -> None:
    """The others of its batch come."""
    number = api.push(future_kind={"x": 1})
    api.push(message={"message_id": 5, "date": START, "text": "without a chat"})
    api.say(1, "text")
    (batch,) = await pulled(account(api))
    assert [each.content for each in messages([batch])] == ["text"]
    assert [(each.locator, each.reason) for each in batch.rejected] == [
        (f"telegram:@keeper_bot: update {number}", "an update of another kind: future_kind"),
        (f"telegram:@keeper_bot: update {number + 1}", "it names no chat"),
    ]


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[EvolvingMemory, None]:
    """A real memory."""
    async with open_store(path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        yield memory


async def everything(memory: EvolvingMemory) -> list[ConversationDocument]:
    """All documents."""
    found = [document async for documents in exported_documents(memory.database, Filter()) for document in documents]
    return [each for each in found if isinstance(each, ConversationDocument)]


EXPORT = {
    "name": "Boats",
    "type": "private_supergroup",
    "id": 1234567890,
    "messages": [
        {"id": number, "type": "message", "date": "2024-01-15T12:00:00", "date_unixtime": str(START + 60 * number),
         "from": "Bob Reed", "from_id": "user7", "text": text, "text_entities": []}
        for number, text in ((1, "the zeppelin landed"), (2, ["see ", {"type": "text_link", "text": "here", "href": "https://a.example"}]), (3, "late"))
    ],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("order", ["export first", "bot first"])
async def test_an_export_and_the_bot_are_one_memory(api: BotApi, tmp_path: Path, order: str) -> None:
    """The messages of a supergroup have the same ids in both: each is kept once, whichever comes first."""
    path = tmp_path / "result.json"
    path.write_text(json.dumps(EXPORT), encoding="utf-8")
    exported = [
        each for each in read_records(open_source(str(path)), OPTIONS) if isinstance(each, ConversationDocument)
    ]
    api.say(1, "the zeppelin landed")
    api.push(
        message=message(
            2, text="see here", entities=[{"type": "text_link", "offset": 4, "length": 4, "url": "https://a.example"}]
        )
    )
    api.say(4, "only live")
    (batch,) = await pulled(account(api))
    both = [exported, list(batch.documents)]
    async with opened(tmp_path / "store") as memory:
        first, second = both if order == "export first" else both[::-1]
        await memory.write(first)
        report = await memory.write(second)
        assert (report.added, report.updated) == (1, 0)
        (document,) = await everything(memory)
    assert document.id == f"telegram:{CHAT}:2024-01-15"
    told = [(each.speaker, each.content, each.id) for each in document.conversation.conversation]
    assert told == [
        ("Bob Reed", "the zeppelin landed", "1"),
        ("Bob Reed", "see here", "2"),
        ("Bob Reed", "late", "3"),
        ("Bob Reed", "only live", "4"),
    ]


async def test_chats_that_count_by_account_are_kept_apart_from_exports(api: BotApi) -> None:
    """In a basic group and with a person the bot's ids are its own; the key names the bot."""
    api.push(message=message(1, text="a", chat={"id": -55, "type": "group", "title": "Small"}))
    api.push(message=message(1, text="b", chat={"id": 7, "type": "private", "first_name": "Bob", "last_name": "Reed"}))
    api.push(
        channel_post={
            "message_id": 1,
            "date": START,
            "chat": {**GROUP, "type": "channel"},
            "sender_chat": GROUP,
            "text": "c",
        }
    )
    (batch,) = await pulled(account(api))
    documents = [cast("ConversationDocument", each) for each in batch.documents]
    assert [(each.id.rpartition(":")[0], each.metadata["title"]) for each in documents] == [
        (f"telegram:chat55@bot{BOT}", "Small"),
        (f"telegram:user7@bot{BOT}", "Bob Reed"),
        (f"telegram:{CHAT}", "Boats"),
    ]
    assert [each.conversation.conversation[0].speaker for each in documents] == ["Bob Reed", "Bob Reed", "Boats"]
    assert documents[0].conversation.people == ("Bob Reed", "Ann Fox")
    assert json.loads(documents[0].metadata["identities"]) == {"Bob Reed": ["id:@bobreed", "id:user7"]}
