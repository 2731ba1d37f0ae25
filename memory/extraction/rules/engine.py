"""Statements without a model: a small table of first-person patterns that would rather miss than mistake.

The default when no endpoint is configured. A pattern counts only where a claim plainly begins (see `assertions`), its
value must look like what it claims to be, and whatever comes out passes the same checks as a model's words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice

from anyio import to_thread

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ....schemas.fact import ExtractorInfo as Made
from ..assertions import LEAD, SEPARATOR, Sentence, is_told_otherwise, plain, sentences_of
from ..claim import LONGEST_VALUE
from ..dates import EXPRESSION, DateSpan, anniversary, resolve_date
from ..extractor import Extraction
from ..proposal import Proposal
from ..statement import Statement
from ..verify import verify_all
from ..window import Line, Window
from .answers import answers_to
from .corrected_statements import corrections
from .english import ENGLISH
from .german import GERMAN
from .other_voices import lacks_its_subject, own_lines
from .pattern import Pattern, compiled
from .retractions import is_taken_back
from .sentences import sentence_of
from .spanish import SPANISH
from .value_checks import ARTICLE, BEFORE_A_PLACE, BEFORE_AN_ALLERGEN, CONJUNCTION, animal_name, is_shouted, value_of
from .version import NAME, VERSION
from .words import in_names

PATTERNS = (*ENGLISH, *GERMAN, *SPANISH)
LONG = 500
"""Characters of a sentence; 4,000 letters in one run took 0.8 s to be searched."""
CUT = 60
"""Characters before the end of a sentence that was cut: a value may go on there."""
CONFIDENCE = 0.9
"""The confidence of every rule: the precision that is asked of the table as a whole."""
MOST_COMPARED = 20
"""Different statements of a message with which others are compared; who writes more repeats nothing."""
LONGEST_ANSWER = 6
"""Words of a message that answers a question."""
_OPEN = re.compile(
    r"(?:ever since|since|as of|starting|for|from|between|until|till?|up to|seit|bis|ab|von|vom|desde|hasta)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(rf"[\s,(]*(?P<when>{EXPRESSION})", re.IGNORECASE)
_BEFORE = re.compile(rf"(?:^|[\s,;(])(?P<when>{EXPRESSION})[\s,]*$", re.IGNORECASE)
_INSIDE = re.compile(rf"(?<![^\W_])(?P<when>{EXPRESSION})", re.IGNORECASE)
_TIMED = re.compile(rf"(?!today|tonight|this |heute|hoy|esta ){EXPRESSION}[\s,]+", re.IGNORECASE)
"""Words of time that a claim may stand behind: "since March I …"."""
_CHILDHOOD = re.compile(
    r"\b(?:(?:when|while) (?:i|we) (?:was|were)|as a (?:kid|child|teenager|baby|student)|growing up|back then"
    r"|in my childhood"
    r"|als (?:kind|ich (?:klein|jung|noch))|damals|de (?:pequeñ[oa]|niñ[oa]|chic[oa])|cuando (?:era|éramos|tenía))\b",
    re.IGNORECASE,
)
"""Words of a time that is over: what is told of it is no longer so, whatever the tense."""
_DIED = re.compile(
    r"\b(?:died|passed away|put (?:to sleep|down)|rehomed|gestorben|verstorben|eingeschläfert|murió|muerto"
    r"|falleció|sacrificar|lost|verloren|perdí|perdimos)\b",
    re.IGNORECASE,
)
_ASKS_FOR_PLANS = re.compile(
    r"\b(?:are (?:you|u|ya)(?: guys| all)? (?:going to|gonna)|will you|wirst du|werdet ihr|vas a|vais a|van a)\b"
    r"[^.!\n]*\?",
    re.IGNORECASE,
)
"""A question of what will be: "I'm living in Leeds" is a plan as its answer."""
_JOINED = re.compile(r",?\s+(?P<and>and|und|y)\s+|,\s+", re.IGNORECASE)
_OF_A_PLACE = re.compile(r"\b(?:in|from|en|de|aus)\s+$", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
_OF_TODAY = frozenset({"birthday", "bday", "geburtstag", "cumpleaños", "cumple"})
"""Words that tell a birthday by the day of their message."""
_NO_WORD = re.compile(r"[\W_]*")
_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


class RulesExtractor:
    """Reads windows line by line; what it says depends on the line, the one before it, its time and its speaker
    alone.
    """

    @property
    def name(self) -> str:
        """``rules``."""
        return NAME

    @property
    def version(self) -> str:
        """The version of the table and of the code that reads it."""
        return VERSION

    async def extract(
        self,
        windows: Sequence[Window],
        run: str = "",  # noqa: ARG002 - it costs nothing
    ) -> list[Extraction]:
        """Return what each window states; never fails."""
        # One after the other, in a thread: questions are answered meanwhile, and a cancellation waits for one window.
        return [await to_thread.run_sync(self.read, window) for window in windows]

    def read(self, window: Window) -> Extraction:
        """Return what one window states."""
        made = Made(name=self.name, prompt_version=self.version)
        proposals = list(_proposals(window))
        statements, rejected, refusals = verify_all(proposals, window, made)
        read = {(each.attribute, _letters(each.value), each.negated): each for each in proposals}
        kept: list[Statement] = []
        for each in statements:
            proposal = read.get((each.attribute, _letters(each.value), each.negated))
            if proposal is not None:  # else the checks take it for something else, and it is not surely what was read
                # The sentence is built of the value, and no model's words: it stays where the checks word it anew.
                kept.append(replace(each, content=proposal.content.replace(proposal.subject, each.subject)))
        return Extraction(tuple(kept), rejected, refusals=refusals)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _proposals(window: Window) -> Iterator[Proposal]:
    """Yield what a window states, line by line."""
    everything = (*window.context, *window.lines)
    own_line_numbers: frozenset[int] | None = None
    before: Line | None = None
    stated: list[Proposal] = []
    for line in everything:
        if line.number > 0:
            proposals = list(proposals_of(line, before))
            if own_line_numbers is None and (
                proposals or stated
            ):  # most windows state nothing, and whose voice a line is takes long
                own_line_numbers = own_lines(everything)
            if own_line_numbers is None or line.number in own_line_numbers:
                if stated and before is not None and before.speaker == line.speaker:
                    proposals = [*proposals, *corrections(stated, line)]
                yield from proposals
                stated = proposals
        before = line


def proposals_of(line: Line, before: Line | None = None) -> Iterator[Proposal]:
    """Yield what the rules make of a message that a person wrote; nothing of one that is forwarded or an assistant's.

    Args:
        line: the message.
        before: the message before it, which may ask what it answers.
    """
    if line.forwarded or line.role not in (None, "user") or line.speaker in _RESERVED:
        return
    rows = _rows_for(line.text)
    answer_rows = [] if before is None or before.speaker == line.speaker else answers_to(before.text)
    if not rows and not answer_rows:
        return
    proposals = list(_stated(line, rows, "" if before is None else before.text))
    if not proposals and answer_rows and len(line.text.split()) <= LONGEST_ANSWER:
        proposals = list(_answered(line, answer_rows))
    if proposals and not is_shouted(line.text) and not is_told_otherwise(line.text):
        yield from _consistent(proposals, line.text)


def _rows_for(text: str) -> list[Pattern]:
    """The rows one of whose cue words stands in a text, in the order of the table."""
    by_cue = _by_cue()
    plain_text = text.casefold()
    words = set(_WORDS.findall(plain_text))
    numbers = {number for word in words & by_cue.keys() for number in by_cue[word]}
    return [PATTERNS[number] for number in sorted(numbers)]


@cache
def _by_cue() -> Mapping[str, Sequence[int]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(PATTERNS):
        for cue in row.cues.casefold().split():
            rows[cue].append(number)
    return dict(rows)


def _stated(line: Line, rows: Sequence[Pattern], question: str) -> Iterator[Proposal]:
    small = line.text == line.text.lower()
    for sentence in sentences_of(line.text) if rows else ():
        ends: list[tuple[Pattern, int]] = []
        for row, match in _claims(sentence, rows, line.text, question):
            proposals = list(_proposal(row, match, sentence, line, small=small))
            yield from proposals
            ends += [(row, match.start() + len(each.quote)) for each in proposals[:1]]
        for first, end in ends:  # a second half may have one of its own
            for row, match in _second_halves(sentence.text[:LONG], first, end, rows):
                proposals = list(_proposal(row, match, sentence, line, small=small))
                yield from proposals
                ends += [(row, match.start() + len(each.quote)) for each in proposals[:1]]


def _claims(
    sentence: Sentence, rows: Sequence[Pattern], message: str, question: str
) -> Iterator[tuple[Pattern, re.Match[str]]]:
    """Yield what the rows read where a claim plainly begins."""
    text = sentence.text[:LONG]
    then = _CHILDHOOD.search(text) is not None
    planned = _ASKS_FOR_PLANS.search(question) is not None
    places: list[tuple[int, int]] | None = None
    for row in rows:
        if then and row.time != "past" and row.attribute not in ("origin", "name", "birthday", "sibling", "parent"):
            continue
        if row.after or (planned and row.time == "state"):
            continue
        if row.anywhere:
            matches = [row_match for row_match in row.regex.finditer(text) if plain(text, row_match.start())]
        else:
            places = list(_places(text)) if places is None else places
            matches = [
                row_match
                for begin, start in places
                if (row_match := row.regex.match(text, start)) is not None and plain(text, begin)
            ][:1]
        for match in matches:
            if len(sentence.text) > LONG and match.end() > LONG - CUT:  # its value may be cut
                continue
            begin = sentence.offset + match.start()
            said_before = message[max(0, begin - LONG) : begin]
            if row.anywhere or not lacks_its_subject(row.language, match[0], said_before, question):
                yield row, match


def _second_halves(
    text: str, first: Pattern, end: int, rows: Sequence[Pattern]
) -> Iterator[tuple[Pattern, re.Match[str]]]:
    """Yield what goes on right behind a claim and is none by itself: "I live in Leeds, I'm 34 and work as a nurse"."""
    joined = _JOINED.match(text, end)
    if joined is None or first.negated or first.anywhere or first.time == "past":
        return
    goes_on = joined["and"] is not None and first.second_half is not None
    for row in rows:
        regex = row.regex if row.after else row.second_half if goes_on else None
        match = None if regex is None or row.language != first.language else regex.match(text, joined.end())
        if match is not None and plain(text, match.start()):
            yield row, match


def _places(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield where a claim may begin, after opening words, words of time, and each separator: where its clause begins,
    up to which `plain` tells whether it counts, and where the claim itself begins.
    """
    for begin in [0, *(match.end() for match in SEPARATOR.finditer(sentence))]:
        bare = _NO_WORD.match(sentence, begin)
        place = begin if bare is None else bare.end()
        starts = {place}
        if (lead := LEAD.match(sentence, begin)) is not None:
            starts.add(lead.end())
        timed = [_TIMED.match(sentence, start) for start in starts]
        starts.update(match.end() for match in timed if match is not None)
        yield from ((begin, start) for start in sorted(starts))


def _answered(line: Line, rows: Sequence[Pattern]) -> Iterator[Proposal]:
    small = line.text == line.text.lower()
    sentence = next(iter(sentences_of(line.text)), None)
    if sentence is None:
        return
    start = len(sentence.text) - len(sentence.text.lstrip())
    for row in rows:
        if (match := row.regex.match(sentence.text, start)) is not None and _is_whole_answer(row, match, start):
            yield from _proposal(row, match, sentence, line, small=small)
            return


def _is_whole_answer(row: Pattern, match: re.Match[str], start: int) -> bool:
    """Return False for a place that is none: "Upstairs", "Not Bath". One without "in" must be known."""
    place = match["value"]
    if row.kind != "place" or not place.rpartition(" ")[2][:1].isupper():
        return row.kind != "place"
    return _OF_A_PLACE.search(match.string[start : match.start("value")]) is not None or place.casefold() in in_names(
        "places"
    )


def _proposal(row: Pattern, match: re.Match[str], sentence: Sentence, line: Line, *, small: bool) -> Iterator[Proposal]:
    text = sentence.text
    raw_value = value_of(row, match, text, small=small)
    if raw_value is None or len(raw_value.text) > LONGEST_VALUE:
        return
    end = match.end() if raw_value.end == match.end("value") else raw_value.end
    if is_taken_back(line.text, sentence.offset + end):
        return
    value = raw_value.text
    if row.attribute == "birthday":
        raw = match.groupdict().get("day") or ("today" if value.casefold() in _OF_TODAY else value)
        value = anniversary(raw, line.time) or ""
        if not value:
            return
    if row.attribute == "name" and set(value.casefold().split()) <= set(line.speaker.casefold().split()):
        return  # everybody sees it beside the message
    behind = line.text[sentence.offset + raw_value.end :]  # the name of an animal may stand in the next sentence
    name = animal_name(row.language, behind) if row.attribute == "pet" and row.kind != "name" else None
    if name is not None and row.language == "de" and not _is_german_name(text[: match.start()], name):
        name = None
    end = end if name is None else max(end, raw_value.end + name.end())
    named = "" if name is None else name["name"]
    when, end = _when(text, match, end)
    begin, finish = _span(row, when, line.time)
    said = " ".join(text.replace("\0", " ").split())  # what others say in it is masked
    for each in _each_of(row, value):
        bare = row.value_form.format(v=_without_article(row, each))
        yield Proposal(
            subject=line.speaker,
            attribute=row.attribute,
            value=f"{bare} {named}".strip(),
            sentence=said,
            content=sentence_of(row, line.speaker, each, match, named),
            lines=(line.number,),
            quote=line.text[sentence.offset + match.start() : sentence.offset + end].strip(" ,"),
            speaker=line.speaker,
            negated=row.negated,
            of_known=row.of_known,
            valid_from="" if begin is None else begin.isoformat(),
            valid_to="" if finish is None else finish.isoformat(),
            confidence=CONFIDENCE,
        )


def _is_german_name(before: str, name: re.Match[str]) -> bool:
    """Return False for a noun behind an animal: "ich gebe meiner Katze Futter"."""
    if name[0] != f" {name['name']}":  # with "namens" or "heißt"
        return True
    opens = not before.strip() or LEAD.fullmatch(before) is not None
    return opens and compiled("<tun>").match(name.string, name.end()) is not None


def _each_of(row: Pattern, value: str) -> Sequence[str]:
    """The values of a list: "French and German"."""
    if row.kind not in ("languages", "allergens", "allergen", "names", "nationality"):
        return [value]
    each_of = [each for each in CONJUNCTION.split(value) if each]
    if row.attribute == "allergy":
        return [BEFORE_AN_ALLERGEN.sub("", each) for each in each_of]
    return [each[:1].upper() + each[1:] for each in each_of] if row.language == "en" else each_of


def _without_article(row: Pattern, value: str) -> str:
    """The value; its sentence keeps the article."""
    if row.kind in ("org", "workplace"):
        return ARTICLE.sub("", value)
    return BEFORE_A_PLACE.sub("", value) if row.kind in ("place", "known") else value


def _when(text: str, match: re.Match[str], end: int) -> tuple[str, int]:
    """The words of time right behind a claim, or before it ("since March I have been living …"), and where the claim
    ends with them.
    """
    behind = _WHEN.match(text, end)
    if behind is not None:
        return behind["when"], behind.end()
    inside = _INSIDE.search(text, match.start(), match.start("value"))
    before = inside or _BEFORE.search(text[max(0, match.start() - 40) : match.start()])
    return "" if before is None else before["when"], end


def _span(row: Pattern, when: str, said: datetime) -> tuple[datetime | None, datetime | None]:
    """Return from when to when the statement holds, as its kind of pattern reads the words of time."""
    span: DateSpan | None = resolve_date(when, said, past=True) if when else None
    if row.time == "past":
        ended = span is not None and span.end is not None and _OPEN.match(when) and span.end <= said
        return (span.start, span.end) if ended and span is not None else (None, said)
    if row.negated:
        return (
            (span.start, None) if span is not None and span.start is not None and span.start <= said else (None, None)
        )
    if span is None or row.time == "none" or (row.time == "state" and not _OPEN.match(when)):
        return (None, None)
    return (span.start, span.end if row.time == "state" else None)


def _consistent(proposals: Sequence[Proposal], text: str) -> Iterator[Proposal]:
    """Yield each once, without what the same message says to be over, and without a value that another one contains."""
    died = _DIED.search(text) is not None
    distinct = {(each.attribute, each.value.casefold(), each.negated): each for each in reversed(proposals)}
    over = {(attribute, value.rsplit(maxsplit=1)[-1]) for attribute, value, negated in distinct if negated}
    words = {key: frozenset(key[1].split()) for key in islice(reversed(distinct), MOST_COMPARED)}
    for key, each in reversed(distinct.items()):
        attribute, value, negated = key
        gone = (attribute, value.rsplit(maxsplit=1)[-1]) in over or (died and attribute in ("pet", "partner"))
        value_words = frozenset(value.split())
        contained = any(
            value_words < other for (other_of, _, no), other in words.items() if (other_of, no) == (attribute, negated)
        )
        if (negated or not gone) and not contained:
            yield each
