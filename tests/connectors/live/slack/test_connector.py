"""A workspace that is pulled, over a real socket: nothing lost, old threads found, one memory with exports, no token told."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import cast

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.errors import AuthorizationError, RateLimitError, UnavailableError, UntrustedCertificateError
from memd.connectors.live.contract import Batch
from memd.connectors.live.slack import connector, listing, web_api
from memd.connectors.live.slack.connector import SlackAccount
from memd.connectors.live.slack.cursor import Position
from memd.connectors.live.slack.web_api import SlackServer
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.search_types import Filter
from memd.schemas import ConversationDocument, ConversationMessage
from memd.schemas.errors import ConfigError, MemdError
from memd.tests.cases import for_each
from memd.tests.connectors.live.imap.scripted_server import Talk, certificate, serving
from memd.tests.connectors.live.slack.workspace import TOKEN, Workspace
from memd.tests.connectors.slack import exports
from memd.tests.connectors.slack.exports import DAY, START, Json, channel, message, reply, stamp

pytestmark = pytest.mark.anyio

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
YEAR = 365 * DAY


class Clock:
    """Seconds since 1970, as long as nobody moves it."""

    def __init__(self) -> None:
        self.now = float(START + DAY)

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """A workspace without messages."""
    with Workspace() as running:
        yield running


@pytest.fixture
def clock(workspace: Workspace) -> Clock:
    """That of the account and of the server."""
    workspace.clock = Clock()
    return workspace.clock


def account(
    workspace: Workspace, clock: Clock | None = None, *, page: int = 999, chosen: tuple[str, ...] = ()
) -> SlackAccount:
    """What reads the workspace."""
    now = clock or Clock()
    return SlackAccount(SlackServer(workspace.url, silence_s=5), TOKEN, OPTIONS, chosen=chosen, page=page, now=now)


async def pulled(reads: SlackAccount, cursor: str | None = None, clock: Clock | None = None) -> list[Batch]:
    """Every batch; what is to be waited for passes on the clock."""
    found: list[Batch] = []
    async with aclosing(reads.pull(cursor)) as batches:
        async for batch in batches:
            found.append(batch)
            if batch.pause is not None:
                assert clock is not None
                clock.now += batch.pause.seconds
    return found


def messages(batches: list[Batch]) -> list[ConversationMessage]:
    """All messages, in their order."""
    documents = [cast("ConversationDocument", each) for batch in batches for each in batch.documents]
    return [each for document in documents for each in document.conversation.conversation]


def told(batches: list[Batch]) -> list[tuple[str, str]]:
    """The notices: code and place."""
    return [(each.code, each.locator) for batch in batches for each in batch.notices]


def cursor_of(batches: list[Batch]) -> str:
    """The last cursor."""
    return next(batch.cursor for batch in reversed(batches) if batch.cursor is not None)


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[EvolvingMemory, None]:
    """A real memory."""
    async with open_store(path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        yield memory


async def everything(memory: EvolvingMemory) -> dict[str, ConversationDocument]:
    """All documents by their ids."""
    found = [document async for documents in exported_documents(memory.database, Filter()) for document in documents]
    return {each.id: each for each in found if isinstance(each, ConversationDocument)}


async def test_a_conversation_is_read_from_its_newest_message_to_the_oldest(workspace: Workspace) -> None:
    """A page a batch; a cursor in between goes on there, and nothing comes twice."""
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(250)))
    batches = await pulled(account(workspace, page=100))
    assert [len(messages([batch])) for batch in batches if batch.documents] == [100, 100, 50]
    assert messages(batches)[0].content == "text 150"
    asked = [given for method, given in workspace.calls if method == "conversations.history"]
    assert len(asked) == 3
    again = await pulled(account(workspace, page=100), batches[0].cursor)
    assert sorted(int(each.content[5:]) for each in messages(again)) == list(range(150))
    assert messages(await pulled(account(workspace, page=100), cursor_of(batches))) == []


async def test_more_news_than_one_page_closes_the_gap(workspace: Workspace) -> None:
    """Also where the reading ends between the pages."""
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(20)))
    known = cursor_of(await pulled(account(workspace, page=100)))
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(20, 300)))
    async with aclosing(account(workspace, page=100).pull(known)) as batches:
        first = await anext(batches)
    workspace.add(message(60 * 300, "U0BO", "text 300"))
    rest = await pulled(account(workspace, page=100), first.cursor)
    assert sorted(int(each.content[5:]) for each in messages([first, *rest])) == list(range(20, 301))


async def test_a_cursor_that_slack_forgot_is_no_obstacle(workspace: Workspace) -> None:
    """The stamps tell the place, too."""
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(250)))
    async with aclosing(account(workspace, page=100).pull(None)) as batches:
        kept = json.loads((await anext(batches)).cursor or "")
    kept["channels"]["C0GEN"]["backfill_cursor"] = "bmV4dF90czox"
    rest = await pulled(account(workspace, page=100), json.dumps(kept))
    assert sorted(int(each.content[5:]) for each in messages(rest)) == list(range(150))
    assert told(rest) == []


@pytest.mark.parametrize("cursor", ["nonsense", "[]", '{"v": 9}', '{"v": 1, "team": "TOTHER", "user": "U0ANN"}'])
async def test_a_cursor_is_that_of_one_person_in_one_workspace(workspace: Workspace, cursor: str) -> None:
    """Another's, or one that cannot be read, is no cursor."""
    workspace.add(message(0, "U0BO", "text"))
    batches = await pulled(account(workspace), cursor)
    assert [each.content for each in messages(batches)] == ["text"]
    stored = json.loads(cursor_of(batches))
    assert (stored["v"], stored["team"], stored["user"]) == (1, "T0ACME", "U0ANN")
    assert stored["channels"] == {"C0GEN": {"newest": stamp(0)}}
    assert Position.of_text(cursor_of(batches)).to_text() == cursor_of(batches)


# --- threads ---


@pytest.mark.parametrize("indexed", [True, False], ids=["by search", "by reading once more"])
async def test_a_reply_to_a_message_of_two_years_ago_is_found(
    workspace: Workspace, clock: Clock, indexed: bool
) -> None:
    """History never tells it; search does, and where its index does not have the reply, the next reading of all."""
    clock.now = START + 2 * YEAR
    workspace.add(message(0, "U0ANN", "a question"), reply(60, "U0BO", "an early answer", 0))
    workspace.add(*(message(YEAR + 60 * number, "U0BO", f"text {number}") for number in range(20)))
    first = await pulled(account(workspace, clock, page=10))
    assert {"a question", "an early answer"} <= {each.content for each in messages(first)}
    workspace.indexed = lambda _reply: indexed
    workspace.add(reply(2 * YEAR + 60, "U0CY", "a late answer", 0))
    clock.now += 60 if indexed else DAY + 60
    second = await pulled(account(workspace, clock, page=10), cursor_of(first))
    late = [each for each in messages(second) if each.content == "a late answer"]
    assert [(each.thread, each.reply_to) for each in late] == [(f"C0GEN:{stamp(0)}", f"C0GEN:{stamp(0)}")]
    documents = {each.id for batch in second for each in batch.documents}
    assert f"slack:T0ACME:C0GEN:{stamp(0)}" in documents
    third = await pulled(account(workspace, clock, page=10), cursor_of(second))
    assert (
        "a late answer" in {each.content for each in messages(third)}
    ) == indexed  # may be indexed late: looked at twice


async def test_threads_stay_due_where_their_conversation_is_refused_for_now(workspace: Workspace) -> None:
    """Between two of them: the next reading has both, and what is gone is not asked for again."""
    for root in range(3):
        workspace.add(
            message(60 * root, "U0ANN", f"question {root}"), reply(3600 + root, "U0BO", f"answer {root}", 60 * root)
        )
    answer = workspace.answer

    def refusing(method: str, asked: Json) -> Json:
        if method == "conversations.replies" and asked["ts"] != stamp(0):
            return {"ok": False, "error": "not_in_channel" if asked["ts"] == stamp(60) else "thread_not_found"}
        return answer(method, asked)

    workspace.answer = refusing
    first = await pulled(account(workspace))
    assert ("not-read", "slack:#general") in told(first)
    assert set(Position.of_text(cursor_of(first)).threads_due) == {f"C0GEN:{stamp(0)}", f"C0GEN:{stamp(60)}"}
    workspace.answer = lambda method, asked: (
        {"ok": False, "error": "thread_not_found"} if asked.get("ts") == stamp(120) else answer(method, asked)
    )
    second = await pulled(account(workspace), cursor_of(first))
    assert {"answer 0", "answer 1"} <= {each.content for each in messages(second)}
    assert Position.of_text(cursor_of(second)).threads_due == {}


async def test_a_cursor_in_a_thread_that_slack_forgot_is_no_obstacle(workspace: Workspace) -> None:
    """The thread goes on behind the last message that is known."""
    workspace.add(message(0, "U0ANN", "a question"), *(reply(60 + n, "U0BO", f"reply {n}", 0) for n in range(50)))
    answer = workspace.answer

    def forgetful(method: str, asked: Json) -> Json:
        if method == "conversations.replies" and "cursor" in asked:
            return {"ok": False, "error": "invalid_cursor"}
        return answer(method, asked)

    workspace.answer = forgetful
    batches = await pulled(account(workspace, page=20))
    assert {f"reply {n}" for n in range(50)} <= {each.content for each in messages(batches)}
    assert Position.of_text(cursor_of(batches)).threads_due == {}


async def test_only_what_is_new_of_a_thread_is_read(workspace: Workspace, clock: Clock) -> None:
    """A thread of many replies is not read as a whole whenever somebody answers."""
    workspace.add(message(0, "U0ANN", "a question"), *(reply(60 + n, "U0BO", f"reply {n}", 0) for n in range(50)))
    clock.now = START + 7200
    first = await pulled(account(workspace, clock))
    assert len(messages(first)) == 52  # the first message comes in its page, and with its replies
    workspace.add(reply(9000, "U0CY", "another", 0))
    second = await pulled(account(workspace, clock), cursor_of(first))
    assert {each.content for each in messages(second)} == {"a question", "another"}


async def test_many_pages_of_search_are_asked_in_words_of_their_own(workspace: Workspace, clock: Clock) -> None:
    """Slack keeps the results of equal words; no page beyond the hundredth is asked for."""
    workspace.add(message(0, "U0ANN", "a question"))
    first = await pulled(account(workspace, clock))
    workspace.add(*(reply(DAY + 60 * number, "U0BO", f"reply {number}", 0) for number in range(250)))
    clock.now += 5 * 3600
    second = await pulled(account(workspace, clock), cursor_of(first))
    assert {f"reply {number}" for number in range(250)} <= {each.content for each in messages(second)}
    clock.now += 3600
    await pulled(account(workspace, clock), cursor_of(second))
    queries = [(given["query"], given["page"]) for method, given in workspace.calls if method == "search.messages"]
    assert [page for _, page in queries] == ["1", "2", "3", "1"]
    assert len({query for query, _ in queries}) == 2
    assert queries[0][0].startswith("threads:replies after:2024-01-14 ")


# --- limits ---


async def test_a_throttled_app_is_read_at_its_pace_over_restarts(workspace: Workspace, clock: Clock) -> None:
    """Fifteen messages a minute: with a notice, no question too early, and a new reader goes on where the last one stood."""
    workspace.throttled = True
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(100)))
    found: list[Batch] = []
    cursor: str | None = None
    for _ in range(20):  # the daemon ends after each third batch
        async with aclosing(account(workspace, clock).pull(cursor)) as batches:
            taken = 0
            async for batch in batches:
                found.append(batch)
                cursor = batch.cursor or cursor
                taken += 1
                if batch.pause is not None:
                    assert (batch.pause.usual, 0 < batch.pause.seconds <= 60) == (True, True)
                    clock.now += batch.pause.seconds
                if taken == 3:
                    break
            else:
                break
    assert sorted(int(each.content[5:]) for each in messages(found)) == list(range(100))
    assert ("throttled", "slack") in told(found)
    history = [method for method, _ in workspace.calls if method == "conversations.history"]
    assert len(history) == 7
    news = messages(await pulled(account(workspace, clock), cursor, clock))
    assert news == []


async def test_limits_are_waited_for_where_it_stands(workspace: Workspace, clock: Clock) -> None:
    """The lists are not read anew; what was read is kept before anybody waits."""
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(250)))
    batches: list[Batch] = []
    async with aclosing(account(workspace, clock, page=100).pull(None)) as pull:
        batches.append(await anext(pull))
        workspace.faults.extend([("limit", 7.0), ("limit", 8.0)])
        batches += [batch async for batch in pull]
    assert [each.pause.seconds for each in batches if each.pause] == [7.0, 8.0]
    assert [each.pause.usual for each in batches if each.pause] == [False, False]
    assert len(messages(batches)) == 250
    assert sum(method == "users.list" for method, _ in workspace.calls) == 1


async def test_lists_go_on_where_a_reading_ended(
    workspace: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workspace with more people than Slack lists in the time of one run would never be read; an old place is none."""
    monkeypatch.setattr(listing, "_PAGE", 2)
    workspace.users += [{"id": f"U1{n}", "name": f"person{n}", "team_id": "T0ACME"} for n in range(8)]
    workspace.add(message(0, "U17", "text"))
    answer, places = workspace.answer, list[str]()

    def slow(method: str, asked: Json) -> Json:
        if method == "users.list":
            places.append(base64.b64decode(asked.get("cursor", "")).decode() or "0")
            workspace.faults.append(("limit", 500.0))
        return answer(method, asked)

    workspace.answer = slow
    reads, batches = account(workspace, clock), list[Batch]()
    for _ in range(20):  # a run that has to wait ends
        async with aclosing(reads.pull(None)) as pull:
            async for batch in pull:
                batches.append(batch)
                if batch.pause is not None:
                    break
            else:
                break
        clock.now += 30
        if len(places) == 3:
            workspace.refused["users.list"] = {"ok": False, "error": "invalid_cursor"}
            async with aclosing(reads.pull(None)) as pull:
                await anext(pull)
            del workspace.refused["users.list"]
    pages = -(-len(workspace.users) // 2)
    assert [each.speaker for each in messages(batches)] == ["person7"]
    assert places[:3] == ["0", "2", "4"]
    assert places[-pages:] == [str(2 * n) for n in range(pages)]


async def test_a_look_waits_as_slack_wants_it(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for ever."""
    reads = account(workspace)
    answer = workspace.answer

    def limited(method: str, asked: Json) -> Json:
        if method == "auth.test":
            workspace.faults.append(("limit", 0.05))
        return answer(method, asked)

    workspace.answer = limited
    assert [each.name for each in (await reads.look()).parts] == ["#general"]
    monkeypatch.setattr(connector, "LOOK_WAIT_S", 0.01)
    with pytest.raises(RateLimitError) as caught:
        await reads.look()
    assert caught.value.retry_after_s == 0.05


# --- refusals ---


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("limit", RateLimitError, "too many requests"),
        ("error", UnavailableError, "cannot be reached, or failed"),
        ("cut", UnavailableError, "cannot be reached, or failed"),
        ("garbage", UnavailableError, "nonsense"),
        ("internal_error", UnavailableError, "failed"),
        ("huge", UnavailableError, "failed"),
        ("token_revoked", AuthorizationError, "token_revoked"),
        ("invalid_auth", AuthorizationError, "does not accept the token"),
        ("account_inactive", AuthorizationError, "account_inactive"),
    ],
)
async def test_refusals_are_errors_with_what_to_do(
    workspace: Workspace,
    fault: str,
    error: type[MemdError],
    words: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each says what the daemon does about it; no error and no log has the token or a message."""
    monkeypatch.setattr(web_api, "LARGEST_ANSWER", 1 << 20)
    monkeypatch.setattr("memd.connectors.live.slack.bounded_response.LARGEST_ANSWER", 1 << 20)
    caplog.set_level(logging.DEBUG)
    workspace.add(message(0, "U0BO", "the zeppelin landed"))
    workspace.faults.append((fault, 4.0))
    with pytest.raises(error, match=words) as caught:
        await pulled(account(workspace))
    if isinstance(caught.value, RateLimitError):
        assert caught.value.retry_after_s == 4
    assert len(messages(await pulled(account(workspace)))) == 1
    for each in (str(caught.value), caught.value.hint, repr(caught.value.__cause__), caplog.text):
        assert TOKEN not in each
        assert "zeppelin" not in each


@pytest.mark.parametrize("token", ["", "not a token", "xoxb-1-of-a-bot", "xoxp-with blank", "xoxp-ä"])
async def test_what_is_no_token_of_a_person_is_not_sent(workspace: Workspace, token: str) -> None:
    """A bot's sees only channels that it was invited to."""
    reads = SlackAccount(SlackServer(workspace.url), token, OPTIONS)
    with pytest.raises(AuthorizationError, match="token") as caught:
        await pulled(reads)
    assert "xoxp" in caught.value.hint
    assert workspace.calls == []


async def test_nobody_is_there() -> None:
    """A server that cannot be reached may be there later."""
    with pytest.raises(UnavailableError, match="cannot be reached"):
        await pulled(SlackAccount(SlackServer("http://127.0.0.1:9/api/"), TOKEN, OPTIONS))


async def test_a_server_whose_certificate_nobody_trusts(tmp_path: Path) -> None:
    """The token is not sent to it, and it is not asked again by itself."""
    asked: list[bytes] = []

    async def script(talk: Talk) -> None:
        asked.append(await talk.line())

    _, context = certificate(tmp_path, "127.0.0.1")
    async with serving(script, context) as port:
        with pytest.raises(UntrustedCertificateError, match="not trusted"):
            await pulled(SlackAccount(SlackServer(f"https://127.0.0.1:{port}/api/"), TOKEN, OPTIONS))
    assert asked == []


@for_each(["http://example.org", "ftp://127.0.0.1/x", "https://a:b@example.org", "example.org", ""])
def test_the_token_goes_to_no_server_in_the_clear(address: str) -> None:
    """Only https, or this machine."""
    with pytest.raises(ConfigError, match="Slack's API"):
        SlackServer(address)


async def test_what_is_on_this_machine_goes_through_no_proxy(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token would be told to it."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    workspace.add(message(0, "U0BO", "text"))
    assert len(messages(await pulled(account(workspace)))) == 1


async def test_what_is_refused_is_named_and_the_rest_is_read(workspace: Workspace) -> None:
    """A scope that the app lacks, a channel that the person left: each once, by its place."""
    lacks = {"ok": False, "error": "missing_scope", "needed": "groups:read", "provided": "channels:read"}
    workspace.channels.append(channel("C0OLD", "old", is_channel=True, is_member=True))
    workspace.refused |= {
        "private_channel": lacks,
        "C0OLD": {"ok": False, "error": "not_in_channel"},
        "search.messages": {**lacks, "needed": "search:read"},
    }
    workspace.add(message(0, "U0BO", "text"))
    first = await pulled(account(workspace))
    second = await pulled(account(workspace), cursor_of(first))
    assert [each.content for each in messages(first)] == ["text"]
    assert told(first) == [("not-read", "slack: private channels"), ("not-read", "slack:#old")]
    hints = [each.hint for batch in second for each in batch.notices]
    assert hints[0] == "missing_scope: the app lacks the scope groups:read"
    assert hints[1] == "not_in_channel"
    assert hints[2].startswith("missing_scope: the app lacks the scope search:read; replies in old threads are found")


async def test_a_server_that_gives_the_same_again_ends_the_reading(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not read for ever."""
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(40)))
    answer = workspace.answer

    def forgetful(method: str, asked: Json) -> Json:
        return answer(method, {name: each for name, each in asked.items() if name not in ("cursor", "latest")})

    monkeypatch.setattr(workspace, "answer", forgetful)
    with pytest.raises(UnavailableError, match="again"):
        await pulled(account(workspace, page=20))


# --- what there is ---


async def test_a_look_shows_whose_token_it_is_and_what_would_be_read(workspace: Workspace) -> None:
    """Conversations the person is in, those that are left out with the reason, and what the token permits."""
    workspace.channels += [
        channel("C0ELSE", "elsewhere", is_channel=True, is_member=False),
        channel("C0DONE", "done", is_channel=True, is_member=False, is_archived=True),
        {"id": "D0BO", "is_im": True, "user": "U0BO"},
        {"id": "G0ALL", "name": "mpdm-ann--bo--cy-1", "is_mpim": True, "is_group": True},
    ]
    view = await account(workspace).look()
    assert [(each.name, each.left_out) for each in view.parts] == [
        ("#general", ""),
        ("#elsewhere", "not a member"),
        ("#done", "archived"),
        ("Bo Example, cy!", ""),
        ("Bo Example", ""),
    ]
    assert view.notes[0] == "the token is that of Ann in Acme (https://acme.slack.com/); nothing is changed there"
    assert view.notes[1] == "it permits: channels:history, channels:read, search:read, users:read"
    assert view.notes[2].startswith("it does not permit: groups:history, groups:read")
    view = await account(workspace, chosen=("elsewhere", "#nowhere")).look()
    assert [(each.name, each.left_out) for each in view.parts][:2] == [("#general", "not chosen"), ("#elsewhere", "")]
    assert view.notes[-1] == "the workspace shows no conversation '#nowhere'"


async def test_lone_surrogates_and_odd_records_cost_themselves(workspace: Workspace) -> None:
    """What cannot be read is rejected by its place."""
    workspace.add(message(0, "U0BO", "half \ud83d of it"), message(60, "U0BO", "whole"))
    workspace.messages["C0GEN"].insert(0, {"type": "message", "text": "never", "user": "U0BO", "ts": "x"})
    answer = workspace.messages["C0GEN"][0]
    answer["ts"] = "999999999999.000000"
    batches = await pulled(account(workspace))
    assert [each.content for each in messages(batches)] == ["half \ufffd of it", "whole"]
    rejected = [each for batch in batches for each in batch.rejected]
    assert [(each.locator, each.reason) for each in rejected] == [
        ("slack:#general: 999999999999.000000", "a record without a time stamp that can be read")
    ]


# --- one memory with exports ---


def entries() -> list[Json]:
    """Two days of a channel: plain messages, a thread, an edit, reactions, a file, somebody's program."""
    return [
        message(0, "U0ANN", "the zeppelin landed"),
        message(60, "U0BO", "in the <#C0GEN|general> quarry", edited={"user": "U0BO", "ts": stamp(90)}),
        message(120, "U0CY", "photo", files=[{"id": "F0AAAAA", "name": "a.png", "mimetype": "image/png", "size": 10}]),
        message(180, "U0BO", "good", reactions=[{"name": "tada", "users": ["U0ANN", "U0CY"], "count": 2}]),
        message(240, "U0ANN", "when do we fly?"),
        reply(300, "U0BO", "on Tuesday", 240),
        reply(DAY + 60, "U0CY", "on Wednesday, <@U0ANN>", 240),
        {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B1",
            "username": "Deploy",
            "text": "done",
            "ts": stamp(DAY + 90),
        },
        message(DAY + 120, "U0BO", "bye"),
    ]


def exported(records: list[Json]) -> list[ConversationDocument]:
    """The documents of an export of the channel."""
    with Workspace() as shape:
        shape.add(*records)
        told_by_api = [shape._root(each) for each in shape.messages["C0GEN"]]  # pyright: ignore[reportPrivateUsage]
    days: dict[str, object] = {}
    for each in told_by_api:
        day = date(1970, 1, 1) + timedelta(seconds=int(float(each["ts"])))
        cast("list[Json]", days.setdefault(day.isoformat(), [])).append(each)
    options = ReadOptions(zone=UTC, zone_origin="option", me="ann")
    return list(exports.documents(exports.read(exports.workspace(days), options)).values())


@pytest.mark.slow
async def test_a_message_of_a_day_whose_thread_came_later_is_deleted_where_it_is(
    workspace: Workspace, tmp_path: Path, clock: Clock
) -> None:
    """The stone that stands for it comes with its thread; the message is one, and its text stays."""
    workspace.add(message(0, "U0BO", "where?"))
    first = await pulled(account(workspace, clock))
    workspace.messages["C0GEN"] = [
        {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.",
         "ts": stamp(0), "thread_ts": stamp(0), "hidden": True},
        reply(DAY, "U0ANN", "here", 0),
    ]  # fmt: skip
    clock.now += DAY + 60
    second = await pulled(account(workspace, clock), cursor_of(first))
    async with opened(tmp_path) as memory:
        for batch in (*first, *second):
            await memory.write(batch.documents)
        stored = [
            (each.id, each.speaker, each.content, [edit.content for edit in each.edits])
            for document in (await everything(memory)).values()
            for each in document.conversation.conversation
        ]
    assert sorted(stored) == [
        (f"C0GEN:{stamp(0)}", "Bo Example", "This message was deleted.", ["where?"]),
        (f"C0GEN:{stamp(DAY)}", "Ann", "here", []),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("order", ["export first", "account first"])
async def test_an_export_and_the_account_are_one_memory(workspace: Workspace, tmp_path: Path, order: str) -> None:
    """The same ids, days and threads: whichever comes first, the other adds nothing but what it alone has."""
    workspace.add(*entries())
    live = [
        cast("ConversationDocument", each) for batch in await pulled(account(workspace)) for each in batch.documents
    ]
    both = [exported(entries()), live]
    async with opened(tmp_path / "store") as memory:
        first, second = both if order == "export first" else both[::-1]
        await memory.write(first)
        before = await everything(memory)
        report = await memory.write(second)
        after = await everything(memory)
    assert (report.added, report.updated) == (0, 0)
    assert after == before
    assert set(after) == {
        "slack:T0ACME:C0GEN:2024-01-15", "slack:T0ACME:C0GEN:2024-01-16", f"slack:T0ACME:C0GEN:{stamp(240)}"
    }  # fmt: skip
    async with opened(tmp_path / "other") as memory:
        await memory.write(second)
        assert await everything(memory) == after
    assert after["slack:T0ACME:C0GEN:2024-01-15"].conversation.user == "Ann"


async def test_direct_messages_and_groups_have_the_names_of_exports(workspace: Workspace) -> None:
    """Slack lists no members of them, exports do."""
    workspace.channels += [
        {"id": "D0BO", "is_im": True, "user": "U0BO"},
        {"id": "G0ALL", "name": "mpdm-ann--bo--cy-1", "is_mpim": True, "is_group": True},
    ]
    workspace.add(message(0, "U0BO", "to you"), to="D0BO")
    workspace.add(message(0, "U0BO", "to all"), to="G0ALL")
    documents = [each for batch in await pulled(account(workspace)) for each in batch.documents]
    assert sorted((each.id, each.metadata["title"], each.metadata["channel_type"]) for each in documents) == [
        ("slack:T0ACME:D0BO:2024-01-15", "Bo Example", "dm"),
        ("slack:T0ACME:G0ALL:2024-01-15", "Bo Example, cy!", "group"),
    ]


async def test_what_changes_keeps_the_old_text(workspace: Workspace, tmp_path: Path, clock: Clock) -> None:
    """An edit, and the stone that stands for a deleted message with replies, are found when the channel is read once more."""
    workspace.add(message(0, "U0BO", "at six"), message(60, "U0ANN", "where?"), reply(90, "U0BO", "here", 60))
    first = await pulled(account(workspace, clock))
    kept = workspace.messages["C0GEN"]
    kept[0] |= message(0, "U0BO", "at seven", edited={"user": "U0BO", "ts": stamp(DAY)})
    kept[1] = {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.",
               "ts": stamp(60), "thread_ts": stamp(60), "hidden": True}  # fmt: skip
    clock.now += DAY + 60
    second = await pulled(account(workspace, clock), cursor_of(first))
    async with opened(tmp_path) as memory:
        for batch in (*first, *second):
            await memory.write(batch.documents)
        stored = {
            each.id: each
            for document in (await everything(memory)).values()
            for each in document.conversation.conversation
        }
    assert len(stored) == 3
    edited, gone = stored[f"C0GEN:{stamp(0)}"], stored[f"C0GEN:{stamp(60)}"]
    assert (edited.content, [each.content for each in edited.edits]) == ("at seven", ["at six"])
    assert (gone.speaker, gone.deleted, [each.content for each in gone.edits]) == ("Ann", True, ["where?"])
