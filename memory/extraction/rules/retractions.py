"""Sentences that take back the statement before them: "I work at NASA. In my dreams", "I got fired. Then I woke up"."""

from __future__ import annotations

import re

_UNSAID = re.compile(
    r"(?:[^.!?…\n]{0,80}[.!?…]+|[^.!?…\n,]{0,80},)\s*(?:(?:but|and|aber|und|pero|y) )?(?:only |nur |solo |sólo )?"
    r"(?:in my dreams|if only|i wish|as if|not really|gotcha|psych|(?:and )?then i woke up|in meinen träumen"
    r"|schön wär['’]?e? ?e?s|dann bin ich aufgewacht|ojalá|en mis sueños|(?:entonces |luego )?me desperté"
    r"|(?:well, )?in (?:the |my )?(?:sims(?: \d)?|game|minecraft|stardew(?: valley)?|animal crossing|skyrim)"
    r"|im spiel|in den sims|en (?:los sims|el juego))"
    r"(?: lol| haha)?\s*(?:$|[.!…\n]|[^\w\s,'’])",
    re.IGNORECASE,
)
"""The next sentence, where it is one of these."""


def is_taken_back(text: str, end: int) -> bool:
    """Return whether the words after `end`, where the match of a row ends, take back its statement."""
    return _UNSAID.match(text, end) is not None
