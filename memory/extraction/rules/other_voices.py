"""The lines of a window in which people speak for themselves: not on another's phone, not in a letter that another
signs, not taken back at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..assertions import QUOTED
from ..nonliteral_gate import REAL_LIFE
from ..window import Line

_BORROWED = re.compile(
    r"\b(?:this is|it['’]?s|hier ist(?: der| die)?|hier schreibt|soy|aquí|das ist) (?!(?:me|my"
    r"|mine)\b)[^\W\d_]+(?: here)?,? (?:on|from|using|with|writing from|mit|von|vom|auf|desde|con|en)"
    r" [^.,;!?\n]{2,30}?(?:phone|mobile|account|laptop|handy|telefon|konto|m[oó]vil|tel[eé]fono|cuenta)"
    r"|\b(?:this is|it['’]?s|hier ist|hier schreibt|soy) (?:her|his|their|ihre?|seine?|deren"
    r"|su) (?:[^\W\d_]+ )?(?:wife|husband|mum|mom|dad|mother|father|daughter|son|sister|brother|girlfriend"
    r"|boyfriend|partner|friend|flatmate|roommate|colleague|boss|frau|mann|mutter|mama|vater|papa|tochter|sohn"
    r"|schwester|bruder|freundin|freund|mitbewohner(?:in)?|kolleg(?:e|in)|mujer|marido|madre|padre|hij[oa]"
    r"|herman[oa]|novi[oa]|amig[oa]|compañer[oa]|prim[oa]|vecin[oa]|pareja)\b(?=[^\n]{0,60}?(?:phone|mobile|handy"
    r"|telefon|m[oó]vil|tel[eé]fono|celular|\b(?:here|typing|texting|writing|answering|replying)\b))|\b(?:(?:te "
    r"|os )?escrib\w+ (?:desde|con)|(?:schreibe?|schreib) (?:von|mit)) (?:el|la|su|dem|seinem|ihrem) (?:m[oó]vil"
    r"|tel[eé]fono|celular|cuenta|handy|telefon)(?: de| von| des)",
    re.IGNORECASE,
)
_KIN = (
    "wife|husband|mum|mom|dad|daughter|son|sister|brother|girlfriend|boyfriend|partner|friend|flatmate"
    "|frau|mann|mutter|mama|vater|papa|tochter|sohn|schwester|bruder|freundin|freund|mitbewohner(?:in)?|kolleg(?:e|in)"
    "|mujer|marido|madre|padre|hij[oa]|herman[oa]|novi[oa]|amig[oa]|compañer[oa]|prim[oa]|vecin[oa]|pareja"
)
_SPOKEN_OF = re.compile(
    r"(?<![^\W_])(?P<name>(?-i:[A-ZÀ-Þ])[^\W\d_]+) (?:says (?:hi|hello|hey)|asked me to (?:text|write|reply|answer"
    r"|type|tell)|can['’]?t (?:talk|type|text|come to the phone)"
    r"|is (?:driving|in the shower|asleep|sleeping|in the loo|cooking|working|busy|outside|in the bath)"
    r"|left (?:her|his|their) phone|gave me (?:her|his|their) phone"
    r"|(?:fährt|schläft|kocht|duscht|badet|telefoniert|arbeitet|isst|putzt|tanzt|redet|spült|fahrt|sitzt|steht"
    r"|liegt|holt|lässt|sagt|meint|hat|ist|kann|muss|bittet|sucht|tankt|parkt)(?! (?:du|ihr)\b)"
    r"|(?:no )?(?:está|esta|se está|anda|va|viene|duerme|conduce|maneja|cocina|trabaja|tiene|puede|dice"
    r"|me ha (?:dejado|pedido|dicho)|se ha (?:dejado|dormido|ido)|ha (?:salido|ido|bajado)|me dejó|me pidió|salió"
    r"|fue))\b"
    rf"|\b(?:{_KIN}) (?:of|von|vom|de) (?P<of>(?-i:[A-ZÀ-Þ])[^\W\d_]+)\b"
    rf"|(?<![^\W_])(?P<whose>(?-i:[A-ZÀ-Þ])[^\W\d_]+?)(?:['’]s|s) (?:{_KIN})\b",
    re.IGNORECASE,
)
"""Matches a mention of the owner of the phone by whoever writes on it: "Ann says hi. I'm her sister", "soy Carla, Iván
está cocinando".
"""
_ANOTHER_WRITES = re.compile(
    r"(?:\b(?:this is|it['’]?s|hier ist(?: der| die)?|hier schreibt|hier tippt|hier spricht|aquí|te escribe"
    r"|os escribe|(?:ich|i) bins,?) (?P<said>(?-i:[A-ZÀ-Þ])[^\W\d_]+)(?: here| typing| writing| speaking|,? (?:his"
    r"|her|their|seine|ihre) |(?:['’]s|s) (?:wife|husband|mum|mom|dad|daughter|son|sister|brother)\b)"
    r"|\b(?:hier (?:schreibt|tippt|spricht)(?: (?:gerade|grad|jetzt|noch|immer noch|nur|der|die)){0,3}|(?:te|os"
    r"|les) escribe(?: (?:ahora|aquí|el|la)){0,2}|quien escribe es(?: el| la)?|aquí escribe(?: el"
    r"| la)?) (?P<tells>(?-i:[A-ZÀ-Þ])[^\W\d_]+)"
    r"|^\W*(?P<name>(?-i:[A-ZÀ-Þ])[^\W\d_]+) (?:here|speaking|typing|hier|am (?:handy|apparat)|al (?:habla"
    r"|aparato)|writing (?:for|on behalf))\b"
    r"|\((?:(?:hier|hier schreibt|immer ?noch|nochmal|noch mal|wieder|still|again|sigue siendo|sigo siendo|soy"
    r"|otra vez|de nuevo|aquí) ){1,2}(?P<noted>(?-i:[A-ZÀ-Þ])[^\W\d_]+)[^()\n]{0,30}\)"
    r"|\((?P<aside>(?-i:[A-ZÀ-Þ])[^\W\d_]+) (?:here|again|still|typing|hier|wieder|immer ?noch|nochmal|noch mal"
    r"|schreibt|otra vez|de nuevo|todavía|aún|al habla|escribiendo)\b[^()\n]{0,30}\))",
    re.IGNORECASE,
)
"""Matches the name of a person who says to write in another's place: "Its Molly typing for grandad", "I'm from Fulda
(still Merle)".
"""
_BACK = re.compile(
    r"^\W*back(?: now)?\s*[!.,](?!\w)|\b(?:here again|me again|back again|again now|back to me|it['’]?s me"
    r"|i['’]?m back|wieder (?:ich|da|hier|selbst|selber|am handy|dran)|ich bin['’]?s (?:wieder|selbst)|jetzt ich"
    r"|soy yo(?: otra vez| de nuevo| ya)?|ya soy yo|ya estoy(?: (?:yo|aquí|de vuelta|otra vez))?|(?:otra vez"
    r"|de nuevo) yo|vuelvo a ser yo|yo de nuevo|yo otra vez)\b",
    re.IGNORECASE,
)
_DICTATED = re.compile(
    r"\b(?:(?:is |was |are |bit |part |all )*dictated by|dictated to me by|(?:is|are) (?:now )?typing (?:for"
    r"|instead of) me|takes? over (?:the (?:phone|keyboard)|now)|handing (?:you |the phone )?over to"
    r"|over to (?:my )?[^\W\d_]+(?: now)?:|diktiert (?:von|mir)|(?:jetzt |gleich )?diktiert (?:der|die|mein\w*"
    r"|[A-Z]\w+)|ab jetzt schreibt|dicta(?:do por|da por)?|me dicta|ahora escribe)\b(?! siri| alexa)",
    re.IGNORECASE,
)
"""Matches an announcement that somebody else speaks through the writer from now on."""
_ANNOUNCED = re.compile(
    r"\b(?:(?:message|text|letter|note|mail|email|post|card|ad|advert|listing|bio|profile|review|poem|lyrics?|song"
    r"|verse|chorus|cv|prompt|story|script|quote|caption|letter) (?:is )?(?:from|by|of|for|so far|here|below"
    r"|i found|we got|says|reads|goes)|(?:copying|copied|pasting|pasted|quoting|forwarding)"
    r"|(?:says|said|wrote|writes|texted|goes|asks|replied|tells me|told me)|new (?:lyrics?|verse|song|poem)"
    r"|(?:nachricht|brief|text|mail|anzeige|gedicht|lied|profil|zitat) (?:von|aus|vom|der|für)|(?:schreibt|schrieb"
    r"|sagt|sagte|meinte|kopiert|kopiere|zitiere)"
    r"|(?:mensaje|carta|texto|anuncio|poema|canción|letra|perfil|nota) (?:de|del|para)|(?:dice|dijo|escribe"
    r"|escribió|pone|copio|pego))\b[^.!?\n]{0,40}?(?::|\bhere)\s*(?:👇|⬇️|…|\.\.\.)?\s*$",
    re.IGNORECASE,
)
"""Matches the end of a message after which the writer passes on another's words: "he wrote:", "new lyrics here 👇"."""
_AT_ONCE_BACK = 20
"""Characters from the beginning of a message in which "me again" says that all of it is the writer's."""
_TAKES_BACK = re.compile(
    r"^\W*(?:\w+\W+){0,2}?(?:jk|just kidding|kidding|i['’]?m joking|joking|april fools?|scherz|spaß|es broma"
    r"|era broma|eso era broma|inocente)\b",
    re.IGNORECASE,
)
_EXERCISE = re.compile(
    r"\b(?:repeat after me|(?:sentence|phrase|word) of the day|(?:today['’]s|the) (?:sentence|phrase|exercise)"
    r"|homework|translate|fill in the (?:gaps?|blanks?)|role[- ]?play|exercise \d|repit[ae]n?|repetid"
    r"|la frase (?:de hoy|del día)|los deberes|la tarea|el ejercicio|ejercicio \d|traduc(?:e|id|zcan?|ir)"
    r"|sprecht nach|nachsprechen"
    r"|satz des tages|hausaufgaben?|übung(?:ssatz)?|lückentext|übersetz(?:t|e|en sie))\b",
    re.IGNORECASE,
)
"""Words of a lesson, in which sentences are said for practice."""
_LINES_OF_LESSON = 12
_LETTERS = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"^\W*(?:dear|sehr geehrte|liebe|querid|estimad)", re.IGNORECASE)
_SIGNED = re.compile(
    r"(?:regards|wishes|sincerely|faithfully|love|cheers|grüßen?|grüße|liebe|saludos|abrazo"
    r"|atentamente),?\s+(?P<name>(?-i:[A-ZÄÖÜÁÉÍÓÚ])[^\W\d_]+(?: (?-i:[A-ZÄÖÜÁÉÍÓÚ])[^\W\d_]+){0,3})\W*$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:my name is|mein name ist|me llamo"
    r"|mi nombre es) (?P<name>(?-i:[A-ZÄÖÜ])[^\W\d_]+(?: (?-i:[A-ZÄÖÜ])[^\W\d_]+)?)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"(?<![^\W_])(?:i|i['’]?m|i['’]?ve|i['’]ll|i['’]d|we|we['’]re|we['’]?ve|we['’]ll|my|our|ours|me|us|mine"
    r"|myself)(?![^\W_])",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"(?<![^\W_])(?:he|she|they|his|her|hers|their|him|them|he['’]s|she['’]s|they['’]re|(?:my|our"
    r"|your) (?:[^\W\d_]+ ){0,2}?(?:husband|wife|boyfriend|girlfriend|partner|fianc[eé]e?|sister|brother|mum|mom"
    r"|mother"
    r"|dad|father|parents|son|daughter|kids?|children|boys|girls|twins|cousin|aunt|uncle|niece|nephew|gran|nan"
    r"|grandma|grandpa|grandad|friend|mate|boss|flatmate|roommate|neighbours?|colleague|ex|family|folks|in-laws)"
    r"|how(?:['’]s| is| are| has) (?!you\b|your\b|it\b|things\b|life\b|everything\b|work\b|the\b|that\b|this\b"
    r"|uni\b|school\b)[^\W\d_]+)(?![^\W_])",
    re.IGNORECASE,
)
_NAME_DOES = re.compile(
    r"(?<![^\W_])(?!(?:Never|Just|Still|Got|Been|Finally|Already|So|And|But|Well|Update|News|Today|Yesterday|That"
    r"|This|It|What|Guess|There|Here|Everything|Everyone|Nobody|Life|Work|Day|Not|No|Yes)\b)"
    r"[A-ZÀ-Þ][^\W\d_]+(?:['’]s\b| (?:is|was|has|had|got|went|just|finally|called|wrote|says|said|told|moved|lives"
    r"|works|seems|looks|never|still|[a-zß-ÿ]+ed)\b)"
)
_FIRST_PERSON_GERMAN = re.compile(
    r"(?<![^\W_])(?:ich|i|wir|mein\w*|unser\w*|mir|mich|uns|bin|hab|habe|haben|sind|war|kann|will|möchte|werde?"
    r"|darf|bleibe?|[^\W\d_]+e|wohn|leb|komm|arbeit|studier|spiel|trink|ess|mach|geh|fahr|fang|lern|such|trainier"
    r"|sprech|fühl|geb|führ|steh)(?![^\W_])",
    re.IGNORECASE,
)
_OF_OTHERS_GERMAN = re.compile(
    r"(?<![^\W_])(?:er|sie|ihm|ihn|ihr|(?:mein|dein|unser)\w* (?:[^\W\d_]+ )?(?:mann|frau|freund|freundin|bruder"
    r"|schwester|mutter|vater|mama|papa|oma|opa|sohn|tochter|kind|kinder|chef|chefin|kollege|kollegin|nachbar"
    r"|nachbarin)"
    r"|(?-i:[A-ZÄÖÜ][^\W\d_]+) (?:ist|hat|war|wird|geht|macht|sagt|meint))(?![^\W_])",
    re.IGNORECASE,
)
_MOST_WORDS_TAKEN_BACK = 6
_PLAY = re.compile(
    r"^\W*gg\b|\b(?:everyone|everybody|stay|get|back|alle|todos) (?:back )?(?:in character|in der rolle"
    r"|en personaje)\b|\broll (?:for|me an?|an?) (?:initiative|insight|perception|stealth|persuasion|athletics"
    r"|[^\W\d_]+ (?:check|save))\b|\bnat(?:ural)? 20\b|\blfg\b"
    r"|\bmy (?:mage|paladin|rogue|warlock|tiefling|druid|cleric|necromancer|alt|toon)\b|\bwürfel(?:t|n)? auf [A-Z]"
    r"|\bmein (?:magier|krieger|druide|schurke)\b|\btira(?:d)? (?:iniciativa|percepci[oó]n|sigilo)\b|\bmi (?:mago"
    r"|guerrero|druida|p[ií]caro)\b",
    re.IGNORECASE,
)
"""Words of people who play a game together, in which their "I" is a figure."""
_LINES_OF_PLAY = 8
_LEFT_PLAY = re.compile(rf"^.{{0,20}}?{REAL_LIFE.pattern}(?![^\n]*\?)", re.IGNORECASE)
_LINES_BEFORE_LIFE = 3


def own_lines(lines: Sequence[Line]) -> frozenset[int]:
    """The numbers of the lines whose "I" is their speaker.

    Args:
        lines: one after the other, as they were said.
    """
    borrowed: set[str] = set()
    numbers: set[int] = set()
    played = _played(lines)
    practised = _practised(lines)
    for index, line in enumerate(lines):
        another = line.speaker in borrowed or _is_announced(lines, index)
        back = _BACK.search(line.text)
        if _BORROWED.search(line.text) or _DICTATED.search(line.text) or _another_writes(line):
            borrowed.add(line.speaker)
            another = True
        elif back is not None:
            borrowed.discard(line.speaker)
            another = another and back.start() > _AT_ONCE_BACK
        own_voice = not another and index not in played and index not in practised
        if own_voice and not _is_of_another(line) and not _taken_back(lines, index):
            numbers.add(line.number)
    return frozenset(numbers)


def _is_announced(lines: Sequence[Line], index: int) -> bool:
    """Return whether the same person's message right before announces another's words."""
    return (
        index > 0
        and lines[index - 1].speaker == lines[index].speaker
        and bool(_ANNOUNCED.search(lines[index - 1].text))
    )


def _played(lines: Sequence[Line]) -> set[int]:
    """The places of the lines that people may say as figures of a game: after its words, and right before "irl …"."""
    played: set[int] = set()
    last = -1 - _LINES_OF_PLAY
    real = [REAL_LIFE.search(line.text) is not None for line in lines]
    for index, line in enumerate(lines):
        if real[index]:
            last = -1 - _LINES_OF_PLAY
            if _LEFT_PLAY.match(line.text):
                played.update(range(max(0, index - _LINES_BEFORE_LIFE), index))
        else:
            if _PLAY.search(line.text):
                last = index
            if index - last <= _LINES_OF_PLAY:
                played.add(index)
    return {index for index in played if not real[index]}


def _practised(lines: Sequence[Line]) -> set[int]:
    """The places of the lines that say a sentence of a lesson: with a name that is none of the speaker's, or word for
    word.
    """
    numbers: set[int] = set()
    last = -1 - _LINES_OF_LESSON
    sentences: list[str] = []
    for index, line in enumerate(lines):
        if index - last <= _LINES_OF_LESSON:
            named = _NAMED.search(line.text)
            names = set(line.speaker.casefold().split())
            words = " ".join(_LETTERS.findall(line.text.casefold()))
            if (named is not None and names.isdisjoint(named["name"].casefold().split())) or (
                words and any(words in each for each in sentences)
            ):
                numbers.add(index)
        if _EXERCISE.search(line.text):
            last = index
            sentences = [" ".join(_LETTERS.findall(each.casefold())) for each in QUOTED.findall(line.text)]
    return numbers


def _another_writes(line: Line) -> bool:
    """Return whether the line mentions its speaker by name, or its writer gives a name that is no part of the
    speaker's.
    """
    names = line.speaker.casefold().split()
    if any(_first_of(match).casefold() in names for match in _SPOKEN_OF.finditer(line.text)):
        return True
    match = _ANOTHER_WRITES.search(line.text)
    name = "" if match is None else _first_of(match).casefold()
    return bool(name) and name not in names


def _first_of(match: re.Match[str]) -> str:
    """The group that matched: one for each way to say a name."""
    return next(text for text in match.groups() if text)


def lacks_its_subject(language: str, words: str, before: str, question: str) -> bool:
    """Return whether words without "I" may be about another person, whom the words before them mention: "And her
    brother?" "moved to Leeds".

    Args:
        language: of the pattern; in Spanish the verb says who.
        words: that the pattern matched.
        before: what stands before them in their message.
        question: the message before.
    """
    if language not in ("en", "de"):
        return False
    first_person = _FIRST_PERSON if language == "en" else _FIRST_PERSON_GERMAN
    others = _OF_OTHERS if language == "en" else _OF_OTHERS_GERMAN
    if first_person.search(words) or (language == "en" and _FIRST_PERSON.search(_OF_OTHERS.sub(" ", before))):
        return False
    spoken_of = others.search(before) or _NAME_DOES.search(before)
    return spoken_of is not None or ("?" in question and others.search(question) is not None)


def _is_of_another(line: Line) -> bool:
    """Return whether the line is a letter that another person signs."""
    if not _LETTER.match(line.text):
        return False
    signed = _SIGNED.search(line.text) or _NAMED.search(line.text)
    if signed is None:
        return False
    return set(signed["name"].casefold().split()).isdisjoint(line.speaker.casefold().split())


def _taken_back(lines: Sequence[Line], index: int) -> bool:
    """Return whether the next message of the same person, within three lines, calls the line a joke."""
    speaker = lines[index].speaker
    after = next((each for each in lines[index + 1 : index + 4] if each.speaker == speaker), None)
    if after is None or not (said := _TAKES_BACK.match(after.text)):
        return False
    return len(after.text.split()) <= _MOST_WORDS_TAKEN_BACK or "april" in said[0].casefold()
