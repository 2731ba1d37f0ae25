"""Recognizes a question for a number ("how much", "welche Nummer", "kaç", いくら), and texts with a number. Pure."""

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
"""For folded text: "cuánto" is "cuanto", "kaçta" "kacta"."""
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万億](?=[円個人本枚回歳匹台分番年月日時冊件名度割つ千百万十])")
"""Matches a digit of any script, or a Japanese numeral before the thing it counts."""

_JAPANESE_ASKING = re.compile(
    r"(?:言っ|話し|書い|述べ)(?:てい)?(?:たの|た|ました|ますか|ます|て)?|(?:言い|書き)(?:ました|ますか|ます|たか)|言及し(?:た|ました)?"
    r"|(?:なん|何)(?:と|て|って|を|の|か|が)?|どんな|こと|メッセージ|について|[はがにのをもでとか？?、。\s]|さん|ちゃん|くん|君"
)
"""Matches the words that ask in a Japanese question for something said, with particles; longer alternatives come first.
"""


def asks_for_number(question: str) -> bool:
    """Return whether a question asks for a number, judged by its words."""
    return _ASKS_FOR_NUMBER.search(fold(question)) is not None


def without_japanese_asking(question: str) -> str:
    """Return a question without the Japanese words that ask for something said."""
    return question if question.isascii() else _JAPANESE_ASKING.sub(" ", question)


def holds_number(text: str) -> bool:
    """Return whether a text contains a number in digits or Japanese numerals."""
    return _NUMBER.search(text) is not None
