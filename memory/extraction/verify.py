"""The checks that every statement must pass, whoever proposed it: a rule, a model, or a model that was deceived.

Everything that can be derived from the window is checked against it: the speaker, the existing lines, their content.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...schemas.fact import ExtractorInfo, Sensitivity
from .assertion_gate import Quoted, is_instruction
from .attributes import ATTRIBUTES, Attribute
from .claim import LONGEST_CONTENT, LONGEST_VALUE, STATES, Claim, checked_claim, ground_of
from .dates import moment
from .grounding import Ground, words_are_grounded
from .proposal import Proposal
from .refusal import MOST_OF_A_WINDOW, Refusal, refusal_of
from .rejection import MISCITED, Reason
from .statement import Cited, Statement
from .window import Line, Window

NOT_OWN_WORDS = "not-own-words"
"""The tag of statements from a text that the user did not write."""
LONGEST_NAME = 80
"""Characters of a subject, an attribute, a keyword, a tag."""
MOST_WORDS_KEPT = 12
"""Keywords, and also tags, of one statement."""
LEAST_CONFIDENCE = 0.5
CATEGORIES = frozenset(attribute.category for attribute in ATTRIBUTES.values())

MODES: Mapping[str, Reason] = {
    "reported": Reason.REPORTED,
    "question": Reason.QUESTION,
    "hypothetical": Reason.HYPOTHETICAL,
    "joke": Reason.JOKE,
}
"""Modes of speech, as an extractor reports them, that are no assertions, with their reasons."""
TENSES = frozenset({"now", "past", "planned"})

_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})
_SELF = frozenset({"i", "me", "my", "myself", "mine", "self", "speaker", "the speaker", "ich", "yo"})
_USER = frozenset({"user", "the user", "primaryuser", "primary user", "primary_user"})
_OTHER = Attribute("", "", functional=False, category="")
_ORDER: Sequence[Sensitivity] = ("low", "medium", "high")
_ALIKE = {"'": "['’‘ʼ`]", "’": "['’‘ʼ`]", '"': '["“”„«»]', "“": '["“”„«»]', "”": '["“”„«»]', "-": "[-–—]", "–": "[-–—]"}
_WORD = re.compile(r"[^\W_]")
_SENTENCE_END = re.compile(r"[^\W\d_]{4,}[.!?…]+[\"”»')]*\s+[^\W\d_]")


def verify(proposal: Proposal, window: Window, extractor: ExtractorInfo) -> Statement | Reason:
    """Return the proposal as a statement, or the first reason why it is none.

    Args:
        proposal: the proposal.
        window: the window that the extractor was shown.
        extractor: the proposal's extractor, which is recorded in the statement.
    """
    lines = _cited_lines(proposal, window)
    if isinstance(lines, Reason):
        return lines
    if proposal.mode in MODES:
        return MODES[proposal.mode]
    speaker = lines[0].speaker
    subject = _subject(proposal.subject, speaker, lines, window)
    if isinstance(subject, Reason):
        return subject
    evidence = _evidence(proposal.quote, lines)
    if isinstance(evidence, Reason):
        return evidence
    observed = max(line.time for line in lines)
    claim = _claim(proposal, subject, observed)
    if isinstance(claim, Reason):
        return claim
    ground = ground_of(claim, lines, window)
    claim = checked_claim(
        _with_grounded_dates(claim, proposal, ground, observed), _quoted(proposal.quote, lines), lines, window
    )
    if isinstance(claim, Reason):
        return claim
    if not LEAST_CONFIDENCE <= proposal.confidence <= 1:  # also rejects NaN
        return Reason.LOW_CONFIDENCE
    attribute = ATTRIBUTES.get(claim.attribute, _OTHER)
    faults = () if window.written_by_user else (NOT_OWN_WORDS,)
    return Statement(
        document=window.document,
        document_id=window.document_id,
        speaker=speaker,
        subject=subject,
        attribute=claim.attribute,
        value=claim.value,
        content=claim.content,
        evidence=evidence,
        observed_at=observed,
        extractor=extractor,
        negated=proposal.negated,
        of_known=proposal.of_known,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        audience=tuple(name for name in window.people if name != speaker and name not in _RESERVED),
        category=proposal.category if proposal.category in CATEGORIES else attribute.category,
        importance=_importance(proposal.importance, attribute),
        sensitivity=_sensitivity(proposal.sensitivity, attribute),
        confidence=proposal.confidence,
        sentiment=_sentiment(proposal.sentiment),
        keywords=_words(word for word in proposal.keywords if words_are_grounded(word, ground)),
        sentence=_one_line(proposal.sentence)[:LONGEST_CONTENT],
        tags=_words(
            (*faults, *(tag for tag in proposal.tags if tag != NOT_OWN_WORDS and words_are_grounded(tag, ground)))
        ),
    )


def verify_all(
    proposals: Iterable[Proposal], window: Window, extractor: ExtractorInfo
) -> tuple[tuple[Statement, ...], Counter[str], tuple[Refusal, ...]]:
    """Return the distinct statements among many proposals, in order; the numbers of refused proposals by reason; and
    the first refusals.
    """
    statements: dict[object, Statement] = {}
    rejected: Counter[str] = Counter()
    refusals: dict[Refusal, None] = {}
    for proposal in proposals:
        result = verify(proposal, window, extractor)
        if isinstance(result, Reason):
            rejected[result.value] += 1
            if len(refusals) < MOST_OF_A_WINDOW:
                refusals[refused(proposal, result, window, extractor)] = None
        else:
            statements.setdefault(result.key, result)
    return tuple(statements.values()), rejected, tuple(refusals)


def refused(proposal: Proposal, reason: Reason, window: Window, extractor: ExtractorInfo) -> Refusal:
    """Return the refusal of a proposal.

    If a model cites lines correctly, its wording expands them: they are also found by its words. Rules add no words of
    their own. The reason is the first check that failed, so the later checks of the citation are made here.
    """
    cited = [line for line in window.lines if line.number in proposal.lines]
    expands = bool(extractor.model) and reason not in MISCITED and _is_cited_rightly(proposal, cited)
    return refusal_of(proposal, reason, cited, expands=expands)


def _is_cited_rightly(proposal: Proposal, cited: Sequence[Line]) -> bool:
    """Return whether the quote occurs in these lines, is no instruction to store something, and the model's confidence
    is sufficient.
    """
    if not LEAST_CONFIDENCE <= proposal.confidence <= 1 or not _WORD.search(proposal.quote):
        return False
    quoting = [line for line in cited if _search(proposal.quote, line.text)]
    return bool(quoting) and not any(is_instruction(_quoted(proposal.quote, [line])) for line in quoting)


def _cited_lines(proposal: Proposal, window: Window) -> Sequence[Line] | Reason:
    """Return the cited lines in order, all of one real speaker; or a reason."""
    if not proposal.lines:
        return Reason.NO_LINES
    by_number = {line.number: line for line in window.lines}
    context = {line.number for line in window.context}
    for number in proposal.lines:
        if number not in by_number:
            return Reason.CONTEXT_LINE if number in context else Reason.UNKNOWN_LINE
    lines = [by_number[number] for number in sorted(set(proposal.lines))]
    speaker = proposal.speaker.strip() or lines[0].speaker
    if speaker in _RESERVED or any(line.speaker in _RESERVED for line in lines):
        return Reason.RESERVED_SPEAKER
    if any(line.speaker != speaker for line in lines):
        return Reason.WRONG_SPEAKER
    if any(line.role not in (None, "user") for line in lines):
        return Reason.NOT_A_PERSON
    if any(line.forwarded for line in lines):
        return Reason.FORWARDED
    return lines


def _subject(proposed: str, speaker: str, lines: Sequence[Line], window: Window) -> str | Reason:
    """Return the subject: a person of the window, or a thing by the name that the cited lines give it; or a reason."""
    name = _one_line(proposed)
    folded = name.casefold()
    if not name or len(name) > LONGEST_NAME or name in _RESERVED:
        return Reason.UNKNOWN_SUBJECT
    people = {person.casefold(): person for person in (*window.people, speaker) if person not in _RESERVED}
    exact = name if name in people.values() else people.get(folded)
    if exact is None and folded in _SELF:
        exact = speaker
    if exact is None and folded in _USER:
        if not window.written_by_user:
            return Reason.SUBJECT_IS_USER
        if speaker != window.user:
            return Reason.UNKNOWN_SUBJECT  # the speaker may have meant any user
        exact = speaker
    if exact is not None:
        if not window.written_by_user and exact == window.user:
            return Reason.SUBJECT_IS_USER
        if not window.written_by_user and exact == speaker == window.source:
            return Reason.UNKNOWN_AUTHOR
        return exact
    named = any(_search(name, line.text) for line in lines)
    return name if named else _possessed(name, speaker, lines)


def _possessed(name: str, speaker: str, lines: Sequence[Line]) -> str | Reason:
    """Resolve ``Ann's sister`` if Ann herself wrote "my sister"."""
    for mark in ("'s ", "’s ", "' ", "’ "):
        owner, _, thing = name.partition(mark)
        mine = owner.casefold() == speaker.casefold() or owner.casefold() in _SELF
        if thing and mine and any(_search(thing, line.text) for line in lines):
            return f"{speaker}'s {thing}"
    return Reason.UNKNOWN_SUBJECT


def _evidence(quote: str, lines: Sequence[Line]) -> tuple[Cited, ...] | Reason:
    """Return the quotes from each cited message; a line without the quote is cited by its own beginning."""
    if not _WORD.search(quote):
        return Reason.NO_QUOTE
    spans = {line.number: _longest_line(match[0]) for line in lines if (match := _search(quote, line.text))}
    if not spans:
        return Reason.QUOTE_NOT_FOUND
    return tuple(
        Cited(line.message, line.message_id, spans.get(line.number) or _first_words(line.text))
        for line in lines
        if line.number in spans or _first_words(line.text)
    )


def _quoted(quote: str, lines: Sequence[Line]) -> Quoted:
    """Return the quote in the first line that contains it."""
    text, matched = next((line.text, match) for line in lines if (match := _search(quote, line.text)))
    return Quoted(text, matched.start(), matched.end())


def _longest_line(text: str) -> str:
    """Return the longest line of a quote: if a message quotes another, that part was cut out of the text and replaced
    by a line end, so only the text between two line ends is certain to occur in the message.
    """
    return max(text.split("\n"), key=len).strip()


def _search(quote: str, text: str) -> re.Match[str] | None:
    """Find the words of the quote in a text, ignoring case and white space."""
    words = quote.replace("\\n", " ").strip(' \t\r\n"“”„«»…').split()
    if not words:
        return None
    pattern = r"\s+".join("".join(_ALIKE.get(char) or re.escape(char) for char in word) for word in words)
    before = r"(?<![^\W_])" if _WORD.match(words[0]) else ""
    after = r"(?![^\W_])" if _WORD.match(words[-1][-1]) else ""
    return re.search(before + pattern + after, text, re.IGNORECASE)


def _first_words(text: str) -> str:
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    return first[:LONGEST_VALUE].rstrip()


def _claim(proposal: Proposal, subject: str, said: datetime) -> Claim | Reason:
    """Return the proposed claim in its stored form; or a reason."""
    attribute = _snake(proposal.attribute)
    value, content = _one_line(proposal.value), _one_line(proposal.content)
    wrong = _wrong_words(attribute, value, content)
    if wrong is not None:
        return wrong
    dates = _dates(proposal, said)
    if isinstance(dates, Reason):
        return dates
    if proposal.tense == "planned" and attribute in STATES and not proposal.negated:
        attribute = "plan"
    return Claim(subject, attribute, value, content, proposal.negated, *dates, of_known=proposal.of_known)


def _with_grounded_dates(claim: Claim, proposal: Proposal, ground: Ground, said: datetime) -> Claim:
    """Return the claim without dates that the lines do not name; a claim about the past ends when it was said."""
    begin = claim.valid_from if ground.has_date(proposal.valid_from) else None
    end = claim.valid_to if ground.has_date(proposal.valid_to) else None
    if proposal.tense == "past" and claim.attribute in STATES and end is None and not claim.negated:
        end = max(said, begin or said)
    return replace(claim, valid_from=begin, valid_to=end)


def _wrong_words(attribute: str, value: str, content: str) -> Reason | None:
    if not attribute or len(attribute) > LONGEST_NAME:
        return Reason.BAD_ATTRIBUTE
    if not _WORD.search(value):
        return Reason.BLANK_VALUE
    if len(value) > LONGEST_VALUE:
        return Reason.LONG_VALUE
    if not _WORD.search(content):
        return Reason.BLANK_CONTENT
    if len(content) > LONGEST_CONTENT:
        return Reason.LONG_CONTENT
    return Reason.MANY_SENTENCES if _SENTENCE_END.search(content) else None


def _dates(proposal: Proposal, said: datetime) -> tuple[datetime | None, datetime | None] | Reason:
    begin, end = moment(proposal.valid_from, said), moment(proposal.valid_to, said, end=True)
    if isinstance(begin, str) or isinstance(end, str):
        return Reason.IMPOSSIBLE_DATE
    if begin is not None and end is not None and begin > end:
        return Reason.DATES_REVERSED
    return begin, end


def _snake(name: str) -> str:
    return "_".join(re.findall(r"[^\W_]+", name.casefold()))


def _one_line(text: str) -> str:
    text = "".join(each if each.isprintable() else " " for each in text) if not text.isprintable() else text
    return " ".join(text.split())


def _importance(proposed: float | None, attribute: Attribute) -> int:
    return int(proposed) if proposed in (1, 2, 3) else attribute.importance


def _sensitivity(proposed: str, attribute: Attribute) -> Sensitivity:
    """Return the proposed sensitivity, but at least the attribute's own."""
    for each in _ORDER[_ORDER.index(attribute.sensitivity) + 1 :]:
        if proposed == each:
            return each
    return attribute.sensitivity


def _sentiment(proposed: float | None) -> float | None:
    return proposed if proposed is not None and math.isfinite(proposed) and -1 <= proposed <= 1 else None


def _words(words: Iterable[str]) -> tuple[str, ...]:
    kept = dict.fromkeys(clean for word in words if (clean := _one_line(word)) and len(clean) <= LONGEST_NAME)
    return tuple(kept)[:MOST_WORDS_KEPT]
