"""A refused proposal, as it is stored and listed: the proposed fields, the cited messages and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import orjson

from .proposal import Proposal
from .rejection import Reason
from .statement import Statement
from .window import Line

LONGEST = 200
"""Characters of each text that are stored."""
MOST_OF_A_WINDOW = 50
"""Stored refusals of one window; all are counted."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One proposal, with the first check that it failed."""

    reason: str
    """A `Reason`."""
    subject: str
    attribute: str
    value: str
    content: str
    quote: str
    speaker: str
    """The proposed speaker; if empty, the speakers of the lines."""
    negated: bool
    message_ids: tuple[str, ...]
    """The ids of the cited messages that exist."""
    expands: tuple[str, ...] = ()
    """The keys of the cited messages that are also found by the proposal's content; see `expansions`."""


def refusal_of(proposal: Proposal, reason: Reason, cited: Sequence[Line], *, expands: bool) -> Refusal:
    """Return the refusal of a proposal. ``expands``: its content becomes a further search key of the cited lines."""
    speakers = dict.fromkeys(line.speaker for line in cited)
    return Refusal(
        reason.value,
        proposal.subject[:LONGEST],
        proposal.attribute[:LONGEST],
        proposal.value[:LONGEST],
        proposal.content[:LONGEST],
        proposal.quote[:LONGEST],
        (proposal.speaker or ", ".join(speakers))[:LONGEST],
        proposal.negated,
        tuple(dict.fromkeys(line.message_id for line in cited)),
        tuple(dict.fromkeys(str(line.message) for line in cited)) if expands else (),
    )


def refusal_of_statement(statement: Statement, reason: Reason) -> Refusal:
    """Return the refusal of a statement that passed the checks and was not confirmed."""
    return Refusal(
        reason.value,
        statement.subject[:LONGEST],
        statement.attribute[:LONGEST],
        statement.value[:LONGEST],
        statement.content[:LONGEST],
        next((each.quote for each in statement.evidence), "")[:LONGEST],
        statement.speaker[:LONGEST],
        statement.negated,
        tuple(dict.fromkeys(each.message_id for each in statement.evidence)),
    )


def refusal_to_json(refusal: Refusal) -> str:
    """Return the refusal as one line of JSON, without the reason."""
    body = asdict(refusal)
    del body["reason"]
    return orjson.dumps(body).decode()


def refusal_from_json(reason: str, text: str | bytes) -> Refusal:
    """Parse the output of `refusal_to_json`.

    Raises:
        TypeError: a field has the wrong type; other decoding errors if the line is no JSON.
    """
    body = cast("dict[str, Any]", orjson.loads(text))
    lists: dict[str, tuple[Any, ...]] = {name: tuple(body.pop(name, ())) for name in ("message_ids", "expands")}
    texts = [each for name, each in body.items() if name != "negated"]
    if not all(isinstance(each, str) for each in (*texts, *lists["message_ids"], *lists["expands"])):
        raise TypeError("a refused proposal holds what is no text")
    return Refusal(reason=reason, **lists, **body)
