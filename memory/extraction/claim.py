"""The claim of a proposal about its subject, and its gates: asserted, about the right person, in its tense, grounded.
Pure.

A claim that is worded too freely is reworded; one that the lines do not support is refused.
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
"""The most words of a message that may answer a question briefly: "Porto, since May"."""
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
"""Attributes of states with a beginning and an end: about the future they become a plan, about the past they are over.
"""
_LEARNT = frozenset({"language", "skill"})
"""Attributes that somebody may only intend to acquire."""
_PASSES = STATES | _LEARNT | {"likes", "dislikes", "favourite", "partner", "friend", "health", "allergy", "belief"}
"""Attributes that are over if they are stated about the past."""
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
"""The verbs with which a sentence states an attribute; the lines need not contain them. A denial of any other attribute
may say "lives", since whoever died does not live.
"""
_YOU = re.compile(
    r"(?<![^\W_])(?:you|your|yours|you['’]\w+|u|ur|du|dir|dich|dein\w*|ihr|euch|euer|eure\w*|tú|tu|tus|te|ti|contigo|usted|ustedes|vos|vosotr\w+|sen|sana|seni|senin)(?![^\W_])",
    re.IGNORECASE,
)

AFFIRMS = re.compile(
    r"\W*(?:(?:oh|well|na|pues|hm+) )?(?:yes|yep|yeah|yup|aye|sure|of course|i (?:am|do|have)|we (?:are|do)|still (?:am|do)|no|nope|nah|not any ?more|never|ja|jo|jep|jawohl|klar|immer noch|nein|nee|nö|nicht mehr|nie|s[ií]|claro|por supuesto|ya no|qué va|nunca)\b",
    re.IGNORECASE,
)
"""Matches the beginning of an answer that affirms or denies a question, whose words then count as the answer's."""
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’][^\W_]+)*")
_DAY = re.compile(r"(?:\d{4}|-)-(\d\d)-(\d\d)")
_PRONOUN = re.compile(r"^(?:i['’]?m|i am|i['’]ll|i|we['’]re|we are|we['’]ll|we|ich|wir)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim about a subject; `verify` determines its speaker."""

    subject: str
    attribute: str
    value: str
    content: str
    negated: bool
    valid_from: datetime | None
    valid_to: datetime | None
    of_known: bool = False
    """True if the claim only ends a known fact: its words need not name the attribute."""


def checked_claim(claim: Claim, quoted: Quoted, lines: Sequence[Line], window: Window) -> Claim | Reason:
    """Return the claim as far as the cited lines support it, or the reason why they do not.

    Args:
        claim: the claim, with the subject's full name.
        quoted: the quote in one of the lines.
        lines: the cited lines, all of one speaker.
        window: the window that the extractor was shown.
    """
    quoted = where_it_stands(quoted, claim.value)
    fault = _fault(claim, quoted, lines, window)
    if fault is not None:
        return fault
    ground = ground_of(claim, lines, window)
    in_tense = _in_its_tense(claim, quoted, max(line.time for line in lines))
    value = _carried_value(in_tense.value, ground)
    if not value or is_of_another_time(value, ground.text):
        return Reason.UNGROUNDED_VALUE
    if not in_tense.negated and denies_more(value, ground.text):
        return Reason.NEGATION_NOT_SAID
    if states_enough(value) and begins_with_another(value, (claim.subject, lines[0].speaker), window.people):
        return Reason.ABOUT_ANOTHER
    content = in_tense.content if value == in_tense.value else in_tense.content.replace(in_tense.value, value)
    in_tense = replace(in_tense, value=value, content=content)
    over = in_tense.valid_to is not None and claim.valid_to is None
    content = "" if in_tense.attribute != claim.attribute or over else _carried_content(in_tense, ground, window)
    return replace(in_tense, content=content or _rebuilt(in_tense, over=over))


def _carried_value(value: str, ground: Ground) -> str:
    """Return the value, or its first clauses, as far as the lines support it; empty if they do not."""
    if not states_enough(value):
        return value if value_is_grounded(value, ground) else ""
    first = first_clauses(value, lambda clause: clause_is_grounded(clause, ground))
    if not states_enough(first) and first != value:
        return ""
    return first if value_is_grounded(first, ground) else ""


def _carried_content(claim: Claim, ground: Ground, window: Window) -> str:
    """Return the sentence, or its first clauses, as far as the lines support it and it states the value; else an empty
    text.
    """
    if claim.content == claim.value:
        return claim.content
    grounded = ground.with_words(claim.value)
    first = first_clauses(claim.content, lambda clause: clause_is_grounded(clause, grounded, strict=True))
    if (
        not content_is_grounded(first, grounded)
        or not has_words_of(first, claim.value, claim.attribute, ground)
        or denies_otherwise(first, claim.value, claim.attribute, negated=claim.negated)
        or (not claim.negated and denies_more(first, ground.text))
        or is_of_another_time(first, ground.text)
        or begins_with_another(first, (claim.subject,), window.people)
    ):
        return ""
    return first if first == claim.content or not claim.content.endswith(".") else f"{first}."


def _fault(claim: Claim, quoted: Quoted, lines: Sequence[Line], window: Window) -> Reason | None:
    """Return the reason why the quoted words do not state the claim about this subject."""
    if len(_TOKEN.findall(quoted.text, quoted.start, quoted.end)) < 2 and not _is_short_answer(quoted, lines, window):
        return Reason.SHORT_QUOTE
    speaker = lines[0].speaker
    fault = fault_of(quoted, claim.value, claim.attribute, speaker, negated=claim.negated)
    if fault is not None and not (claim.of_known and fault == "negation-not-said"):  # it ends a fact without one
        return Reason(fault)
    later = [line.text for line in window.lines if line.number > lines[-1].number and line.speaker == speaker]
    if later and takes_back(later[0]):
        return Reason.JOKE
    clause = clause_of(quoted, claim.value)
    if is_about_another(clause, claim.subject, speaker, window.people, claim.attribute):
        return Reason.ABOUT_ANOTHER
    question = _question_before(lines[0], window)
    said = "\n".join([*(line.text for line in lines), *question])
    if not claim.of_known and is_another_attribute(claim.attribute, clause, said, "" if question else claim.value):
        return Reason.ANOTHER_ATTRIBUTE
    return None


def _is_short_answer(quoted: Quoted, lines: Sequence[Line], window: Window) -> bool:
    """Return whether a message of a few words answers a question that somebody else asked just before."""
    line = next(line for line in lines if line.text == quoted.text)
    return bool(_question_before(line, window)) and len(_TOKEN.findall(line.text)) <= SHORT_ANSWER_WORDS


def _question_before(line: Line, window: Window) -> Sequence[str]:
    """Return the text of the previous line, if somebody else asks there."""
    before = [each for each in (*window.context, *window.lines) if each.number < line.number]
    is_question = bool(before) and before[-1].speaker != line.speaker and before[-1].text.rstrip().endswith(("?", "？"))
    return [before[-1].text] if is_question else []


def ground_of(claim: Claim, lines: Sequence[Line], window: Window) -> Ground:
    """Return the words that may support a claim: the cited lines, and the full names of people whom they call by a
    part.
    """
    said = {word for line in lines for word in _TOKEN.findall(line.text.casefold())}
    called = [name for name in window.people if said & set(_TOKEN.findall(name.casefold()))]
    says = _SAYS.get(claim.attribute, "lives" if claim.negated else "")
    names = (
        *(claim.subject, lines[0].speaker, claim.attribute.replace("_", " "), says),
        *(*called, *_addressed(lines, window), *_words_of_day(claim.value)),
    )
    question = _question_before(lines[0], window) if AFFIRMS.match(lines[0].text) else ()
    return Ground([*(line.text for line in lines), *question], names, max(line.time for line in lines))


def _addressed(lines: Sequence[Line], window: Window) -> Sequence[str]:
    """Return the other participant, if there is exactly one and the lines address that person as "you"."""
    others = [name for name in window.people if name != lines[0].speaker]
    return others if len(others) == 1 and any(_YOU.search(line.text) for line in lines) else []


def _words_of_day(value: str) -> Sequence[str]:
    """Return the words for a day given as ``1990-03-12`` or ``--03-12``; nothing for another value."""
    day = _DAY.fullmatch(value)
    if day is None:
        return []
    return [str(int(day[2])), *(word for word, number in MONTHS.items() if number == int(day[1]))]


def _in_its_tense(claim: Claim, quoted: Quoted, observed: datetime) -> Claim:
    """Return the claim in its tense: a future state becomes a plan, a former one gets an end."""
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
    """Return a sentence that consists of subject, attribute and value alone."""
    denied = "not " if claim.negated else "formerly " if over else ""
    return f"{claim.subject} — {claim.attribute.replace('_', ' ')}: {denied}{claim.value}"[:LONGEST_CONTENT]
