"""What a proposal says of its subject, and the gates that it passes: asserted, of the right person, in its tense, grounded. Pure.

A claim that is worded too freely is worded anew; one that the lines do not carry is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from .assertion_gate import Quoted, clause_of, denies_otherwise, fault_of, is_brief, takes_back, tense_of
from .attribute_gate import is_another_attribute
from .attributes import functional
from .calendar import MONTHS
from .grounding import Ground, content_is_grounded, value_is_grounded
from .rejection import Reason
from .subject_gate import is_about_another
from .window import Line, Window

LONGEST_VALUE = 200
LONGEST_CONTENT = 400
SHORT_ANSWER_WORDS = 4
"""Of a message that may answer a question by one word: "Porto, since May"."""
STATES = frozenset(
    {
        "home",
        "location",
        "employer",
        "occupation",
        "study",
        "marital_status",
        "diet",
        "car",
        "possession",
        "pet",
        "hobby",
        "habit",
    }
)
"""Attributes of what begins and ends: said of the future it is a plan, and of former times it is over."""

AFFIRMS = re.compile(
    r"\W*(?:(?:oh|well|na|pues|hm+) )?(?:yes|yep|yeah|yup|aye|sure|of course|i (?:am|do|have)|we (?:are|do)|still (?:am|do)|no|nope|nah|not any ?more|never|ja|jo|jep|jawohl|klar|immer noch|nein|nee|nö|nicht mehr|nie|s[ií]|claro|por supuesto|ya no|qué va|nunca)\b",
    re.IGNORECASE,
)
"""How an answer begins that states what was asked, or denies it: its words stand in the question then."""
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’][^\W_]+)*")
_DAY = re.compile(r"(?:\d{4}|-)-(\d\d)-(\d\d)")
_PRONOUN = re.compile(r"^(?:i['’]?m|i am|i['’]ll|i|we['’]re|we are|we['’]ll|we|ich|wir)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of the subject; `verify` says who said it."""

    subject: str
    attribute: str
    value: str
    content: str
    negated: bool
    valid_from: datetime | None
    valid_to: datetime | None
    of_known: bool = False
    """It only ends what is known: its words need not tell which attribute that is."""


def checked_claim(claim: Claim, quoted: Quoted, lines: Sequence[Line], window: Window) -> Claim | Reason:
    """The claim as the cited lines carry it, or why they do not.

    Args:
        claim: with the subject's whole name.
        quoted: where its quote stands in one of the lines.
        lines: that it cites, all of one speaker.
        window: what the extractor was shown.
    """
    fault = _fault(claim, quoted, lines, window)
    if fault is not None:
        return fault
    ground = ground_of(claim, lines, window)
    told = _in_its_tense(claim, quoted, max(line.time for line in lines))
    if not value_is_grounded(told.value, ground):
        return Reason.UNGROUNDED_VALUE
    worded = content_is_grounded(told.content, ground) and not denies_otherwise(
        told.content, told.value, told.attribute, negated=told.negated
    )
    if told.attribute == claim.attribute and worded:
        return told
    return replace(told, content=_rebuilt(told))


def _fault(claim: Claim, quoted: Quoted, lines: Sequence[Line], window: Window) -> Reason | None:
    """Why the quoted words do not say this of the subject."""
    if len(_TOKEN.findall(quoted.text, quoted.start, quoted.end)) < 2 and not _is_short_answer(quoted, lines, window):
        return Reason.SHORT_QUOTE
    speaker = lines[0].speaker
    fault = fault_of(quoted, claim.value, claim.attribute, speaker, negated=claim.negated)
    if fault is not None and not (claim.of_known and fault == "negation-not-said"):  # its words end it in their own way
        return Reason(fault)
    later = [line.text for line in window.lines if line.number > lines[-1].number and line.speaker == speaker]
    if later and takes_back(later[0]):
        return Reason.JOKE
    clause = clause_of(quoted, claim.value)
    if is_about_another(clause, claim.subject, speaker, window.people, claim.attribute):
        return Reason.ABOUT_ANOTHER
    asked = _question_before(lines[0], window)
    said = "\n".join([*(line.text for line in lines), *asked])
    if not claim.of_known and is_another_attribute(claim.attribute, clause, said, "" if asked else claim.value):
        return Reason.ANOTHER_ATTRIBUTE
    return None


def _is_short_answer(quoted: Quoted, lines: Sequence[Line], window: Window) -> bool:
    """Whether a message of a few words answers the question that somebody else asked just before."""
    line = next(line for line in lines if line.text == quoted.text)
    return bool(_question_before(line, window)) and len(_TOKEN.findall(line.text)) <= SHORT_ANSWER_WORDS


def _question_before(line: Line, window: Window) -> Sequence[str]:
    """The text of the line before, if somebody else asks there."""
    before = [each for each in (*window.context, *window.lines) if each.number < line.number]
    asked = bool(before) and before[-1].speaker != line.speaker and before[-1].text.rstrip().endswith(("?", "？"))
    return [before[-1].text] if asked else []


def ground_of(claim: Claim, lines: Sequence[Line], window: Window) -> Ground:
    """What the words of a claim may rest on: the cited lines, and the whole names of people whom they call by a part."""
    said = {word for line in lines for word in _TOKEN.findall(line.text.casefold())}
    called = [name for name in window.people if said & set(_TOKEN.findall(name.casefold()))]
    names = (claim.subject, lines[0].speaker, claim.attribute.replace("_", " "), *called, *_words_of_day(claim.value))
    asked = _question_before(lines[0], window) if AFFIRMS.match(lines[0].text) else ()
    return Ground([*(line.text for line in lines), *asked], names, max(line.time for line in lines))


def _words_of_day(value: str) -> Sequence[str]:
    """How a day, ``1990-03-12`` or ``--03-12``, is written in words; nothing for another value."""
    day = _DAY.fullmatch(value)
    if day is None:
        return []
    return [str(int(day[2])), *(word for word, number in MONTHS.items() if number == int(day[1]))]


def _in_its_tense(claim: Claim, quoted: Quoted, observed: datetime) -> Claim:
    """The claim as what it is: what is to be is a plan, and what used to be is over."""
    if claim.negated or claim.attribute not in STATES:
        return claim
    begin = claim.valid_from
    tense = tense_of(quoted, claim.value)
    if tense == "future" or (begin is not None and begin > observed + timedelta(days=1)):
        words = _PRONOUN.sub("", " ".join(quoted.text[quoted.start : quoted.end].split()))[:LONGEST_VALUE]
        return replace(claim, attribute="plan", value=words or claim.value)
    if claim.attribute == "home" and is_brief(quoted):
        return replace(claim, attribute="location", valid_to=claim.valid_to or observed + timedelta(days=1))
    if tense == "past" and claim.valid_to is None and functional(claim.attribute):
        return replace(claim, valid_to=max(observed, begin or observed))
    return claim


def _rebuilt(claim: Claim) -> str:
    """A sentence of subject, attribute and value alone."""
    denied = "not " if claim.negated else ""
    return f"{claim.subject} — {claim.attribute.replace('_', ' ')}: {denied}{claim.value}"[:LONGEST_CONTENT]
