"""The API over a real socket, asked by the real client: shapes, errors in one envelope, documents in, progress out."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import tzinfo
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import anyio
import anyio.to_thread
import pytest
from anyio.abc import ByteStream
from anyio.streams.memory import MemoryObjectReceiveStream

from memd.daemon.activity import Activity
from memd.daemon.client import Accepted, Client, DaemonError, DaemonGoneError, json_body
from memd.daemon.http import routes as api_module
from memd.daemon.http.middleware import LimitsMiddleware
from memd.daemon.http.routes import make_api
from memd.daemon.http.server import bound_socket, serve_socket
from memd.daemon.operation_progress import OperationProgress, ReportProgress
from memd.daemon.operations import ASK, DOCTOR, HEALTH, QUERY, REINDEX, quoted, with_parameters
from memd.daemon.service.requests import (
    AuditRequest,
    DeadLettersRequest,
    ExportRequest,
    FactsRequest,
    LedgerRequest,
    ListingRequest,
    Request,
    UndoRequest,
)
from memd.daemon.service.service import Service
from memd.schemas import Document, ProgressUpdate, Query, QueryResult, StoreReport
from memd.schemas.errors import NotFoundError, StoreError

pytestmark = pytest.mark.anyio

TEXT = {"id": "note/1:a", "content": "Bob lives in Berlin", "metadata": {"source": "notes"}}


class Chores:
    """Upkeep that tells two steps and gives back what it was asked for."""

    how: str = ""

    async def operate(self, request: Request, tell: ReportProgress) -> dict[str, Any]:
        """Succeed, fail or crash, as ``how`` says."""
        tell(OperationProgress("first"))
        await anyio.sleep(0.01)
        tell(OperationProgress("second", 1, 2))
        await anyio.sleep(0.01)
        if self.how == "fail":
            raise StoreError("the disk is full", hint="free some space")
        if self.how == "crash":
            raise RuntimeError("Bob's secret")
        return {"asked": _given(request)}

    forget = check = run = add = operate

    async def lines(self, request: ExportRequest) -> AsyncGenerator[bytes, None]:
        """The request as a line."""

        async def lines() -> AsyncGenerator[bytes, None]:
            yield json.dumps(_given(request)).encode() + b"\n"

        return lines()

    async def listing(self, request: DeadLettersRequest) -> Any:
        """What was asked."""
        return {"asked": _given(request)}

    async def retry(self, request: Request) -> dict[str, Any]:
        """What was asked."""
        return {"asked": _given(request)}

    discard = retry


class Learned:
    """Knowledge that gives back what it was asked for."""

    async def facts(self, request: FactsRequest) -> dict[str, Any]:
        """The request."""
        return {"asked": _given(request)}

    async def history(self, identifier: str) -> dict[str, Any]:
        """Of one fact, which must be "known"."""
        if identifier != "known":
            raise NotFoundError("there is no such fact", hint="`memd facts --ids` shows them")
        return {"asked": identifier}

    async def undo(self, request: UndoRequest) -> dict[str, Any]:
        """The request."""
        return {"asked": _given(request)}

    async def belief(self, identifier: str) -> dict[str, Any]:
        """The id."""
        return {"asked": identifier}

    heard: anyio.Event | None = None
    """An answer waits for it."""

    async def ask(self, query: Query) -> dict[str, Any]:
        """The question."""
        if self.heard is not None:
            await self.heard.wait()
        return {"asked": query.text}

    async def audit(self, request: AuditRequest) -> dict[str, Any]:
        """The page."""
        return {"asked": _given(request)}

    async def spent(self, request: LedgerRequest) -> dict[str, Any]:
        """The heading."""
        return {"asked": _given(request)}

    async def person(self, name: str) -> dict[str, Any]:
        """The name."""
        return {"asked": name}

    async def people(self) -> dict[str, Any]:
        """Nobody."""
        return {"asked": []}


def _given(request: Request) -> dict[str, Any]:
    return request.model_dump(mode="json", exclude_unset=True)


class Shelf(Service):
    """A service that keeps documents in a dict: enough to see what the API makes of it."""

    def __init__(self) -> None:
        self.activity = Activity()
        self.chores, self.learned = Chores(), Learned()
        self.exports = self.forgetting = self.letters = cast("Any", self.chores)
        self.backups = self.doctor = self.reindexing = cast("Any", self.chores)
        self.knowledge = cast("Any", self.learned)
        self.people = cast("Any", self.learned)
        self.pipeline = self._memory = cast("Any", self)
        self.kept: dict[str, Document] = {}
        self.asked: list[Query] = []
        self.finished: list[str] = []
        self.updates: list[ProgressUpdate] = []

    @property
    def zone(self) -> tzinfo:
        """Of bare dates."""
        return ZoneInfo("Europe/Berlin")

    async def query(self, query: Query) -> QueryResult:
        """Answer, fail or crash, as the words say."""
        self.asked.append(query)
        if query.text == "fail":
            raise StoreError("the store cannot be read", hint="look at the disk")
        if query.text == "crash":
            raise RuntimeError("Bob's secret")
        return QueryResult(query=query.text, took_ms=1.234)

    async def listing(self, request: ListingRequest) -> Any:
        """The first ids."""
        return {"documents": [{"id": key} for key in self.kept][: request.limit], "sources": list(request.sources)}

    async def document(self, identifier: str) -> dict[str, Any]:
        """By its id."""
        if identifier not in self.kept:
            raise NotFoundError("there is nothing under that id")
        return self.kept[identifier].to_wire()

    async def show(self, identifier: str) -> Any:
        """The same in its frame."""
        return {"document": await self.document(identifier)}

    async def stats(self) -> Any:
        """A count."""
        return {"documents": len(self.kept)}

    async def status(self) -> Any:
        """A number."""
        return {"pid": 1}

    async def health_with_sources(self) -> Any:
        """Always well."""
        return {"status": "ok"}

    async def begin(self, source: str, *, whole: bool) -> str:  # noqa: ARG002
        """The next run."""
        return f"run-{len(self.finished)}"

    async def accept(
        self,
        run: str,  # noqa: ARG002
        documents: Sequence[Document],
        *,
        rejected: int = 0,
        again: bool = False,  # noqa: ARG002
        places: Sequence[str] = (),  # noqa: ARG002
        along: object = None,  # noqa: ARG002
    ) -> StoreReport:
        """Keep what is new."""
        new = [document for document in documents if document.id not in self.kept]
        self.kept.update({document.id: document for document in new})
        return StoreReport(added=len(new), unchanged=len(documents) - len(new), rejected=rejected)

    async def withdraw(self, run: str) -> None:
        """Nothing was noted."""

    async def finish(self, run: str) -> None:
        """Note it."""
        self.finished.append(run)

    async def conflicts(self, documents: Sequence[Document]) -> list[str]:
        """What is kept already."""
        return [document.id for document in documents if document.id in self.kept]

    @asynccontextmanager
    async def follow(self, run: str | None = None) -> AsyncGenerator[MemoryObjectReceiveStream[ProgressUpdate], None]:
        """What the test prepared."""
        sender, receiver = anyio.create_memory_object_stream[ProgressUpdate](10)
        with sender, receiver:
            for update in self.updates:
                sender.send_nowait(update)
            if run == "ends":
                sender.close()
            yield receiver


@asynccontextmanager
async def _daemon(
    tmp_path: Path, wrap: Callable[[Shelf], LimitsMiddleware] = make_api
) -> AsyncGenerator[tuple[Shelf, Client], None]:
    shelf = Shelf()
    with bound_socket(tmp_path / "m.sock") as listener:
        async with anyio.create_task_group() as tasks:

            async def run(*, task_status: Any) -> None:
                await serve_socket(wrap(shelf), listener, task_status=task_status)

            await tasks.start(run)
            client = Client(str(tmp_path / "m.sock"))
            try:
                yield shelf, client
            finally:
                client.close()
                tasks.cancel_scope.cancel()


async def _call(call: Callable[..., Any], *arguments: Any) -> Any:
    with anyio.fail_after(20):
        return await anyio.to_thread.run_sync(call, *arguments)


async def _refused(call: Callable[..., Any], *arguments: Any) -> DaemonError:
    with pytest.raises(DaemonError) as raised:
        await _call(call, *arguments)
    return raised.value


async def test_a_question_is_answered_in_the_public_shape(tmp_path: Path) -> None:
    """Exactly the public keys, and the filters arrive."""
    async with _daemon(tmp_path) as (shelf, client):
        answer = await _call(client.call, QUERY, {"text": "Bob?", "speakers": ["Bob"], "since": "2024-01-15"})
        nothing: dict[str, list[object]] = {
            name: [] for name in ("degraded", "hits", "facts", "did_you_mean", "notices")
        }
        unsaid = {"understood": None, "count": None, "summary": None}
        assert answer == {"query": "Bob?", "took_ms": 1.23, "weak": False, **nothing, **unsaid}
        assert shelf.asked[0].speakers == ("Bob",)
        assert shelf.asked[0].since is not None
        assert shelf.asked[0].since.isoformat() == "2024-01-15T00:00:00+01:00"


async def test_a_question_of_ten_thousand_characters_is_answered(tmp_path: Path) -> None:
    """Length alone is no error."""
    async with _daemon(tmp_path) as (_, client):
        assert (await _call(client.call, QUERY, {"text": "why " * 2500}))["hits"] == []


@pytest.mark.parametrize(
    ("text", "code", "retryable"), [("fail", "STORE", True), ("crash", "UNEXPECTED", False)], ids=["known", "unknown"]
)
async def test_errors_come_in_one_envelope(tmp_path: Path, text: str, code: str, retryable: bool) -> None:
    """A known error says what and what next; an unknown one shows a generic text and a correlation id, nothing else."""
    async with _daemon(tmp_path) as (_, client):
        error = await _refused(client.call, QUERY, {"text": text})
        assert (error.code, error.retryable) == (code, retryable)
        assert len(error.correlation_id) == 12
        assert "secret" not in json.dumps(error.envelope())
        assert set(error.envelope()) == {"code", "message", "hint", "retryable", "correlation_id"}


async def test_a_limit_out_of_bounds_is_refused(tmp_path: Path) -> None:
    """With the public wording."""
    async with _daemon(tmp_path) as (_, client):
        error = await _refused(client.call, QUERY, {"text": "x", "limit": 101})
        assert (error.code, error.message, error.exit_code) == ("VAL", "limit must be 1-100", 2)


async def test_unknown_paths_and_methods_come_in_the_envelope(tmp_path: Path) -> None:
    """404 and 405 look like every other error."""
    async with _daemon(tmp_path) as (_, client):
        assert (await _refused(client.ask, "GET", "/v2/nothing")).code == "NOT_FOUND"
        assert (await _refused(client.ask, "GET", "/v1/query")).code == "VAL"
        assert (
            await _refused(client.ask, "GET", with_parameters("/v1/documents", {"limit": "many"}))
        ).message == "limit must be 1-1000"
        assert (await _refused(client.ask, "GET", with_parameters("/v1/documents", {"after": "x"}))).code == "VAL"
        assert (await _refused(client.ask, "POST", "/v1/documents?more=perhaps")).code == "VAL"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b"null"])
@pytest.mark.slow
async def test_a_body_that_is_no_object_is_refused(tmp_path: Path, body: bytes) -> None:
    """Whatever bytes come, the answer is 400 in the envelope."""
    async with _daemon(tmp_path) as (_, client):
        error = await _refused(client.ask, "POST", "/v1/query", body)
        assert error.code == "VAL"


@pytest.mark.parametrize("body", [b'{"text": "a", "text": "b"}', b'{"text": "a", "x": {"y": 1, "y" : 2}}'])
async def test_a_body_with_a_key_that_occurs_twice_is_refused(tmp_path: Path, body: bytes) -> None:
    """Which of the two values is meant nobody can say."""
    async with _daemon(tmp_path) as (_, client):
        with pytest.raises(DaemonError, match=r"the key '\w+' occurs twice in one object") as raised:
            await _call(client.ask, "POST", "/v1/query", body, "")
    assert raised.value.code == "VAL"


async def test_documents_are_taken_as_json_lines(tmp_path: Path) -> None:
    """What is good is kept, what is not is counted and told with its line, blank lines are nothing."""
    lines = [json.dumps(TEXT).encode() + b"\n", b"\n", b"{\n", b'{"id": "x"}\n']
    async with _daemon(tmp_path) as (shelf, client):
        answers = await _call(lambda: list(client.send_documents(lines)))
        assert answers == [Accepted(run="run-0", accepted=1, unchanged=0, rejected=2)]
        assert shelf.finished == ["run-0"]
        again = await _call(client.ask, "POST", "/v1/documents", b"".join(lines), "")
        assert again["unchanged"] == 1
        assert [reason["locator"] for reason in again["reasons"]] == ["line 3", "line 4"]
        assert "notices" not in again


async def test_notices_about_documents_are_told_by_their_code(tmp_path: Path) -> None:
    """How many, what it means, and the first places."""
    body = b"".join(json.dumps({**TEXT, "id": f"n{number}", "colour": "red"}).encode() + b"\n" for number in range(5))
    async with _daemon(tmp_path) as (_, client):
        told = await _call(client.ask, "POST", "/v1/documents", body + body.replace(b"Berlin", b"Berl\xff"), "")
    assert [(each["code"], each["count"], each["places"]) for each in told["notices"]] == [
        ("unknown-key", 10, ["line 1", "line 2", "line 3"]),
        ("replaced-text", 5, ["line 6", "line 7", "line 8"]),
    ]
    assert all(each["hint"] for each in told["notices"])


async def test_a_key_that_occurs_twice_in_a_document_is_told(tmp_path: Path) -> None:
    """The last value is taken; texts in which a key seems to stand are left alone."""
    twice = b'{"id": "n", "content": "first", "content": "second"}\n'
    once = b'{"id": "m", "content": "\\"content\\": \\"content\\": "}\n'
    async with _daemon(tmp_path) as (_, client):
        told = await _call(client.ask, "POST", "/v1/documents", once + twice, "")
    assert told["accepted"] == 2
    (notice,) = told["notices"]
    assert (notice["code"], notice["places"]) == ("repeated-key", ["line 2"])
    assert notice["hint"].endswith(": content")


async def test_a_run_goes_on_over_several_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many documents go in requests of bounded size, and only the last one ends the run."""
    monkeypatch.setattr("memd.daemon.client.REQUEST_BYTES", 300)
    lines = [json.dumps({**TEXT, "id": f"n{number}"}).encode() + b"\n" for number in range(12)]
    async with _daemon(tmp_path) as (shelf, client):
        answers = await _call(lambda: list(client.send_documents(lines)))
        assert len(answers) > 1
        assert {answer.run for answer in answers} == {"run-0"}
        assert len(shelf.kept) == 12
        assert shelf.finished == ["run-0"]


async def test_a_check_stores_nothing(tmp_path: Path) -> None:
    """Asking about conflicts leaves no trace."""
    body = json.dumps(TEXT).encode()
    async with _daemon(tmp_path) as (shelf, client):
        assert await _call(client.ask, "POST", "/v1/documents?check=1", body) == {"conflicts": []}
        assert shelf.kept == {}


async def test_a_body_above_the_cap_is_refused(tmp_path: Path) -> None:
    """With and without a length in the head."""
    async with _daemon(tmp_path, _small) as (shelf, client):
        error = await _refused(client.ask, "POST", "/v1/documents", b"x" * 2000)
        assert error.code == "VAL"
        assert "several requests" in error.hint
        assert shelf.kept == {}
        async with await anyio.connect_unix(tmp_path / "m.sock") as stream:
            await stream.send(b"POST /v1/documents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            await stream.send(b"7d0\r\n" + b"x" * 2000 + b"\r\n")
            with anyio.fail_after(30):
                assert (await stream.receive()).startswith(b"HTTP/1.1 413")


def _small(shelf: Shelf) -> LimitsMiddleware:
    return make_api(shelf, body_bytes=1000)


async def test_an_id_may_hold_any_character(tmp_path: Path) -> None:
    """Colons, slashes, spaces and any writing are found again by their quoted path."""
    names = ["note/1:a", "whatsapp:Hütte ⛰ 2024:2024-01-15", "a?b#c%2F", "../../x"]
    async with _daemon(tmp_path) as (_, client):
        await _call(lambda: list(client.send_documents(json.dumps({**TEXT, "id": n}).encode() + b"\n" for n in names)))
        for name in names:
            assert (await _call(client.ask, "GET", f"/v1/documents/{quoted(name)}"))["id"] == name
            assert (await _call(client.ask, "GET", f"/v1/show/{quoted(name)}"))["document"]["id"] == name
        assert (await _refused(client.ask, "GET", "/v1/documents/nothing")).exit_code == 7


async def test_progress_arrives_as_events_until_the_run_ends(tmp_path: Path) -> None:
    """Each update is one event; the terminal one is the last."""
    async with _daemon(tmp_path) as (shelf, client):
        shelf.updates = [
            ProgressUpdate(run="r", stage="storing", processed=1, total=2),
            ProgressUpdate(run="r", stage="done", processed=2, total=2, outcome="ok"),
        ]
        events = await _call(lambda: list(client.events("r")))
        assert [event.get("outcome") for event in events] == [None, "ok"]
        assert events[0] == {"run": "r", "stage": "storing", "processed": 1, "total": 2}


async def test_a_quiet_stream_of_progress_shows_that_it_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing to tell, comments keep coming, and the reader can go at any time."""
    monkeypatch.setattr(api_module, "HEARTBEAT_SECONDS", 0.05)
    async with _daemon(tmp_path), await anyio.connect_unix(tmp_path / "m.sock") as stream:
        await stream.send(b"GET /v1/progress HTTP/1.1\r\nHost: x\r\n\r\n")
        seen = b""
        with anyio.fail_after(30):
            while seen.count(b": still here") < 2:
                seen += await stream.receive()
        assert b"text/event-stream" in seen


async def test_open_streams_do_not_hold_up_the_end(tmp_path: Path) -> None:
    """The daemon ends while somebody watches, and the watcher is told by the end of the stream."""
    with anyio.fail_after(60):
        async with _daemon(tmp_path):
            stream = await anyio.connect_unix(tmp_path / "m.sock")
            await stream.send(b"GET /v1/progress HTTP/1.1\r\nHost: x\r\n\r\n")
            await stream.receive()
    async with stream:
        await _until_closed(stream)


async def _until_closed(stream: ByteStream) -> None:
    with suppress(anyio.EndOfStream, anyio.BrokenResourceError), anyio.fail_after(30):
        while True:
            await stream.receive()


@pytest.mark.slow
async def test_the_api_describes_itself(tmp_path: Path) -> None:
    """OpenAPI names every path."""
    async with _daemon(tmp_path) as (_, client):
        paths = (await _call(client.ask, "GET", "/openapi.json"))["paths"]
        assert {"/v1/query", "/v1/documents", "/v1/progress", "/v1/stats", "/v1/status", "/v1/health"} <= set(paths)


async def test_nobody_there_is_told_apart_from_an_error(tmp_path: Path) -> None:
    """No socket, or a socket of a dead daemon: gone, not an answer."""
    with pytest.raises(DaemonGoneError):
        await _call(Client(str(tmp_path / "none.sock")).call, HEALTH)


async def test_an_operation_tells_its_steps_and_then_its_result(tmp_path: Path) -> None:
    """JSON lines under a status that was sent before the work; the last one is the result."""
    steps: list[dict[str, Any]] = []
    async with _daemon(tmp_path) as (_, client):
        result = await _call(client.operate, DOCTOR, {"repair": True}, steps.append)
    assert result == {"asked": {"repair": True}}
    assert steps[-1] == {"stage": "second", "done": 1, "total": 2}


@pytest.mark.parametrize(("how", "code"), [("fail", "STORE"), ("crash", "UNEXPECTED")])
@pytest.mark.slow
async def test_an_operation_that_fails_says_so_in_its_last_line(tmp_path: Path, how: str, code: str) -> None:
    """In the one envelope, and without the text of what nobody foresaw."""
    async with _daemon(tmp_path) as (shelf, client):
        shelf.chores.how = how
        with pytest.raises(DaemonError) as told:
            await _call(client.operate, REINDEX, {"wait": True})
    assert told.value.code == code
    assert told.value.correlation_id
    assert "secret" not in str(told.value)


async def test_an_operation_ends_with_whoever_asked_for_it(tmp_path: Path) -> None:
    """A reader that goes away cancels the work; the daemon goes on."""
    ended = anyio.Event()
    begun = anyio.Event()

    async def forever(request: Request, tell: ReportProgress) -> dict[str, Any]:
        del request
        tell(OperationProgress("waiting"))
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return {}

    async with _daemon(tmp_path) as (shelf, client):
        shelf.chores.check = forever
        stream = await anyio.connect_unix(tmp_path / "m.sock")
        await stream.send(b"POST /v1/doctor HTTP/1.1\r\nHost: m\r\nContent-Length: 2\r\n\r\n{}")
        await begun.wait()
        await stream.aclose()
        with anyio.fail_after(20):
            await ended.wait()
        assert (await _call(client.call, HEALTH))["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        ("/v1/facts?subject=Bob&as_of=2026-01-01", None, {"subject": ["Bob"], "as_of": "2026-01-01T00:00:00+01:00"}),
        ("/v1/facts/known/history", None, "known"),
        ("/v1/undo", {"id": "known"}, {"id": "known"}),
        ("/v1/undo/known", None, "known"),
        ("/v1/ask", {"text": "where?"}, "where?"),
        ("/v1/audit?before=7", None, {"before": 7}),
        ("/v1/ledger?by=day", None, {"by": "day"}),
        ("/v1/people", None, []),
        ("/v1/people/Bob%20%2F%20Bobby", None, "Bob / Bobby"),
    ],
)
@pytest.mark.slow
async def test_what_is_known_has_paths(tmp_path: Path, path: str, body: dict[str, Any] | None, answer: object) -> None:
    """Each reaches the service with what was asked, names with a slash too."""
    async with _daemon(tmp_path) as (_, client):
        told = (
            await _call(client.ask, "GET", path)
            if body is None
            else await _call(client.ask, "POST", path, json_body(body), "application/json")
        )
    assert told["asked"] == answer


async def test_an_unknown_fact_is_not_found(tmp_path: Path) -> None:
    """With the hint of the service."""
    async with _daemon(tmp_path) as (_, client):
        with pytest.raises(DaemonError, match="no such fact"):
            await _call(client.ask, "GET", "/v1/facts/none/history")


async def test_an_unexpected_error_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """By its kind and place; the answer has been given then, and nothing broke off."""
    async with _daemon(tmp_path) as (_, client):
        with pytest.raises(DaemonError):
            await _call(client.call, QUERY, {"text": "crash"})
        assert (await _call(client.call, HEALTH))["status"] == "ok"
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == ["unexpected error"]


async def test_a_client_that_leaves_is_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One line at most, for people who look for it."""
    caplog.set_level("DEBUG", "memd")
    async with _daemon(tmp_path) as (_, client):
        stream = await anyio.connect_unix(tmp_path / "m.sock")
        await stream.send(b"POST /v1/documents HTTP/1.1\r\nHost: m\r\nContent-Length: 1000\r\n\r\n{}")
        await stream.aclose()
        with anyio.fail_after(60):
            while not caplog.records:
                await anyio.sleep(0.01)
        assert (await _call(client.call, HEALTH))["status"] == "ok"
    (line,) = caplog.records
    assert (line.levelname, line.getMessage()) == ("DEBUG", "a client left before its request was whole")


async def test_an_answer_of_the_model_shows_life_before_it_comes(tmp_path: Path) -> None:
    """A client that accepts lines hears at once that the daemon is at work, and waits for as long as it is."""
    async with _daemon(tmp_path) as (shelf, client):
        shelf.learned.heard = heard = anyio.Event()

        def tell(step: dict[str, Any]) -> None:
            assert step["stage"] == "asking the model"
            anyio.from_thread.run_sync(heard.set)

        assert await _call(client.operate, ASK, {"text": "where?"}, tell) == {"asked": "where?"}
        assert heard.is_set()


async def test_a_body_that_ends_half_way_is_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """In the middle of its body, as a thousand half requests do: nothing is logged as wrong."""
    gates: list[LimitsMiddleware] = []

    def wrap(shelf: Shelf) -> LimitsMiddleware:
        gates.append(make_api(shelf))
        return gates[0]

    caplog.set_level("DEBUG", "memd")
    async with _daemon(tmp_path, wrap) as (_, client):
        for path in ("/v1/query", "/v1/documents"):
            stream = await anyio.connect_unix(tmp_path / "m.sock")
            await stream.send(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{{".encode())
            with anyio.fail_after(60):
                while not gates[0].held:
                    await anyio.sleep(0.01)
            await stream.aclose()
            with anyio.fail_after(60):
                while gates[0].held:
                    await anyio.sleep(0.01)
        assert (await _call(client.call, HEALTH))["status"] == "ok"
    assert [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
