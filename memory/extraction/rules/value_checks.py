"""Whether what a pattern found looks like what it claims to be: a place, an employer, a name, a lasting taste."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from ..calendar import MONTHS, WEEKDAYS
from ..dates import EXPRESSION, resolve_date
from . import lexicon
from .pattern import Pattern

MOST_WORDS = 6
"""Words of a liking or a possession; a plan may have twice as many."""

_WHEN = re.compile(rf"[\s,(]*(?P<when>{EXPRESSION})", re.IGNORECASE)
_WHEN_INSIDE = re.compile(rf"(?<![^\W_])(?P<when>{EXPRESSION})", re.IGNORECASE)
_CUT = re.compile(
    r"(?<!\s)(?:\s++(?:and|but|so|because|cause|cuz|since|when|which|who|where|though|although|if|while|that|as|than|or|unless|until|till"
    r"|und|aber|weil|wenn|oder|y|pero|porque|cuando|que|o)\s+(?:i|we|you|he|she|it|they|my|our|his|her|their|the|this|that"
    r"|can|will|have|don['’]?t|it['’]?s|i['’]?m|always|never|mag|bin|hab|habe|kann|esse|trinke|wohne|arbeite|spiele|soy|tengo|vivo|trabajo|estoy|ich|er|sie|es|wir|das|yo|no|me|mi|el|la|there|to|please|also|then|still|"
    r"a|an|everyone|work|hate|love)\b.*|\s++(?:because|but|so|since|which|though|although|if|when|while|unless|where|weil|aber|porque|pero)\b.*"
    r"|\s++[-–—]++\s.*|\s*+[^\w\s'’&+/-].*)",
    re.IGNORECASE | re.DOTALL,
)
_FILLER = re.compile(
    r"[\s,]+(?:lol|ha(?:ha)+|btw|by the way|honestly|tbh|now|lately|any ?more|any longer|too|as well|again|right now|these days"
    r"|at the moment|always|obviously|basically|so much|a lot|very much|really|though|please|sorry|xx?|in general|as always"
    r"|of all time|ever|more than anything|sehr|auch|total|wirklich|mucho|también|currently|a bit|and|but|so|since|for|on \w+days"
    r"|every (?:day|week|month|year|morning|evening)|in the end|in (?:delft|second year))$",
    re.IGNORECASE,
)
_LONGEST_FILLER = 80
_NO_PLACE = frozenset(
    {*WEEKDAYS, *MONTHS, *lexicon.NO_NAME.split(), *lexicon.NO_LIKING.split(), *lexicon.NO_PLACE.split()}
)
NO_PLACES = _NO_PLACE | frozenset(lexicon.ONLINE.split())
"""Words of which none is a place, as they stand without case."""
_NO_ORG = _NO_PLACE | frozenset(lexicon.NO_EMPLOYER.split())
_ABSTRACT = re.compile(
    r"[^\W\d_]{3,}(?:heit|keit|schaft|nung|tät|ismus|nis)|(?-i:[a-z])[^\W\d_]{2,}(?:ties|tion|tions|ment|ments|ness|ship|ism|idad|ción)",
    re.IGNORECASE,
)
"""Nouns that German writes with a capital like a town, "ich lebe in Hoffnung", and others without a capital: "moved to penalties"."""
_MOVED_TO = frozenset(lexicon.MOVED_TO.split())
_GOES_ON = re.compile(
    r"['’]s?\b|\s+(?:\d|is\b|was\b|isn['’]t|would\b|makes\b|sounds\b|means\b|can\b|seems\b)", re.IGNORECASE
)
"""What shows that the words before were a part of something else."""
_JUDGED = re.compile(rf"(?:{'|'.join(lexicon.words(lexicon.JUDGED))})\b", re.IGNORECASE)
_FLEETING = re.compile(rf"(?:new )?(?:{'|'.join(lexicon.words(lexicon.FLEETING))})s?\b", re.IGNORECASE)
_WORKPLACES = frozenset(lexicon.words(lexicon.WORKPLACES))
_JOBS = frozenset(lexicon.words(lexicon.JOBS_DE))
_NO_NAMES = frozenset(lexicon.NO_NAME.split())
_BRANDS = frozenset(lexicon.words(lexicon.BRANDS))
_CALLED_KIN = frozenset(lexicon.CALLED_KIN.split())
_LANGUAGES = frozenset(lexicon.words(lexicon.LANGUAGES))
_NO_LIKING = frozenset(lexicon.NO_LIKING.split())
_VAGUE = re.compile(
    r"\b(?:one|ones|thing|things|stuff|idea|way|life|part|bits?|nonsense|mondays?|job|mess|minute|everything|anything|you|him|it|them|her|us"
    r"|yours|mine|hers|ours|theirs|yourself|myself|vibe|look|picture|photo|post|message|email|emails|exam|exams|test|finals|tests|night|proposal|time|angebot|lot|hard|vida|leben)$|\b(?:this|that|these|those)\s+[^\W\d_]+$",
    re.IGNORECASE,
)
_NO_ALLERGEN = re.compile(
    r"(?:(?:early|monday|group|small|country|modern|bad|pop|cheesy|reality|daytime|public|other|stupid|heavy|live|los|las|el|la|mi|mis|mein\w*|my|series|malas?|malos?|tu|tus) )*"
    r"(?:mornings?|mondays?|work(?:ing)?|people|humans?|men|women|boys|girls|fun|commitment|drama|exercise|sports?|school|effort|bullshit|stupidity|that|this|maths?|meetings?|calls|talk|housework|chores|responsibility|adults?|adulthood"
    r"|boss|ex|exes|in-laws|husband|wife|brother|sister|children|kids|neighbours?|colleagues?|customers?|music|jazz|techno|country|rap|opera|karaoke|tv|telly|television|series|films?|movies?|romcoms?|ads|adverts?|adverts|commercials|podcasts?|emails?|paperwork|admin|taxes|politics|politicians|feelings|romance|love|happiness|hope|joy|nonsense|small talk|queues|traffic|crowds|trains|weather|winter|the gym|running"
    r"|montage?|montag|arbeit(?:en)?|menschen|leute|männer|frauen|sport|mathe|dummheit|meetings|chef|chefin|ex|schlager|musik|werbung|smalltalk|hausarbeit|stress|drama|kinder|nachbarn|kollegen|politik|politiker|winter|schule|ordnung|romantik|gefühle"
    r"|lunes|trabajo|gente|tonterías?|estupidez|deporte|jef[ea]|series|películas?|pelis?|reggaet[oó]n|reguet[oó]n|música|anuncios|publicidad|reuniones|política|políticos|suegra|drama|dramas|compromiso|amor|romance|sentimientos|madrugones|vecinos|niños|cuñados?"
    r")\b(?! stings?| bites?| dust)",
    re.IGNORECASE,
)
"""What nobody is allergic to, but in jest."""
_DOING = {
    "en": re.compile(
        r"(?!(?:bee|wasp|pudding|herring|seasoning|dressing|icing|clothing|bedding)\b)[^\W\d_]{3,}ing\b", re.IGNORECASE
    ),
    "de": re.compile(
        r"[A-ZÄÖÜ][^\W\d_]*(?:räumen|putzen|stehen|warten|arbeiten|kochen|bügeln|spülen|lernen|rechnen|laufen|fahren)\b"
    ),
    "es": re.compile(
        r"(?!(?:caviar|néctar|elixir|azúcar|mar|calamar|bazar|collar)\b)[^\W\d_]{2,}(?:ar|er|ir)(?:se|me|lo|la)?\b(?! de)",
        re.IGNORECASE,
    ),
    "": re.compile(r"(?!)"),
}
"""By language, what somebody does, to which nobody is allergic either: "allergic to ironing"."""
_ALLERGIC = re.compile(r"allergi\w+|al[eé]rgic\w*|allergic|también|auch|too", re.IGNORECASE)
"""What is no allergen but says that somebody has one."""
_ALLERGEN_BEFORE = re.compile(r"\b(?:a (?:la|las|los)|al) [^\W\d_]+", re.IGNORECASE)
_SITS_NOW = re.compile(
    r"\b(?:gerade|grade|grad|heute|eben)\b[^.!?]*\b(?:im|in|am|an)\b(?![^.!?]*\bals\b)", re.IGNORECASE
)
"""Where somebody sits at work for now: "arbeite gerade im Café"; by "bei" it is whom they work for."""
_OF_LAUGHTER = re.compile(
    r"\bvor (?:Lachen|Scham|Langeweile|Neid|Aufregung|Freude)\b|\bde (?:risa|vergüenza|aburrimiento)\b", re.IGNORECASE
)
_ARTICLES = frozenset(
    {"los", "las", "el", "la", "un", "una", "the", "a", "an", "der", "die", "das", "den", "ein", "eine", "einen"}
)
_SPOKEN_ARTICLE = re.compile(r"['’]?(?:nen|ne|ner|nem|n)\s+(?=[^\W\d_]{2})", re.IGNORECASE)
"""Of German, before a noun: "ne Tochter" is a Tochter."""
_BY_RANK = re.compile(r"\b(?:ich )?bin (?:der|die)\b", re.IGNORECASE)
_NO_NAME_DE = re.compile(
    r"(?-i:[A-ZÄÖÜ])?[^\W\d_]*(?:werwolf|weihnachtsmann|hausmann|hausfrau|hexe|ritter|könig|königin|prinz|prinzessin|meister|meisterin|sieger|siegerin|gewinner|gewinnerin|verlierer|fahrer|fahrerin|mörder|mörderin|dieb|täter|held|heldin|hase|bär|teufel|engel|leiter|leiterin|hüter|wart|warts|träger|spieler|spielerin|macher)"
    r"|chef|chefin|boss|bank|neue|neuer|letzte|letzter|erste|erster|beste|bester|depp|idiot|star|papa|mama|opa|oma|vater|mutter|bruder|schwester|onkel|tante|koch|köchin|seherin|vampir|zauberer|pirat|piratin|torwart|schiri|kapitän|trainer|trainerin|typ|nachbar|nachbarin|postbote|admin|gastgeber|gastgeberin"
    r"|tod|nikolaus|christkind|osterhase|spielverderber|dumme|doofe|blöde|dicke|alte|kleine|große|jüngste|älteste|gute|böse|einzige|andere|nächste|glückliche|arme|boss|babo|goat|gott|hammer|burner",
    re.IGNORECASE,
)
"""What "ich bin der …" calls a part or a rank, which German writes with a capital like a name."""
_OTHER_ENDS = {
    "pet": re.compile(
        r"[^\W\d_]+ (?:bites?|hairs?|food|bed|basket|toys?|sitter|walker|person|people|lover|allerg(?:y|ies)|scratch(?:es)?|lead|tag|flap|show|nap|memes?|videos?|costume|filter|emoji|poo|shit|park|days?|(?:in|on|en|im|bei) (?:the|this|that|la|el|dem|der)? ?(?:race|fight|game|derby|draw|final|grand national|carrera|rennen|derbi|partida)|on my lap|encima|auf dem schoß|(?:in|im|en) (?:the |my |this |la |el |mi )?(?:meeting|call|reunión|clase|parada|puerta|tejado|queue))\b"
        r"|[^\W\d_]+ (?:died|passed|dying|gestorben|murió) (?:laughing|inside|of (?:laughter|boredom|shame|embarrassment|jealousy|cuteness|excitement|happiness)|de (?:risa|vergüenza|aburrimiento))",
        re.IGNORECASE,
    ),
    "event": re.compile(r"graduated (?:from (?:[^\W\d_]+ ){1,2})?to\b", re.IGNORECASE),
    "child": re.compile(
        r"[^\W\d_]+ (?:[^\W\d_]+(?:ando|iendo)|(?:kicking|screaming|crying|staring|sitting|standing|singing|yelling|coughing)|(?:behind|next to|in front of) (?:me|us)|(?:in|im|en) (?:the |my |this |la |el |mi )?(?:class|queue|office|seat|row|bus|train|plane|kurs|zug|flieger|clase|tren|asiento|avión|reunión|meeting|call))\b",
        re.IGNORECASE,
    ),
    "occupation": re.compile(
        r"[^\W\d_]+ (?:in (?:the making|training|waiting|spirit|my (?:head|mind|dreams|heart))|at heart|for (?:halloween|carnival)|by (?:accident|proxy|marriage)|wannabe|(?:in|of) (?:this|the|our|that) (?:relationship|family|house|household|marriage|friendship|group|couple|scenario|story|office|flat)|der (?:familie|gruppe|wg|runde)|de (?:la familia|esta casa|este grupo))\b"
        r"|retired from (?:the |this |that |all )?(?:group ?chat|chat|drama|dating|karaoke|arguing|arguments|discourse|game|call|conversation|cooking|dishes|washing|tinder|drinking|partying|baking|adulting)\b",
        re.IGNORECASE,
    ),
    "health": re.compile(
        r"pregnant with (?!twins|triplets|my|our|number|baby|a|an|his|her)\b|embarazada de (?!\d|un[oa]?\b|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|gemel|mellizos|trillizos|mi\b|nuestr|poco)|schwanger mit (?!zwillingen|drillingen|unser\w*|mein\w*|dem|einem|einer)\b",
        re.IGNORECASE,
    ),
    "habit": re.compile(r"(?:drink|smoke) and (?:drive|run|text|dive|dial)\b", re.IGNORECASE),
    "study": re.compile(r"(?:situación|menú|mapa|gente|people|situation|menu|map|möglichkeit|lage)\b", re.IGNORECASE),
}
"""By attribute, the last word of a value with the next ones that make it something else."""
_FLIGHT = re.compile(
    r"\bbecome an? (?:monk|nun|hermit|goat herder|shepherd|lighthouse keeper|pirate)\b|\b(?:live|move) (?:in|to|into|under) (?:a cave|the woods|the forest|a bridge|a monastery|a convent|a desert island)\b"
    r"|\b(?:werde?|werden) (?:ich |wir )?(?:mönch|nonne|einsiedler|eremit|schäfer)|\bins kloster\b|\b(?:me (?:hago|meto a|voy a hacer)|hacerme) (?:monj[ea]|ermitañ[oa]|pastora?)\b|\bcon las (?:vacas|cabras|ovejas|gallinas)\b|\ba un (?:monasterio|convento)\b",
    re.IGNORECASE,
)
"""Where people say in anger that they go."""
_RESIGNS = re.compile(r"\bresign", re.IGNORECASE)
_OF_MEMBERS = re.compile(
    r"\b(?:club|committee|group|board|society|association|party|choir|band|team|league|council|union|church|parish|guild|federation|chat|server|channel|parliament|cabinet|senate"
    r"|PTA|PTO|WI|Rotary|Lions|Mensa|Labour|Tories|Conservatives|Greens|Lib Dems|Discord|Slack|WhatsApp|Facebook|Twitter|Instagram|Reddit|Tinder|life|adulthood|adulting|humanity|earth)(?![^\W_])",
    re.IGNORECASE,
)
"""What one is a member of, and resigns from without losing a job."""
_SCHOOL_RUN = re.compile(r" (?:run|play|band|choir|raffle|disco)(?![^\W_])", re.IGNORECASE)
"""What one does for a school without working there."""
_CHANGES_TASTE = re.compile(r"\bgraduated from (?:[^\W\d_]+ ){1,2}to \w", re.IGNORECASE)
_NO_ANIMAL = re.compile(
    r"(?:(?<=[\s,])|\s*)(?:de (?:peluche|mentira|mentirijillas|juguete|trapo|goma|porcelana|madera|plástico|lego)|virtual(?:es)?|imaginari[oa]s?|digital(?:es)?|robots?|robótic[oa]s?|electrónic[oa]s?|disecad[oa]s?|de pixels?)(?![^\W_])",
    re.IGNORECASE,
)
_TWO = re.compile(r"\btwo [^\W\d_]+(?: [^\W\d_]+)?,$", re.IGNORECASE)
"""Before the first of two names: "two cats, Lola and Pancho"."""
_CALLED = re.compile(r",? (?:namens|heißt|der heißt|er heißt)\b")
_THE = re.compile(
    r"the (?:smell|sound|taste|sea|rain|beach|mountains|ocean|theatre|opera|outdoors|cold|heat)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value as found, the words of time that go with it, and where in the sentence all of it ends."""

    text: str
    end: int
    when: str = ""


def value_of(row: Pattern, match: re.Match[str], sentence: str, said: datetime, *, small: bool) -> Value | None:
    """The value if it looks like what it is meant to be."""
    text = match["value"]
    if _is_something_else(row, text, match[0], sentence[match.end("value") :]) or _names_none(
        row, text, sentence[: match.start()]
    ):
        return None
    if row.shape == "day":
        return Value(text or "today", match.end())
    start = match.start("value")
    if row.language == "de" and row.shape == "fixed" and (spoken := _SPOKEN_ARTICLE.match(text)):
        start, text = start + spoken.end(), text[spoken.end() :]
    if row.shape in ("taste", "thing", "plan"):
        return _phrase(row, text, start, said, sentence[match.end() :])
    end = start + len(text)
    when = _WHEN.match(sentence, max(end, match.end()))
    found = Value(text.strip(), end if when is None else when.end(), "" if when is None else when["when"])
    rest = sentence[end:]
    if row.shape == "place":
        return found if _is_place(found.text, rest, small=small) else None
    if row.shape == "org":
        return _organisation(found, "" if row.negated else rest, small=small)
    if row.shape == "name":
        before = sentence[:start].rstrip()
        listed = (
            before.endswith(",") and not _TWO.search(before) and re.match(r"\s*(?:and|und|y|&)\b", rest) is not None
        )
        both = re.search(r"\b(?:me|myself) and$", before, re.IGNORECASE) is not None  # "me and Jude are …"
        return found if _is_name(row, found.text, "" if both else rest) and not listed else None
    if row.shape == "number":
        return found if 3 <= int(found.text) <= 110 else None
    return None if row.attribute == "occupation" and _JUDGED.match(found.text) else found


def is_flight(row: Pattern, text: str) -> bool:
    """Whether a message tells of a plan that nobody has: "I'm going to retire and become a monk"."""
    return row.attribute in ("plan", "goal") and _FLIGHT.search(text) is not None


def _names_none(row: Pattern, text: str, before: str) -> bool:
    """Whether it says only that there is an allergy, of what stands before: "a las nueces, soy alérgica"."""
    return (
        row.attribute == "allergy"
        and _ALLERGIC.fullmatch(text) is not None
        and _ALLERGEN_BEFORE.search(before) is not None
    )


def _is_something_else(row: Pattern, text: str, words: str, rest: str) -> bool:
    """Whether a value that could be one is meant otherwise: "a dog bite", "allergic to mornings", "graduated to solid food"."""
    if row.attribute == "allergy" and (_NO_ALLERGEN.match(text) or _DOING[row.language].match(text)):
        return True
    goes_on = _OTHER_ENDS.get(row.attribute)
    if goes_on is not None and goes_on.match(f"{text.rsplit(maxsplit=1)[-1]}{rest}" if text.split() else rest):
        return True
    if row.attribute == "name" and _BY_RANK.search(words) and _NO_NAME_DE.fullmatch(text):
        return True
    if row.attribute == "employer" and _is_no_employer(row, words, rest):
        return True
    if row.shape == "fixed" and row.attribute in ("employer", "occupation") and re.match(r"-[^\W\d_]", rest):
        return True
    if (row.attribute == "possession" and _FLEETING.fullmatch(text)) or (
        row.attribute == "event" and _CHANGES_TASTE.search(words)
    ):
        return True
    if row.attribute == "pet" and (_OF_LAUGHTER.search(words) or _NO_ANIMAL.search(words) or _NO_ANIMAL.match(rest)):
        return True
    # A hangover, where it is nobody's: "ich hab einen Kater".
    return row.attribute == "pet" and text == "Kater" and "mein" not in words.casefold() and not _CALLED.match(rest)


def _is_no_employer(row: Pattern, words: str, rest: str) -> bool:
    """Whether one only sits there at work, or was no more than a member: "resigned from the book club"."""
    if row.language == "de" and _SITS_NOW.search(words):
        return True
    if row.negated and _SCHOOL_RUN.match(rest):
        return True
    return row.negated and _RESIGNS.search(words) is not None and _OF_MEMBERS.search(words + rest[:40]) is not None


def _is_place(text: str, rest: str, *, small: bool) -> bool:
    first = text.split(maxsplit=1)[0]
    barred = text.casefold() in NO_PLACES or (first.islower() and first in _NO_PLACE) or first.casefold() in _MOVED_TO
    if barred or _GOES_ON.match(rest) or _ABSTRACT.fullmatch(text):
        return False
    return text[0].isupper() or (small and len(text) > 2 and _ends(rest))


def _ends(rest: str) -> bool:
    """Whether the words after a value are not part of it."""
    pattern = r"\s*(?:$|[^\w\s]|(?:btw|now|and|but|so|lol|since|for|with|these|at|these|again|too|currently|right|by the way|rn)\b)"
    return re.match(pattern, rest, re.IGNORECASE) is not None


def _organisation(found: Value, rest: str, *, small: bool) -> Value | None:
    bare = re.sub(r"^(?:an?|the|my|our)\s+", "", found.text, flags=re.IGNORECASE)
    place = bare.casefold().split()
    if not place or _GOES_ON.match(rest):
        return None
    works_there = bare != found.text and place[-1] in _WORKPLACES  # "the hospital", where nobody lives
    if not works_there and (" ".join(place) in _NO_ORG or (bare[0].islower() and place[0] in _NO_ORG)):
        return None
    if bare[0].isupper():
        return Value(bare, found.end, found.when)
    if {place[-1], " ".join(place[-2:])} & _WORKPLACES:
        return Value(bare, found.end, found.when) if bare != found.text else None
    return found if small and len(bare) > 2 and " " not in bare and bare == found.text and _ends(rest) else None


def _is_name(row: Pattern, text: str, rest: str) -> bool:
    if any(word.casefold() in _NO_NAMES for word in text.split()) or len(text) < 2 or text.isupper():
        return False
    if (
        text.casefold() in _LANGUAGES
        or text.casefold() in _BRANDS
        or rest.startswith(("-", "/"))
        or (text.endswith("ed") and len(text) > 4)
    ):
        return False
    if row.attribute == "partner" and text.casefold() in _CALLED_KIN:
        return False
    if row.attribute == "name":
        return text not in _JOBS
    return re.match(r"\s+(?:are\b|[A-ZÀ-ÞŁŚŻ])", rest) is None


def _phrase(row: Pattern, text: str, start: int, said: datetime, rest: str) -> Value | None:
    """A liking, a thing or a plan without what else the sentence says."""
    text = _CUT.sub("", text).rstrip()
    when = ""
    for timed in _WHEN_INSIDE.finditer(text):
        if resolve_date(timed["when"], said) is None:
            continue
        when = timed["when"]
        if row.shape != "plan":
            text = text[: timed.start()].rstrip(" ,")
        break
    after = _WHEN.match(rest)
    when = when or ("" if after is None else after["when"])
    text = _without_filler(text)
    limit = MOST_WORDS * 2 if row.shape == "plan" else MOST_WORDS
    if not text or len(text.split()) > limit or text.casefold() in _ARTICLES:
        return None
    end = start + len(text)
    if row.shape == "plan":
        return Value(text, end, when)
    if row.shape == "thing":
        text = re.sub(r"\s+(?:to|from|off|for|at|with|on)\s.*", "", text)
        return None if _FLEETING.match(text) else Value(text, start + len(text), when)
    first = text.split()[0].casefold()
    if row.shape == "taste" and first in _NO_LIKING and not _THE.match(text):
        return None
    vague = row.shape == "taste" and _VAGUE.search(text)
    return None if vague else Value(re.sub(r"^(?:the|an?)\s+", "", text), end, when)


def _without_filler(text: str) -> str:
    """A phrase without the words at its end that say nothing; looked for there only, for they may be many."""
    end = len(text)
    while filler := _FILLER.search(text, max(0, end - _LONGEST_FILLER), end):
        end = filler.start()
        while end and (text[end - 1].isspace() or text[end - 1] == ","):
            end -= 1
    return text[:end]
