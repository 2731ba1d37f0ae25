"""Statements without a model: a table of first-person patterns that would rather miss than mistake.

The default when no endpoint is configured. A pattern counts only where a claim plainly begins (see `clauses`), its value
must look like what it claims to be, and whatever comes out passes the same checks as a model's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...schemas.fact import Extractor as Made
from . import nouns
from .clauses import Sentence, plain, sentences_of
from .dates import Span, anniversary, resolve
from .extractor import Extraction
from .patterns import PATTERNS, Pattern, compiled, table_hash
from .proposal import Proposal
from .values import value_of
from .verify import verify_all
from .window import Line, Window

ENGINE = "1"
"""Raised when code, not the table, makes other statements come out."""
VERSION = f"{ENGINE}-{table_hash()}"
CONFIDENCE = 0.9
"""What every rule claims: the precision that is asked of the table as a whole."""
_OPEN = re.compile(
    r"(?:ever since|since|as of|starting|for|from|between|until|till?|up to|seit|bis|ab|von|vom|desde|hasta)\b",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", re.IGNORECASE)
_NEEDS_TIME = re.compile(rf"(?:be in|come to|start|{'|'.join(nouns.words(nouns.PLANNING))})\b", re.IGNORECASE)
_OURS = {"my": "their", "our": "their", "me": "them", "us": "them", "i": "they", "we": "they", "mine": "theirs"}
_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


class RulesExtractor:
    """Reads windows line by line; what it says depends on the line, its time and its speaker alone."""

    @property
    def name(self) -> str:
        """``rules``."""
        return "rules"

    @property
    def version(self) -> str:
        """Of the table and the code that reads it."""
        return VERSION

    async def extract(self, windows: Sequence[Window]) -> list[Extraction]:
        """What each window states; never fails."""
        return [self.read(window) for window in windows]

    def read(self, window: Window) -> Extraction:
        """What one window states."""
        made = Made(name=self.name, prompt_version=self.version)
        proposals = [proposal for line in window.lines for proposal in proposals_of(line)]
        statements, rejected = verify_all(proposals, window, made)
        return Extraction(statements, rejected)


def proposals_of(line: Line) -> Iterator[Proposal]:
    """What the rules make of a message that a person wrote; nothing of one that is forwarded or an assistant's."""
    if line.forwarded or line.role not in (None, "user") or line.speaker in _RESERVED:
        return
    seen: set[tuple[str, str, str, bool]] = set()
    small = line.text == line.text.lower()
    for sentence in sentences_of(line.text):
        for row, match in _matches(sentence):
            proposal = _proposal(row, match, sentence.text, line, small=small)
            for each in () if proposal is None else _split(row, proposal):
                name = (each.subject, each.attribute, each.value.casefold(), each.negated)
                if name not in seen:
                    seen.add(name)
                    yield each


_Rows = tuple[tuple[Pattern, re.Pattern[str]], ...]


@cache
def _table() -> tuple[_Rows, tuple[tuple[re.Pattern[str], _Rows], ...]]:
    """The rows that may match anywhere, and the others by how they open: most sentences open otherwise."""
    rows = [(row, row.regex) for row in PATTERNS]
    openings = ("<i> ", "<im> ", "<ive> ", "<my> ", "my ", "ich ", "mi ", "")
    groups: dict[str, list[tuple[Pattern, re.Pattern[str]]]] = {opening: [] for opening in openings}
    for row, regex in rows:
        if not row.anywhere:
            groups[next(opening for opening in openings if row.words.startswith(opening))].append((row, regex))
    by_opening = tuple(
        (compiled(opening.strip()) if opening else re.compile(""), tuple(members))
        for opening, members in groups.items()
    )
    return tuple((row, regex) for row, regex in rows if row.anywhere), by_opening


def _matches(sentence: Sentence) -> Iterator[tuple[Pattern, re.Match[str]]]:
    text = sentence.text
    anywhere, by_opening = _table()
    for row, regex in anywhere:
        for match in regex.finditer(text):
            if plain(text, match.start()) and not re.search(r"[^\W_]$", text[: match.start()]):
                yield row, match
    for start in sentence.starts:
        for opening, rows in by_opening:
            if opening.match(text, start):
                for row, regex in rows:
                    if match := regex.match(text, start):
                        yield row, match


def _split(row: Pattern, proposal: Proposal) -> Iterator[Proposal]:
    """One proposal, or one for each of a list."""
    values = re.split(r",\s*(?:and\s+)?|\s+and\s+|\s*&\s*", proposal.value) if row.splits else [proposal.value]
    for value in values:
        says = proposal.content.replace(proposal.value, value)
        yield replace(proposal, value=value, content=says)


def _proposal(row: Pattern, match: re.Match[str], sentence: str, line: Line, *, small: bool) -> Proposal | None:
    groups = {name: text for name, text in match.groupdict().items() if text}
    found = value_of(row, match, sentence, line.time, small=small)
    if found is None:
        return None
    raw = found.text
    value = raw
    if row.shape in ("birthday", "day"):
        value = anniversary(raw, line.time) or ""
        if not value:
            return None
    value = row.value.format(v=value, kind=groups.get("kind", ""), rest=groups.get("rest", ""))
    span = _span(row, groups.get("when", "") or found.when, line.time)
    if row.shape == "plan" and _NEEDS_TIME.match(raw) and (span is None or _AT_ONCE.search(raw)):
        return None
    cut = row.shape in ("taste", "thing", "plan") and match.end("value") == match.end()
    end = found.end if cut else max(match.end(), found.end)
    relative = groups.get("who", "")
    values = {
        "s": line.speaker,
        "v": _in_third_person(value),
        "raw": _in_third_person(raw),
        "k": groups.get("kind", ""),
        "r": relative,
    }
    begin, finish = span if span is not None else (None, None)
    return Proposal(
        subject=f"{line.speaker}'s {relative}" if relative else line.speaker,
        attribute=row.attribute,
        value=value,
        content=row.says.format_map(values) if row.says else sentence.strip(),
        lines=(line.number,),
        quote=sentence[match.start() : end].strip(" ,"),
        speaker=line.speaker,
        negated=row.negated,
        valid_from="" if begin is None else begin.isoformat(),
        valid_to="" if finish is None else finish.isoformat(),
        confidence=CONFIDENCE,
    )


def _in_third_person(text: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda word: _OURS.get(word[0].casefold(), word[0]), text)


def _span(row: Pattern, when: str, said: datetime) -> Span | None:
    """From when to when the statement holds, as its kind of pattern reads the words of time."""
    span = resolve(when, said, past=row.time != "plan") if when and not row.negated else None
    if row.time == "past":
        ended = span is not None and span.end is not None and _OPEN.match(when) and span.end <= said
        return span if ended else Span(None, said)
    if span is None or row.time == "none":
        return None
    if row.time == "state":
        return span if _OPEN.match(when) else None
    if row.time == "change":
        return Span(span.start, None)
    return (
        span
        if re.match(r"(?:from|between|von|vom|de|until|till?|bis|hasta)\b", when, re.IGNORECASE)
        else Span(span.start, None)
    )
