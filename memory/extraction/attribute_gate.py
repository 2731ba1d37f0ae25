"""Decides whether the words of a clause can state this attribute: "I work in Leeds" states no home, and a flatmate is
no partner. Pure.

Cues are in English, German, Spanish, French, Italian, Portuguese, Dutch and Turkish; a text in another script passes.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..text.analyzer import fold
from ..text.word_files import patterns

_CUES = patterns(Path(__file__).with_suffix(".txt"))
_OTHERS_RELATIVE = _CUES["others relative"]
_WORKS = _CUES["works"]
_LIVES = _CUES["lives"]
_LOVES = _CUES["loves"]
_HATES = _CUES["hates"]
_DENIED = _CUES["denied"]
_NEEDED = {name: _CUES[name] for name in ("partner", "child", "sibling", "parent", "allergy", "marital_status")}
"""Patterns of words, one of which the cited lines or the question before them must contain to state the attribute."""
_RELATIVES = ("partner", "child", "sibling", "parent")
_TITLE = r"(?:(?:is|are|called|named|heisst|heissen|namens|ist|se llama|es)\s+)?"
_EMPLOYED = (
    r"(?:at|for|with|by|from|in|of|to|join\w*|left|leav\w+|quit\w*|is|bei|beim|fur|von|vom|im|am|en|para|con|de|del|por|chez|pour|presso|per|bij)\s+"
    r"(?:(?:the|an?|my|our|der|die|dem|den|das|einer?|einem|la|el|las|los|una?|le|il)\s+)?(?:[^\W\d_]+\s+){0,2}?"
)


def is_another_attribute(attribute: str, clause: str, lines: str, value: str) -> bool:
    """Return whether the words clearly state another attribute of the value.

    Args:
        attribute: the claimed attribute.
        clause: the clause that contains the value.
        lines: the cited lines, and the question that they answer.
        value: the claimed value; empty if it answers a question, which names the attribute.
    """
    plain, whole = fold(clause), fold(lines)
    if not re.search(r"[a-z]", whole):
        return False
    if attribute in _RELATIVES and _is_another_relative(attribute, whole, fold(value)):
        return True
    needed = _NEEDED.get(attribute)
    if needed is not None and not needed.search(whole):
        return True
    if attribute == "home":
        return bool(_WORKS.search(plain)) and not _LIVES.search(plain)
    if attribute == "dislikes":
        return bool(_LOVES.search(plain)) and not _HATES.search(plain) and not _DENIED.search(plain)
    if attribute == "likes":
        return bool(_HATES.search(plain)) and not _LOVES.search(plain)
    if attribute == "employer" and value[:1].islower():
        first = re.escape(fold(value).split()[0]) if fold(value).split() else ""
        return not re.search(rf"(?<![^\W_]){_EMPLOYED}{first}", plain)
    return False


def _is_another_relative(attribute: str, lines: str, value: str) -> bool:
    """Return whether the word directly before a name makes that person another relative: "my mother Mia and my sister
    Eva".
    """
    name = re.escape(value.rsplit(maxsplit=1)[-1]) if value.strip() else ""
    called = re.search(rf"(?<![^\W_])([^\W_]+),?\s+{_TITLE}{name}(?![^\W_])", lines) if name else None
    if called is None or _NEEDED[attribute].fullmatch(called[1]):
        return False
    others = (*(_NEEDED[other] for other in _RELATIVES if other != attribute), _OTHERS_RELATIVE)
    return any(other.fullmatch(called[1]) for other in others)
