"""Facts that programs state with a message: each is a proposal that cites the message, and passes all checks. Pure.

They are read with whatever extractor reads the message, and need none of their own: nothing is to be found in words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from ...schemas.fact import ExtractorInfo
from ...schemas.message_list import Message
from ...schemas.stated_fact import StatedFact, stated_fact, words_of
from ..records import STATED
from .claim import LONGEST_CONTENT
from .extractor import Extraction
from .proposal import Proposal
from .refusal import MOST_OF_A_WINDOW
from .rejection import Reason
from .verify import verify, verify_all
from .window import LONGEST_LINE, Line, Window

_MAKER = ExtractorInfo(name=STATED)
_NOBODY = UUID(int=0)
_SENTENCES = re.compile(r"(?<=[.!?…。！？])\s+|\n+")


def with_stated_facts(extraction: Extraction, window: Window) -> Extraction:
    """Return the extraction of a window that was read, together with the facts that its messages carry."""
    proposals = [_proposal(line.fact, line) for line in window.lines if line.fact is not None]
    if not proposals or extraction.failure:
        return extraction
    statements, rejected, refusals = verify_all(proposals, window, _MAKER)
    keys = {each.key for each in statements}
    return replace(
        extraction,
        statements=(*statements, *(each for each in extraction.statements if each.key not in keys)),
        rejected=rejected + extraction.rejected,
        refusals=(*refusals, *extraction.refusals)[:MOST_OF_A_WINDOW],
    )


def reasons_against(messages: Sequence[Message], arrived: datetime) -> dict[int, Reason]:
    """Return the messages of a list, by their place, whose facts no check would let pass, each with the first reason.

    The messages of one scope are read together, as they are once they are stored.
    """
    reasons: dict[int, Reason] = {}
    by_scope: defaultdict[tuple[tuple[str, str], ...], list[Line]] = defaultdict(list)
    for place, message in enumerate(messages):
        by_scope[tuple(message.scope.items())].append(_line(place, message, arrived))
    for lines in by_scope.values():
        if any(line.fact is not None for line in lines):
            people = tuple(dict.fromkeys(line.speaker for line in lines))
            user = next((line.speaker for line in lines if line.role == "user"), "")
            window = Window(_NOBODY, "", "", "", user, people, tuple(lines))
            reasons |= {line.number - 1: reason for line in lines if (reason := _reason(line, window)) is not None}
    return reasons


def _reason(line: Line, window: Window) -> Reason | None:
    if line.fact is None:
        return None
    statement = verify(_proposal(line.fact, line), window, _MAKER)
    if isinstance(statement, Reason):
        return statement
    # A date that the message does not tell would be left out without a word.
    return Reason.IMPOSSIBLE_DATE if line.fact.valid_from and statement.valid_from is None else None


def _line(place: int, message: Message, arrived: datetime) -> Line:
    time = message.time or arrived
    fact = stated_fact(message.metadata)
    return Line(place + 1, _NOBODY, "", message.speaker, message.content[:LONGEST_LINE], time, message.role, fact=fact)


def _proposal(fact: StatedFact, line: Line) -> Proposal:
    """Return the proposal for a fact: it quotes the first sentence of the message that has the value."""
    value = fact.value.casefold()
    quote = next((each for each in _SENTENCES.split(line.text) if value in each.casefold()), line.text)
    return Proposal(
        fact.subject,
        fact.attribute,
        fact.value,
        quote if len(quote) <= LONGEST_CONTENT else words_of(fact),
        (line.number,),
        quote,
        negated=fact.negated,
        valid_from=fact.valid_from or "",
    )
