"""Words that mark a statement as a change, an addition, an end, or temporary. Pure.

English, German and Spanish. A cue decides only in cases that would otherwise be put to a model or left alone; other
languages lose nothing but this certainty.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..extraction.corrections import is_correction
from ..extraction.statement import Statement
from ..text.analyzer import fold
from .value_similarity import terms_of


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(patterns)})(?![^\W_])")


_CHANGE = _words(
    "moved", "moving", "now", "no longer", "any ?more", "these days", "(?:my|our|the|a) new", "changed?", "switched",
    "transferred", "quit", "(?:i|we) left", "gave up", "given up", "dropped", "joined", "started", "hired", "first day",
    "bec[ao]me", "gone vegan", "promoted", "renamed", "traded", "instead", "from now on", "rebooked", "turned",
    "got married", "remarried", "make that", "raised", "got a raise", "kept me on", "finally", "sorry", "i was wrong",
    "took", "postponed", "rescheduled", "back (?:at|with)", "as of", "got (?:divorced|engaged|a job|the job)", "pushed back",
    "jetzt", "inzwischen", "mittlerweile", "umgezogen", "gezogen", "gewechselt", "mein neue[rs]?", "meine neue", "nicht mehr",
    "geandert", "geworden", "verschoben", "seit",
    "ahora", "ya soy", "desde hoy", "volvi a", "he vuelto a", "ab heute", "me mude", "nos mudamos", "cambie", "deje", "he empezado", "ya no", "cumpli", "mi nuev[oa]", "ya tiene",
)  # fmt: skip
_ADDITION = _words(
    "also", "as well", "too", "besides", "on the side", "second", "part-? ?time", "(?:at|on) (?:the )?weekends?",
    "for weekends", "work (?:number|phone|mail|e-mail|address)", "at work it", "volunteer", "evening (?:course|class)",
    "side (?:job|project|business)", "another",
    "auch", "nebenbei", "nebenher", "zusatzlich", "ausserdem", "dienstlich",
    "tambien", "ademas",
)  # fmt: skip
_TEMPORARY = _words(
    "this (?:week|weekend|month|summer|winter)", "until", "temporar(?:y|ily)", "rental", "on loan",
    "for (?:a|one|two|three|four|five|six|a few|a couple of|some|[0-9]+) (?:days?|nights?|weeks?|months?)",
    "for the (?:holidays?|weekend|week|summer|winter|month|time being)", "staying (?:at|with|in)", "airbnb", "hostel",
    "hotel", "visiting", "on holiday",
    "vorubergehend", "bis (?:zum|ende|anfang|mitte)", "im urlaub", "auf besuch",
    "(?:ein|zwei|drei|vier|paar) (?:tage|wochen|monate)",
    "temporalmente", "de vacaciones", "por (?:unos dias|unas semanas|unos meses)",
)  # fmt: skip
_PAST = _words(
    "(?<!get )(?<!got )used to(?! it| this| that| the)", "back then", "formerly", "previously", "maiden name",
    "(?<!since )as a (?:child|kid|teen|teenager|boy|girl|young)", "(?:my|an) ex", "my first", "before (?:that|this|i)",
    "(?<!since )when i was (?:a|an|[0-9]+|little|small|young|single|married|still|at school|in school)", "in my youth",
    "fruher", "damals", "als kind", "als jugendlich(?:e|er)", "(?:mein|meine|der|die) ex", "ehemalig(?:e|er|es)",
    "antes (?:era|vivia|trabajaba|tenia|estaba|estudiaba|me)", "cuando era", "de (?:nino|nina|joven|pequeno|pequena)",
    "solia", "mi ex",
)  # fmt: skip
_END = _words(
    "any ?more", "no longer", "after all", "sold", "died", "dead", "stolen", "lost", "gave", "given", "cancelled",
    "canceled", "called off", "is off", "gone", "left", "quit", "stopped", "finished", "over", "broke up", "no more",
    "dropped", "decided against", "fixed", "stepped down", "used to", "found", "forget it",
    "nicht mehr", "kein(?:e|en|er)? (?:[^\\W_]+ )?mehr", "verkauft", "gestorben", "fallt aus", "abgesagt", "getrennt",
    "aufgehort", "ya no", "vendi", "murio", "cancelamos", "deje", "dejamos", "lo deje",
)  # fmt: skip
_BEGINS = _words(
    "moved",
    "started",
    "joined",
    "became",
    "got (?:the|a new) job",
    "hired",
    "gezogen",
    "me mude",
    "nos mudamos",
    "empece",
)
"""Words for a beginning: a state that begins this week lasts longer than the week."""
_CLAUSE = re.compile(r"[,;.!?]\s|\s(?:but|aber|pero|and now|und jetzt)\s")


def marks_change(statement: Statement) -> bool:
    """Return whether the statement is worded as a change."""
    return _CHANGE.search(_folded(statement.wording)) is not None


def marks_correction(statement: Statement) -> bool:
    """Return whether the statement is worded as the correction of an earlier message."""
    return is_correction(statement.wording)


def marks_addition(statement: Statement) -> bool:
    """Return whether the statement is worded as an addition."""
    return _ADDITION.search(_folded(statement.wording)) is not None


def marks_temporary(statement: Statement) -> bool:
    """Return whether the statement is worded as temporary, or has a known end."""
    wording = _folded(statement.wording)
    return statement.valid_to is not None or (
        _TEMPORARY.search(wording) is not None and _BEGINS.search(wording) is None
    )


def marks_past(statement: Statement) -> bool:
    """Return whether the clause of the value is about the past."""
    return _in_past(statement.wording, statement.value)


def marks_end(statement: Statement) -> bool:
    """Return whether the statement is worded as the end of a state."""
    return _END.search(_folded(statement.wording)) is not None


@lru_cache(maxsize=4096)
def _folded(content: str) -> str:
    return fold(content)


@lru_cache(maxsize=4096)
def _in_past(content: str, value: str) -> bool:
    folded = _folded(content)
    if _PAST.search(folded) is None:
        return False
    wanted = terms_of(value)
    clause = max(_CLAUSE.split(folded), key=lambda each: len(wanted & terms_of(each)) if each.strip() else -1)
    return _PAST.search(clause) is not None
