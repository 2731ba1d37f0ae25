"""Refuses quotes that are not meant literally: promises for a price, states of some hours, mockery, figures in a game. Pure.

Nothing of it is marked as a joke; it shows in the words around the quote. Cues are in English, German and Spanish.
"""

from __future__ import annotations

import re

from .calendar import MONTHS, WEEKDAYS, any_of_pattern

_LASTING = frozenset(
    {
        "home",
        "marital_status",
        "partner",
        "child",
        "diet",
        "allergy",
        "pet",
        "possession",
        "car",
        "study",
        "name",
        "origin",
        "occupation",
        "health",
    }
)
"""Attributes of what nobody is or has for some hours only."""
_PERSONS = frozenset({"child", "sibling", "partner", "parent", "marital_status", "relative", "friend"})

_HOUR = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o['’]?clock|uhr)?(?![\w./-])"
    r"|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb \w+|las (?:\d{1,2}|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)|la una)"
)
_MEAL = (
    r"(?:(?:the |my |zum |zur |la |el )?(?:dinner|lunch|tea|tea ?time|lunch ?time|dinner ?time|breakfast|supper|bedtime|tonight|tomorrow|closing time|home time|(?:next )?kebab|bacon sandwich|bus|train|(?:end of (?:the |my )?)(?:day|shift|match|film)"
    r"|abendessen|mittagessen|frühstück|abends?|morgen|feierabend|grillen|cena|comida|merienda|almuerzo|mañana|noche))"
)
_FOR_HOURS = re.compile(
    rf"\b(?:(?:un)?til+|bis|hasta) (?:{_HOUR}|{_MEAL})\b(?! (?:was|were|i\b|year|months?|weeks?|years?))(?!(?:st|nd|rd|th|\.)? (?:of |de )?{any_of_pattern(MONTHS)}\b)"
    rf"|\bfor (?:the next |about )?(?:an|one|two|three|four|\d+) (?:hours?|minutes?)\b|\bfor (?:the|this|one|an|another) (?:afternoon|evening|morning|night|day|hour)\b|\b(?:just |only )?for (?:today|tonight)\b"
    rf"|\bfür (?:heute|(?:einen|den) (?:tag|abend|nachmittag|vormittag)|(?:eine|zwei|drei|\d+) (?:stunden?|minuten?))\b|\b(?:por|para) (?:hoy|un día|una (?:noche|tarde|mañana))\b|\bpor un(?:a|os)? (?:horas?|rato|minutos?)\b",
    re.IGNORECASE,
)
_SPELL = rf"(?:week(?:end)?|month|day|night|summer|winter|spring|autumn|fall|season|semester|term|half[- ]term|holidays?|break|festival|exams?|exam season|lockdown|duration|lent|ramadan|advent|easter|christmas|xmas|dry january|veganuary|{any_of_pattern(MONTHS)})"
_SPELL_DE = r"(?:woche|wochenende|monat|sommer|winter|ferien|sommerferien|semesterferien|fastenzeit|saison|weihnachten|ostern|feiertage|prüfungsphase|messe)"
_SPELL_ES = r"(?:semana|finde|fin de semana|mes|verano|invierno|vacaciones|navidad(?:es)?|cuaresma|ramadán|temporada|feria|semana santa|puente|exámenes)"
_WEEKDAY = any_of_pattern(WEEKDAYS)
_FOR_A_SPELL = re.compile(
    rf"(?<!\w)(?!(?:un)?'?til+ (?:the end of )?{any_of_pattern(MONTHS)}\b)(?:for|during|over|throughout|(?:un)?'?til+) (?:the |this |next |whole |entire |school |summer |end of (?:the |this )?)*(?<!during the )(?<!over the ){_SPELL}\b(?! (?:job|shop|club|school))|\b(?:during|over) the (?!week\b|day\b|night\b)(?:whole |entire |school |summer )*{_SPELL}\b"
    rf"|\bthis (?:week|weekend|month)\b|(?<!\w)(?:un)?'?til+ (?:next )?{_WEEKDAY}\b|\bfor (?:an?|one|two|three|four|\d{{1,2}}|a few) (?:days?|weeks?|months?)\b(?! now)"
    rf"|\b(?:für|über|während|bis|übers) (?:die |das |den |der |diese |dieses |diesen |zum |zur |ende (?:der |des )?)*{_SPELL_DE}\b|\bin (?:den |der )(?:\w*ferien|fastenzeit|prüfungsphase)\b|\bbis (?:nächsten |nächste )?{_WEEKDAY}\b|\bdiese(?:n|s)? (?:woche|wochenende|monat)\b"
    rf"|\b(?:durante|para|hasta) (?:el |la |las |los |este |esta |final(?:es)? de )*{_SPELL_ES}\b|\b(?:en|por) (?:las? |el )?(?:vacaciones|navidad(?:es)?|cuaresma|ramadán|semana santa)\b|\b(?:este|esta) (?:semana|mes|finde|fin de semana|verano)\b|\bhasta el {_WEEKDAY}\b"
    r"|\b(?:cos|because|due to|for|on) (?:of )?(?:the|a) (?:dare|bet|challenge)\b|\bwegen (?:der|einer) wette\b|\bpor (?:una|la) apuesta\b",
    re.IGNORECASE,
)
"""Matches a limited time of what others are or have for good: "a vegan for Lent"."""
_STANDS_IN = re.compile(
    r"\b(?:covering|filling in|standing in|subbing) for\b|\bspringe? (?:gerade |nur )?ein\b|\bsustituyendo\b",
    re.IGNORECASE,
)
"""Matches words that say that somebody does another's job: "covering for Ann"."""
_UNTIL_A_DAY = re.compile(
    rf"(?<!\w)(?:(?:un)?'?til+|bis|hasta(?: el)?) (?:next |the |nächsten )?(?:weekend|wochenende|finde|{_WEEKDAY})\b|\b(?:for|over) lent\b|\bin der fastenzeit\b|\ben cuaresma\b",
    re.IGNORECASE,
)
_OF_SOMEBODY = re.compile(
    r"\b(?:dog|cat|house|pet)[- ]?sitting\b|\blooking after\b|\b(?:hüte|hüten|passe? (?:gerade |nur )?auf|passen (?:gerade |nur )?auf)\b|\bcuid(?:o|amos|ando)\b"
    r"|\b(?:isn['’]?t|is not|not|aren['’]?t) (?:actually |even )?(?:mine|ours|my own)\b|\bnicht (?:meiner|meine|meins|unserer|unsere)\b|\bno (?:es|son) (?:mí[oa]s?|nuestr[oa]s?)\b",
    re.IGNORECASE,
)
"""Matches words that say that a pet is another's: "we have a dog, house sitting"."""
_FOR_GOOD = frozenset({"diet", "occupation", "employer", "pet", "child", "marital_status"})
_BEGAN = re.compile(
    r"(?<![^\W_])(?:adopt\w*|got|bought|start\w*|becam\w*|becom\w*|went|turn|began|begin|since|from|been|as of|join\w*|hired|retir\w*|turn\w*|new|married in|born|sold|quit|left|lost|first|last|seit|ab|angefangen|fange?|anfange?|gekauft|geholt|bekommen|geheiratet|geboren|geworden|wurde|werde|neue[rnms]?|letzte[rnms]?|erste[rnms]?"
    r"|desde|empez\w+|empiez\w+|casamos|casé|jubil\w*|nuev[oa]|primer|últim[oa]|adopt\w*|nació|firm\w+)(?![^\W_])",
    re.IGNORECASE,
)
"""Matches words of a beginning or an end: what begins or ends within a spell is a fact of more than the spell."""
_TOO = re.compile(r"(?:as well|too|also|another|auch|noch|también)\b", re.IGNORECASE)
_SPELL_ENDS = re.compile(
    r"[.!?\n]|\b(?:and|but|so|because|und|aber|weil|y|pero|porque)\b|, *(?:(?:and|but|so|und|y) )?(?:i|we|my|our|ich|wir|mein\w*|yo|mi)\b",
    re.IGNORECASE,
)
_COMMA = re.compile(
    r"[,;:](?!\s*(?:just|only|but only|until|til|till|for|nur|bis|für|solo|sólo|hasta|por|looking|covering|filling|\w+[- ]sitting)\b)"
)
"""Behind it the time is that of something else."""
_HYPERBOLE = re.compile(
    r"(?:\s+|,\s*)(?:just |only |now |already |from |by |nur |schon |vom |beim |sólo |solo |de )*(?:looking|watching|thinking|reading|listening|hearing|seeing|hinschauen|zuschauen|zuhören|anschauen|angucken|mirar|mirarlo|verlo|leerlo|escucharlo|oírte|verte)\b"
    r"|\s+from (?:that|this|those|these)\b|\s+(?:de|por) (?:ese|esa|este|esta|esos|esas)\b|\s+von (?:dem|der|diesem|dieser)\b(?= [^.!?\n]{0,30}(?:film|kuchen|prüfung|klausur|serie|lied)\b)",
    re.IGNORECASE,
)
"""Matches the cause of an illness that nobody has: "I have diabetes just looking at that cake"."""
_CATCHPHRASE = re.compile(
    r"(?:trust me|believe me|glaub mir|glaubt mir|vertrau mir|fíate(?: de mí)?|créeme|confía en mí)[\s,:!.]*(?:que |porque )?$",
    re.IGNORECASE,
)
"""Matches the words right before "I'm a doctor" in jest: "trust me"."""
_CLAUSE_ENDS = re.compile(
    r"[,;.!?\n]|\b(?:and|but|so|because|und|aber|weil|y|pero|porque) (?:i|i['’]m|im|we|we['’]re|my|ich|wir|mein\w*|yo|estoy|soy|tengo|mi)\b",
    re.IGNORECASE,
)
"""Behind it an hour is that of something else: "I'm a nurse, on shift until 9"."""
_NAMED = re.compile(r"\W*(?:my|our|mein\w*|unser\w*|mis?|nuestr\w+)\b", re.IGNORECASE)
"""Matches the beginning of words that name another person, whom the rest is about: "my daughter Mia is asleep until 7".
"""
_BARGAIN = re.compile(
    r"(?:^|[,;.!?–—]\s*|\b(?:and|but|so|just|haha|lol|oh|honestly|und|aber|y|pero) )"
    r"(?:(?:give|buy|pay|offer|hand|show|bring|promise|feed|get) (?:me|us) (?!a (?:call|shout|ring|sec|second|min|minute|hand)\b)|(?:one|two|another|five) (?:more |another )?(?:[^\W\d_]+ ){0,3}?(?=[^.!?\n]{0,40}\band\b)(?:more|like|of)?\b"
    r"|(?:add|put|win|swap|take away|touch|say|call|ask|tell|mention|wake) (?:[^.!?\n]{1,30})(?=\band\b)|gib mir |gebt mir |zahl mir |noch (?:ein\w*|so ein\w*) |dame |dadme |deme |ponme |págame |un[oa]? (?:[^\W\d_]+ )?más )"
    r"[^.!?\n]{0,50}?(?:\s|,\s*)(?:and|then|und|dann|y)\s+(?:then |suddenly |ya )?$",
    re.IGNORECASE,
)
"""Matches the words before "I'm a vegetarian" where that is promised for a million, or threatened after one more
meeting.
"""
_OWED = re.compile(
    r"(?<![^\W_])(?:i|i['’]m|i['’]ll|im|we|we['’]re|ich|wir|yo|me|soy|estoy|vivo|tengo)(?![^\W_])", re.IGNORECASE
)
_NO_PERSON = (
    r"(?:(?:[^\W\d_]+ ){0,3}?(?:tomato(?:es)?|plants?|house ?plants?|cact(?:us|i)|succulents?|orchids?|ferns?|roses|pumpkins?|courgettes|chill?ies|sourdough(?: starters?)?|starters?|cats?|kittens?|dogs?|pupp(?:y|ies)|hens?|chickens?|goldfish|guinea pigs?|rabbits?|hamsters?|snakes?"
    r"|tortoises?|parrots?|alpacas?|goats?|sheep|cars?|bikes?|motorbikes?|guitars?|boats?|vans?|tractors?|houses?|spreadsheets?|books?|novels?|computers?|laptops?|servers?|robots?|roombas?|hoovers?|xbox(?:es)?|playstations?|consoles?|work|job|career|couch|sofa|bed|fridge|phone|coffee|pizza|gin|wine|football|fish"
    r"|tomaten|pflanzen?|zimmerpflanzen?|kakteen|kaktus|katzen?|hunde?|hühner|autos?|motorr(?:ad|äder)|gitarren?|bücher|sofa|arbeit|job|rechner|sauerteige?|hamster|fische"
    r"|tomates|plantas?|cactus|gatos?|gatas?|perros?|perras?|gallinas|coches?|motos?|guitarras?|libros?|sofá|trabajo|ordenador|peces)\b)"
)
_IS_NONE = re.compile(
    rf"\s*[(,;:–—.-]+\s*(?:and |und |y )?(?:(?:well|ok|okay|technically|actually|gut|bueno|vale),? )?(?:(?:they|it|he|she|sie|er|es|das|ellos|ellas|which|one|both|all)(?: of them)?(?:['’](?:s|re)| is| are| sind| ist| happens? to be|)|son|es|are|all|alle|todos|todas|sind)\s+(?:a |an |the |all |both |just |actually |really |my |ein |eine |alle |alles |nur |un |una |mis |mi |todos |todas |unos |unas )*{_NO_PERSON}"
    rf"|\s*\((?:a |an |the |my |all |ein |eine |meine? |un |una |mis |mi |los |las )*{_NO_PERSON}\)"
    rf"|\s+(?:called|named|who (?:is|are)|namens)\s+(?:a |an )?{_NO_PERSON}\s*(?:$|[.!,])",
    re.IGNORECASE,
)
"""Matches the words after "I have ten children" that say that they are none: "(they're all cats)"."""
_CHORE = re.compile(
    r"(?:working|doing) (?:[^\W\d_]+ )?(?:weekends|overtime|nights|late|saturdays|sundays|bank holidays|christmas(?: day)?|boxing day|unpaid|for free|taxes|my taxes|paperwork)"
    r"|(?:being|getting|having to (?:be|get)|to be|to get) (?:ignored|ghosted|woken|shouted at|yelled at|on hold|put on hold|left on read|stuck|rained on|soaked|micromanaged|sacked|interrupted|lied to|overcharged|fined|up at|blamed|stood up|late|last|talked over)"
    r"|(?:wait|queue?|queu|commut|scrubb|unblock|sit)(?:e?ing) (?!tables)(?:for|in|at|to|on|around|behind|by|[^\W\d_]+)|(?:the )?(?:traffic|delays|delayed trains|rail replacement|paperwork|overtime|unpaid|queues|roadworks|meetings that|this weather|tax returns|parking fines|cold calls|spam)\b|when (?:people|the|my|they|he|she|it|you|i)\b"
    r"|paying (?:for|my|the|extra|bills|rent|tax|double)\b|(?:los )?lunes\b|montage?\b|steuererklärung(?:en)?\b|überstunden|im stau|stau\b|warten|schlange stehen|wochenendarbeit|hacer cola|los atascos|madrugar|horas extras|esperar",
    re.IGNORECASE,
)
"""Matches things that people say in mockery to love: "working weekends"."""
_ONLY_IF = re.compile(
    r"(?:\s+|,\s*)(?:if (?:he|she|they|it|that|this|one more|[^\W\d_]+ (?:wins?|loses?|keeps?|gets? in)|i (?:win|lose|hear)|we (?:win|lose))\b(?! (?:all )?(?:works|goes well|comes|sells|happens))|(?:wenn|falls) (?:das so|es so|noch|er|sie|wir gewinnen|wir verlieren)\b|si (?:gana\w*|pierd\w*|sigue\w*|vuelve\w*|esto|me toca|nos toca|perdemos|llueve)\b)",
    re.IGNORECASE,
)
"""Matches the condition of a plan, which stands after it: "we move to Spain if he wins"."""
_AT_TIMES = re.compile(
    r"\s+(?:when(?:ever)?|wenn|cuando) (?!i was|we were)(?:the|my|our|it|there|at|das|die|der|mein\w*|es|in|en|la|el|mi|hay)\b|,?\s+(?:because|cos|since|as|weil|da|porque) [^.!?\n]{0,25}?\b(?:at home|home|flat|wi-?fi|zuhause|zu hause|daheim|wlan|en casa|mi casa|piso|obras|baustelle)\b",
    re.IGNORECASE,
)
"""Matches words after a place that say that it is no employer, but a place to sit at work at times: "I work at Costa
when the wi-fi is down".
"""
_FOUND_AGAIN = re.compile(
    r"[^.!?\n]*\b(?:found|got (?:him|her|it|them) back|turned up|for (?:an|one|two|three|ten|\d+|a few) (?:hours?|minutes?))\b",
    re.IGNORECASE,
)
_MOCKING_AFTER = re.compile(
    r"\W+(?:truly|really(?= *[.!])|my (?:passion|dream|calling|favou?rite)(?: thing)?\s*(?:$|[.!])|living the dream|what a (?:joy|treat|delight|laugh|dream)|(?:so|such) (?:much )?fun\s*(?:$|[.!])|best (?:thing|day|part|feeling|job) ever|10/10|ten out of ten"
    r"|love that for me|lucky me|said nobody|🙄|🙃|traumhaft|mein traum|ganz toll|herrlich|nicht|qué alegría|mi pasión|planazo|qué ilusión)",
    re.IGNORECASE,
)

_PLAYED = re.compile(
    r"\b(?:in|on|im|bei|en) (?:the |my |meinem |den |mi |los |el )?(?:stardew(?: valley)?|sims(?: \d)?|skyrim|minecraft|animal crossing|wow|world of warcraft|fortnite|gta(?: \w+)?|zelda|elden ring|baldur['’]?s gate|roblox|pok[eé]mon|crusader kings|ck3|civ(?: ?\d| vi)?|runescape|d&d|dnd|dungeons (?:and|&) dragons"
    r"|monopoly|witcher|fallout(?: \d)?|red dead|farmville|football manager|fifa|second life|hogwarts legacy|valheim|terraria|oblivion|morrowind|mass effect|dragon age|cyberpunk|rimworld|dwarf fortress|factorio|eu4|catan|larp|das schwarze auge|dsa|rol|videojuego|juego|spiel|sims)\b"
    r"|\b(?:going|dressed(?: up)?|disguised|dressing(?: up)?) as (?:an?|the)\b|\bcast as\b|\bplay(?:ing|ed)? (?:the (?:part|role) of|an? (?=[^.,;!?\n]{0,30}\b(?:who|in)\b))|\bin (?:the|our|this|a) (?:school |christmas |new )?(?:play|musical|panto|pantomime|sketch|nativity|film|movie|sitcom|novel|escape room)\b(?! (?:industry|business|world|sector|club|society|theatre|group|family|department|studio|school|team|crew|shop|library))|\bmy (?:halloween )?costume(?: this year)?(?: is|['’]s|:)|\b(?:for|an|zu|en) halloween\b"
    r"|\bgehe? (?:ich )?(?:dieses jahr |heuer |morgen |heute |wieder |dann )?als\b(?! (?:erste|letzte|nächste|einzige))|\b(?:verkleidet|kostümiert) als\b|\bmein kostüm\b|\bim (?:theater)?stück\b|\b(?:voy|vengo|me) (?:disfraz\w+|vestid[oa]) de\b|\bmi disfraz\b|\ben la (?:peli|película|función)\b",
    re.IGNORECASE,
)
"""Words of a game, after which whoever says "I" may be a figure in it."""
REAL_LIFE = re.compile(
    r"\b(?:irl|ooc|out of character|(?:in |my |the )?(?:actual |real)[ -]life|im (?:echten leben|rl)|in (?:echt|wirklichkeit)|en la (?:vida real|realidad)|fuera del? personaje)\b",
    re.IGNORECASE,
)
"""Words by which whoever plays a figure speaks as themselves again."""


_FOLLOWS = {"health": _HYPERBOLE, "plan": _ONLY_IF, "employer": _AT_TIMES, "event": _FOUND_AGAIN}
"""By attribute, what undoes it when it follows; of events, of those that were a loss."""


def is_meant_otherwise(
    text: str, quote: tuple[int, int], sentence: tuple[int, int], value: str, attribute: str
) -> bool:
    """Return whether the words around a quote that reads like a fact show that it is not meant literally.

    Args:
        text: the message.
        quote: from where to where it goes.
        sentence: from where to where its sentences go.
        value: what is claimed.
        attribute: of what.
    """
    (start, end), (begin, last) = quote, sentence
    before = text[begin:start]
    if _is_bargain(text[begin:end], before) or _is_played(text[: _end_of_clause(text, end, last)]):
        return True
    if attribute in _FOR_GOOD and _is_for_a_spell(before, text[start:end], text[end:last], attribute):
        return True
    if _is_undone_after(text, end, value, attribute) or (attribute == "occupation" and _CATCHPHRASE.search(before)):
        return True
    if attribute in _LASTING and _is_for_hours(text[start:end], text[end:last]):
        return True
    if attribute in _PERSONS and _IS_NONE.match(text, end):
        return True
    return attribute == "likes" and (_CHORE.match(value) is not None or _MOCKING_AFTER.match(text, end) is not None)


def _is_for_hours(quoted: str, rest: str) -> bool:
    """Return whether the clause of a quote says that it lasts for some hours; False if the quote names another person."""
    clause_ends = _CLAUSE_ENDS.search(rest)
    clause = rest if clause_ends is None else rest[: clause_ends.start()]
    return _NAMED.match(quoted) is None and _FOR_HOURS.search(quoted + clause) is not None


def _is_undone_after(text: str, end: int, value: str, attribute: str) -> bool:
    """Return whether the words after a quote undo it: no real illness, a plan with a condition, no employer, or a loss
    that was found again.
    """
    follows = _FOLLOWS.get(attribute)
    if follows is None or (attribute == "event" and not value.startswith("lost ")):
        return False
    return follows.match(text, end) is not None


def is_paused(words: str) -> bool:
    """Return whether the words say that a habit is given up for hours or days only: "no smoking until Friday"."""
    return _FOR_HOURS.search(words) is not None or _UNTIL_A_DAY.search(words) is not None


def _end_of_clause(text: str, end: int, last: int) -> int:
    """Return the end of the clause that goes on at ``end``, or ``last`` if it ends nowhere before."""
    match = _CLAUSE_ENDS.search(text, end, last)
    return last if match is None else match.start()


def _is_for_a_spell(before: str, quoted: str, rest: str, attribute: str) -> bool:
    """Return whether a quote and the words around it say that it lasts for a spell, or is another's job or pet. False
    if something begins or ends in its clause.
    """
    ends = _SPELL_ENDS.search(rest)
    if attribute in ("pet", "child") and _NAMED.match(quoted):
        return False
    after = rest if ends is None else rest[: ends.start()]
    head = re.split(r"[.,;!?\n]", before)[-1]
    clause = head + _COMMA.split(quoted + after, maxsplit=1)[0]
    if _BEGAN.search(clause):
        return False
    whose = _OF_SOMEBODY if attribute == "pet" else _STANDS_IN
    another = whose.search(quoted + after) is not None and _TOO.search(after) is None
    return another or _FOR_A_SPELL.search(clause) is not None


def _is_played(head: str) -> bool:
    """Return whether `head`, the text up to the end of a quote, names a game or a part in a play, and no real life
    after it.
    """
    played = [match.end() for match in _PLAYED.finditer(head)]
    return bool(played) and REAL_LIFE.search(head, played[-1]) is None


def _is_bargain(words: str, before: str) -> bool:
    """Return whether a quote says what somebody becomes for a price: "one more meeting and I'm a farmer"."""
    if _BARGAIN.search(before):
        return True
    debt = _OWED.search(words, len(before.rstrip()) and 1)
    return debt is not None and debt.start() > 0 and _BARGAIN.search(words[: debt.start()]) is not None
