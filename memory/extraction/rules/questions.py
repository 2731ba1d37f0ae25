"""Questions, and what a short answer to each of them states, as "Porto" to "Where do you live now?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .lexicon import JOBS, JOBS_DE, JOBS_ES
from .pattern import Pattern, Shape, any_word

_JOB = rf"(?:(?:i['’]?m |i am |ich bin |bin |soy |yo soy )?(?:an? |una? )?(?P<value>(?:[^\W\d_]+ )??(?:{any_word(JOBS, JOBS_DE, JOBS_ES)})))"
_YES = r"(?:yes|yeah|yep|ja|sí|si|no|nope|nein|oh|well|hm+|umm?)?[,.! ]*"
_NOT_SO = r"(?! (?:is|was|are|were|ist|war|es|fue)\b)"


@dataclass(frozen=True, slots=True)
class Question:
    """A question by its words, and the beginning of its answer."""

    attribute: str
    asked: str
    answer: str
    shape: Shape
    example: str
    """The question, its answer, and the value of the fact."""

    @property
    def row(self) -> Pattern:
        """The answer as a row of a table: what it states is dated and checked as any other."""
        time = "state" if self.attribute in ("home", "employer", "study", "occupation") else "none"
        return Pattern(self.attribute, f"{_YES}(?:{self.answer})", "", self.shape, time, language="")


QUESTIONS: tuple[Question, ...] = (
    Question("home", r"where (?:do|did) you (?:guys )?(?:live|stay)|where (?:are|r) you (?:living|based)|wo (?:genau )?(?:wohnst|lebst) du|wo (?:wohnt|lebt) ihr|wo wohnen sie"
             r"|d[oó]nde (?:viv[ií]s|vives|viven|vive|est[aá]s viviendo)|sigues viviendo", "(?:in |en )?<=place>" + _NOT_SO, "place",
             "Where do you live now? | Porto = Porto"),
    Question("occupation", r"what do you do\b(?! (?:on|at|when|in|with|if|about))|what['’]?s your job|what is your (?:job|profession)|was (?:machst du|machen sie) (?:so |eigentlich )?beruflich|was arbeitest du"
             r"|a qu[eé] te dedicas|a qu[eé] se dedica|en qu[eé] trabajas", _JOB, "fixed", "What do you do? | nurse = nurse"),
    Question("birthday", r"when(?:['’]?s| is) (?:your (?:birthday|bday)|yours)|wann hast du (?:\w+ )?geburtstag|wann ist dein geburtstag|cu[aá]ndo es tu cumple|cu[aá]ndo cumples",
             "(?:on |am |el )?<=born>", "birthday", "When is your birthday? | 3 May = --05-03"),
    Question("employer", r"who do you work for|where do you work|where are you working|wo arbeitest du|bei wem arbeitest du|wo arbeiten sie|d[oó]nde trabaj[aá]s|d[oó]nde trabaja",
             r"(?:at |for |bei |beim |en )?(?:the |der |dem |la |el )?(?P<value>(?-i:[A-ZÄÖÜ])[\w&.-]*(?: (?-i:[A-ZÄÖÜ])[\w&.-]*){0,3}|red cross|nhs|post office|university|council)(?=\s*(?:$|[,.!;(]|[^\w\s]))",
             "fixed", "Who do you work for? | the Red Cross = Red Cross"),
    Question("study", r"what (?:are|r) you studying|what do you study|was studierst du|qu[eé] estudi[aá]s",
             r"(?P<value>(?!in\b|yes\b|no\b|nothing\b|nix\b|nichts\b|nada\b|i\b|ich\b)[^\W\d_]+(?: (?:of |and |und |y )?(?!in\b|at\b|an\b|en\b)[^\W\d_]+){0,2})(?= (?:in|at|an der|en)\b|\s*(?:$|[,.!;]))", "fixed",
             "What are you studying? | marine biology = marine biology"),
    Question("origin", r"where are you (?:guys )?(?:originally )?from|where(?:['’]?s| is) your accent from|woher kommst du|wo kommst du her|de d[oó]nde (?:eres|sos)",
             "(?:from |in |aus |de )?<=place>" + _NOT_SO, "place", "Where are you from? | Cluj = Cluj"),
    Question("age", r"how old are you|wie alt bist du|cu[aá]ntos a[nñ]os tienes", r"(?:i['’]?m |ich bin |tengo )?<=number>(?=\s*(?:$|[,.!]|years|jahre|años))", "number",
             "How old are you? | 34 = 34"),
    Question("phone", r"what(?:['’]?s| is) your (?:new )?(?:phone |mobile )?number|wie ist deine (?:neue )?(?:handy)?nummer|cu[aá]l es tu (?:n[uú]mero|tel[eé]fono|m[oó]vil)",
             "(?:it['’]?s |es el |die )?<=phone>", "fixed", "What's your number? | 0161 555 0119 = 0161 555 0119"),
    Question("email", r"what(?:['’]?s| is) your (?:new )?e-?mail|wie ist deine (?:neue )?e?-?mail|cu[aá]l es tu (?:correo|mail|email)",
             "(?:it['’]?s |es )?<=email>", "fixed", "What's your email? | ann@example.org = ann@example.org"),
)  # fmt: skip


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Pattern], ...]:
    return tuple((re.compile(rf"\b(?:{each.asked})", re.IGNORECASE), each.row) for each in QUESTIONS)


def row_for(question: str) -> Pattern | None:
    """What the answer to a message states, if its last sentence asks one of the questions."""
    if "?" not in question and "¿" not in question and len(question) > 80:
        return None
    last = re.split(r"(?<=[.!?…])\s+", question.strip())[-1]
    return next((row for asked, row in _compiled() if asked.search(last)), None)
