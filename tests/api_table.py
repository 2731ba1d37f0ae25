"""The table of operations in docs/api.md. `python -m memd.tests.api_table` in the checkout's environment writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel

from memd.daemon.http.openapi import response_model
from memd.daemon.operations import OPERATIONS, Operation
from memd.daemon.service.requests import request_model

BEGIN, END = "<!-- operations: written by tests/api_table.py -->\n", "<!-- end of operations -->\n"


def table() -> str:
    """All rows."""
    head = "| request | what it does | fields | answer | command | needs |\n|---|---|---|---|---|---|\n"
    return head + "".join(map(_row, OPERATIONS))


def _row(operation: Operation) -> str:
    answer = _fields(response_model(operation))
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
        _fields(request_model(operation.request)),
        told,
        command,
        operation.permission,
    )
    return f"| {' | '.join(cells)} |\n"


def _fields(model: type[BaseModel]) -> str:
    """Names; those that may be left out have a question mark."""
    fields = model.model_fields
    if not fields:
        return ""
    if "root" in fields:
        return "a document"
    return "{" + ", ".join(name if field.is_required() else f"{name}?" for name, field in fields.items()) + "}"


def written(text: str) -> str:
    """The page with the table of now."""
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: BEGIN + table() + END, text, flags=re.DOTALL)


if __name__ == "__main__":
    page = Path(__file__).parent.parent / "docs" / "api.md"
    page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
