"""Finds the names of the store in a question. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from types import MappingProxyType
from typing import NamedTuple

from ..text.analyzer import SPACELESS, fold, spaceless, words
from ..text.language import likely_languages
from ..text.languages import LANGUAGES
from ..text.languages.language import words_of
from ..text.name_matching import alike
from ..text.stopwords import ENGLISH, stop_words
from ..text.stopwords import LANGUAGES as LISTED
from .asking import NOTHING, Asking, question_languages

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(rf"[^\W_{SPACELESS}]+")
"""Matches the part before a script without blanks in a word: "Annaは"."""
_IDEOGRAPHS = re.compile("[\u3005\u3400-\u9fff]+")
_ENDING = re.compile("['\u2019]\\w{0,4}")
"""Matches the ending of a name: "Ann's", "Kerem\u2019in"."""
_ENDS = re.compile("[.!?:\u2026\n]")
"""Matches the end of a sentence."""
SHORTEST = 2
MOST_COMPARED = 2_000
"""The most names that are compared for misspellings, 5 to 20 µs each."""
LONGEST_RUN = 6
"""The most ideographs of a name whose parts may be used alone; longer ones are names of groups and firms."""
SHORTEST_INFLECTED = 3
MOST_SHORTENED = 100
"""The most words of a question that are compared with the beginnings of names."""
SHORTEST_SHORTENED = 3
"""The least letters of a name's beginning that stands for it; one more where it may be another word."""
LONGEST_ENDING = 3
"""The most letters that an ending adds to a name: Finnish "Bobilla" has more, but so have unrelated words with the same
beginning.
"""
MOST_NAMESAKES = 8
"""The most people whom an ambiguous name may mean; if there are more, their messages are no better answers than others.
"""
_SCHEME = re.compile(r"(?:\d+:)?[a-z][a-z0-9+.-]*:(?=\S)", re.IGNORECASE)
"""Matches the prefix of an account used as a name: "live:lena" is called Lena, and a question with the word "live" does
not mean her.
"""
_OF_PLACES = ("er", "ern")
"""Endings that make an adjective of a place in German: the Kieler Woche is not of the Stadtwerke Kiel."""
_VOWELS = ("a", "e", "o", "\u0430", "\u044f", "\u043e")
ALSO_WORDS = frozenset(
    [
        "april", "art", "august", "bill", "chase", "dawn", "drew", "faith", "frank", "grace", "guy", "hope", "jack",
        "joy", "june", "like", "mark", "may", "pat", "ray", "rich", "rob", "rose", "sue", "summer", "sunny", "will",
    ]
)  # fmt: skip
"""Names that are English words, too; like stop words, they name a person only with a capital."""


class Mention(NamedTuple):
    """The people whom a question mentions, and the rest of the question."""

    speakers: frozenset[str] = frozenset()
    """The name in the store of the one person who is mentioned, or all names of that person if several were merged;
    empty if nobody or several people are mentioned.
    """
    rest: str = ""
    """The question without capitalized names: in small letters, "pizza" may be just a word of "Pizza Roma"."""
    possible: frozenset[str] = frozenset()
    """The people whom an ambiguous name may mean: Anna Berg and Anna Lind for "Anna", also if a third is just called
    Anna.
    """
    addressed: frozenset[str] = frozenset()
    """The people to whom was written, if the question asks for that: ``speakers`` then contains the writer's names."""
    several: frozenset[str] = frozenset()
    """All people mentioned, if there are several: Ann Lee and Bob Ray for "Ann and Bob"."""
    jointly: bool = False
    """True if they are named in a row, as in "Ann, Bob and Tom", so that each of them is asked about."""
    said: frozenset[str] = frozenset()
    """The folded words that name the one person, or the candidates of an ambiguous name."""
    preferred: frozenset[str] = frozenset()
    """The people whose messages are preferred: the one mentioned, and a few others whom the name may mean."""
    asker: bool = False
    """True if the question is about the user, as "I" or "my"."""

    @property
    def about(self) -> frozenset[str]:
        """The people about whom facts may answer."""
        return self.addressed or self.speakers | self.possible or self.several


NOBODY = Mention()


class _Span(NamedTuple):
    """A range of characters in a question with the people whom it may name; the set is empty for a name in a script
    without blanks.
    """

    fitting: set[str]
    start: int
    end: int


class SpeakerMatcher:
    """The speakers of a store, indexed by the words of their names.

    Args:
        speakers: names as they are in the store.
        merged: sets of names of one person, for people with several.
    """

    def __init__(self, speakers: Iterable[str], merged: Iterable[Iterable[str]] = ()) -> None:
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

    def mention(
        self,
        question: str,
        times: Collection[tuple[int, int]] = (),
        asking: Asking = NOTHING,
        me: Collection[str] = (),
        relatives: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> Mention:
        """Return the one person whom the question mentions, or nobody for certain.

        Several words may name a person ("Bob Smith"): all of them must match that person. A name that is also an
        English word ("Will") counts only with a capital inside the question. If no name occurs literally, one with an
        ending counts ("Annas", "Kerem\u2019in", "Анны"), a part of one without blanks (花子 for 田中花子), or the beginning
        of a first name (Tobi for Tobias Brandt). A first name means its bearer, and also anybody whose name contains it:
        in another source Lena may be Lena Brandt.

        Args:
            question: the original question.
            times: the ranges of its expressions of time, in which May is a month.
            asking: what else it asks for: "I" and "my" mean the user, unless it mentions somebody else.
            me: the user's names.
            relatives: the names of the people whom the user calls so, by folded words such as "mum".
        """
        spans = self._spans(question, times, relatives)
        asker = frozenset(me)
        to = [span for span in spans if _adjoins(span, asking.to, question)]
        if to and (others := [span for span in spans if span not in to] or asker):
            return self._to(question, to, others, asking, asker, relatives)
        one, namesakes, common, said = self._meant(question, spans)
        rest = _without_names(question, spans, relatives)
        asker -= common
        if asker and spans and not common and asking.own_words:  # "what did I tell Ann about Bob?"
            return self._to(question, spans[:1], asker, asking, asker, relatives)
        if asker and (asking.own_words or (asking.between and common)):
            others = namesakes or common
            preferred = asker | others if asking.between else asker
            return Mention(asker, rest, addressed=others, preferred=preferred, said=said)
        if asker and asking.first_person and not spans:
            if asking.to_asker and (asking.order != "best" or asking.counts):
                return Mention(asker, rest, addressed=asker)
            return Mention(asker, rest, preferred=asker, asker=True)
        several = set[str]() if common else set[str]().union(*(span.fitting for span in spans))
        few = self._people(namesakes) <= MOST_NAMESAKES
        preferred = one.union(namesakes if few else ())
        if asking.asker_acts and preferred and asking.order == "best" and not asking.counts:
            preferred |= asker  # "what limit did I set for Ann?": either may have said it
        jointly = bool(several) and _in_a_row(question, spans)
        everybody = frozenset(self._with_other_names(several))
        return Mention(one, rest, namesakes, several=everybody, jointly=jointly, said=said, preferred=preferred)

    def _to(
        self,
        question: str,
        to: Sequence[_Span],
        writers: Sequence[_Span] | frozenset[str],
        asking: Asking,
        asker: frozenset[str],
        relatives: Collection[str],
    ) -> Mention:
        """Return the mention of writers, named or the user, and of the people to whom they wrote."""
        _, namesakes, common, said = self._meant(question, to)
        addressed = namesakes or common
        if isinstance(writers, frozenset):
            named, by = to, writers
        else:
            named = [*to, *writers]
            _, _, by, of_writers = self._meant(question, writers)
            said |= of_writers
        preferred = by | addressed if asking.between and by == asker else by
        rest = _without_names(question, sorted(named, key=lambda span: span.start), relatives)
        return Mention(by, rest, addressed=addressed - by, preferred=preferred, said=said)

    def _spans(
        self, question: str, times: Collection[tuple[int, int]], relatives: Mapping[str, frozenset[str]]
    ) -> list[_Span]:
        """Return the ranges of the question that may name somebody."""
        spans = self._in_runs(question)
        in_times = {place for start, end in times for place in range(start, end)}
        question_words = [each for each in _words(question) if each[1] not in in_times]
        for word, start, end in question_words:
            fitting = self._by_word.get(fold(word)) or set(relatives.get(fold(word), ()))
            if fitting and (fold(word) in relatives or not _is_word(word, start, question)):
                spans.append(_Span(fitting, start, end))
        spans = spans or [
            _Span(fits, start, end) for word, start, end in question_words if (fits := self._inflected(word))
        ]
        return spans or self._parts_in_runs(question) or self._shortened(question, question_words)

    def _meant(
        self, question: str, spans: Iterable[_Span]
    ) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
        """Return the names of the one person whom these words name, of all whom they may name, those of them that fit
        best, and the folded words; all are empty if the words name several people.
        """
        # Each distinct word once: a long text may repeat a first name a thousand times, and a thousand people may have
        # it.
        fitting = list(map(self._with_other_names, {id(span.fitting): span.fitting for span in spans}.values()))
        common = fitting[0].intersection(*fitting[1:]) if fitting else set[str]()
        namesakes = set[str]()
        said = frozenset(fold(question[span.start : span.end]) for span in spans) if common else frozenset[str]()
        if not self._is_one(common):
            # If Bob Lee exists, too, "Bob" still means Bob, and "Bob Lee" does not mean Bob Lee Jr.
            whole = {name for name in common if said.issuperset(_WORD.findall(fold(name)))}
            namesakes = common if len(said) == 1 or not self._is_one(whole) else set[str]()
            common = self._with_other_names(whole) if self._is_one(whole) else common
        one = frozenset(common if self._is_one(common) else ())
        return one, frozenset(namesakes), frozenset(common), said

    def like(self, words: Iterable[str], most: int) -> tuple[str, ...]:
        """Return the distinct names that one of these words may misspell, among the first `MOST_COMPARED` names of the
        store.
        """
        names = self._speakers[:MOST_COMPARED]
        names_alike = (name for word in words for name in alike(word, names, most))
        return tuple(dict.fromkeys(names_alike))[:most]

    def _is_one(self, names: Iterable[str]) -> bool:
        return self._people(names) == 1

    def _people(self, names: Iterable[str]) -> int:
        return len({self._merged.get(name, frozenset((name,))) for name in names})

    def _with_other_names(self, names: set[str]) -> set[str]:
        return names.union(*(self._merged[name] for name in names if name in self._merged))

    def _inflected(self, word: str) -> set[str]:
        """Return the people whose name with an ending this is: a capitalized word that is no other word without the
        ending.
        """
        folded = fold(word)
        if not word[0].isupper() or len(folded) <= SHORTEST_INFLECTED:
            return set()
        for end in range(len(folded) - 1, max(SHORTEST_INFLECTED, len(folded) - LONGEST_ENDING) - 1, -1):
            if folded[end:] not in _OF_PLACES and (fitting := self._by_word.get(folded[:end])):
                return fitting
        # In Анна and Анны the ending replaces the vowel.
        for last in _VOWELS:
            for end in (len(folded) - 1, len(folded) - 2):
                if end >= SHORTEST_INFLECTED and (fitting := self._by_word.get(folded[:end] + last)):
                    return fitting
        return set()

    def _shortened(self, question: str, question_words: Iterable[tuple[str, int, int]]) -> list[_Span]:
        """Return the capitalized words that begin the first name of exactly one person: Tobi for Tobias Brandt. Names
        of which one letter is missing are those of others: Paul is not Paula.
        """
        spans: list[_Span] = []
        capital_nouns = not question.isascii() or _has_capital_nouns(question)
        for word, start, end in islice(question_words, MOST_SHORTENED):
            folded = fold(word)
            # In a language whose nouns have capitals, and at the beginning, a short word may be any.
            shortest = SHORTEST_SHORTENED + (start == 0 or capital_nouns)
            if len(folded) < shortest or not word[0].isupper() or folded in _usual_words():
                continue
            fitting = {
                name for full, name in self._first_names if len(full) > len(folded) + 1 and full.startswith(folded)
            }
            if self._is_one(fitting):
                spans.append(_Span(fitting, start, end))
        return spans

    @cached_property
    def _first_names(self) -> Sequence[tuple[str, str]]:
        """The first word of each name, folded, with the name."""
        matches = ((_WORD.match(fold(spoken(name))), name) for name in self._speakers[:MOST_COMPARED])
        return [(match.group(), name) for match, name in matches if match]

    def _in_runs(self, question: str) -> list[_Span]:
        """Return the names in scripts without blanks, anywhere in the question; a name of one character only without
        another ideograph beside it.
        """
        if question.isascii() or not self._by_run:
            return []
        folded = fold(question)
        spans: list[_Span] = []
        for name, fitting in self._by_run.items():
            start = folded.find(name)
            if start >= 0 and (len(name) > 1 or _alone(folded, start)):
                spans.append(_Span(fitting, 0, 0))  # without capitals to mark it, the name stays in the rest
        return spans

    def _parts_in_runs(self, question: str) -> list[_Span]:
        """Return parts of names without blanks that have no other ideograph beside them: 花子 in 花子さんは."""
        runs = _IDEOGRAPHS.finditer(question) if self._by_part_of_run else ()
        return [_Span(fits, *run.span()) for run in runs if (fits := self._by_part_of_run.get(fold(run.group())))]


def _adjoins(span: _Span, ranges: Iterable[tuple[int, int]], question: str) -> bool:
    """Return whether a range ends directly before a name, or begins directly behind it."""
    return any(
        start == span.end > 0 or (end <= span.start and not question[end : span.start].strip()) for start, end in ranges
    )


def _in_a_row(question: str, spans: Sequence[_Span]) -> bool:
    """Return whether nothing but commas and words for "and" stands between these names."""
    return all(set(words(question[one.end : other.start])) <= _and_words() for one, other in pairwise(spans))


@lru_cache(maxsize=1)
def _and_words() -> frozenset[str]:
    """Return the words for "and" in all languages."""
    return frozenset(fold(word) for each in LANGUAGES.values() for word in words_of(each.roles.get("and", "")))


def _parts_of_run(name: str) -> Iterator[str]:
    """Yield the possible family and first names in a name of ideographs without a blank: its beginnings and ends."""
    if len(name) <= LONGEST_RUN and _IDEOGRAPHS.fullmatch(name):
        for length in range(SHORTEST, len(name)):
            yield name[:length]
            yield name[-length:]


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a text with their start and end; of a word that continues in a script without blanks also the
    part before it.
    """
    for match in _WORD.finditer(text):
        yield match.group(), *match.span()
        if not match.group().isascii() and not spaceless(match.group()):
            parts = _PART.finditer(text, *match.span())
            yield from ((part.group(), *part.span()) for part in parts if part.span() != match.span())


def _is_word(word: str, start: int, question: str) -> bool:
    """Return whether what may be a name is a small word of the question's language, or of English."""
    if fold(word) in ENGLISH | ALSO_WORDS:
        return not _is_name(word, start, question)
    if start > 0 and (word[0].isupper() or question[start - 1] == "-"):  # "ji" of Eun-ji is no Czech pronoun
        return False
    # The other words tell in which language it would be a word.
    rest = f"{question[:start]} {question[start + len(word) :]}" if len(word) > SHORTEST else question
    languages = question_languages(rest) or (() if word[0].isupper() else question_languages(question))
    return any(fold(word) in stop_words(code) for code in languages)


def _is_name(word: str, start: int, question: str) -> bool:
    """Return whether a word that is also English is capitalized as a name: inside the question, or at the beginning of
    a question in a language without this word.
    """
    if not word[0].isupper() or start > 0:
        return word[0].isupper()
    rest = question[len(word) :]
    likely = likely_languages(rest, words(rest))
    return bool(likely) and "en" not in likely and not any(fold(word) in stop_words(each) for each in likely)


def spoken(name: str) -> str:
    """Return a name without the prefix for the kind of account."""
    return _SCHEME.sub("", name, count=1) if _SCHEME.match(name) else name


def capitals(question: str) -> tuple[str, ...]:
    """Return the words of a question that may be names: with a capital inside a sentence, unless everything is in
    capitals.
    """
    if question.isupper():
        return ()
    names: dict[str, None] = {}
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
            names[word] = None
        done = match.end()
    return tuple(names)


def _without_names(question: str, spans: Iterable[_Span], relatives: Collection[str]) -> str:
    """Return the question without capitalized names and their endings behind an apostrophe, and without relatives."""
    rest, done = "", 0
    for _fitting, start, end in spans:
        goes_on = 0 < done == start - 1 and question[done] == "-"
        if question[start:end][:1].isupper() or goes_on or fold(question[start:end]) in relatives:
            rest += question[done:start]
            done = max(done, end + len(match.group()) if (match := _ENDING.match(question, end)) else end)
    return " ".join((rest + question[done:]).split()) if done else question


@lru_cache(maxsize=1)
def _usual_words() -> frozenset[str]:
    """Return the words that are no names of people: small words of any language, and names that are words."""
    return ALSO_WORDS.union(*map(stop_words, LISTED))


def _has_capital_nouns(question: str) -> bool:
    """Return whether a question may be in a language that writes nouns with a capital."""
    likely = likely_languages(question, words(question))
    return not likely or any(code in LANGUAGES and LANGUAGES[code].capital_nouns for code in likely)


def _alone(text: str, at: int) -> bool:
    """Return whether no other ideograph is beside this one."""
    return not any("\u3400" <= beside <= "\u9fff" for beside in (text[at - 1 : at], text[at + 1 : at + 2]))
