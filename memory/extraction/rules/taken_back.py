"""What stands around the words of a row and takes back what they say: "I work at NASA. In my dreams", "I got fired. Then I woke up"."""

from __future__ import annotations

import re

from .pattern import Pattern

_UNSAID = re.compile(
    r"(?:[^.!?…\n]{0,80}[.!?…]+|[^.!?…\n,]{0,80},)\s*(?:(?:but|and|aber|und|pero|y) )?(?:only |nur |solo |sólo )?"
    r"(?:in my dreams|if only|i wish|as if|not really|gotcha|psych|(?:and )?then i woke up|in meinen träumen|schön wär['’]?e? ?e?s|dann bin ich aufgewacht|ojalá|en mis sueños|(?:entonces |luego )?me desperté|(?:well, )?in (?:the |my )?(?:sims(?: \d)?|game|minecraft|stardew(?: valley)?|animal crossing|skyrim)|im spiel|in den sims|en (?:los sims|el juego))"
    r"(?: lol| haha)?\s*(?:$|[.!…\n]|[^\w\s,'’])",
    re.IGNORECASE,
)
"""The next sentence, where it is one of these."""
_LOSES_A_JOB = re.compile(
    r"\b(?:fired|sacked|laid off|redundant|job|despid\w+|despedido|trabajo|curro|empleo)\b", re.IGNORECASE
)
_NO_LOSS_BEFORE = re.compile(
    r"\b(?:playing|jugando a|spiele?) (?:the |die |los )?(?:sims|bitlife|monopoly)\b|\bgame of life\b|\bjuego de la vida\b|\b(?:drew a|chance) card\b|\bme,? (?:at )?\d{1,2} ?[ap]m\s*:"
    r"|\bsome days i wake up\b|\b(?:dream|dreamt|dreamed|nightmare)\b(?! (?:job|career|company))|\bsoñ(?:é|aba|ado)\b|\bcomo en la canción\b|\b(?:traum|geträumt)\b",
    re.IGNORECASE,
)
_NO_LOSS = {
    "en": re.compile(
        r"\b(?:woke up|alarm (?:clock )?(?:went|rang)|(?:dream|dreamt|dreamed|nightmare)\b(?! (?:job|career|company))|in my (?:head|mind|imagination)|mentally|or at least i wanted|should(?:['’]ve| have) said|not yet|(?:but|just) imagine"
        r"|in (?:the |my )?(?:fantasy (?:football|league)|sims|game|under \d+s|\w+ties)|fantasy football|skip a turn|rng|back to level|yards?|yard line|third down|interceptions?|quarterback|paper round|baby-?sitting|school run"
        r"|as (?:an? |the |my |her |his |their )?(?:keeper|goalie|captain|chauffeur|treasurer|volunteer|babysitter|referee|father christmas)|by (?:my )?(?:own )?(?:kids?|children|sons?|daughters?|mum|mom|toaster|dog|cat)"
        r"|the kids cook|dishwasher|toaster|robot|kiln|glazed?|clay|the unpaid|coffee machine|end of act|said (?:the|my|no) \w+|(?:country )?song goes|that['’]s the plot|of (?:feeding|keeping|walking|making|washing))\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:traum|geträumt|träum weiter|im kopf|nur innerlich|im spiel|brettspiel|spieleabend|als \w+(?:sprecher|sprecherin|sitter|sitterin|trainer|trainerin|wart)|in stardew|in den sims|bei (?:monopoly|den sims)|(?:den |vom |als )?babysitter\w*|ehrenamt\w*|seminararbeit|hausarbeit|abgestürzt|seite \d+)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:fiesta|abrazos?|flores|todos llorando|todas llorando|lloré|aeropuerto|andén|vuelo|barajas|estación|buen viaje|echaré de menos|monopoly|en el juego|canta|dice la canción|guard[ée]|no se guardó|word|ordenador|archivo|disco duro|carpeta|conserjería|en (?:tu|su|la) mesa"
        r"|el de (?:historia|lengua|mates|inglés|biología|clase)|profe\w*|hasta mañana|mañana más|en (?:una|media) hora|entreg\w+)\b|^\s*,\s*(?:dice|dijo) [^\W\d_]+",
        re.IGNORECASE,
    ),
}
"""By language, words of a dream, a game or a match, of pottery, of who sends a child off, of a farewell, or of homework."""
_NEAR = 120
"""Characters before and behind the words of a row that are about the same."""
_DISMISSED = re.compile(r"\bentlassen\b", re.IGNORECASE)
_OF_WORK = re.compile(
    r"\b(?:job\w*|firma|chef\w*|fristlos\w*|betriebsbedingt\w*|kündigung\w*|abfindung|arbeitslos\w*|arbeitsamt|probezeit|personalabbau|stellenabbau|insolvenz|kolleg\w+)\b",
    re.IGNORECASE,
)
"""Without one of these "bin entlassen worden" tells of a hospital as often as of a job."""


def is_taken_back(row: Pattern, text: str, begin: int, end: int) -> bool:
    """Whether a message takes back what a row reads in it.

    Args:
        row: the row.
        text: the message.
        begin: where what the row matches begins.
        end: where it ends.
    """
    if _UNSAID.match(text, end):
        return True
    ends_job = row.attribute == "employer" and row.negated and row.of_known
    if ends_job and row.language == "de" and _DISMISSED.search(text, begin, end) and not _OF_WORK.search(text):
        return True
    if not ends_job and not (row.attribute == "event" and _LOSES_A_JOB.search(text, begin, end)):
        return False
    before, after = text[max(0, begin - _NEAR) : begin], text[end : end + _NEAR]
    return _NO_LOSS_BEFORE.search(before) is not None or _NO_LOSS[row.language].search(after) is not None
