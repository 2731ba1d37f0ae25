"""Converts the sessions that coding agents keep on the disk to talks: Codex, Gemini CLI, Copilot CLI. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from .claude_content import Piece, call_text, result_text
from .talks import Node, Talk

_CONTEXT = ("<environment_context>", "<user_instructions>", "<permissions instructions>", "# AGENTS.md instructions")
"""The beginnings of turns that Codex writes in the user's name."""
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})


def codex(record: dict[str, Any]) -> Talk:
    """Return the talk of a session of Codex (``rollout-….jsonl``): the lines of its file, under ``lines``."""
    lines = [object_of(each) for each in list_of(record.get("lines"))]
    about = object_of(_first(lines, "session_meta").get("payload"))
    talk = Talk(
        id_of(about.get("id")) or id_of(about.get("session_id")),
        _folder(about.get("cwd")),
        about.get("timestamp") or next((each.get("timestamp") for each in lines), None),
    )
    tools: dict[str, str] = {}
    for number, each in enumerate(lines):
        item = object_of(each.get("payload"))
        if each.get("type") != "response_item":
            continue
        role, call = words_of(item.get("role")), id_of(item.get("call_id"))
        pieces = list(_of_codex(item, tools.get(call, "tool")))
        if words_of(item.get("type")) in _CALLS and call:
            tools[call] = pieces[0].tool if pieces else "tool"
        if role in ("developer", "system") or (role == "user" and _is_context(pieces)):
            talk.hidden += 1
        elif pieces:
            talk.nodes.append(
                Node(id_of(item.get("id")) or f"{number}", "", role == "user", each.get("timestamp"), pieces)
            )
    return talk


def _of_codex(item: dict[str, Any], tool: str) -> Iterator[Piece]:
    kind = words_of(item.get("type"))
    if kind == "reasoning":
        said = [text_of(object_of(each).get("text")) for each in list_of(item.get("summary"))]
        if text := "\n".join(filter(None, said)):
            yield Piece(text, "thinking")
    elif kind in _CALLS:
        entries = item.get("arguments") or item.get("input") or item.get("action")
        if text := entries if isinstance(entries, str) else call_text(entries):
            yield Piece(text, "tool_use", words_of(item.get("name")) or kind.removesuffix("_call"), "code")
    elif kind.endswith("_output"):
        entries = item.get("output")
        if text := result_text(object_of(entries).get("content") or entries):
            yield Piece(text, "tool_result", tool, "quote")
    elif text := _text(item.get("content")) or text_of(item.get("message")):
        yield Piece(text)


def _is_context(pieces: list[Piece]) -> bool:
    return bool(pieces) and pieces[0].text.lstrip().startswith(_CONTEXT)


def gemini_cli(record: dict[str, Any]) -> Talk:
    """Return the talk of a session of Gemini CLI: one JSON object, or the lines of its file, under ``lines``."""
    lines = [object_of(each) for each in list_of(record.get("lines"))]
    about = next((each for each in lines if each.get("sessionId")), record)
    talk = Talk(id_of(about.get("sessionId")), "", about.get("startTime"))
    for raw in talk.objects(about.get("messages")) or lines:
        if rewound := id_of(raw.get("$rewindTo")):
            kept = [number for number, node in enumerate(talk.nodes) if node.id == rewound]
            talk.hidden += len(talk.nodes[kept[0] :]) if kept else 0
            del talk.nodes[kept[0] if kept else len(talk.nodes) :]
        kind = words_of(raw.get("type"))
        if kind in ("user", "gemini", "model"):
            talk.nodes.append(
                Node(
                    id_of(raw.get("id")),
                    "",
                    kind == "user",
                    raw.get("timestamp"),
                    list(_of_gemini(raw, talk)),
                    (),
                    words_of(raw.get("model")),
                )
            )
        elif kind:
            talk.hidden += 1
    return talk


def _of_gemini(raw: dict[str, Any], talk: Talk) -> Iterator[Piece]:
    for thought in talk.objects(raw.get("thoughts")):
        said = [words_of(thought.get("subject")), text_of(thought.get("description"))]
        if text := "\n".join(filter(None, said)):
            yield Piece(text, "thinking")
    content = raw.get("content")
    parts = content if isinstance(content, str) else [*talk.objects(content)]
    if text := _text(parts):
        yield Piece(text)
    for call in talk.objects(raw.get("toolCalls")):
        tool = words_of(call.get("name")) or "tool"
        if text := call_text(call.get("args")):
            yield Piece(text, "tool_use", tool, "code")
        if text := text_of(call.get("resultDisplay")) or result_text(call.get("result")):
            yield Piece(text, "tool_result", tool, "quote")


def copilot_cli(record: dict[str, Any]) -> Talk:
    """Return the talk of a session of Copilot CLI (``events.jsonl``): the lines of its file, under ``lines``."""
    lines = [object_of(each) for each in list_of(record.get("lines"))]
    start = _first(lines, "session.start")
    about = object_of(start.get("data"))
    talk = Talk(
        id_of(about.get("sessionId")), _folder(object_of(about.get("context")).get("cwd")), start.get("timestamp")
    )
    tools: dict[str, str] = {}
    for number, each in enumerate(lines):
        data, kind = object_of(each.get("data")), words_of(each.get("type"))
        pieces: list[Piece] = []
        if kind in ("user.message", "assistant.message"):
            pieces = [Piece(text_of(data.get("content")))]
        elif kind == "tool.execution_start":
            tool = tools[id_of(data.get("toolCallId"))] = words_of(data.get("toolName")) or "tool"
            pieces = [Piece(call_text(data.get("arguments")), "tool_use", tool, "code")]
        elif kind == "tool.execution_complete":
            tool = tools.get(id_of(data.get("toolCallId")), "tool")
            pieces = [Piece(text_of(object_of(data.get("result")).get("content")), "tool_result", tool, "quote")]
        if any(piece.text.strip() for piece in pieces):
            key = id_of(each.get("id")) or f"{number}"
            talk.nodes.append(Node(key, "", kind == "user.message", each.get("timestamp"), pieces))
    return talk


def _first(lines: Sequence[dict[str, Any]], kind: str) -> dict[str, Any]:
    """Return the first line of a type; an empty one if there is none."""
    for each in lines:
        if each.get("type") == kind:
            return each
    return {}


def _text(content: object) -> str:
    """Return the text of a content that is a text or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (text_of(object_of(each).get("text")) for each in list_of(content))))


def _folder(path: object) -> str:
    """Return the name of the folder in which an agent worked."""
    return words_of(path).rstrip("/\\").replace("\\", "/").rpartition("/")[2]
