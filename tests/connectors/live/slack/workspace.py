"""A workspace of Slack on a loopback socket: its Web API and Socket Mode, with cursors, limits, refusals and cuts as it is told.

What it does follows https://docs.slack.dev: refusals are HTTP 200 with ``ok: false``, limits are 429 with ``Retry-After``,
history is given newest first and tells no replies, an event is sent again until it is acknowledged.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

from memd.tests.connectors.slack.exports import START, USERS, Json, channel
from memd.tests.connectors.slack.exports import message as written

TOKEN = "xoxp-1111-secret-token-of-a-test"
APP_TOKEN = "xapp-1-A1-2222-secret-token-of-the-app"
SLOW = ("conversations.history", "conversations.replies")
_LISTS = {"public_channel": "is_channel", "private_channel": "is_private", "mpim": "is_mpim", "im": "is_im"}


class Workspace:
    """The server, and what is in the workspace. Use as a context manager."""

    def __init__(self) -> None:
        self.users: list[Json] = list(USERS)
        self.channels: list[Json] = [channel("C0GEN", "general", is_channel=True, is_member=True)]
        self.messages: dict[str, list[Json]] = {"C0GEN": []}
        """By conversation, in the order of their time, with replies."""
        self.token = TOKEN
        self.app_token = APP_TOKEN
        self.scopes = "channels:history,channels:read,search:read,users:read"
        self.faults: deque[tuple[str, float]] = deque()
        """What happens to the next requests: ``limit`` (429), ``cut``, ``hang``, ``garbage``, ``error``, ``huge``, or an error's
        code; empty: nothing."""
        self.refused: dict[str, Json] = {}
        """By method, kind of list or conversation, the answer that refuses it."""
        self.throttled = False
        """The app may ask once a minute for 15 messages, by ``clock``."""
        self.clock: Callable[[], float] = lambda: float(START)
        self.indexed: Callable[[Json], bool] = lambda _reply: True
        """Which replies a search finds."""
        self.overlap = 0
        """So many messages of a page come again in the next."""
        self.calls: list[tuple[str, Json]] = []
        self.unacknowledged: dict[str, Json] = {}
        """Events by their envelopes; whoever connects is told them."""
        self.order: list[str] = []
        """Envelopes, as they were sent and acknowledged; a test may write more between these."""
        self.on_link: Callable[[], None] = lambda: None
        """Called when somebody connected."""
        self._sockets: list[web.WebSocketResponse] = []
        self._transports: set[asyncio.Transport] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._asked_at: dict[str, float] = {}
        self._said = 0
        self._ready = threading.Event()
        self._stop: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._thread.join(30)

    @property
    def url(self) -> str:
        """Of the Web API."""
        return f"http://127.0.0.1:{self.port}/api/"

    # --- what Slack tells by itself ---

    def tell(self, **event: Any) -> str:
        """An event; returns its envelope."""
        envelope = f"e{len(self.order)}-{len(self.unacknowledged)}"
        self.unacknowledged[envelope] = event
        assert self._loop is not None
        for each in self._sockets:
            self._send(each, envelope)
        return envelope

    def cut(self, *, asked: bool = False) -> None:
        """End every connection; when ``asked``, as Slack does it now and then."""
        assert self._loop is not None
        for each in self._sockets:
            ending = each.send_json({"type": "disconnect", "reason": "warning"}) if asked else each.close(code=1011)
            asyncio.run_coroutine_threadsafe(ending, self._loop)

    def _send(self, to: web.WebSocketResponse, envelope: str) -> None:
        payload = {"team_id": "T0ACME", "event_id": f"Ev{envelope}", "event": self.unacknowledged[envelope]}
        frame = {"type": "events_api", "envelope_id": envelope, "payload": payload}
        self.order.append(f"sent {envelope}")
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(to.send_json(frame), self._loop)

    async def _link(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        self._keep_transport(request)
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1})
        self._sockets.append(socket)
        for envelope in list(self.unacknowledged):
            self._send(socket, envelope)
        self.on_link()
        async for frame in socket:
            told = json.loads(frame.data)
            self.order.append(f"acknowledged {told['envelope_id']}")
            self.unacknowledged.pop(told["envelope_id"], None)
        self._sockets.remove(socket)
        return socket

    # --- what people do ---

    def add(self, *records: Json, to: str = "C0GEN") -> None:
        """Messages, as the Web API tells them."""
        kept = self.messages.setdefault(to, [])
        kept += records
        kept.sort(key=lambda each: float(each["ts"]))

    def say(self, text: str, speaker: str = "Bob") -> str:  # noqa: ARG002 - there is one who speaks
        """A message, a minute after the one before; returns its id."""
        number = self._said
        self._said += 1
        self.add(written(60 * number, "U0BO", text))
        return f"m{number}"

    def edit(self, message: str, text: str) -> None:
        """The message has another text."""
        old = self._named(message)
        old |= written(
            60 * int(message[1:]), "U0BO", text, edited={"user": "U0BO", "ts": f"{int(self.clock())}.000000"}
        )

    def delete(self, message: str) -> None:
        """The message is gone."""
        self.messages["C0GEN"].remove(self._named(message))

    def _named(self, identifier: str) -> Json:
        return next(
            each for each in self.messages["C0GEN"] if each["ts"] == written(60 * int(identifier[1:]), "", "")["ts"]
        )

    # --- answers ---

    def answer(self, method: str, asked: Json) -> Json:
        """The answer of a method."""
        if method in self.refused:
            return self.refused[method]
        if refusal := self.refused.get(asked.get("channel", "")):
            return refusal
        if method == "auth.test":
            return {
                "ok": True,
                "url": "https://acme.slack.com/",
                "team": "Acme",
                "team_id": "T0ACME",
                "user_id": "U0ANN",
            }
        if method == "apps.connections.open":
            return {"ok": True, "url": f"ws://127.0.0.1:{self.port}/link"}
        if method == "users.list":
            return self._page("members", self.users, asked)
        if method == "conversations.list":
            return self.refused.get(asked["types"]) or self._page("channels", self._listed(asked["types"]), asked)
        asking = {
            "conversations.history": self._history,
            "conversations.replies": self._replies,
            "search.messages": self._search,
        }
        return asking[method](asked) if method in asking else {"ok": False, "error": "unknown_method"}

    def _listed(self, kind: str) -> list[Json]:
        def kind_of(each: Json) -> str:
            return next((name for name in ("im", "mpim") if each.get(f"is_{name}")), "") or (
                "private_channel" if each.get("is_private") else "public_channel"
            )

        assert kind in _LISTS
        return [each for each in self.channels if kind_of(each) == kind]

    def _limit(self, asked: Json) -> int:
        limit = int(asked.get("limit", 100))
        return min(limit, 15) if self.throttled else min(limit, 999)

    def _page(self, key: str, items: list[Json], asked: Json, more: int = 0) -> Json:
        cursor = base64.b64decode(asked.get("cursor", "")).decode()
        if cursor and not cursor.isdecimal():
            return {"ok": False, "error": "invalid_cursor"}
        start, limit = int(cursor or 0), self._limit(asked)
        end = start + limit
        following = base64.b64encode(str(end).encode()).decode() if end < len(items) else ""
        given = items[max(0, start - more) : end]
        return {"ok": True, key: given, "response_metadata": {"next_cursor": following}}

    def _history(self, asked: Json) -> Json:
        shown = [
            each for each in self._within(asked) if each.get("thread_ts", each["ts"]) == each["ts"] or _is_shown(each)
        ]
        page = self._page("messages", [self._root(each) for each in reversed(shown)], asked, self.overlap)
        return page | {"has_more": bool(page.get("response_metadata", {}).get("next_cursor"))}

    def _replies(self, asked: Json) -> Json:
        root = asked["ts"]
        thread = [each for each in self.messages[asked["channel"]] if root in (each["ts"], each.get("thread_ts"))]
        first = [self._root(each) for each in thread if each["ts"] == root]
        if not thread:
            return {"ok": False, "error": "thread_not_found"}
        within = self._within(asked)
        rest = [each for each in thread if each["ts"] != root and each in within]
        page = self._page("messages", rest, asked)
        page["messages"] = [*first, *page["messages"]]
        return page | {"has_more": bool(page["response_metadata"]["next_cursor"])}

    def _root(self, each: Json) -> Json:
        replies = [
            reply
            for kept in self.messages.values()
            for reply in kept
            if reply.get("thread_ts") == each["ts"] != reply["ts"]
        ]
        if not replies:
            return each
        latest = max((reply["ts"] for reply in replies), key=float)
        return {**each, "thread_ts": each["ts"], "reply_count": len(replies), "latest_reply": latest}

    def _within(self, asked: Json) -> list[Json]:
        oldest, latest = float(asked.get("oldest", 0)), float(asked.get("latest", 1e12))
        return [each for each in self.messages.get(asked["channel"], []) if oldest < float(each["ts"]) < latest]

    def _search(self, asked: Json) -> Json:
        assert asked["query"].startswith("threads:replies after:")
        page, count = int(asked["page"]), int(asked["count"])
        page = page if page <= 100 else 1
        found = [
            (name, each)
            for name, kept in self.messages.items()
            for each in kept
            if each.get("thread_ts", each["ts"]) != each["ts"] and self.indexed(each)
        ]
        found.sort(key=lambda pair: float(pair[1]["ts"]), reverse=True)
        matches = [
            {"type": "message", "channel": {"id": name}, "ts": each["ts"], "text": each["text"],
             "permalink": f"https://acme.slack.com/archives/{name}/p1?thread_ts={each['thread_ts']}&cid={name}"}
            for name, each in found[(page - 1) * count : page * count]
        ]  # fmt: skip
        paging = {"count": count, "total": len(found), "page": page, "pages": -(-len(found) // count)}
        return {"ok": True, "messages": {"matches": matches, "paging": paging, "total": len(found)}}

    # --- the socket ---

    async def _serve(self) -> None:
        stopping = asyncio.Event()
        loop = self._loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(stopping.set)
        app = web.Application()
        app.router.add_post("/api/{method}", self._asked)
        app.router.add_get("/link", self._link)
        runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(runner, listening).start()
        self.port = listening.getsockname()[1]
        self._ready.set()
        await stopping.wait()
        # asyncio may never close a connection that it accepted in the turn in which its server is closed
        # (https://github.com/python/cpython/issues/109564): accept nobody any more, and let who was accepted be known first.
        loop.remove_reader(listening)
        await self._turns()
        await runner.cleanup()
        for each in self._transports:
            each.abort()  # closing waits for what a client does not read
        await self._turns()

    async def _turns(self) -> None:
        """Let the loop do what it has begun: three steps from an accepted connection to its protocol."""
        for _ in range(10):
            await asyncio.sleep(0)

    def _keep_transport(self, request: web.Request) -> None:
        if request.transport is not None:
            self._transports.add(request.transport)

    async def _asked(self, request: web.Request) -> web.StreamResponse:
        self._keep_transport(request)
        method = request.match_info["method"]
        asked: Json = {str(name): str(value) for name, value in (await request.post()).items()}
        self.calls.append((method, asked))
        fault, value = self.faults.popleft() if self.faults else ("", 0.0)
        if self.throttled and method in SLOW and not fault:
            wait = self._asked_at.get(method, -60.0) + 60 - self.clock()
            fault, value = ("limit", wait) if wait > 0 else ("", 0.0)
            if not fault:
                self._asked_at[method] = self.clock()
        if fault:
            return await self._fail(request, fault, value)
        if request.headers.get("authorization") != f"Bearer {self._token_of(method)}":
            return web.json_response({"ok": False, "error": "invalid_auth"})
        return web.json_response(self.answer(method, asked), headers={"x-oauth-scopes": self.scopes})

    def _token_of(self, method: str) -> str:
        if method == "apps.connections.open":
            return self.app_token
        return self.token if self.token.startswith("xox") else f"xoxp-{self.token}"

    async def _fail(self, request: web.Request, fault: str, value: float) -> web.StreamResponse:
        if fault == "limit":
            headers = {"retry-after": str(value)}
            return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
        if fault == "error":
            return web.Response(status=503, text="upstream failure")
        if fault == "garbage":
            return web.Response(text="<html>", content_type="text/html")
        if fault == "hang":
            await asyncio.sleep(value)
            return web.Response(text="")
        if fault == "huge":
            response = web.StreamResponse(headers={"content-type": "application/json"})
            await response.prepare(request)
            for _ in range(int(value)):
                await response.write(b" " * (1 << 20))
            return response
        if fault == "cut":
            assert request.transport is not None
            request.transport.write(
                b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{"ok'
            )
            request.transport.close()
            return web.Response()
        return web.json_response({"ok": False, "error": fault})


def _is_shown(reply: Json) -> bool:
    """Whether a reply stands in the channel, too."""
    return bool(reply.get("subtype") == "thread_broadcast")


def said(records: Any) -> list[str]:
    """The texts of all messages of some documents."""
    return [each.content for document in records for each in document.conversation.conversation]
