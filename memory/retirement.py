"""Retires texts whose files are gone: a text without content is its newest version, and undoing it brings it back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import orjson

from .merge.plan import MergePlan, Stored
from .write_batches import DocumentInput

_RETIRED = "retired"
"""The key of the JSON of an input that retires a text, because its file is gone."""
_BEGINNING = f'{{"{_RETIRED}":'.encode()


def retirement_body(run: str, number: int) -> bytes:
    """Return the body of an input that retires a text. A text may be retired, come back and be retired again, so run and number are
    part of it.
    """
    return orjson.dumps({_RETIRED: True, "run": run, "number": number})


def is_retirement(body: bytes | None) -> bool:
    """Return whether a body is that of an input that retires a text."""
    return body is not None and body.startswith(_BEGINNING)


def plan_retirement(stored: Stored) -> MergePlan:
    """Plan to retire a text: it loses its content, and its row stays."""
    row = replace(stored.document, kind="retired", content="", digests=frozenset())
    return MergePlan(document=row, replaced_text=stored.document.content)


def last_words(inputs: Sequence[DocumentInput]) -> str:
    """Return the last content of a retired text, from its inputs; empty if it was not kept."""
    bodies = {each.digest: each for each in inputs if each.body}
    return next(reversed(former_words([bodies[each.digest] for each in inputs if each.digest in bodies])), "")


def former_words(inputs: Sequence[DocumentInput]) -> list[str]:
    """Return the contents of the versions of a text that are kept for an undo, in order."""
    bodies = [orjson.loads(each.body) for each in inputs if each.body and not is_retirement(each.body)]
    return [body["content"] for body in bodies if isinstance(body.get("content"), str)]
