"""Commands beside a running daemon: what they print, what they exit with, and that they import nothing heavy."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import anyio
import pytest

from memd.daemon.http.server import bound_socket, serve_socket

pytestmark = pytest.mark.anyio

# Runs the command and then tells, by its exit code, whether something heavy was imported for it.
_RUN = """
import sys
from memd.daemon.cli import main
code = main(sys.argv[1:])
heavy = {"pydantic", "starlette", "numpy", "anyio", "asyncio", "orjson"} & set(sys.modules)
print(f"heavy: {sorted(heavy)}", file=sys.stderr) if heavy else None
sys.exit(99 if heavy else code)
"""

HIT: dict[str, Any] = {
    "rank": 1,
    "id": "3d4a5508-dbe8-5037-abf1-11b898850429",
    "type": "message",
    "kind": "text",
    "text": "I live in Berlin\x1b[2J now",
    "speaker": "Bob\x07",
    "time": "2024-01-15T12:01:00Z",
    "source": "whatsapp",
    "document_id": "whatsapp:Bob:2024-01-15",
    "message_ids": ["3d4a5508-dbe8-5037-abf1-11b898850429"],
    "score": 0.91,
    "scores": {"lexical": 7.2},
    "tags": [],
    "chunk": None,
    "context": [
        {"speaker": "Ann", "text": "Where do you live?", "time": "2024-01-15T12:00:00Z"},
        {"speaker": "Ann", "text": "Nice", "time": "2024-01-15T12:02:00Z"},
    ],
}
ANSWER: dict[str, Any] = {"query": "q", "took_ms": 1.0, "degraded": [], "hits": [HIT], "facts": []}
DOCUMENT: dict[str, Any] = {
    "id": "whatsapp:Bob:2024-01-15",
    "conversation": {
        "source": "whatsapp",
        "people": ["Ann", "Bob"],
        "user": "Ann",
        "conversation": [{"speaker": "Bob", "content": "two\nlines", "time": "2024-01-15T12:01:00Z", "kind": "media"}],
    },
}
CANNED: dict[str, tuple[int, dict[str, Any]]] = {
    "/v1/query": (200, ANSWER),
    "/v1/show/whatsapp:Bob": (200, {"document": DOCUMENT, "position": 0}),
    "/v1/documents": (
        200,
        {
            "documents": [
                {
                    "id": "whatsapp:Bob:2024-01-15",
                    "kind": "conversation",
                    "messages": 3,
                    "timestamp": "2024-01-15T12:00:00Z",
                }
            ],
            "next": "k",
        },
    ),
    "/v1/stats": (200, {"documents": 1, "bytes": 1500, "vectors": {"done": 3, "pending": 0}}),
    "/v1/status": (200, {"pid": 7, "socket": "/run/x", "sources": [], "maintenance": []}),
    "/v1/health": (200, {"status": "degraded", "degraded": ["vector"], "version": "1", "pid": 7}),
}


async def _canned(scope: Any, receive: Any, send: Any) -> None:
    """Answers from a table."""
    while (await receive())["more_body"]:
        pass
    if scope["path"] == "/v1/progress":
        kind = b"text/event-stream"
        events = [{"run": "r", "stage": "storing", "processed": 3}, {"run": "r", "stage": "done", "outcome": "ok"}]
        body = b": hello\n\n" + b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
        status = 200
    else:
        missing = {"code": "NOT_FOUND", "message": "there is nothing under that id", "hint": "look", "retryable": False}
        status, answer = CANNED.get(scope["path"], (404, {**missing, "correlation_id": "c0ffee"}))
        kind, body = b"application/json", json.dumps(answer).encode()
    head = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def _daemon(path: Path) -> AsyncGenerator[str, None]:
    with bound_socket(path) as listener:
        async with anyio.create_task_group() as tasks:

            async def run(*, task_status: Any) -> None:
                await serve_socket(_canned, listener, task_status=task_status)

            await tasks.start(run)
            yield str(path)
            tasks.cancel_scope.cancel()


async def _memd(*words: str) -> CompletedProcess[bytes]:
    with anyio.fail_after(30):
        return await anyio.run_process([sys.executable, "-c", _RUN, *words], check=False)


async def test_a_question_beside_a_daemon_imports_nothing_heavy(tmp_path: Path) -> None:
    """The answer is printed with its citation, harmless, in the order it was said."""
    async with _daemon(tmp_path / "s") as path:
        done = await _memd("query", "where", "is Bob?", "--socket", path)
    shown = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert shown.index("Where do you live?") < shown.index("I live in Berlin") < shown.index("Nice")
    assert " — Bob:2024-01-15 · whatsapp" in shown


@pytest.mark.slow
async def test_json_is_the_answer_itself(tmp_path: Path) -> None:
    """With --json, before or after the verb, standard output is one JSON object."""
    async with _daemon(tmp_path / "s") as path:
        after = await _memd("query", "x", "--json", "--socket", path)
        before = await _memd("--socket", path, "--json", "query", "x")
    assert json.loads(after.stdout) == ANSWER
    assert after.stdout == before.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["show", "whatsapp:Bob"], "> 2024-01-15 12:01  Bob  [media]\n    two\n    lines\n"),
        (["documents"], "2024-01-15 12:00       3 messages  whatsapp:Bob:2024-01-15\n"),
        (["stats"], "bytes      1.5 kB"),
        (["status"], "socket       /run/x"),
        (["health"], "degraded: vector\n"),
        (["watch"], "r  storing  3\n"),
        (["watch", "--run", "r", "--json"], '"outcome": "ok"'),
    ],
    ids=["show", "documents", "stats", "status", "health", "watch", "watch-json"],
)
async def test_every_question_to_a_daemon_is_light(tmp_path: Path, words: list[str], shown: str) -> None:
    """All of them work, and none imports pydantic, Starlette, numpy or an event loop."""
    async with _daemon(tmp_path / "s") as path:
        done = await _memd(*words, "--socket", path)
    more = f"more: memd --socket {path} documents --limit 20 --after k\n" if words == ["documents"] else ""
    assert (done.returncode, done.stderr.decode()) == (0, more)
    assert shown in done.stdout.decode()


@pytest.mark.slow
async def test_health_is_light_also_where_nobody_serves(tmp_path: Path) -> None:
    """Code 6 and a word, without an import that could fail; with --strict also of a daemon that is degraded."""
    for words in ([], ["--json"]):
        done = await _memd("health", *words, "--data-dir", str(tmp_path / "d"))
        assert (done.returncode, done.stderr) == (6, b"")
        assert b"down" in done.stdout
    async with _daemon(tmp_path / "s") as path:
        done = await _memd("health", "--strict", "--socket", path)
    assert (done.returncode, done.stdout) == (6, b"degraded: vector\n")


@pytest.mark.slow
async def test_an_error_of_the_daemon_is_a_sentence_and_an_exit_code(tmp_path: Path) -> None:
    """What is not found exits 7, with a hint; with --json the envelope comes on standard error."""
    async with _daemon(tmp_path / "s") as path:
        plain = await _memd("show", "nothing", "--socket", path)
        as_json = await _memd("show", "nothing", "--json", "--socket", path)
    assert plain.returncode == as_json.returncode == 7
    assert plain.stderr.decode().startswith("memd: there is nothing under that id\nhint: look\n")
    assert json.loads(as_json.stderr)["code"] == "NOT_FOUND"
    assert plain.stdout == as_json.stdout == b""


@pytest.mark.slow
async def test_a_daemon_imports_no_format() -> None:
    """What reads exports takes 10 MB, and a daemon leaves it to processes of their own."""
    told = (
        "import sys, memd.daemon.app, memd.daemon.lifecycle; print('memd.connectors.reading.registry' in sys.modules)"
    )
    done = await anyio.run_process([sys.executable, "-P", "-c", told])
    assert done.stdout == b"False\n"
