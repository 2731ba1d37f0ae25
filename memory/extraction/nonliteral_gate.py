"""Refuses quotes that are not meant literally: promises for a price, states of some hours, mockery, figures in a game. Pure.

Nothing of it is marked as a joke; it shows in the words around the quote. Cues are in English, German and Spanish.
"""

from __future__ import annotations

import re

from .calendar import MONTHS, any_of_pattern

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
_CLAUSE_ENDS = re.compile(
    r"[,;.!?\n]|\b(?:and|but|so|because|und|aber|weil|y|pero|porque) (?:i|i['’]m|im|we|we['’]re|my|ich|wir|mein\w*|yo|estoy|soy|tengo|mi)\b",
    re.IGNORECASE,
)
"""Behind it an hour is that of something else: "I'm a nurse, on shift until 9"."""
_NAMED = re.compile(r"\W*(?:my|our|mein\w*|unser\w*|mis?|nuestr\w+)\b", re.IGNORECASE)
"""How words begin that name somebody, of whom the rest tells something: "my daughter Mia is asleep until 7"."""
_BARGAIN = re.compile(
    r"(?:^|[,;.!?–—]\s*|\b(?:and|but|so|just|haha|lol|oh|honestly|und|aber|y|pero) )"
    r"(?:(?:give|buy|pay|offer|hand|show|bring|promise|feed|get) (?:me|us) (?!a (?:call|shout|ring|sec|second|min|minute|hand)\b)|(?:one|two|another|five) (?:more |another )?(?:[^\W\d_]+ ){0,3}?(?=[^.!?\n]{0,40}\band\b)(?:more|like|of)?\b"
    r"|(?:add|put|win|swap|take away|touch|say|call|ask|tell|mention|wake) (?:[^.!?\n]{1,30})(?=\band\b)|gib mir |gebt mir |zahl mir |noch (?:ein\w*|so ein\w*) |dame |dadme |deme |ponme |págame |un[oa]? (?:[^\W\d_]+ )?más )"
    r"[^.!?\n]{0,50}?(?:\s|,\s*)(?:and|then|und|dann|y)\s+(?:then |suddenly |ya )?$",
    re.IGNORECASE,
)
"""What stands before "I'm a vegetarian" when it is promised for a million, or threatened after one more meeting."""
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
"""What follows "I have ten children" when they are none."""
_CHORE = re.compile(
    r"(?:working|doing) (?:[^\W\d_]+ )?(?:weekends|overtime|nights|late|saturdays|sundays|bank holidays|christmas(?: day)?|boxing day|unpaid|for free|taxes|my taxes|paperwork)"
    r"|(?:being|getting|having to (?:be|get)|to be|to get) (?:ignored|ghosted|woken|shouted at|yelled at|on hold|put on hold|left on read|stuck|rained on|soaked|micromanaged|sacked|interrupted|lied to|overcharged|fined|up at|blamed|stood up|late|last|talked over)"
    r"|(?:wait|queue?|queu|commut|scrubb|unblock|sit)(?:e?ing) (?!tables)(?:for|in|at|to|on|around|behind|by|[^\W\d_]+)|(?:the )?(?:traffic|delays|delayed trains|rail replacement|paperwork|overtime|unpaid|queues|roadworks|meetings that|this weather|tax returns|parking fines|cold calls|spam)\b|when (?:people|the|my|they|he|she|it|you|i)\b"
    r"|überstunden|im stau|stau\b|warten|schlange stehen|wochenendarbeit|hacer cola|los atascos|madrugar|horas extras|esperar",
    re.IGNORECASE,
)
"""What is loved in mockery."""
_MOCKING_AFTER = re.compile(
    r"\W+(?:truly|really(?= *[.!])|my (?:passion|dream|calling|favou?rite)(?: thing)?\s*(?:$|[.!])|living the dream|what a (?:joy|treat|delight|laugh|dream)|(?:so|such) (?:much )?fun\s*(?:$|[.!])|best (?:thing|day|part|feeling|job) ever|10/10|ten out of ten"
    r"|love that for me|lucky me|said nobody|🙄|🙃|traumhaft|mein traum|ganz toll|herrlich|nicht|qué alegría|mi pasión|planazo|qué ilusión)",
    re.IGNORECASE,
)

_PLAYED = re.compile(
    r"\b(?:in|on|im|bei|en) (?:the |my |meinem |mi )?(?:stardew(?: valley)?|sims(?: \d)?|skyrim|minecraft|animal crossing|wow|world of warcraft|fortnite|gta(?: \w+)?|zelda|elden ring|baldur['’]?s gate|roblox|pok[eé]mon|crusader kings|ck3|civ(?: ?\d| vi)?|runescape|d&d|dnd|dungeons (?:and|&) dragons"
    r"|monopoly|witcher|fallout(?: \d)?|red dead|farmville|football manager|fifa|second life|hogwarts legacy|valheim|terraria|oblivion|morrowind|mass effect|dragon age|cyberpunk|rimworld|dwarf fortress|factorio|eu4|catan|larp|das schwarze auge|dsa|rol|videojuego|juego|spiel)\b"
    r"|\b(?:on|auf|en) (?:duolingo|linkedin|tinder|hinge|bumble|paper|dem papier),? (?:i|i['’]m|im|we|ich|soy|tengo)\b|\bin[- ]game\b|\bmy (?:sim|avatar|toon|character|d&d character|villager|mage|paladin|warlock|tiefling|cleric|ranger build|save file|save game)\b|\b(?:mein (?:charakter|magier|avatar|sim)|mi (?:personaje|mago|avatar|sim))\b",
    re.IGNORECASE,
)
"""Words of a game, after which whoever says "I" may be a figure in it."""
REAL_LIFE = re.compile(
    r"\b(?:irl|ooc|out of character|(?:in |my |the )?(?:actual |real)[ -]life|im (?:echten leben|rl)|in (?:echt|wirklichkeit)|en la (?:vida real|realidad)|fuera del? personaje)\b",
    re.IGNORECASE,
)
"""Words by which whoever plays a figure speaks as themselves again."""


def is_meant_otherwise(
    text: str, quote: tuple[int, int], sentence: tuple[int, int], value: str, attribute: str
) -> bool:
    """Whether a quote that reads like a fact is none by what stands around it.

    Args:
        text: the message.
        quote: from where to where it goes.
        sentence: from where to where its sentences go.
        value: what is claimed.
        attribute: of what.
    """
    (start, end), (begin, last) = quote, sentence
    before = text[begin:start]
    if _is_bargain(text[begin:end], before) or _is_played(text[:end]):
        return True
    if attribute in _LASTING and _is_for_hours(text[start:end], text[end:last]):
        return True
    if attribute in _PERSONS and _IS_NONE.match(text, end):
        return True
    return attribute == "likes" and (_CHORE.match(value) is not None or _MOCKING_AFTER.match(text, end) is not None)


def _is_for_hours(quoted: str, rest: str) -> bool:
    """Whether the clause of a quote says that it lasts for some hours."""
    clause_ends = _CLAUSE_ENDS.search(rest)
    clause = rest if clause_ends is None else rest[: clause_ends.start()]
    return _NAMED.match(quoted) is None and _FOR_HOURS.search(quoted + clause) is not None


def _is_played(head: str) -> bool:
    """Whether a game was named before the end of a quote, and nothing of real life since."""
    played = [found.end() for found in _PLAYED.finditer(head)]
    return bool(played) and REAL_LIFE.search(head, played[-1]) is None


def _is_bargain(words: str, before: str) -> bool:
    """Whether it is what somebody becomes for a price: "one more meeting and I'm a farmer"."""
    if _BARGAIN.search(before):
        return True
    own = _OWED.search(words, len(before.rstrip()) and 1)
    return own is not None and own.start() > 0 and _BARGAIN.search(words[: own.start()]) is not None
