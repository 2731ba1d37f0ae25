"""Questions, and what a short answer to each of them states, as "Porto" to "Where do you live now?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .lexicon import (
    INSTRUMENTS_AND_GAMES,
    JOBS,
    JOBS_DE,
    JOBS_ES,
    LANGUAGES,
    LANGUAGES_DE,
    LANGUAGES_ES,
    PETS,
    PETS_DE,
    PETS_ES,
    PLAYED_DE,
    PLAYED_ES,
    SPORTS,
    SUBJECTS,
    SUBJECTS_DE,
    SUBJECTS_ES,
)
from .pattern import Pattern, Shape, any_word

_JOB = rf"(?:(?:i['’]?m |i am |ich bin |bin |soy |yo soy |still |now |immer noch |noch )*(?:an? |una? |the |der |die )?(?P<value>(?:[^\W\d_]+ )??(?:{any_word(JOBS, JOBS_DE, JOBS_ES)})))"
_ALLERGENS = (
    r"(?:tree |pea)?nuts|peanuts?|penicillin|pollen|cats?|dogs?|dust(?: mites)?|shellfish|bees?|bee stings|wasps?|wasp stings|latex|strawberries|eggs?|milk|gluten|lactose|wheat|soya?|kiwis?|horses|grass|ibuprofen|aspirin"
    r"|nickel|fish|prawns|sesame|dairy|cashews|almonds|Nüsse|Erdnüsse|Haselnüsse|Bienenstiche|Bienen|Wespen|Wespenstiche|Katzen|Katzenhaare|Hunde|Hausstaub|Laktose|Äpfel|Birken|Gräser|Eier|Milch|Soja|Erdbeeren|Nickel"
    r"|polen|gatos|perros|penicilina|cacahuetes|frutos secos|marisco|ácaros|látex|lactosa|huevos?|polvo|níquel|ibuprofeno|gramíneas|leche|abejas"
)
_YES = r"(?:yes|yeah|yep|ja|sí|si|no|nope|nein|oh|well|hm+|umm?)?[,.! ]*"
_NO_ANSWER = (
    r"(?!(?:guess|take|secret|why|who|what|nowhere|somewhere|anywhere|everywhere|here|there|same|ditto|still|depends|good|funny|long|same here|with|at|near|next|rat|rate|warum|wieso|geheim|hier|da|dort|nirgends|überall|dir|bei"
    r"|aquí|allí|adivina|secreto|ninguna|lejos|cerca|con|pues|donde|dónde)\b)"
)
_NOT_SO = r"(?! (?:is|was|are|were|ist|war|es|fue)\b)"


_SHORTEST = 2
"""Words of a last question that only guesses what the one before it asks."""


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
             r"|d[oó]nde (?:viv[ií]s|vives|viven|vive|est[aá]s viviendo)|sigues viviendo", _NO_ANSWER + "(?:in |en )?<=place>" + _NOT_SO, "place",
             "Where do you live now? | Porto = Porto"),
    Question("occupation", r"what do you do\b(?! (?:on|at|when|in|with|if|about))|what['’]?s your job|what is your (?:job|profession)|was (?:machst du|machen sie) (?:so |eigentlich )?beruflich|was arbeitest du|was (?:sie|du) beruflich (?:machen|machst|tun|tust)"
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
             _NO_ANSWER + "(?:from |in |aus |de )?<=place>" + _NOT_SO, "place", "Where are you from? | Cluj = Cluj"),
    Question("age", r"how old are you|wie alt bist du|cu[aá]ntos a[nñ]os tienes", r"(?:i['’]?m |ich bin |tengo )?<=number>(?=\s*(?:$|[,.!]|years|jahre|años))", "number",
             "How old are you? | 34 = 34"),
    Question("phone", r"what(?:['’]?s| is) your (?:new )?(?:phone |mobile )?number|wie ist deine (?:neue )?(?:handy)?nummer|cu[aá]l es tu (?:n[uú]mero|tel[eé]fono|m[oó]vil)",
             "(?:it['’]?s |es el |die )?<=phone>", "fixed", "What's your number? | 0161 555 0119 = 0161 555 0119"),
    Question("home", r"(?:which|what) part of (?:town|the city|the world|the country)|whereabouts (?:are|do) you|where are you (?:guys )?(?:these days|now|nowadays)\?|(?:are you|you) still (?:living )?in [A-Z]|wohnst du (?:immer )?noch|wohnt ihr noch"
             r"|sigues en|todav[ií]a vives", "(?:i['’]?m |we['’]?re |bin |estoy )?(?:still |now |jetzt |ahora )?(?:in |en )?(?-i:(?=[A-ZÄÖÜÁÉÍÓÚ]))<=place>(?= now| these days| jetzt| ahora|\\s*(?:$|[,.!]))" + _NOT_SO, "place",
             "Which part of town are you in? | Heaton = Heaton"),
    Question("occupation", r"^\W*(?:and|und|y|what about) (?:work|the job|your job|beruflich|(?:el )?(?:curro|trabajo))\W*$", _JOB + r"(?=\s*(?:$|[,.!]))", "fixed", "and work? | freelance illustrator, same as ever = freelance illustrator"),
    Question("occupation", r"what are you (?:up to|doing) (?:these days|now|for work)|what (?:is|['’]s) it (?:that )?you do|what (?:is it|do you) (?:that )?you do|what do you (?:guys )?do for (?:work|a living)|what line of work|als was\b|was machst du (?:so|jetzt|denn)|was machen sie"
             r"|what['’]?s your line|qu[eé] haces ahora|trabajas de qu[eé]", _JOB, "fixed", "What are you up to these days? | plumber, same as ever = plumber"),
    Question("employer", r"en qu[eé] trabaja|d[oó]nde trabaja", r"en (?:una |un |el |la )(?P<value>farmacia|panadería|banco|hospital|colegio|museo|ayuntamiento|fábrica|restaurante|tienda|bar|hotel|librería|biblioteca|universidad|escuela|clínica|taller|oficina|supermercado|academia|agencia)", "fixed",
             "¿Y usted en qué trabaja? | en una farmacia = farmacia"),
    Question("child", r"(?:do you have|have you got|you have|got) (?:any )?(?:kids|children)|how many (?:kids|children)|any (?:kids|children)|(?:hast du|habt ihr|haben sie) kinder|tienes hijos|ten[eé]is hijos|cu[aá]ntos hijos",
             r"(?:i have |i['’]ve got |we have |we['’]ve |just |only |ich hab |wir haben |tengo |tenemos )?(?P<value>(?:one|two|three|four|five|six|\d) (?:boys?|girls?|kids?|sons?|daughters?|children|little ones)|an? (?:son|daughter|boy|girl)(?: and an? (?:son|daughter|boy|girl))?|twins|(?:zwei|drei|vier) (?:Jungs|Mädchen|Töchter|Söhne|Kinder|Mädels)|einen Sohn|eine Tochter|(?:dos|tres|cuatro) (?:niños|niñas|hijos|hijas|críos)|un hijo|una hija|un niño|una niña)", "fixed",
             "Do you have any kids? | two boys = two boys"),
    Question("child", r"(?:do you have|have you got|you have|got) (?:any )?(?:kids|children)|how many (?:kids|children)|any (?:kids|children)|(?:hast du|habt ihr|haben sie) kinder|tienes hijos|ten[eé]is hijos|cu[aá]ntos hijos",
             r"(?:just |only |nur |solo )?(?:one|a son|a daughter|a boy|a girl|eine|einen|una|uno|einen Sohn|eine Tochter)[,:] <=name>", "name", "How many kids do you have? | One, Leila. = Leila"),
    Question("pet", r"any pets|(?:do you have|have you got|got) (?:any )?(?:pets|animals|a dog|a cat)|(?:hast du|habt ihr|haben sie) (?:ein )?haustiere?|tienes mascotas?|tienes (?:perro|gato)|ten[eé]is mascotas",
             rf"(?:i have |i['’]ve got |we have |we['’]ve got |ich hab |wir haben |tengo |tenemos |just |only |nur |solo )*(?:an? |one |eine?n? |nen |ne |una? )?(?P<value>(?:(?:two|three|four|zwei|drei|vier|dos|tres) )?(?:old |little |small |alten? |kleinen? )?{any_word(PETS, PETS_DE, PETS_ES)})", "fixed",
             "Any pets? | just a goldfish = goldfish"),
    Question("allergy", r"allerg(?:y|ies|ic)|anything (?:you|people|anyone|anybody) can['’]?t eat|allergien|allergisch|unverträglichkeit|alergias?|al[eé]rgic",
             rf"(?:i['’]m |only |just |nur |solo |sólo |allergic |mostly |to |gegens? |a la |al |a los |a las |a |ich |bin )*(?P<value>(?:{_ALLERGENS})(?:(?:,| and| und| y)(?: to| a los| a las| a la| al)? (?:{_ALLERGENS}))*)", "fixed",
             "Any allergies? | penicillin = penicillin"),
    Question("language", r"(?:what|which) languages|what do you (?:guys )?speak|languages do you speak|welche sprachen|qu[eé] idiomas|qu[eé] lenguas",
             rf"(?P<value>{any_word(LANGUAGES, LANGUAGES_DE, LANGUAGES_ES)}(?:(?:,|,? and|,? und|,? y) {any_word(LANGUAGES, LANGUAGES_DE, LANGUAGES_ES)})*)", "fixed", "Which languages do you speak? | Farsi and Dutch = Farsi and Dutch"),
    Question("name", r"(?:what['’]?s|what is|whats|can i (?:take|have|get)|could i (?:take|have|get)|may i (?:take|have)|and) (?:please )?your (?:full |first )?name|your full name|who am i (?:speaking|talking) (?:to|with)|wie hei(?:ß|ss)(?:t du|en sie)|wie ist (?:ihr|dein) name|c[oó]mo te llamas|c[oó]mo se llama usted|(?:su|tu) nombre",
             r"(?:it['’]?s |i['’]?m |my name is |ich bin |ich heiße |me llamo |soy |mein name ist )?(?:die |der )?<=fullname>(?=\s*(?:$|[,.!]))", "name", "Can I take your full name please? | Rosalind Achterberg = Rosalind Achterberg"),
    Question("birthday", r"date of birth|birth ?date|when were you born|geburtsdatum|wann (?:bist du|sind sie) geboren|fecha de nacimiento|cu[aá]ndo naciste", r"(?:on |am |el |it['’]?s )?<=born>", "birthday",
             "Date of birth? | 9th of August 1971 = 1971-08-09"),
    Question("phone", r"(?:phone|contact|mobile|telephone) number|number in case|(?:telefon|handy|mobil)nummer|n[uú]mero de (?:tel[eé]fono|m[oó]vil|contacto)", "(?:it['’]?s |es el |die |sure,? |gerne?,? )?<=phone>", "fixed",
             "And a phone number in case we get cut off? | 01632 960770 = 01632 960770"),
    Question("hobby", r"(?:do you )?play (?:an instrument|any instruments?|anything)|what do you play|which instrument|was spielst du|spielst du (?:ein|was)|welches instrument|tocas (?:algo|alg[uú]n)|qu[eé] tocas",
             rf"(?:the |i play |ich spiele |el |la |toco |bit of |a bit of )*(?P<value>{any_word(INSTRUMENTS_AND_GAMES, PLAYED_DE, PLAYED_ES)})", "fixed", "Do you play an instrument? | the cello = cello"),
    Question("hobby", r"hobb(?:y|ies)|for fun|in your (?:free|spare) time|in deiner freizeit|hobbys|tu tiempo libre",
             rf"(?:i (?:do |like |love |go )?|mostly |mainly |viel |ich )*(?P<value>(?:{any_word(SPORTS, INSTRUMENTS_AND_GAMES)}|yoga|pilates|knitting|gardening|baking|painting|drawing|photography|pottery|reading|cooking|chess|birdwatching|Angeln|Klettern|Lesen|Kochen|Wandern|Stricken|Malen)(?:(?:,| and| und) (?:{any_word(SPORTS, INSTRUMENTS_AND_GAMES)}|yoga|pilates|knitting|gardening|baking|painting|reading|cooking|Angeln|Klettern|Lesen|Kochen|Wandern|Darts))*)", "fixed",
             "Any hobbies? | climbing and chess = climbing and chess"),
    Question("study", r"(?:are|r) you studying|do you study|what subject|your (?:degree|major)|studierst|qu[eé] (?:estudias|carrera)", rf"(?P<value>{any_word(SUBJECTS, SUBJECTS_DE, SUBJECTS_ES)})", "fixed",
             "And what are you studying these days? | marine biology, third year = marine biology"),
    Question("origin", r"place of birth|birth ?place|where were you born|geburtsort|lugar de nacimiento|d[oó]nde naciste", _NO_ANSWER + "(?:in |en )?<=place>(?=\\s*(?:$|[,.!]))", "place", "Place of birth? | Plovdiv. = Plovdiv"),
    Question("marital_status", r"marital status|familienstand|estado civil|are you (?:married|single) or",
             "(?:i['’]?m |ich bin |soy |estoy )?(?P<value>single|married|divorced|widowed|separated|engaged|(?:in a )?civil partnership|ledig|verheiratet|geschieden|verwitwet|verlobt|solter[oa]|casad[oa]|divorciad[oa]|viud[oa]|pareja de hecho)(?=\\s*(?:$|[,.!]))", "fixed",
             "Marital status? | Civil partnership. = Civil partnership"),
    Question("home", r"(?:home |current |your )address|where can we (?:send|post)|(?:deine|ihre) (?:adresse|anschrift)|(?:su|tu) dirección", r"(?P<value>\d{1,4}[a-z]? (?:(?-i:[A-Z])[\w'’-]+ ){1,3}?(?:lane|street|st|road|rd|avenue|ave|drive|close|way|square|place|court|crescent|terrace|row|hill|gardens|grove|park|mews|gate|view)\b(?:, (?-i:[A-Z])[\w-]+)*|(?-i:[A-ZÄÖÜ])[\w-]*(?:straße|strasse|str\.|weg|gasse|platz|allee|ufer) \d+\w?(?:, \d{5} (?-i:[A-ZÄÖÜ])[\w-]+)?|(?:calle|avenida|plaza|paseo) [^.;:!?\n]{3,30}?\d+)", "fixed",
             "And your address? | 14 Birch Grove, Otley = 14 Birch Grove, Otley"),
    Question("email", r"what(?:['’]?s| is) your (?:new )?e-?mail|wie ist deine (?:neue )?e?-?mail|cu[aá]l es tu (?:correo|mail|email)",
             "(?:it['’]?s |es )?<=email>", "fixed", "What's your email? | ann@example.org = ann@example.org"),
)  # fmt: skip


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Pattern], ...]:
    return tuple((re.compile(rf"\b(?:{each.asked})", re.IGNORECASE), each.row) for each in QUESTIONS)


@cache
def _any_question() -> re.Pattern[str]:
    """All of them at once: most messages ask none."""
    return re.compile(rf"\b(?:{'|'.join(dict.fromkeys(each.asked for each in QUESTIONS))})", re.IGNORECASE)


def rows_for(question: str) -> list[Pattern]:
    """What the answer to a message may state, if its last sentence asks some of the questions."""
    if "?" not in question and "¿" not in question and len(question) > 80:
        return []
    *others, last = re.split(r"(?<=[.!?…])\s+", question.strip())
    if others and len(last.split()) <= _SHORTEST and others[-1].endswith("?"):  # "what are you studying? bio?"
        last = f"{others[-1]} {last}"
    if not _any_question().search(last):
        return []
    return [row for asked, row in _compiled() if asked.search(last)]
