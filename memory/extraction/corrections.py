"""The grammar of messages that correct a mistyped word or a wrong day of the message before: "*Newquay", "sorry, May
4". Pure.

English, German and Spanish. The rules, which read corrections, and the facts, which such a correction replaces, share it.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_WORDS = r"(?!(?:hey|hi|hello|hallo|hola|oh) )(?-i:[A-ZÀ-Þ])[^\W\d_]+(?: (?-i:[A-ZÀ-Þ])[^\W\d_]+)?"
_BLAMED = r"(?:autocorrect\w*|autokorrektur|(?:auto-?)?corrector|typo|vertippt|verschrieben|tippfehler)"
_CURSES = (
    r"(?:(?:bloody|damn|damned|stupid|effing|fucking|sodding|darn|silly|blöde[rs]?|doofe[rs]?|dumme[rs]?|verdammte[rs]?|verflixte[rs]?|scheiß"
    r"|maldito|puto|dichoso|puñetero|estúpido|sorry|perdón|hab|habe|ich|mich|war|das|die|der|was|my|the|el|del|culpa) )"
)
"""Matches a word that may stand before the thing to blame ("blöde Autokorrektur"); any other makes a joke of the
blame, or denies it.
"""
_STARRED = re.compile(rf"\s*\*\s?(?P<value>{_WORDS})(?=\s*(?:$|[,.!]|\())", re.IGNORECASE)
"""A word that replaces one that was typed wrongly: "*Newquay"."""
_STARRED_AFTER = re.compile(rf"\s*(?P<value>{_WORDS})\*+\s*", re.IGNORECASE)
_MISTYPED = re.compile(
    rf"\s*(?:(?-i:[A-ZÀ-Þ])[^\W\d_]+[!.,]+ )?(?P<value>{_WORDS})[,.!(]+ ?{_CURSES}{{0,3}}{_BLAMED}[^\w?]*$",
    re.IGNORECASE,
)
"""The same with the star after it, or with what was to blame: "Greggs*", "Bad Homburg, blöde Autokorrektur"."""
_ALONE = re.compile(rf"\s*(?:\*\s?{_WORDS}|{_WORDS}\*+)\s*[.!]?\s*", re.IGNORECASE)
_BLAMES = re.compile(rf"{_BLAMED}[^\w?]*$", re.IGNORECASE)
_OPENS = re.compile(
    r"\s*(?:(?:äh |oh |ugh |no )?(?:sorry|correction|i mean|i meant|no wait|wait|oops|typo|perdón|perdona|quise decir|digo|ich meine)[\s,.:!–-]*)+",
    re.IGNORECASE,
)
_OPENS_PLAINLY = re.compile(
    r"[^\w*]*(?:(?:no|oh|ugh|äh|nein|wait) )?(?:(?:typo|correction)\s*[!:,.]|(?:digo(?! que)|quise decir|i meant)\b)",
    re.IGNORECASE,
)
"""Words that open a correction and nothing else; "sorry" opens much."""
_ENDS = re.compile(
    r"(?:,? (?:natürlich|of course|obviously|obvs|claro|lol|(?:not|nicht|no)(?: the| am| el)? [^.,!?\n]{1,20})|, i['’]?m not [^.,!?\n]{1,20})?"
    r"[^\w?]*(?:$|(?<=[.!…\n)])\s*(?=[^\W_])(?P<rest>[^?]*)$)",
    re.IGNORECASE,
)
_OF_SLIPS = re.compile(
    r"\b(?:mix|confus|verwechs|vertipp|typo|typing|type\b|confund|lío\b|wrong|falsch|fingers?\b|autocorrect|autokorrektur|sorry|perdón)",
    re.IGNORECASE,
)
_OF_APPOINTMENTS = re.compile(
    r"\b(?:dentist|doctor|meeting|exam|party|appointment|flight|wedding|interview|match|game|gig|concert|trip|hairdresser|termin|treffen|prüfung|klausur|zahnarzt|arzt|hochzeit|konzert|cita|fiesta|reunión|examen|boda|dentista|médico|vuelo|concierto)\b",
    re.IGNORECASE,
)
"""Matches other events that fall on a day: the correction of their day is not that of a birthday."""
_ALIKE = 0.6
"""From which share of common letters on a word replaces another that was typed wrongly."""
_ALIKE_IF_BLAMED = 0.4
"""The same where the message names what was to blame: it puts one word for another."""


def retyped(text: str) -> str:
    """The word that a message gives for one that was typed wrongly; empty where it gives none."""
    match = _STARRED.match(text) or _STARRED_AFTER.fullmatch(text) or _MISTYPED.match(text)
    return "" if match is None else match["value"]


def is_word_alone(text: str) -> bool:
    """Return whether a message is a starred word and nothing else: "Greggs*"."""
    return _ALONE.fullmatch(text) is not None


def replaces(text: str, word: str, value: str) -> bool:
    """Return whether the word that a message gives replaces `value`: they are alike, or less alike where the message
    blames a slip.
    """
    least = _ALIKE_IF_BLAMED if _BLAMES.search(text) else _ALIKE
    return SequenceMatcher(None, value.casefold(), word.casefold()).ratio() >= least


def opening_of(text: str) -> str:
    """The words with which a message begins that may say something instead of what was said before; empty where it does not."""
    match = _OPENS.match(text)
    return "" if match is None else match[0]


def ends_there(text: str, place: int) -> bool:
    """Return whether a correction ends at `place`: its sentence ends there but for "of course" or "not …", and any
    text behind is about the slip, not about an appointment.
    """
    match = _ENDS.match(text, place)
    rest = None if match is None else match["rest"]
    if rest is None:
        return match is not None
    return _OF_SLIPS.search(rest) is not None and _OF_APPOINTMENTS.search(rest) is None


def is_correction(wording: str) -> bool:
    """Return whether the wording of a statement is that of a correction."""
    return bool(retyped(wording)) or _OPENS_PLAINLY.match(wording) is not None
