"""Statements without a model: a table of first-person patterns that would rather miss than mistake.

The default when no endpoint is configured. A pattern counts only where a claim plainly begins (see `assertions`), its value
must look like what it claims to be, and whatever comes out passes the same checks as a model's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta

from anyio import to_thread

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ....schemas.fact import ExtractorInfo as Made
from ..assertions import Sentence, is_told_otherwise, plain, sentences_of
from ..calendar import NUMBERS, UNITS, moved
from ..claim import LONGEST_VALUE
from ..dates import EXPRESSION, DateSpan, anniversary, resolve_date
from ..extractor import Extraction
from ..proposal import Proposal
from ..verify import verify_all
from ..window import Line, Window
from . import lexicon
from .affirmed import answer_of, asked_of, is_for_another
from .candidates import Candidates, Rule
from .corrected_statements import corrections
from .other_voices import lacks_its_subject, own_lines
from .pattern import Pattern, only_closes
from .places import places_of
from .prefilter import words_of
from .questions import rows_for
from .repeated_and_ended import consistent, without_ended
from .retractions import is_taken_back
from .sentence_pairs import with_names
from .value_checks import is_flight, value_of
from .version import NAME, VERSION

LONG = 500
"""Characters of a sentence; 4,000 letters in one run took 0.8 s to be searched, and nothing else was done meanwhile."""
CONFIDENCE = 0.9
"""What every rule claims: the precision that is asked of the table as a whole."""
_OPEN = re.compile(
    r"(?:ever since|since|as of|starting|for|from|between|until|till?|up to|seit|bis|ab|von|vom|desde|hasta)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"(?:until|till?|up to|bis|hasta)\b", re.IGNORECASE)
_AT_ONCE = re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", re.IGNORECASE)
_NEEDS_TIME = re.compile(rf"(?:be in|come to|start|{'|'.join(lexicon.words(lexicon.PLANNING))})\b", re.IGNORECASE)
_OURS = {"my": "their", "our": "their", "me": "them", "us": "them", "i": "they", "we": "they", "mine": "theirs"}
_LENGTH = re.compile(
    rf"(?:for|für|por|durante)\s+(?:the\s+next\s+)?(?P<n>\d{{1,2}}|{'|'.join(NUMBERS)}|a\s+few|a\s+couple\s+of|some|ein\s+paar|un[oa]s)\s+(?P<unit>{'|'.join(UNITS)}|nights?)\b",
    re.IGNORECASE,
)
_SO_FAR = re.compile(r"\b(?:been|lived|have|['’]ve|seit|llevo)\b", re.IGNORECASE)
_BEFORE = re.compile(rf"(?:^|[\s,;(])(?P<when>{EXPRESSION})[\s,]*$", re.IGNORECASE)
_BEHIND = re.compile(rf"[\s,]*(?P<when>{EXPRESSION})", re.IGNORECASE)
_INSIDE = re.compile(rf"(?<![^\W_])({EXPRESSION})", re.IGNORECASE)
_BIRTHDAY = re.compile(r"birthday|bday|b-day|geburtstag|cumple|birth date", re.IGNORECASE)
_LONGEST_ANSWER = 14
_INNER_END = re.compile(r"(?<!\d)\s*[.!?…]+\s+(?=[^\W\d_])")
"""Where a name is read with the sentence before it: a statement is one sentence. "Am 12. Juni" is inside one."""
_WORD = re.compile(r"[^\W_]+")
_GOES_ON = re.compile(r"[\W_]*[^\w\s'’\",;:()\[\]–—&+/-][\W_]*[^\W_]")
"""A word behind the end of a sentence, or behind an emoji."""
_ANIMAL = re.compile("[\U0001f400-\U0001f43f\U0001f980-\U0001f9ae]")
_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


class RulesExtractor:
    """Reads windows line by line; what it says depends on the line, its time and its speaker alone."""

    @property
    def name(self) -> str:
        """``rules``."""
        return NAME

    @property
    def version(self) -> str:
        """Of the table and the code that reads it."""
        return VERSION

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:  # noqa: ARG002 - it costs nothing
        """What each window states; never fails."""
        # One after the other, in a thread: questions are answered meanwhile, and a cancellation waits for one window.
        return [await to_thread.run_sync(self.read, window) for window in windows]

    def read(self, window: Window) -> Extraction:
        """What one window states."""
        made = Made(name=self.name, prompt_version=self.version)
        proposals = list(_proposals(window))
        statements, rejected, refusals = verify_all(proposals, window, made)
        return Extraction(statements, rejected, refusals=refusals)


def _proposals(window: Window) -> Iterator[Proposal]:
    """What a window states, line by line; a line is read with the one before it, which may ask what it answers."""
    everything = (*window.context, *window.lines)
    own: frozenset[int] | None = None
    before: Line | None = None
    stated: list[Proposal] = []
    for line in everything:
        if line.number > 0:
            asks = before is not None and not is_for_another(before.text, line.speaker, window.people)
            found = list(proposals_of(line, before if asks else None))
            if own is None and (
                found or stated
            ):  # most windows state nothing, and whose voice a line is takes long to tell
                own = own_lines(everything)
            if own is None or line.number in own:
                if stated and before is not None and before.speaker == line.speaker:
                    found = [*found, *corrections(stated, line)]
                yield from found
                stated = found
        before = line


def proposals_of(line: Line, before: Line | None = None) -> Iterator[Proposal]:
    """What the rules make of a message that a person wrote; nothing of one that is forwarded or an assistant's.

    Args:
        line: the message.
        before: the message before it.
    """
    if line.forwarded or line.role not in (None, "user") or line.speaker in _RESERVED:
        return
    answered = [] if before is None or before.speaker == line.speaker else rows_for(before.text)
    affirmed = None if before is None or before.speaker == line.speaker else _affirmed(before.text, line)
    yield from without_ended(list(_stated(line, answered, affirmed, "" if before is None else before.text)), line.text)


def _stated(line: Line, answered: Sequence[Pattern], affirmed: Proposal | None, asked: str) -> Iterator[Proposal]:
    """What its sentences state, one by one."""
    candidates = Candidates(line.text)
    if not candidates and not answered and affirmed is None:
        return
    seen: set[tuple[str, str, str, bool]] = set()
    small = line.text == line.text.lower()
    for index, sentence in enumerate(with_names(list(sentences_of(line.text)))):
        matches = [
            (row, match)
            for row, match in _matches(sentence, candidates.of(sentence.text), asked)
            if not lacks_its_subject(row.language, match[0], line.text[: sentence.offset + match.start()], asked)
            and not (row.closes_message and _goes_on(row, line.text, sentence, match))
            and not is_taken_back(line.text, sentence.offset + match.end())
        ]
        if index == 0 and len(sentence.text.split()) <= _LONGEST_ANSWER:
            stated = {row.attribute for row, _ in matches}
            for row in answered:
                if row.attribute not in stated and (match := row.regex.match(sentence.text.lstrip())):
                    matches.append((row, match))
                    stated.add(row.attribute)
        proposals = [
            each
            for row, match in matches
            if (made := _proposal(row, match, sentence.text, line, small=small or row in answered)) is not None
            for each in _split(row, made)
        ]
        if affirmed is not None and index == 0 and not any(each.attribute == affirmed.attribute for each in proposals):
            proposals.append(affirmed)
        if proposals and not seen and is_told_otherwise(line.text):
            return
        for each in consistent(proposals):
            name = (each.subject, each.attribute, each.value.casefold(), each.negated)
            if name not in seen:
                seen.add(name)
                yield each


def _goes_on(row: Pattern, text: str, sentence: Sentence, match: re.Match[str]) -> bool:
    """Whether the message says more behind what was read, in a later sentence or behind an emoji: more than "all well";
    of a child also an animal's picture.
    """
    if row.attribute == "child" and _ANIMAL.search(text, sentence.offset):
        return True
    if not only_closes(text[sentence.offset + len(sentence.text) :]):
        return True
    later = _GOES_ON.match(sentence.text, match.end())
    return later is not None and not only_closes(sentence.text[later.end() - 1 :])


def _affirmed(question: str, line: Line) -> Proposal | None:
    """What a message states by yes or no to a question of somebody else."""
    answer = answer_of(line.text)
    asked = None if answer is None else asked_of(question)
    if asked is None:
        return None
    says = asked.says if answer == "yes" else asked.denies
    return Proposal(
        subject=line.speaker,
        attribute=asked.attribute,
        value=asked.value,
        sentence=" ".join(line.text.split()),
        content=says.format(s=line.speaker, v=asked.value),
        lines=(line.number,),
        quote=line.text.strip(),
        speaker=line.speaker,
        negated=answer == "no",
        confidence=CONFIDENCE,
    )


def _matches(sentence: Sentence, rules: Sequence[Rule], asked: str = "") -> Iterator[tuple[Pattern, re.Match[str]]]:
    """What those of the rules read that its own words let through: the rest of a long message has words of its own."""
    words: set[str] | None = None
    for rule, match in _tried(sentence.text, rules):
        words = words_of(sentence.text) if words is None else words
        if not rule.has_words_in(words) or (rule.mine and not _BIRTHDAY.search(asked + sentence.text)):
            continue
        if rule.row.of_known and sentence.text.rstrip().endswith(","):
            continue  # what stands before a question: too little to end something by a name alone
        yield rule.row, match


def _tried(text: str, rules: Sequence[Rule]) -> Iterator[tuple[Rule, re.Match[str]]]:
    anchored: list[Rule] = []
    for rule in rules:
        if not rule.row.anywhere:
            anchored.append(rule)
            continue
        for match in rule.regex.finditer(text):
            if plain(text, match.start()) and not re.search(r"[^\W_]$", text[: match.start()]):
                yield rule, match
    if anchored:
        yield from _opening_a_claim(text, anchored)


def _opening_a_claim(text: str, rules: Sequence[Rule]) -> Iterator[tuple[Rule, re.Match[str]]]:
    """At the few places where a claim may begin, and not searched for in the whole text: most patterns begin with what may
    be left out. Whether words before make a place uncertain takes longest to tell, and is told of those that match.
    """
    plainly: dict[int, bool] = {}
    for begin, start, word in places_of(text):
        matches = [
            (rule, match)
            for rule in rules
            if (rule.begins is None or word in rule.begins) and (match := rule.regex.match(text, start))
        ]
        if matches and begin not in plainly:
            plainly[begin] = plain(text, begin)
        if matches and plainly[begin]:
            yield from matches


def _split(row: Pattern, proposal: Proposal) -> Iterator[Proposal]:
    """One proposal, or one for each of a list."""
    values = re.split(r",\s*(?:and\s+)?|\s+and\s+|\s*&\s*", proposal.value) if row.splits else [proposal.value]
    for value in values:
        says = proposal.content.replace(proposal.value, value)
        yield replace(proposal, value=value, content=says)


def _proposal(row: Pattern, match: re.Match[str], sentence: str, line: Line, *, small: bool) -> Proposal | None:
    groups = {name: text for name, text in match.groupdict().items() if text}
    found = value_of(row, match, sentence, line.time, small=small)
    too_long = found is not None and len(found.text) > LONGEST_VALUE and not row.splits
    if found is None or too_long or is_flight(row, line.text):
        return None
    raw = found.text
    value = raw
    if row.shape in ("birthday", "day"):
        value = anniversary(raw, line.time) or ""
        if not value:
            return None
    value = row.value.format(v=value, kind=groups.get("kind", ""), rest=groups.get("rest", ""))
    found = replace(
        found, when=found.when or ("" if groups.get("when") else _when_before(row, sentence, match.start(), line.time))
    )
    if row.negated:
        span = _ended_at(sentence, match, line.time)
    else:
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
    attribute = row.attribute
    if attribute == "home" and row.time == "state" and _lasts_briefly(match[0], groups.get("when", "") or found.when):
        attribute = "location"
        begin, finish = _lasting(groups.get("when", "") or found.when, line.time)
    said = " ".join(sentence.replace("\0", " ").split())  # what others say in it is masked
    return Proposal(
        subject=f"{line.speaker}'s {relative}" if relative else line.speaker,
        attribute=attribute,
        value=value,
        sentence=said,
        content=row.says.format_map(values) if row.says else _INNER_END.sub(", ", said),
        lines=(line.number,),
        quote=sentence[match.start() : end].strip(" ,"),
        speaker=line.speaker,
        negated=row.negated,
        of_known=row.of_known,
        valid_from="" if begin is None else begin.isoformat(),
        valid_to="" if finish is None else finish.isoformat(),
        confidence=CONFIDENCE,
    )


def _in_third_person(text: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda word: _OURS.get(word[0].casefold(), word[0]), text)


def _span(row: Pattern, when: str, said: datetime) -> DateSpan | None:
    """From when to when the statement holds, as its kind of pattern reads the words of time."""
    ahead = row.time == "plan" or (row.time == "state" and _UNTIL.match(when))  # what is so now has not ended
    span = resolve_date(when, said, past=not ahead) if when else None
    if row.time == "past":
        ended = span is not None and span.end is not None and _OPEN.match(when) and span.end <= said
        return span if ended else DateSpan(None, said)
    if row.time == "brief":
        return DateSpan(*_lasting(when, said))
    if span is None or row.time == "none":
        return None
    if row.time == "state":
        return span if _OPEN.match(when) else None
    if row.time == "change":
        return DateSpan(span.start, None)
    return span


def _ended_at(sentence: str, match: re.Match[str], said: datetime) -> DateSpan | None:
    """Since when something is no longer so: by words of time right before what says so, inside it, or right behind it. Of what
    is still to end nothing: until then it is so.
    """
    start, end = match.span()
    before = _BEFORE.search(sentence[max(0, start - 40) : start])
    first, last = match.span("value")
    inside = [found[1] for found in _INSIDE.finditer(sentence, start, end) if not first < found.end() <= last]
    behind = _BEHIND.match(sentence, end)
    whens = [*inside, *(found["when"] for found in (behind, before) if found is not None)]
    spans = [span for when in whens if (span := resolve_date(when, said, past=True)) is not None]
    start_of = spans[0].start if spans else None
    return DateSpan(start_of, None) if start_of is not None and start_of <= said else None


def _when_before(row: Pattern, sentence: str, start: int, said: datetime) -> str:
    """The words of time right before a claim: "since March I have been living …"."""
    if row.time == "none" or not start:
        return ""
    found = _BEFORE.search(sentence[max(0, start - 40) : start])
    return found["when"] if found is not None and resolve_date(found["when"], said) is not None else ""


def _lasts_briefly(words: str, when: str) -> bool:
    """Whether "for three months" says how long it is to last, not how long it has been so."""
    length = _LENGTH.match(when)
    return length is not None and UNITS[length["unit"].casefold()] != "year" and not _SO_FAR.search(words)


def _lasting(when: str, said: datetime) -> tuple[datetime, datetime]:
    """From now to the end that the words of time name; without one a day."""
    length = _LENGTH.match(when)
    if length is not None:
        n = length["n"].casefold()
        count = int(n) if n.isdigit() else NUMBERS.get(n, 3)
        end = moved(said.date(), count, UNITS[length["unit"].casefold()])
        if end is not None:
            return said, datetime.combine(end, time(), said.tzinfo)
    span = resolve_date(when, said) if when else None
    if span is not None and span.end is not None and span.end > said:
        return said, span.end
    return said, said + timedelta(days=7)
