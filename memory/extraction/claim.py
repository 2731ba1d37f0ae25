"""What a proposal says of its subject, and the gates that it passes: asserted, of the right person, in its tense, grounded. Pure.

A claim that is worded too freely is worded anew; one that the lines do not carry is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from .assertion_gate import (
    Quoted,
    clause_of,
    denies_otherwise,
    fault_of,
    is_brief,
    takes_back,
    tense_of,
    where_it_stands,
)
from .attribute_gate import is_another_attribute
from .calendar import MONTHS
from .grounding import Ground, clause_is_grounded, content_is_grounded, has_words_of, states_enough, value_is_grounded
from .rejection import Reason
from .subject_gate import is_about_another
from .window import Line, Window
from .wording_gate import begins_with_another, denies_more, first_clauses, is_of_another_time

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
_LEARNT = frozenset({"language", "skill"})
"""Attributes of what somebody may only intend to have."""
_PASSES = STATES | _LEARNT | {"likes", "dislikes", "favourite", "partner", "friend", "health", "allergy", "belief"}
"""Attributes of what is over when it is said of former times."""
_SAYS: Mapping[str, str] = {
    "home": "lives moved",
    "location": "lives moved",
    "employer": "works",
    "occupation": "works",
    "study": "studies learns",
    "likes": "likes",
    "favourite": "likes",
    "hobby": "likes",
    "dislikes": "dislikes",
    "diet": "eats isst come",
    "language": "speaks learns",
    "car": "drives",
}
"""Of an attribute the verbs by which its sentence states it; the lines may say it without them. Who died does not live."""
_YOU = re.compile(
    r"(?<![^\W_])(?:you|your|yours|you['’]\w+|u|ur|du|dir|dich|dein\w*|ihr|euch|euer|eure\w*|tú|tu|tus|te|ti|contigo|usted|ustedes|vos|vosotr\w+|sen|sana|seni|senin)(?![^\W_])",
    re.IGNORECASE,
)

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
    quoted = where_it_stands(quoted, claim.value)
    fault = _fault(claim, quoted, lines, window)
    if fault is not None:
        return fault
    ground = ground_of(claim, lines, window)
    told = _in_its_tense(claim, quoted, max(line.time for line in lines))
    value = _carried_value(told.value, ground)
    if not value or is_of_another_time(value, ground.text):
        return Reason.UNGROUNDED_VALUE
    if not told.negated and denies_more(value, ground.text):
        return Reason.NEGATION_NOT_SAID
    if states_enough(value) and begins_with_another(value, (claim.subject, lines[0].speaker), window.people):
        return Reason.ABOUT_ANOTHER
    content = told.content if value == told.value else told.content.replace(told.value, value)
    told = replace(told, value=value, content=content)
    over = told.valid_to is not None and claim.valid_to is None
    content = "" if told.attribute != claim.attribute or over else _carried_content(told, ground, window)
    return replace(told, content=content or _rebuilt(told, over=over))


def _carried_value(value: str, ground: Ground) -> str:
    """The value, or its first clauses, as far as the lines carry it; empty if they do not."""
    if not states_enough(value):
        return value if value_is_grounded(value, ground) else ""
    first = first_clauses(value, lambda clause: clause_is_grounded(clause, ground))
    if not states_enough(first) and first != value:
        return ""
    return first if value_is_grounded(first, ground) else ""


def _carried_content(told: Claim, ground: Ground, window: Window) -> str:
    """The sentence, or its first clauses, as far as the lines carry it and it states the value; empty if they do not."""
    if told.content == told.value:
        return told.content
    own = ground.with_words(told.value)
    first = first_clauses(told.content, lambda clause: clause_is_grounded(clause, own, strict=True))
    if (
        not content_is_grounded(first, own)
        or not has_words_of(first, told.value, told.attribute, ground)
        or denies_otherwise(first, told.value, told.attribute, negated=told.negated)
        or (not told.negated and denies_more(first, ground.text))
        or is_of_another_time(first, ground.text)
        or begins_with_another(first, (told.subject,), window.people)
    ):
        return ""
    return first if first == told.content or not told.content.endswith(".") else f"{first}."


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
    says = _SAYS.get(claim.attribute, "lives" if claim.negated else "")
    names = (
        *(claim.subject, lines[0].speaker, claim.attribute.replace("_", " "), says),
        *(*called, *_addressed(lines, window), *_words_of_day(claim.value)),
    )
    asked = _question_before(lines[0], window) if AFFIRMS.match(lines[0].text) else ()
    return Ground([*(line.text for line in lines), *asked], names, max(line.time for line in lines))


def _addressed(lines: Sequence[Line], window: Window) -> Sequence[str]:
    """Who else takes part, if there is one alone and the lines say "you" to that person."""
    others = [name for name in window.people if name != lines[0].speaker]
    return others if len(others) == 1 and any(_YOU.search(line.text) for line in lines) else []


def _words_of_day(value: str) -> Sequence[str]:
    """How a day, ``1990-03-12`` or ``--03-12``, is written in words; nothing for another value."""
    day = _DAY.fullmatch(value)
    if day is None:
        return []
    return [str(int(day[2])), *(word for word, number in MONTHS.items() if number == int(day[1]))]


def _in_its_tense(claim: Claim, quoted: Quoted, observed: datetime) -> Claim:
    """The claim as what it is: what is to be is a plan, and what used to be is over."""
    if claim.negated or claim.attribute not in _PASSES:
        return claim
    begin = claim.valid_from
    tense = tense_of(quoted, claim.value)
    if tense == "past" and claim.valid_to is None:
        return replace(claim, valid_to=max(observed, begin or observed))
    if claim.attribute not in STATES | _LEARNT:
        return claim
    if tense == "future" or (begin is not None and begin > observed + timedelta(days=1)):
        words = _PRONOUN.sub("", " ".join(quoted.text[quoted.start : quoted.end].split()))[:LONGEST_VALUE]
        return replace(claim, attribute="plan", value=words or claim.value)
    if claim.attribute == "home" and is_brief(quoted):
        return replace(claim, attribute="location", valid_to=claim.valid_to or observed + timedelta(days=1))
    return claim


def _rebuilt(claim: Claim, *, over: bool) -> str:
    """A sentence of subject, attribute and value alone."""
    denied = "not " if claim.negated else "formerly " if over else ""
    return f"{claim.subject} — {claim.attribute.replace('_', ' ')}: {denied}{claim.value}"[:LONGEST_CONTENT]
