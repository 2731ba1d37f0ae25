"""Cuts a sentence of an answer, or a line, into clauses, each with its items, its subject and its mode. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..text.analyzer import fold
from .answer_items import Item, Kind, items_of
from .answer_lists import TOKEN, is_light, meanings_of, pattern, plain_list

_SENTENCE = re.compile(r".+?(?:(?:(?<!\d)|(?<=\d\d\d))\.(?=\s|$)|[!?…。！？]+|\n|$)", re.DOTALL)
_BORDER = re.compile(
    r"(?P<joined>,(?!\d)|;|、|(?<![^\W_])(?:and|und|y|ve|or|oder|nor)(?![^\W_]))|:(?!\d)|[()–—]| - "
    r"|(?<![^\W_])(?:but|aber|pero|ama|because|weil|porque|although|obwohl|aunque|while|since when)(?![^\W_])",
    re.IGNORECASE,
)
"""Matches the words and signs between clauses; after those of ``joined`` a clause may go on with the same subject."""
_QUESTION = re.compile(r"[?？¿]|か[。」]?$")
_DENIED, _ENDED, _FORMER, _PAST = map(pattern, ("denied", "ended", "former", "past"))
_DOUBTED, _OWN = map(pattern, ("doubted", "own"))
_MAY = re.compile(r"(?<![^\W_])may (?!\d)(?=[a-z])")
_MIGHT_NOT = re.compile("かもしれ(?:ない|ません)|なければ")
"""Matches negations that deny nothing: "may be", "unless"."""
_ANOTHER = re.compile(
    r"\W*(?:(?:and|but|so|und|aber|y|pero|ve|ama) )?(?:he|she|they|his|her|their|he['’]s|she['’]s|they['’]re"
    r"|er|sie|ella|él|ellos|ellas|onlar|onun|o)(?![^\W_])|\W*彼",
    re.IGNORECASE,
)
_VERBS, _PRONOUNS = plain_list("verbs"), plain_list("pronouns")
"""Verbs behind a name at the beginning of a clause, and words there that are no names."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The mode of a clause."""

    denied: bool = False
    """True if it is not so, or no longer."""
    doubted: bool = False
    """True for a wish, plan, supposition or prediction."""
    question: bool = False
    over: bool = False
    """True if it is denied only as a former state."""
    past: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a sentence, with its extracted items."""

    text: str
    mode: Mode
    items: tuple[Item, ...]
    words: frozenset[str] = frozenset()
    """All words, folded."""
    ways: frozenset[str] = frozenset()
    """The kinds of its verbs."""
    lead: str = ""
    """The folded name of the person that the clause is about, if it begins or continues with a name."""
    own: bool = False
    """True if the speaker is the subject."""
    relatives: frozenset[str] = frozenset()
    """The meanings of the relatives that the clause is about, if the speaker is not the subject."""
    another: bool = False
    """True if it begins with "she", "he", "they"."""

    def of_kind(self, *kinds: Kind) -> list[Item]:
        """Return the items of these kinds."""
        return [item for item in self.items if item.kind in kinds]

    @property
    def meanings(self) -> frozenset[str]:
        """The meanings of all items."""
        return frozenset[str]().union(*(item.meanings for item in self.items))


def clauses_of(text: str, people: frozenset[str] = frozenset()) -> list[Clause]:
    """Return the clauses of a text.

    Args:
        text: the text of a message or an answer.
        people: folded words of the names of all authors.
    """
    clauses: list[Clause] = []
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        question = _QUESTION.search(sentence) is not None
        for part, joined in _parts(sentence):
            clause = _clause(part, people, question=question)
            clauses.append(_continued(clause, clauses[-1], joined=joined) if clauses else clause)
    return clauses


def _parts(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield each clause with whether it continues the previous one."""
    at, joined = 0, False
    for match in _BORDER.finditer(sentence):
        if sentence[at : match.start()].strip():
            yield sentence[at : match.start()], joined
            joined = True
        joined = joined and match["joined"] is not None
        at = match.end()
    if sentence[at:].strip():
        yield sentence[at:], joined


def _continued(clause: Clause, before: Clause, *, joined: bool) -> Clause:
    """Return a clause with the properties that it takes over from the previous one: its subject, and its denial if it
    has no verb.
    """
    if (joined or clause.another) and not clause.own and not clause.lead and not clause.relatives:
        clause = replace(clause, lead=before.lead, relatives=before.relatives)
    if not joined or clause.ways or clause.own or clause.another:
        return clause
    mode = replace(
        clause.mode,
        denied=clause.mode.denied or before.mode.denied,
        doubted=clause.mode.doubted or before.mode.doubted,
        over=clause.mode.over or before.mode.over,
    )
    return replace(clause, mode=mode, own=before.own and not clause.lead and not clause.relatives)


def _clause(text: str, people: frozenset[str], *, question: bool) -> Clause:
    items, ways = items_of(text, people)
    tokens = TOKEN.findall(text)
    words = [fold(token) for token in tokens]
    own = any(not match["ben"] or fold(match["ben"]) not in people for match in _OWN.finditer(text))
    kin = (item.meanings for item in items if item.kind == "kin" and not own)
    return Clause(
        text,
        _mode(text, words, question=question),
        tuple(items),
        frozenset(words),
        ways,
        "" if own or not tokens else _lead(tokens[0][0].isupper(), words, people),
        own,
        frozenset[str]().union(*kin),
        _ANOTHER.match(text) is not None and not own,
    )


def _lead(capital: bool, words: list[str], people: frozenset[str]) -> str:
    """Return the name at the beginning of a clause."""
    first, second = (*words, "")[:2]
    name = first if first in people else first.removesuffix("s")
    if name in people:
        return name
    return first if capital and second in _VERBS and not is_light(first) and first not in _PRONOUNS else ""


def _mode(text: str, words: list[str], *, question: bool) -> Mode:
    plain = _MIGHT_NOT.sub("かもしれ", text)
    denied, ended, former, past = (each.search(plain) is not None for each in (_DENIED, _ENDED, _FORMER, _PAST))
    contrary = "嫌い" in text or any(meaning.startswith("contrary:") for word in words for meaning in meanings_of(word))
    doubted = (_DOUBTED.search(text) or _MAY.search(text)) is not None
    return Mode((denied or ended or former) != contrary, doubted, question, former, past)
