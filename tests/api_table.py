"""The table of operations in docs/api.md. `python -m memd.tests.api_table` in the checkout's environment writes it anew."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from memd.daemon.http.openapi_components import answer_type
from memd.daemon.operations import OPERATIONS, Operation
from memd.daemon.service.requests import request_model

BEGIN, END = "<!-- operations: written by tests/api_table.py -->\n", "<!-- end of operations -->\n"


def table() -> str:
    """All rows."""
    head = "| request | what it does | fields | answer | command | needs |\n|---|---|---|---|---|---|\n"
    return head + "".join(map(_row, OPERATIONS))


def _row(operation: Operation) -> str:
    answer = _fields(answer_type(operation))
    told = {
        "object": answer,
        "lines": f"lines, {answer}",
        "object or lines": f"{answer}, or lines",
        "documents": f"documents, {answer}",
        "events": f"events, {answer}",
        "text": "text for Prometheus",
    }[operation.answer]
    command = f"`memd {operation.verb}`" if operation.verb else ""
    cells = (
        f"`{operation.method} {operation.path}`",
        operation.summary,
        _fields(TypeAdapter(request_model(operation.request))),
        told,
        command,
        operation.permission,
    )
    return f"| {' | '.join(cells)} |\n"


def _fields(described: TypeAdapter[Any]) -> str:
    """Names; those that may be left out have a question mark."""
    schema = described.json_schema()
    definitions = schema.get("$defs", {})
    schema = schema.get("prefixItems", [schema])[0]
    schema = definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if "anyOf" in schema:
        return "a document"
    names = schema.get("properties", {})
    required = schema.get("required", ())
    return "{" + ", ".join(name if name in required else f"{name}?" for name in names) + "}" if names else ""


def written(text: str) -> str:
    """The page with the table of now."""
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: BEGIN + table() + END, text, flags=re.DOTALL)


if __name__ == "__main__":
    page = Path(__file__).parent.parent / "docs" / "api.md"
    page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
