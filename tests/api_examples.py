"""The examples in docs/api.md, made of a story that is run. `python -m memd.tests.api_examples` in the checkout's environment
writes them anew.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from memd import __version__
from memd.daemon.operations import OPERATIONS
from memd.tests.api_story import Exchange, answers

BEGIN, END = "<!-- examples: written by tests/api_examples.py -->\n", "<!-- end of examples -->\n"
WIDTH = 118
LONGEST_TEXT = 100
MOST_ITEMS = 2
MOST_LINES = 6
"""Lines of a text for Prometheus that are shown."""
PATTERNS = {
    "id": re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    "hash": re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b"),
    "time": re.compile(r"\b20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"),
    "snapshot": re.compile(r"\b20\d{6}T\d{6}Z"),
    "release": re.compile(r"(?<=[a-zA-Z] )\d+\.\d+\.\d+\w*"),
    "port": re.compile(r"127\.0\.0\.1:\d+"),
}
MEASURED = re.compile(r"(took_ms|seconds|\w+_s|mean|p50|p95|p99|score)|(pid|bytes\w*|size|\w+_tokens|money)")
"""Names of numbers that differ from machine to machine, or with every change of a prompt; those of the second group may
be zero everywhere.
"""
MEASURES = ("bytes", "scores", "lag", "index_lag")
"""Names of objects that hold such numbers alone."""
NUMBERS = {"lag": 0, "index_lag": 0, "took_ms": 4.1, "seconds": 0.5, "pid": 4711, "score": 3.59, "money": 0.001}
REPEATED = ("version", "prompt_version", "memd")


def examples(exchanges: Mapping[str, Exchange], folder: Path) -> str:
    """Return all examples, in the order of the operations, without what differs from run to run."""
    plain = _Plain(str(folder))
    parts = [_example(exchanges[each.name], plain) for each in OPERATIONS]
    return "\n".join(parts)


class _Plain:
    """Replaces what differs from run to run: ids by running numbers, times, paths, ports, measurements."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._numbers: dict[str, int] = {}

    def text(self, text: str) -> str:
        """Return a text with such parts replaced."""
        text = text.replace(self._folder, "/home/ann")
        text = PATTERNS["id"].sub(lambda match: f"{self._number(match[0]):08d}-0000-4000-8000-000000000000", text)
        text = PATTERNS["hash"].sub(lambda match: str(self._number(match[0])).zfill(len(match[0])), text)
        text = PATTERNS["time"].sub("2026-01-15T12:00:00Z", text)
        text = PATTERNS["snapshot"].sub("20260115T120000Z", text)
        text = PATTERNS["release"].sub("1.0.0", text)
        return PATTERNS["port"].sub("127.0.0.1:8080", text)

    def value(self, value: Any, name: str = "") -> Any:
        """Return a JSON value with such parts replaced, and what is long shortened."""
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value).items()
            return {self.text(key): self.value(each, name if name in MEASURES else key) for key, each in fields}
        if isinstance(value, list):
            items = cast("list[Any]", value)
            return [self.value(each) for each in items[:MOST_ITEMS]] + (["…"] if len(items) > MOST_ITEMS else [])
        if isinstance(value, str):
            if name in REPEATED:
                return "1.0.0" if value == __version__ else "1"
            return value if len(value) <= LONGEST_TEXT and not self._differs(value) else self._short(value)
        measured = MEASURED.fullmatch(name)
        if name in MEASURES or (isinstance(value, int | float) and measured and (value or measured[1])):
            return NUMBERS.get(name, 1.5 if isinstance(value, float) else 1000)
        return value

    def _differs(self, text: str) -> bool:
        return self._folder in text or any(pattern.search(text) for pattern in PATTERNS.values())

    def _short(self, text: str) -> str:
        plain = self.text(text)
        return plain if len(plain) <= LONGEST_TEXT else plain[: LONGEST_TEXT - 1] + "…"

    def _number(self, identifier: str) -> int:
        return self._numbers.setdefault(identifier.replace("-", ""), len(self._numbers) + 1)


def _example(exchange: Exchange, plain: _Plain) -> str:
    operation = exchange.operation
    request = f"```bash\n{_request(exchange, plain)}\n```\n"
    return f"#### {operation.name}\n\n{operation.summary}.\n\n{request}\n{_answer(exchange, plain)}"


def _request(exchange: Exchange, plain: _Plain) -> str:
    """Return the command that sends this request."""
    operation = exchange.operation
    words = [f"curl --unix-socket $SOCKET {shlex.quote('http://memd' + plain.text(operation.target(exchange.values)))}"]
    if operation.upload:
        words.append("--data-binary @documents.jsonl")
    elif (body := operation.body(exchange.values)) is not None:
        words.append(f"-d {shlex.quote(_written(plain.value(body), 2))}")
    line = " ".join(words)
    return line if len(line) <= WIDTH and "\n" not in line else " \\\n  ".join(words)


def _answer(exchange: Exchange, plain: _Plain) -> str:
    """Return the answer as a block; of a stream its last items."""
    if exchange.media_type == "text/plain":
        lines = [each for each in exchange.body.decode().splitlines() if each.startswith("memd_")]
        shown = [re.sub(r" [\d.e+-]+$", " 1.0", each) for each in lines[:MOST_LINES]]
        return "```text\n" + "\n".join([*shown, "…"]) + "\n```\n"
    items = [plain.value(each) for each in exchange.items()]
    if exchange.media_type == "text/event-stream":
        event = json.dumps(items[-1], ensure_ascii=False)  # one line, as of any event
        return f"```text\n…\nevent: progress\ndata: {event}\n```\n"
    if exchange.media_type == "application/jsonl" and "progress" in items[0]:
        items = items[-1:]
        return "```text\n…\n" + _written(items[-1]) + "\n```\n"
    return "```json\n" + "\n".join(map(_written, items)) + "\n```\n"


def _written(value: Any, indent: int = 0, before: int = 0) -> str:
    """Write a JSON value in as few lines as its width allows."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + before + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    margin = " " * (indent + 1)
    if isinstance(value, list):
        items = [_written(each, indent + 1) for each in cast("list[Any]", value)]
        return "[" + f",\n{margin}".join(items) + "]"
    fields: list[str] = []
    row = ""
    for key, each in cast("dict[str, Any]", value).items():
        head = f"{json.dumps(key, ensure_ascii=False)}: "
        field = head + _written(each, indent + 1, len(head))
        if row and "\n" not in field and "\n" not in row and len(margin) + len(row) + len(field) + 3 <= WIDTH:
            row += f", {field}"
        else:
            fields += [row] if row else []
            row = field
    return "{" + f",\n{margin}".join([*fields, row]) + "}"


def written(page: str, exchanges: Mapping[str, Exchange], folder: Path) -> str:
    """Return the page with the examples of these exchanges."""
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    lines = "\n".join(json.dumps(each, ensure_ascii=False) for each in exchanges["store"].upload)
    block = f"{BEGIN}\n```json\n{lines}\n```\n\n{examples(exchanges, folder)}\n{END}"
    return re.sub(pattern, lambda _: block, page, flags=re.DOTALL)


if __name__ == "__main__":
    path = Path(__file__).parent.parent / "docs" / "api.md"
    with tempfile.TemporaryDirectory(prefix="memd-") as name:
        home = Path(name)
        path.write_text(written(path.read_text(encoding="utf-8"), answers(home), home), encoding="utf-8")
