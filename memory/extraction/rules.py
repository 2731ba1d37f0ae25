"""Statements without a model: a table of first-person patterns that would rather miss than mistake.

The default when no endpoint is configured. A pattern counts only where a claim plainly begins (see `clauses`), its value
must look like what it claims to be, and whatever comes out passes the same checks as a model's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import sha256

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...schemas.fact import Extractor as Made
from . import nouns
from .calendar import MONTHS, WEEKDAYS
from .clauses import Sentence, plain, sentences_of
from .dates import EXPRESSION, Span, anniversary, resolve
from .extractor import Extraction
from .patterns import PATTERNS, Pattern
from .proposal import Proposal
from .verify import verify_all
from .window import Line, Window

ENGINE = "1"
"""Raised when code, not the table, makes other statements come out."""
VERSION = (
    f"{ENGINE}-" + sha256("\n".join(f"{astuple(row)}{row.regex.pattern}" for row in PATTERNS).encode()).hexdigest()[:12]
)
CONFIDENCE = 0.9
"""What every rule claims: the precision that is asked of the table as a whole."""
MOST_WORDS = 6
"""Words of a liking or a possession; a plan may have twice as many."""

_WHEN = re.compile(rf"[\s,(]*(?P<when>{EXPRESSION})", re.IGNORECASE)
_WHEN_INSIDE = re.compile(rf"(?<![^\W_])(?P<when>{EXPRESSION})", re.IGNORECASE)
_CUT = re.compile(
    r"\s+(?:and|but|so|because|cause|cuz|since|when|which|who|where|though|although|if|while|that|as|than|or|unless|until|till"
    r"|und|aber|weil|wenn|oder|y|pero|porque|cuando|que|o)\s+(?:i|we|you|he|she|it|they|my|our|his|her|their|the|this|that"
    r"|can|will|have|don['’]?t|it['’]?s|i['’]?m|always|never|ich|er|sie|es|wir|das|yo|no|me|mi|el|la|there|to|please|also|then|still|"
    r"a|an|everyone|work|hate|love)\b.*|\s+(?:because|but|so|since|which|though|although|if|when|while|unless|where|weil|aber|porque|pero)\b.*"
    r"|\s*[^\w\s'’&+/-].*",
    re.IGNORECASE | re.DOTALL,
)
_FILLER = re.compile(
    r"[\s,]+(?:lol|ha(?:ha)+|btw|by the way|honestly|tbh|now|lately|any ?more|any longer|too|as well|again|right now|these days"
    r"|at the moment|always|obviously|basically|so much|a lot|very much|really|though|please|sorry|xx?|in general|as always"
    r"|of all time|ever|more than anything|sehr|auch|total|wirklich|mucho|también|currently|a bit|and|but|so|since|for|on \w+days"
    r"|every (?:day|week|month|year|morning|evening)|in (?:delft|second year))$",
    re.IGNORECASE,
)
_NO_PLACE = frozenset({*WEEKDAYS, *MONTHS, *nouns.NO_NAME.split(), *nouns.NO_LIKING.split()}) | frozenset(
    [
        "hope",
        "fear",
        "peace",
        "denial",
        "chaos",
        "pain",
        "paris-mode",
        "sin",
        "style",
        "luxury",
        "poverty",
        "silence",
        "constant",
        "work",
        "home",
        "bed",
        "love",
        "trouble",
        "danger",
        "hiding",
        "front",
        "town",
        "bulk",
        "limbo",
        "exile",
        "isolation",
        "harmony",
        "squalor",
        "agony",
        "terror",
        "ruins",
        "anticipation",
        "misery",
        "darkness",
        "sweatpants",
        "pajamas",
        "pyjamas",
        "gym",
        "office",
        "shower",
        "future",
        "heaven",
        "hell",
        "good",
        "bad",
        "experience",
        "above",
        "below",
        "abroad",
        "tears",
        "downtown",
        "nowhere",
        "school",
        "church",
        "hospital",
        "mars",
        "wonderland",
        "narnia",
        "atlantis",
        "someone",
        "people",
        "work.",
    ]
)
_NO_ORG = _NO_PLACE | frozenset(
    [
        "night",
        "once",
        "least",
        "last",
        "free",
        "fun",
        "money",
        "living",
        "once",
        "random",
        "heart",
        "best",
        "worst",
        "first",
        "large",
        "nothing",
        "myself",
        "peanuts",
        "hours",
        "nine",
        "eight",
        "noon",
        "midnight",
        "times",
        "speed",
        "scale",
        "weekends",
        "days",
        "christmas",
        "night-time",
        "office",
        "present",
        "him",
        "cash",
        "charity",
    ]
)
_WORKPLACES = frozenset(nouns.words(nouns.WORKPLACES))
_NO_NAMES = frozenset(nouns.NO_NAME.split())
_NO_LIKING = frozenset(nouns.NO_LIKING.split())
_VAGUE = re.compile(
    r"\b(?:one|ones|thing|things|stuff|idea|way|life|part|bits?|nonsense|mondays?|job|mess|minute|everything|anything|you|him|it"
    r"|way|vibe|look|picture|photo|post|message|email|emails|exam|exams|test|finals|tests|night|proposal|time|angebot|lot|hard)$",
    re.IGNORECASE,
)
_THE = re.compile(
    r"the (?:smell|sound|taste|sea|rain|beach|mountains|ocean|theatre|opera|outdoors|cold|heat)\b", re.IGNORECASE
)
_OPEN = re.compile(
    r"(?:ever since|since|as of|starting|for|from|between|until|till?|up to|seit|bis|ab|von|vom|desde|hasta)\b",
    re.IGNORECASE,
)
_NEEDS_TIME = re.compile(rf"(?:be in|come to|start|{'|'.join(nouns.PLANNING.split())})\b", re.IGNORECASE)
_OURS = {"my": "their", "our": "their", "me": "them", "us": "them", "i": "they", "we": "they", "mine": "theirs"}
_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


@dataclass(frozen=True, slots=True)
class _Value:
    """A value as found, the words of time that go with it, and where in the sentence all of it ends."""

    text: str
    end: int
    when: str = ""


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
        for row in PATTERNS:
            for match in _matches(row, sentence):
                proposal = _proposal(row, match, sentence.text, line, small=small)
                for each in () if proposal is None else _split(row, proposal):
                    name = (each.subject, each.attribute, each.value.casefold(), each.negated)
                    if name not in seen:
                        seen.add(name)
                        yield each


def _matches(row: Pattern, sentence: Sentence) -> Iterator[re.Match[str]]:
    if row.anywhere:
        for match in row.regex.finditer(sentence.text):
            if plain(sentence.text, match.start()) and not re.search(r"[^\W_]$", sentence.text[: match.start()]):
                yield match
        return
    for start in sentence.starts:
        if match := row.regex.match(sentence.text, start):
            yield match


def _split(row: Pattern, proposal: Proposal) -> Iterator[Proposal]:
    """One proposal, or one for each of a list."""
    values = re.split(r",\s*(?:and\s+)?|\s+and\s+|\s*&\s*", proposal.value) if row.splits else [proposal.value]
    for value in values:
        says = proposal.content.replace(proposal.value, value)
        yield Proposal(
            subject=proposal.subject,
            attribute=proposal.attribute,
            value=value,
            content=says,
            lines=proposal.lines,
            quote=proposal.quote,
            speaker=proposal.speaker,
            negated=proposal.negated,
            valid_from=proposal.valid_from,
            valid_to=proposal.valid_to,
            confidence=proposal.confidence,
        )


def _proposal(row: Pattern, match: re.Match[str], sentence: str, line: Line, *, small: bool) -> Proposal | None:
    groups = {name: text for name, text in match.groupdict().items() if text}
    found = _value(row, match, sentence, line.time, small=small)
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
    if row.shape == "plan" and span is None and _NEEDS_TIME.match(raw):
        return None
    end = max(match.end(), found.end) if row.shape not in ("taste", "thing", "plan") else found.end
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


def _value(row: Pattern, match: re.Match[str], sentence: str, said: datetime, *, small: bool) -> _Value | None:
    """The value if it looks like what it is meant to be."""
    text = match["value"]
    if row.shape == "day":
        return _Value(text or "today", match.end())
    start = match.start("value")
    if row.shape in ("taste", "thing", "plan"):
        return _phrase(row, text, start, said, sentence[match.end() :])
    end = start + len(text)
    when = _WHEN.match(sentence, max(end, match.end()))
    found = _Value(text.strip(), end if when is None else when.end(), "" if when is None else when["when"])
    rest = sentence[end:]
    if row.shape == "place":
        return found if _is_place(found.text, rest, small=small) else None
    if row.shape == "org":
        return _organisation(found, rest, small=small)
    if row.shape == "name":
        return found if _is_name(row, found.text, rest) else None
    if row.shape == "number":
        return found if 3 <= int(found.text) <= 110 else None
    return found


def _is_place(text: str, rest: str, *, small: bool) -> bool:
    if text.split(maxsplit=1)[0].casefold() in _NO_PLACE or re.match(r"['’]s?\b", rest):
        return False
    return text[0].isupper() or (small and len(text) > 2 and _ends(rest))


def _ends(rest: str) -> bool:
    """Whether the words after a value are not part of it."""
    pattern = r"\s*(?:$|[^\w\s]|(?:btw|now|and|but|so|lol|since|for|with|these|at|these|again|too|currently|right|by the way|rn)\b)"
    return re.match(pattern, rest, re.IGNORECASE) is not None


def _organisation(found: _Value, rest: str, *, small: bool) -> _Value | None:
    bare = re.sub(r"^(?:an?|the|my|our)\s+", "", found.text, flags=re.IGNORECASE)
    place = bare.casefold().split()
    if not place or place[0] in _NO_ORG or " ".join(place) in _NO_ORG:
        return None
    if bare[0].isupper():
        return _Value(bare, found.end, found.when)
    if {place[-1], " ".join(place[-2:])} & _WORKPLACES:
        return _Value(bare, found.end, found.when) if bare != found.text else None
    return found if small and len(bare) > 2 and " " not in bare and bare == found.text and _ends(rest) else None


def _is_name(row: Pattern, text: str, rest: str) -> bool:
    if any(word.casefold() in _NO_NAMES for word in text.split()) or len(text) < 2 or text.isupper():
        return False
    if row.attribute == "name":
        return True
    return re.match(r"\s+(?:are\b|[A-ZÀ-ÞŁŚŻ])", rest) is None


def _phrase(row: Pattern, text: str, start: int, said: datetime, rest: str) -> _Value | None:
    """A liking, a thing or a plan without what else the sentence says."""
    text = _CUT.sub("", text).rstrip()
    when = ""
    for timed in _WHEN_INSIDE.finditer(text):
        if resolve(timed["when"], said) is None:
            continue
        when = timed["when"]
        if row.shape != "plan":
            text = text[: timed.start()].rstrip(" ,")
        break
    after = _WHEN.match(rest)
    when = when or ("" if after is None else after["when"])
    trimmed = _FILLER.sub("", text)
    while trimmed != text:
        text, trimmed = trimmed, _FILLER.sub("", trimmed)
    limit = MOST_WORDS * 2 if row.shape == "plan" else MOST_WORDS
    if not text or len(text.split()) > limit:
        return None
    end = start + len(text)
    if row.shape == "plan":
        return _Value(text, end, when)
    first = text.split()[0].casefold()
    if row.shape == "taste" and first in _NO_LIKING and not _THE.match(text):
        return None
    return (
        None
        if _VAGUE.search(text) and row.shape == "taste"
        else _Value(re.sub(r"^(?:the|an?)\s+", "", text), end, when)
    )
