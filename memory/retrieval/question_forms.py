"""What form of answer a question asks for: a number ("how much", "welche Nummer", "kaç", いくら). Pure."""

from __future__ import annotations

import re

from ..text.analyzer import fold

_ASKS_FOR_NUMBER = re.compile(
    r"\bhow (?:many|much|old|long|far|often|big|tall|high|expensive)\b"
    r"|\bwie ?viele?[nrsm]?\b|\bwie (?:oft|alt|lang|lange|teuer|hoch|gross|weit|schnell)\b|\bcuant[oa]s?\b"
    r"|\bkac(?:i|ta|tan|a|inci|ar|imiz|iniz|tane)?\b|\bne kadar\b|\bcombien\b|\bquant[ioae]s?\b|\bhoeveel\b"
    r"|\b(?:number|code|price|cost|nummer|preis|codigo|numero|precio|kodu?|numarasi|numara|fiyati?|prix|prezzo)\b"
    r"|いくら|いくつ|何(?:人|個|番|本|枚|回|歳|匹|台|分|時間|円|キロ|メートル|冊|件)|番号|値段|料金"
)
"""Of folded text: "cuánto" is "cuanto", "kaçta" "kacta"."""
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万億](?=[円個人本枚回歳匹台分番年月日時冊件名度割つ千百万十])")
"""A digit of any script, or a Japanese numeral before what it counts."""


def asks_for_number(question: str) -> bool:
    """Whether a number is asked for, for all that its words tell."""
    return _ASKS_FOR_NUMBER.search(fold(question)) is not None


def holds_number(text: str) -> bool:
    """Whether there is a number in it that is written in digits, or in Japanese numerals."""
    return _NUMBER.search(text) is not None
