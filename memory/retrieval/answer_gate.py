"""Decides whether the lines cited by a sentence of an answer support it: names, numbers, places, denials and people.
Pure.

The sentence and the lines are cut into clauses. Each part of a clause of the sentence must occur in a clause of a cited
line about the same person and in the same mode: not denied, not over, not asked, not only wished. Words of a closed
list may occur there in another language; any other word as it is written, or, if sentence and line are in different
languages, as a word that the embedding model considers equal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..extraction.assertion_gate import Quoted, fault_of
from ..extraction.dates import EXPRESSION, resolve_date
from ..extraction.grounding import Ground
from ..text.analyzer import fold
from .answer_meaning import Clause, Day, Item, clauses_of, languages_of, tells_who_said, without_days

_FORGED = re.compile(r"(?:^|\n|\\n)\s*\d+\s*\|.*", re.DOTALL)
"""Matches forged numbered lines within a message, and everything behind them."""
_COMMAND = re.compile(
    r"(?<![^\W_])(?:(?:say|answer|reply|respond|state|claim|pretend|write)(?: (?:only|always|just|exactly))?(?: that| with|:| \")|ignore (?:all|the|your|any|previous)|disregard"
    r"|(?:sag|sage|antworte|behaupte|schreib|schreibe)(?: (?:nur|immer|einfach))?,? (?:dass|mit)|ignorier\w*|vergiss (?:alle|die|deine)"
    r"|(?:di|responde|contesta|escribe)(?: (?:solo|siempre))? (?:que|con)|ignora (?:todas|las|tus)|olvida (?:todas|las|tus)"
    r"|(?:yok say|görmezden gel|diye (?:cevap ver|yanıtla|söyle)|de ki))(?![^\W_])|無視して|と答え(?:て|ろ|なさい)|と言[えっ]",
    re.IGNORECASE,
)
_OF_A_THING = re.compile(r"(?:the|der|die|das|el|la|los|las) ", re.IGNORECASE)
"""Matches the beginning of a sentence about a thing, not a person."""
_FROM = re.compile(
    r"(?:from|out of|leave|left|leaving|aus|von|verlass\w*|de|desde|dej\w+|d[ae]n|t[ae]n|から)\W+$", re.IGNORECASE
)
_RELATIVE = {
    "dün": "yesterday", "bugün": "today", "yarın": "tomorrow", "昨日": "yesterday", "今日": "today", "明日": "tomorrow",
}  # fmt: skip
_EXPRESSION = re.compile(rf"(?<![^\W_]){EXPRESSION}")
_NAME_ENDINGS = frozenset(
    ["s", "da", "de", "ta", "te", "dan", "den", "tan", "ten", "ya", "ye", "nin", "nun", "yi", "yu", "in"]
)
_HOME_CHANGED = re.compile(
    r"(?<![^\W_])(?:now|since|moved|jetzt|seit|umgezogen|gezogen|ahora|desde|mud\w+|artık|şimdi|taşın\w+)(?![^\W_])|今は|引っ越"
)
_PARTED = re.compile(
    r"(?<![^\W_])(?:broke up|split up|separated|divorced?|widow\w*|getrennt|geschieden|verwitwet|rompimos|separ\w+|divorci\w+|viud[oa]|ayrıld\w+|boşand\w+)(?![^\W_])|別れ|離婚",
    re.IGNORECASE,
)
_NEW_WORK = re.compile(
    r"(?<![^\W_])(?:quit|new job|left (?:my|the) job|retired|laid off|got fired|gekündigt|neuen? (?:job|stelle)|in rente|dejé (?:el|mi) trabajo|nuevo trabajo|me jubil\w+|istifa|işten ayrıl\w+|yeni iş\w*|emekli)(?![^\W_])|辞め|退職|転職",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Told:
    """A line that was shown to the model."""

    speaker: str
    time: datetime
    text: str


Near = Mapping[str, Collection[str]]
"""For each folded word of the answer, the folded words of lines in another language with the same meaning."""


class AnswerGate:
    """Checks the sentences of one answer.

    Args:
        question: the original question.
        lines: all lines that the model was shown.
        near: words with the same meaning; see `AnswerGate.unlisted`.
    """

    def __init__(self, question: str, lines: Sequence[Told], near: Near | None = None) -> None:
        self._near = near or {}
        self._people = frozenset(word for line in lines for word in _words(line.speaker))
        self._lines = [_Line(line, self._people) for line in lines]
        named = [item.word for clause in clauses_of(question, self._people) for item in clause.of_kind("name")]
        asked = [word for word in _words(question) if word in self._people] or [
            word for word in named if word.isalpha() and "de" not in languages_of(question)
        ]
        self._asked = frozenset(asked)

    def holds(self, sentence: str, cited: Sequence[int], before: str = "") -> bool:
        """Return whether the cited lines support a sentence.

        Args:
            sentence: a sentence of the answer.
            cited: indexes of lines.
            before: the previous sentence, whose subject it may continue.
        """
        lines = [self._lines[index] for index in cited]
        if not any(line.clauses for line in lines):
            return False
        parts = clauses_of(sentence, self._people)
        subject = self._asked
        if parts and parts[0].another:
            subject = self._subject(before) or subject
        elif _OF_A_THING.match(sentence):
            subject = frozenset[str]()
        holds = bool(parts)
        alone = False  # True after a part that was only a name: "Ann and her husband moved"
        for part in parts:
            own = self._subject(part.text)
            subject = own | subject if own and alone else own or subject
            alone = bool(own) and all(item.kind == "name" for item in part.items) and not part.ways
            check = _Check(part, sentence, subject, lines, self._near, named=bool(own))
            holds = holds and check.holds() and not self._is_over(check)
        return holds

    def unlisted(self, sentence: str, cited: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the folded words of a sentence that are neither in a list nor in the cited lines, and the folded words
        of cited lines in other languages, so that a model can pair those with the same meaning.
        """
        languages = set(languages_of(sentence))
        lines = [self._lines[index] for index in cited]
        others = [line for line in lines if languages.isdisjoint(line.languages) and languages and line.clauses]
        words = [
            item.word
            for part in clauses_of(sentence, self._people)
            for item in part.of_kind("word")
            if not any(line.has(item, {}) for line in lines)
        ]
        return (words if others else []), [word for line in others for word in line.common_words()]

    def _subject(self, text: str) -> frozenset[str]:
        """Return the folded name of the person that a part of an answer is about: the first one named."""
        for item in (item for part in clauses_of(text, self._people) for item in part.of_kind("name")):
            if item.word in self._people:
                return frozenset({item.word})
        parts = clauses_of(text, self._people)
        if parts and parts[0].lead:
            return frozenset({parts[0].lead})
        spaceless = [word for word in self._people if len(word) > 1 and word in fold(text) and not word.isascii()]
        return frozenset(spaceless[:1])

    def _is_over(self, check: _Check) -> bool:
        """Return whether a part states as present a state that a later line ended."""
        part, support = check.part, check.support
        if (
            not support
            or part.marks.denied
            or part.marks.past
            or part.of_kind("date")
            or tells_who_said(check.sentence)
        ):
            return False
        said = max(line.told.time for line in support)
        return any(
            line.told.time > said and clause_ends(clause, line, part, check.subject)
            for line in self._lines
            for clause in line.clauses
            if not clause.marks.asked and not clause.marks.doubted
        )


class _Line:
    """A line cut into clauses, without forged lines in it; it has no clauses if it instructs a program."""

    def __init__(self, told: Told, people: frozenset[str]) -> None:
        self.told = told
        text = _FORGED.sub("", told.text)
        self.speaker = frozenset(_words(told.speaker))
        self.languages = frozenset(languages_of(text))
        command = (
            _COMMAND.search(text)
            or fault_of(Quoted(text, 0, len(text)), "", "", told.speaker, negated=False) == "instruction"
        )
        self.clauses: list[Clause] = [] if command else clauses_of(text, people)
        self.text = "" if command else text
        self._grounds = [Ground([clause.text], (), told.time) for clause in self.clauses]
        self._days = _days(self.text, told.time)

    def has(self, item: Item, near: Near) -> list[Clause]:
        """Return the clauses that contain an item."""
        if item.kind == "date":
            return [clause for clause in self.clauses if self._dated(item.day, clause)]
        if item.kind == "weekday":
            return [clause for clause in self.clauses if self._on_weekday(item, clause)]
        found = zip(self.clauses, self._grounds, strict=True)
        return [clause for clause, ground in found if _has(clause, item, ground, self.speaker, near)]

    def common_words(self) -> list[str]:
        """Return the words that are no names, as far as can be told."""
        return [item.word for clause in self.clauses for item in clause.of_kind("word")]

    def _on_weekday(self, item: Item, clause: Clause) -> bool:
        if item in clause.of_kind("weekday"):
            return True
        days = [start for start, end in _days(clause.text, self.told.time) if (end - start).days == 1]
        days += [date(y, m, d) for y, m, d in self._told_days(clause) if y and m and d and _is_day(y, m, d)]
        return any(day.isoweekday() == int(item.word) for day in days)

    def _dated(self, day: Day, clause: Clause) -> bool:
        own = self._told_days(clause)
        spans = _days(clause.text, self.told.time)
        if any(_same_day(day, each, self.told.time) for each in own) or any(_within(day, span) for span in spans):
            return True
        said = (self.told.time.year, self.told.time.month, self.told.time.day)
        return day[2] is None and not own and not spans and _same_day(day, said, self.told.time)

    def _told_days(self, clause: Clause) -> list[Day]:
        return [item.day for item in clause.of_kind("date")]


@dataclass(slots=True)
class _Check:
    """One part of a sentence, checked against the cited lines."""

    part: Clause
    sentence: str
    subject: frozenset[str]
    lines: Sequence[_Line]
    near: Near
    named: bool
    support: tuple[_Line, ...] = ()

    def holds(self) -> bool:
        """Return whether each item occurs in a clause about the same person in the same mode; set `support`."""
        names = [item for item in self.part.items if item.kind == "name" and item.word in self.subject]
        if not all(any(item.word in line.speaker or line.has(item, {}) for line in self.lines) for item in names):
            return False
        items = [item for item in self.part.items if item not in names]
        said = tells_who_said(self.sentence)
        dates = [item for item in items if item.kind in ("date", "weekday") and said and self._said_on(item)]
        items = [item for item in items if item not in dates]
        if not items:
            return tells_who_said(self.part.text) or (self._only_names() and self._fits_somewhere())
        support: list[_Line] = []
        for index, item in enumerate(items):
            found = [
                (line, clause)
                for line in self.lines
                for clause in line.has(item, self.near)
                if self._fits(line, clause) and self._goes_with(items[index + 1 :], item, line, clause)
            ]
            if not found:
                return False
            support += [line for line, _ in found]
        self.support = tuple(support)
        return True

    def _only_names(self) -> bool:
        """Return whether a part with nothing but names is supported: it has no verb of a known kind, or the lines have
        one of the same kind.
        """
        ways = frozenset[str]().union(*(clause.ways for line in self.lines for clause in line.clauses))
        return not self.part.ways or not ways.isdisjoint(self.part.ways)

    def _fits_somewhere(self) -> bool:
        return any(self._fits(line, clause) for line in self.lines for clause in line.clauses)

    def _said_on(self, item: Item) -> bool:
        """Return whether the item is the day on which one of the lines was written."""
        times = [line.told.time for line in self.lines]
        if item.kind == "weekday":
            return any(time.isoweekday() == int(item.word) for time in times)
        return any(_same_day(item.day, (time.year, time.month, time.day), time) for time in times)

    def _goes_with(self, following: Sequence[Item], item: Item, line: _Line, clause: Clause) -> bool:
        """Return whether a number occurs in the same clause as the thing that it counts."""
        counted = next((each for each in following if each.kind in ("word", "meaning", "kin")), None)
        return item.kind != "number" or counted is None or clause in line.has(counted, self.near)

    def _fits(self, line: _Line, clause: Clause) -> bool:
        """Return whether a clause is about the same person, and in the same mode."""
        here, there = self.part.marks, clause.marks
        denied_there = there.denied and not (there.over and here.past and not here.denied)
        if here.denied != denied_there and not (here.denied and here.over and there.denied):
            return False
        if (there.doubted and not here.doubted) or (
            there.asked and not here.asked and not tells_who_said(self.sentence)
        ):
            return False
        if self.part.ways and clause.ways and self.part.ways.isdisjoint(clause.ways):
            return False
        fault = fault_of(_quoted(line.text, clause.text), "", "", line.told.speaker, negated=here.denied)
        if fault in ("joke", "instruction") or (fault == "reported" and not tells_who_said(self.sentence)):
            return False
        return self._is_about(line, clause)

    def _is_about(self, line: _Line, clause: Clause) -> bool:
        named = _named_in(self.subject, clause) or self._named_before(line, clause)
        if clause.relatives and clause.relatives.isdisjoint(self._told()):
            return named and self.subject.isdisjoint(line.speaker)
        if not self.subject or named:
            return True
        if (clause.lead and clause.lead not in self.subject) or (clause.another and not clause.relatives):
            return False
        return not self.subject.isdisjoint(line.speaker)

    def _told(self) -> frozenset[str]:
        """Return all meanings in the sentence."""
        return frozenset[str]().union(*(each.meanings for each in clauses_of(self.sentence, self.subject)))

    def _named_before(self, line: _Line, clause: Clause) -> bool:
        """Return whether a clause continues with a person named earlier in the same message: "Ben called. He is ill"."""
        earlier = line.clauses[: line.clauses.index(clause)]
        return clause.another and any(_named_in(self.subject, each) for each in earlier)


def clause_ends(clause: Clause, line: _Line, part: Clause, subject: frozenset[str]) -> bool:
    """Return whether a later clause ends a state that a part of an answer claims for somebody."""
    if subject and subject.isdisjoint(line.speaker) and not _named_in(subject, clause):
        return False
    if (clause.lead and clause.lead not in subject) or clause.relatives - part.meanings:
        return False
    ground = Ground([clause.text], (), line.told.time)
    shared = [
        item
        for item in part.items
        if item.word not in subject
        and item.kind != "weekday"
        and (item.kind != "word" or item.word in clause.words)
        and _has(clause, item, ground, frozenset(), {})
    ]
    live = any(each in _ways("live") for each in part.ways)
    if live and clause.ways & part.ways:
        places = part.of_kind("place", "name")
        there = [each for each in places if _has(clause, each, ground, frozenset(), {}) and each.word not in subject]
        if any(_FROM.search(clause.text[: _place_of(each, clause)]) for each in there):
            return True
        elsewhere = [each for each in clause.of_kind("place", "name") if each.word not in subject | line.speaker]
        return not there and bool(elsewhere) and not clause.marks.denied
    if shared and clause.marks.denied and not part.marks.denied:
        return True
    if any(each in _ways("work") for each in part.ways) and _NEW_WORK.search(clause.text):
        return True
    return bool(part.of_kind("kin")) and _PARTED.search(clause.text) is not None


def _ways(word: str) -> frozenset[str]:
    return frozenset[str]().union(*(clause.ways for clause in clauses_of(word)))


def _place_of(item: Item, clause: Clause) -> int:
    """Return the position of a place or name in a clause, or the clause's length if it is unknown."""
    folded = fold(clause.text)
    at = folded.find(item.word)
    if at >= 0 and len(folded) == len(clause.text):
        return at
    for other in clause.of_kind("place"):
        if other.meanings & item.meanings and (at := folded.find(other.word)) >= 0:
            return at
    return len(clause.text)


def _has(clause: Clause, item: Item, ground: Ground, speaker: frozenset[str], near: Near) -> bool:
    if item.kind == "number":
        return any(other.word == item.word for other in clause.of_kind("number"))
    if item.meanings:
        return not item.meanings.isdisjoint(clause.meanings)
    if item.kind in ("name", "place"):
        return item.word in speaker or _named_in({item.word}, clause)
    return ground.has(item.word) or not clause.words.isdisjoint(near.get(item.word, ()))


def _named_in(names: Collection[str], clause: Clause) -> bool:
    """Return whether a clause contains one of these names, also with an ending."""
    return any(
        word == name
        or (word.startswith(name) and word[len(name) :] in _NAME_ENDINGS and len(name) > 2)
        or (name.startswith(word) and name[len(word) :] == "s" and len(word) > 2)
        for name in names
        for word in clause.words
    ) or any(not name.isascii() and len(name) > 1 and name in fold(clause.text) for name in names)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]{2,}", fold(text))


def _quoted(text: str, clause: str) -> Quoted:
    start = max(0, text.find(clause.strip()))
    return Quoted(text, start, start + len(clause.strip()))


def _days(text: str, said: datetime) -> list[tuple[date, date]]:
    """Return the periods that relative expressions of time in a text mean, as (first day, day after the last)."""
    plain = " ".join(without_days(text).casefold().split())
    for word, english in _RELATIVE.items():
        plain = plain.replace(word, f" {english} ")
    spans: list[tuple[date, date]] = []
    for match in _EXPRESSION.finditer(plain):
        for past in (False, True):
            span = resolve_date(match[0], said, past=past)
            if span is not None and span.start is not None:
                end = span.end or span.start + timedelta(days=1)
                spans.append((span.start.date(), end.date()))
    return spans


def _within(day: Day, span: tuple[date, date]) -> bool:
    """Return whether a day, month or year lies in a period and is no more exact than it."""
    start, end = span
    last = end - timedelta(days=1)
    exact = (last - start).days
    year, month, number = day
    if (number is not None and exact > 2) or (month is not None and exact > 31):
        return False
    return any(
        (year is None or year == each.year)
        and (month is None or month == each.month)
        and (number is None or number == each.day)
        for each in (start, last)
    )


def _same_day(day: Day, other: Day, said: datetime) -> bool:
    """Return whether every given part of a day equals that of the other; a missing year is that of the message or an
    adjacent one.
    """
    year, month, number = day
    if (month is not None and month != other[1]) or (number is not None and number != other[2]):
        return False
    return year is None or year == other[0] or (other[0] is None and abs(year - said.year) <= 1)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
