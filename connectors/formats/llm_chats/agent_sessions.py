"""Reads the sessions that coding agents keep on the disk: Claude Code, Codex, Gemini CLI, Copilot CLI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ....schemas import Rejected
from ...connector import Member, Record
from ...text.json_fields import object_of, words_of
from . import agent_talks, talks
from .documents import Chat
from .members import Value, json_kind, values
from .other_models import CHATS, TalksConnector


class SessionsConnector(TalksConnector):
    """Reads files with a session each, an object a line, or several sessions by ``session_key``."""

    mark: ClassVar[bytes] = b""
    """The bytes that the beginning of a file holds besides the keys."""
    session_key: ClassVar[str] = ""
    """The key of a line that names its session; empty: a file is one session."""

    def _kind(self, member: Member) -> str:
        return json_kind(member, lambda keys, head: CHATS if self.keys <= keys and self.mark in head else "")

    def _conversations(
        self, chats: list[Member], one: Callable[[dict[str, Any], str], Iterable[Chat | Record]]
    ) -> Iterator[Chat | Record]:
        for member in chats:
            sessions: dict[str, list[dict[str, Any]]] = {}
            session = ""
            heads: list[dict[str, Any]] = []
            for item in values(member, self._is_record, alone=len(chats) == 1):
                if not isinstance(item, Value):
                    yield item
                    continue
                if not (line := object_of(item.value)):
                    yield Rejected(locator=item.locator, reason="not a line of a session")
                    continue
                session = words_of(line.get(self.session_key)) or session if self.session_key else member.name
                (sessions.setdefault(session, []) if session else heads).append(line)
            for number, (key, lines) in enumerate(sessions.items()):
                place = member.locator if len(sessions) == 1 else f"{member.locator}#{key}"
                yield from one({"session": key, "lines": [*(heads if number == 0 else []), *lines]}, place)


class ClaudeCodeConnector(SessionsConnector):
    """Reads the sessions of Claude Code."""

    name = "claude_code"
    version = 2
    assistant = "Claude"
    keys = frozenset({"sessionId", "message", "uuid", "type"})
    session_key = "sessionId"
    talk = staticmethod(talks.claude_code)


class CodexConnector(SessionsConnector):
    """Reads the sessions of Codex."""

    name = "codex"
    assistant = "Codex"
    keys = frozenset({"timestamp", "type", "payload"})
    mark = b'"session_meta"'
    talk = staticmethod(agent_talks.codex)


class GeminiCLIConnector(SessionsConnector):
    """Reads the sessions of Gemini CLI, a JSON object or an object a line."""

    name = "gemini_cli"
    assistant = "Gemini"
    keys = frozenset({"sessionId", "startTime", "lastUpdated"})
    talk = staticmethod(agent_talks.gemini_cli)


class CopilotCLIConnector(SessionsConnector):
    """Reads the sessions of Copilot CLI."""

    name = "copilot_cli"
    assistant = "Copilot"
    keys = frozenset({"type", "data", "timestamp"})
    mark = b'"session.start"'
    talk = staticmethod(agent_talks.copilot_cli)
