"""Recognizes short messages that ask without a question mark, as people write in chats: "how was your weekend". Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from .analyzer import fold
from .languages import LANGUAGES

LONGEST = 120
"""The most characters of such a message; longer ones tell more than they ask."""
_GOES_ON = re.compile(r"[.!?\u3002\uff01\uff1f]\s*\S")
"""Matches the beginning of a second sentence, which mostly tells something."""


def asks_without_mark(text: str) -> bool:
    """Return whether a short text without a question mark begins like a question, or ends like one, in any language."""
    if len(text) > LONGEST or _GOES_ON.search(text) is not None:
        return False
    return _pattern().search(fold(text.strip())) is not None


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    begins = "|".join(each for language in LANGUAGES.values() for each in language.asking.begins_question)
    ends = "|".join(each for language in LANGUAGES.values() for each in language.asking.ends_question)
    return re.compile(rf"^[¿¡]?(?:(?:hey|hi|ok|oh|so|and|und|y|et|ve),? )?(?:{begins})(?![^\W_])|(?:{ends})[\W_]*$")
