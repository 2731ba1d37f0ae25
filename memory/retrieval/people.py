"""Whom a question names: the names of the store found in its words. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ..text.analyzer import SPACELESS, fold, spaceless, words
from ..text.language import likely_languages
from ..text.name_matching import alike
from ..text.stopwords import ENGLISH, stop_words
from .question_forms import asks_what_i_said

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(rf"[^\W_{SPACELESS}]+")
"""Of a word that goes on in writing without blanks: "Annaは"."""
_IDEOGRAPHS = re.compile("[\u3005\u3400-\u9fff]+")
_ENDING = re.compile("['\u2019]\\w{0,4}")
"""Of a name: "Ann's", "Kerem\u2019in"."""
_ENDS = re.compile("[.!?:\u2026\n]")
"""Of a sentence."""
SHORTEST = 2
MOST_COMPARED = 2_000
"""Names that are compared for misspellings, 5 to 20 µs each."""
LONGEST_RUN = 6
"""Ideographs of a name whose parts may be said alone; longer ones are names of groups and firms."""
SHORTEST_INFLECTED = 3
LONGEST_ENDING = 3
"""Letters that an ending adds to a name: Finnish "Bobilla" has more, but so would other words that begin like a name."""
MOST_NAMESAKES = 8
"""People whom a name that fits several may mean; of more, what they wrote is no better an answer than what others did."""
_SCHEME = re.compile(r"(?:\d+:)?[a-z][a-z0-9+.-]*:(?=\S)", re.IGNORECASE)
"""Of an account that stands for a name: "live:lena" is called Lena, and nobody means her who asks where somebody lives."""
_VOWELS = ("a", "e", "o", "\u0430", "\u044f", "\u043e")
ALSO_WORDS = frozenset(
    [
        "april",
        "art",
        "august",
        "bill",
        "chase",
        "dawn",
        "drew",
        "faith",
        "frank",
        "grace",
        "guy",
        "hope",
        "jack",
        "joy",
        "june",
        "like",
        "mark",
        "may",
        "pat",
        "ray",
        "rich",
        "rob",
        "rose",
        "sue",
        "summer",
        "sunny",
        "will",
    ]
)
"""Names that are English words as well; these, and stop words, name somebody only with a capital."""


class Mention(NamedTuple):
    """Whom a question names, and what else it says."""

    speakers: frozenset[str] = frozenset()
    """The name, as it stands in the store, of the one person who is named, or all of them where several names were
    merged; empty where nobody is named, or several people are."""
    rest: str = ""
    """The question without names that have a capital: in small letters, "pizza" may be no more than a word of "Pizza Roma"."""
    possible: frozenset[str] = frozenset()
    """Whom the name may mean, where it fits several people: Anna Berg and Anna Lind for "Anna", also where one is just Anna."""
    addressed: frozenset[str] = frozenset()
    """Whom the user said it to, where the question asks for what the user said: ``speakers`` are the user's names then."""
    several: frozenset[str] = frozenset()
    """All whom it names, where those are several people: Ann Lee and Bob Ray for "Ann and Bob"."""
    said: frozenset[str] = frozenset()
    """The folded words that name the one person, or those whom the name may mean."""
    preferred: frozenset[str] = frozenset()
    """Whose messages come first: the one who is named, and whom the name may mean besides, where those are few."""

    @property
    def about(self) -> frozenset[str]:
        """Of whom something known may answer."""
        return self.addressed or self.speakers | self.possible or self.several


class _Span(NamedTuple):
    """Whom some characters of a question may name; none of them for a name in writing without blanks."""

    fitting: set[str]
    start: int
    end: int


class SpeakerMatcher:
    """The speakers of a store by the words of their names.

    Args:
        speakers: names as they stand in the store.
        merged: names of one person each, where somebody has several.
        own: the names of the user.
    """

    def __init__(self, speakers: Iterable[str], merged: Iterable[Iterable[str]] = (), own: Iterable[str] = ()) -> None:
        self._own = frozenset(own)
        self._merged: dict[str, frozenset[str]] = {}
        for group in map(frozenset, merged):
            self._merged.update(dict.fromkeys(group, group))
        speakers = tuple(speakers)
        self.folded = frozenset(map(fold, speakers))
        """All names in folded case."""
        self._speakers = speakers
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        self._by_run: defaultdict[str, set[str]] = defaultdict(set)
        self._by_part_of_run: defaultdict[str, set[str]] = defaultdict(set)
        for speaker in speakers:
            for word, _, _ in _words(fold(spoken(speaker))):
                if spaceless(word):
                    self._by_run[word].add(speaker)
                    for part in _parts_of_run(word):
                        self._by_part_of_run[part].add(speaker)
                elif len(word) >= SHORTEST and not word.isdigit():
                    self._by_word[word].add(speaker)

    @property
    def words(self) -> Collection[str]:
        """The folded words of all names."""
        return self._by_word.keys()

    def mention(self, question: str, times: Collection[tuple[int, int]] = ()) -> Mention:
        """The one person whom the question names, else nobody for sure.

        Several words may name a person ("Bob Smith"): the person is who all of them fit. A name that is also an
        English word ("Will") counts only with a capital inside the question. Where nobody's name stands as it is, one
        with an ending does ("Annas", "Kerem\u2019in", "Анны"), or a part of one without blanks (花子 for 田中花子). A first name
        is that of its owner, and may be anybody's who has it: in another source Lena may be Lena Brandt.

        Args:
            question: as it was asked.
            times: where it says a time, in which May is a month.
        """
        found = self._in_runs(question)
        in_times = {place for start, end in times for place in range(start, end)}
        asked = [each for each in _words(question) if each[1] not in in_times]
        for word, start, end in asked:
            fitting = self._by_word.get(fold(word))
            if fitting and (fold(word) not in ENGLISH | ALSO_WORDS or _is_name(word, start, question)):
                found.append(_Span(fitting, start, end))
        found = found or [_Span(fits, start, end) for word, start, end in asked if (fits := self._inflected(word))]
        found = found or self._parts_in_runs(question)
        # Each word once: a long text says a first name a thousand times, and a thousand people may have it.
        fitting = list(map(self._with_other_names, {id(span.fitting): span.fitting for span in found}.values()))
        common = fitting[0].intersection(*fitting[1:]) if fitting else set[str]()
        namesakes = set[str]()
        said = frozenset(fold(question[span.start : span.end]) for span in found) if common else frozenset[str]()
        if not self._is_one(common):
            # Beside Bob Lee, "Bob" is Bob, and "Bob Lee" is not Bob Lee Jr.
            whole = {name for name in common if said.issuperset(_WORD.findall(fold(name)))}
            namesakes = common if len(said) == 1 or not self._is_one(whole) else set[str]()
            common = self._with_other_names(whole) if self._is_one(whole) else common
        one = frozenset(common if self._is_one(common) else ())
        rest = _without_names(question, found)
        if (own := self._own - common) and asks_what_i_said(question):
            return Mention(own, rest, addressed=frozenset(namesakes or common), preferred=own)
        several = frozenset[str]() if common else frozenset[str]().union(*fitting)
        few = self._people(namesakes) <= MOST_NAMESAKES
        preferred = one.union(namesakes if few else ())
        return Mention(one, rest, frozenset(namesakes), several=several, said=said, preferred=preferred)

    def like(self, words: Iterable[str], most: int) -> tuple[str, ...]:
        """The names that one of these words may be a misspelling of, each once; of the first `MOST_COMPARED` names of the store."""
        names = self._speakers[:MOST_COMPARED]
        found = (name for word in words for name in alike(word, names, most))
        return tuple(dict.fromkeys(found))[:most]

    def _is_one(self, names: Iterable[str]) -> bool:
        return self._people(names) == 1

    def _people(self, names: Iterable[str]) -> int:
        return len({self._merged.get(name, frozenset((name,))) for name in names})

    def _with_other_names(self, names: set[str]) -> set[str]:
        return names.union(*(self._merged[name] for name in names if name in self._merged))

    def _inflected(self, word: str) -> set[str]:
        """Whose name this is with an ending: a word with a capital, and not one that is a word without it."""
        folded = fold(word)
        if not word[0].isupper() or len(folded) <= SHORTEST_INFLECTED:
            return set()
        for end in range(len(folded) - 1, max(SHORTEST_INFLECTED, len(folded) - LONGEST_ENDING) - 1, -1):
            if found := self._by_word.get(folded[:end]):
                return found
        # Анна, Анны: the ending takes the place of the vowel.
        for last in _VOWELS:
            for end in (len(folded) - 1, len(folded) - 2):
                if end >= SHORTEST_INFLECTED and (found := self._by_word.get(folded[:end] + last)):
                    return found
        return set()

    def _in_runs(self, question: str) -> list[_Span]:
        """Names in writing without blanks: anywhere in the question; of one character only where no word goes on."""
        if question.isascii() or not self._by_run:
            return []
        folded = fold(question)
        found: list[_Span] = []
        for name, fitting in self._by_run.items():
            start = folded.find(name)
            if start >= 0 and (len(name) > 1 or _alone(folded, start)):
                found.append(_Span(fitting, 0, 0))  # no capitals tell names from words there: the rest keeps it
        return found

    def _parts_in_runs(self, question: str) -> list[_Span]:
        """Parts of names without blanks, where no other ideograph stands beside them: 花子 in 花子さんは."""
        runs = _IDEOGRAPHS.finditer(question) if self._by_part_of_run else ()
        return [_Span(fits, *run.span()) for run in runs if (fits := self._by_part_of_run.get(fold(run.group())))]


def _parts_of_run(name: str) -> Iterator[str]:
    """What may be the family name or the first name in a name of ideographs without a blank: its beginnings and ends."""
    if len(name) <= LONGEST_RUN and _IDEOGRAPHS.fullmatch(name):
        for length in range(SHORTEST, len(name)):
            yield name[:length]
            yield name[-length:]


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text with where they stand; of those that go on in writing without blanks the parts before that, too."""
    for match in _WORD.finditer(text):
        yield match.group(), *match.span()
        if not match.group().isascii() and not spaceless(match.group()):
            parts = _PART.finditer(text, *match.span())
            yield from ((part.group(), *part.span()) for part in parts if part.span() != match.span())


def _is_name(word: str, start: int, question: str) -> bool:
    """Whether a word that is English, too, has a capital as a name: inside the question, or where that is in another language,
    which does not have this word.
    """
    if not word[0].isupper() or start > 0:
        return word[0].isupper()
    rest = question[len(word) :]
    likely = likely_languages(rest, words(rest))
    return bool(likely) and "en" not in likely and not any(fold(word) in stop_words(each) for each in likely)


def spoken(name: str) -> str:
    """A name without what only says of which kind an account is."""
    return _SCHEME.sub("", name, count=1) if _SCHEME.match(name) else name


def capitals(question: str) -> tuple[str, ...]:
    """The words of a question that may be names: a capital first, inside a sentence, and not everything in capitals."""
    if question.isupper():
        return ()
    found: dict[str, None] = {}
    done = len(question)
    for match in _WORD.finditer(question):
        word, goes_on = match.group(), _ENDS.search(question, done, match.start()) is None
        if (
            goes_on
            and done < match.start()
            and word[0].isupper()
            and len(word) > SHORTEST
            and fold(word) not in ENGLISH
        ):
            found[word] = None
        done = match.end()
    return tuple(found)


def _without_names(question: str, spans: Iterable[_Span]) -> str:
    """The question without the names that have a capital, and without the ending that an apostrophe parts from them."""
    rest, done = "", 0
    for _fitting, start, end in spans:
        if question[start:end][:1].isupper():
            rest += question[done:start]
            done = max(done, end + len(match.group()) if (match := _ENDING.match(question, end)) else end)
    return " ".join((rest + question[done:]).split()) if done else question


def _alone(text: str, at: int) -> bool:
    """Whether no other ideograph stands beside this one."""
    return not any("\u3400" <= beside <= "\u9fff" for beside in (text[at - 1 : at], text[at + 1 : at + 2]))
