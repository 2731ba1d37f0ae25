"""Sentences that state something only together: "We got a dog! Her name is Ida."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..assertions import Sentence

_GIVES_A_NAME = re.compile(
    r"\s*(?:and |und |y )?(?:(?:(?:his|her|its|the|their) )?name(?: is|['’]?s)|(?:he|she|it)(?: is|['’]?s) (?:called|named)|called|we(?:['’]ve)? (?:called|named) (?:her|him|it)"
    r"|(?:er|sie|es) heißt|heißt|[^\W\d_]+ heißt (?:er|sie|es)|se llama|(?:and |but )?(?:(?:i|we) )?live (?:here|there) (?:too|as well)|home sweet home|(?:everyone,? )?meet (?-i:[A-ZÀ-Þ])\w*"
    r"|(?:i['’]?m|we['’]?re) [^.!?\n]{2,30} here for|at \d\d(?=!)|(?:[^.!?\n]{0,30} )?peaceful(?:ly)?|alles (?:ist )?(?:jetzt )?in (?-i:[A-ZÄÖÜ])\w*)\b",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"[^.!?\n]{0,12}(?:(?:s?he['’]?s|they['’]?re|(?:the |our )?(?:baby|babies|twins)(?: is| are|['’]?s)) (?:finally )?here|it['’]?s a (?:girl|boy)"
    r"|(?:der bub|die kleine|der kleine|das baby|unser\w* \w+|er|sie) (?:ist|is) (?:endlich )?da|ya está aquí)\b",
    re.IGNORECASE,
)
"""How a message begins that tells of a birth: the name comes in its next sentence."""
_BORN_TO_OTHERS = re.compile(
    r"\b(?:(?:my|our|meine?r?|unsere?r?|mi|nuestr[oa]) (?:[^\W\d_]+ )?(?:sis(?:ter)?|bro(?:ther)?|niece|nephew|grand\w+|cousin|friend|mate|colleague|boss|neighbours?|schwester|bruder|nichte|neffe|enkel\w*|cousine?|freundin|kollegin|herman[oa]|sobrin[oa]|niet[oa]|prim[oa]|amig[oa])"
    r"|(?:i['’]?m|i am) (?:officially |now |finally )?an? (?:aunt\w*|uncle|gran\w*|nan\w*)|(?:bin|werd\w*) (?:jetzt |endlich )?(?:oma|opa|tante|onkel)|soy (?:tí[oa]|abuel[oa]))\b",
    re.IGNORECASE,
)


def with_names(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """The sentences, one that only gives a name or a place together with the one before it: "We got a dog! Her name is Ida."."""
    for index, sentence in enumerate(sentences):
        after = sentences[index + 1] if index + 1 < len(sentences) else None
        end = sentence.offset + len(sentence.text)
        born = not index and _BORN.match(sentence.text) is not None and not _is_of_others(sentences)
        if after is None or after.offset != end or not (born or _GIVES_A_NAME.match(after.text)):
            yield sentence
        else:
            yield Sentence(sentence.text + after.text, sentence.offset)


def _is_of_others(sentences: Sequence[Sentence]) -> bool:
    """Whether a message about a birth names somebody else as the parent, or its writer as an aunt."""
    return any(_BORN_TO_OTHERS.search(each.text) is not None for each in sentences)
