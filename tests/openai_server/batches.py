"""Files and batches of the test server: a batch is worked off when the test says so."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.parser import BytesParser
from typing import Any


@dataclass(frozen=True)
class Raw:
    """An answer that is no JSON."""

    content: bytes


class Batches:
    """What was uploaded and ordered.

    Args:
        answer: from a request's body to its completion.
    """

    def __init__(self, answer: Callable[[Mapping[str, Any]], Any]) -> None:
        self.answer = answer
        self.files: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._made = 0

    def work(self, status: str = "completed", *, skip: Callable[[Mapping[str, Any]], bool] = lambda _: False) -> None:
        """End every batch that is under way; lines that are to be skipped end in the file of errors."""
        with self._lock:
            for batch in self.batches.values():
                if batch["status"] != "in_progress":
                    continue
                good: list[bytes] = []
                bad: list[bytes] = []
                for line in self.contents[batch["input_file_id"]].splitlines():
                    entry = json.loads(line)
                    failed = skip(entry["body"])
                    code, body = (
                        (500, {"error": {"message": "failed"}}) if failed else (200, self.answer(entry["body"]))
                    )
                    told = {
                        "custom_id": entry["custom_id"],
                        "response": {"status_code": code, "body": body},
                        "error": None,
                    }
                    (bad if failed else good).append(json.dumps(told).encode())
                batch["status"] = status
                good.reverse()  # the order of the answers is nobody's promise
                batch["output_file_id"] = self._file(b"\n".join(good), "output.jsonl", "batch_output") if good else None
                batch["error_file_id"] = self._file(b"\n".join(bad), "errors.jsonl", "batch_output") if bad else None

    def handle(self, method: str, path: str, body: Any, content_type: str) -> Any:
        """The answer to a request below ``/v1/files`` and ``/v1/batches``; None: there is no such thing."""
        _, _, kind, *rest = path.split("/")
        with self._lock:
            if kind == "files":
                return self._of_files(method, rest, body, content_type)
            if method == "POST":
                return self._order(body) if not rest else None
            if not rest:
                return {"object": "list", "data": list(self.batches.values())[::-1], "has_more": False}
            return self.batches.get(rest[0])

    def _of_files(self, method: str, rest: list[str], body: Any, content_type: str) -> Any:
        if method == "POST":
            name, content = _uploaded(body, content_type)
            return self.files[self._file(content, name, "batch")]
        if not rest:
            return {"object": "list", "data": list(self.files.values()), "has_more": False}
        if rest[0] not in self.files:
            return None
        if method == "DELETE":
            del self.files[rest[0]], self.contents[rest[0]]
            return {"id": rest[0], "object": "file", "deleted": True}
        return Raw(self.contents[rest[0]]) if rest[1:] == ["content"] else self.files[rest[0]]

    def _order(self, body: Mapping[str, Any]) -> Any:
        if body["input_file_id"] not in self.files:
            return None
        name = self._name("batch")
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "status": "in_progress",
            "created_at": 1_700_000_000,
            "metadata": body.get("metadata"),
            "output_file_id": None,
            "error_file_id": None,
        }
        return self.batches[name]

    def _file(self, content: bytes, filename: str, purpose: str) -> str:
        name = self._name("file")
        self.contents[name] = content
        self.files[name] = {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": 1_700_000_000,
            "filename": filename,
            "purpose": purpose,
            "status": "processed",
        }
        return name

    def _name(self, kind: str) -> str:
        self._made += 1
        return f"{kind}-{self._made}"


def _uploaded(body: bytes, content_type: str) -> tuple[str, bytes]:
    """(name, content) of the file in a multipart form."""
    message = BytesParser().parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    for part in message.walk():
        if part.get_filename():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            return str(part.get_filename()), content
    raise ValueError("no file in the form")
