"""What a message states, without what it says twice and what it says to be over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ..proposal import Proposal
from . import lexicon

MOST_COMPARED = 20
"""Different statements of a message among which those that say the same are looked for; who writes more repeats nothing."""
_BRIEF = frozenset({"hobby", "likes", "dislikes", "home", "employer", "occupation", "diet"})
"""Attributes whose shorter value is kept when two rows read the same words; of others the longer one names more."""
_KINDS = frozenset(lexicon.words(lexicon.PETS_DE))
_WORD = re.compile(r"[^\W_]+")
_DIED = re.compile(
    r"[.!…]\s+(?:(?:but|and|aber|und|pero|y) )?(?:(?:s?he|it)(?:['’]s)? (?:has |had |just |sadly |recently )*(?:died|passed away|gone now|(?:no longer|not) with us)"
    r"|rip\b|(?:(?:we|i) )?(?:had to )?(?:put (?:(?:him|her|it) )?(?:down|to sleep)|(?:gave|give) (?:him|her|it|(?-i:[A-ZÀ-Þ])[^\W\d_]+) (?:away|up)\b)|(?:we|i) lost (?:him|her|(?-i:[A-ZÀ-Þ])[^\W\d_]+) (?:in|to|on|last|this) (?!(?:the|a) (?:park|woods|field|shop|crowd)\b)"
    r"|(?:leider )?(?:ist|wurde) (?:sie|er) (?:[^\W\d_]+ ){0,2}?(?:gestorben|eingeschläfert|tot)|se (?:nos |me )?fue (?:en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|ayer|hace)\b"
    r"|(?:sie|er) (?:ist|wurde) (?:[^\W\d_]+ ){0,2}?(?:gestorben|eingeschläfert|tot)|(?:ya )?(?:se )?(?:nos |me )?(?:murió|ha muerto|falleció)(?! de ))",
    re.IGNORECASE,
)
"""How a later sentence says that the animal just named is dead."""


def without_ended(stated: Sequence[Proposal], text: str) -> Iterator[Proposal]:
    """What a message states, without an animal or partner whom it also says to be dead or gone: "a dog, Bess. Bess died"."""
    gone = {each.value.casefold() for each in stated if each.negated and each.of_known}
    for each in stated:
        named = each.value.casefold().rsplit(maxsplit=1)[-1] if each.value.strip() else ""
        over = named in gone or (each.attribute == "pet" and _DIED.search(text) is not None)
        if each.negated or each.attribute not in ("pet", "partner") or not over:
            yield each


def consistent(proposals: Sequence[Proposal]) -> Iterator[Proposal]:
    """Without what the same sentence says to be over: "our dog Rufus died" names no dog that is there."""
    over = {(each.subject, each.attribute, each.value.casefold()) for each in proposals if each.negated}
    ended = {each.attribute for each in proposals if each.negated}
    brief = any(each.attribute == "location" for each in proposals)
    distinct = {(each.subject, each.attribute, each.value, each.negated): each for each in proposals}
    others = [(each, _words_of(each)) for each in islice(distinct.values(), MOST_COMPARED)]
    for each in proposals:
        words = _words_of(each)
        if any(_says_more(other, its_words, each, words) for other, its_words in others):
            continue
        there = not each.negated and (
            (each.subject, each.attribute, each.value.casefold()) in over
            or (each.attribute == "partner" and "partner" in ended)
            or (brief and each.attribute in ("home", "plan"))
        )
        if not there:
            yield each


def _words_of(proposal: Proposal) -> frozenset[str]:
    return frozenset(_WORD.findall(proposal.value.casefold()))


def _says_more(one: Proposal, words: frozenset[str], other: Proposal, fewer: frozenset[str]) -> bool:
    """Whether one names what the other only mentions: "our dog Rufus" and "our dog"."""
    if one.attribute == "hobby" and other.attribute == "habit":
        return words < fewer
    if one.attribute != other.attribute or one.subject != other.subject or one.negated != other.negated:
        return False
    if one.attribute == "pet" and _unnamed(other.value) and not _unnamed(one.value):
        return other.value.split()[-1].casefold().removesuffix("s") in words
    return words < fewer if one.attribute in _BRIEF else fewer < words


def _unnamed(value: str) -> bool:
    """Whether an animal is only called by its kind."""
    return value.rsplit(maxsplit=1)[-1].islower() or value.rsplit(maxsplit=1)[-1] in _KINDS
