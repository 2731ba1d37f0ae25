"""The sentences of a message in which a person plainly states something: no quotes, code, questions, jokes or what-ifs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .calendar import MONTHS, any_of_pattern


class Sentence(NamedTuple):
    """One sentence of a message, quotes and code blanked out at equal length."""

    text: str
    offset: int
    """The position of its first character in the message."""


BLANK = "\0"
QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*(?:`|$)|\"[^\"\n]*(?:\"|$)|“[^”\n]*(?:”|$)|„[^“”\n]*(?:[“”]|$)|«[^»\n]*(?:»|$)"
    r"|»[^«\n]*(?:«|$)|‚[^‘’\n]*(?:[‘’]|$)|「[^」\n]*(?:」|$)|『[^』\n]*(?:』|$)"
    r"|(?<![^\W_])['‘][^'’\n]{3,}?['’](?![^\W_])|[♪♫🎵🎶].*|^\s*>.*",
    re.MULTILINE | re.DOTALL,
)
_UNSPANNED = re.compile(r"[♪♫🎵🎶]|</?[a-z][^<>\n]*>|^\s*\[[^\]\n]*\]", re.MULTILINE)
JOKE = re.compile(
    r"\b(?:jk|just kidding|kidding|only joking|just joking|nur spaß|scherz|es broma|said no(?: one|body| man| woman)|said no \w+ ever|said nobody|yeah,? right|april fools?|april april|inocente inocente|era broma|war (?:nur )?(?:ein )?(?:spaß|scherz)|im spaß|de broma|as if)\b|[.!]\s*(?:not|nicht|psych)[.!]*\s*$|/s(?![\w/])",
    re.IGNORECASE,
)
SERIOUS = re.compile(
    r"\b(?:jok(?:es?|ing)|kidding|banter|messing) (?:aside|apart)\b|\b(?:scherz|spa(?:ß|ss)|witz) beiseite\b|\bbromas? aparte\b|\b(?:fuera de|sin) bromas?\b"
    r"|\b(?:not?|n[o']t|never|nicht|kein|no es|no era|no está|no estoy|ain['’]?t|isn['’]?t)\s+(?:(?:just|even|actually|a|de|en)\s+)*(?:kidding|joking|jokes?|jk|scherz|witz|spa(?:ß|ss)|broma|bromeando)\b"
    r"|\b(?:jk|(?:just |only )?(?:kidding|joking)|(?:es|era) broma|(?:war |das war )?(?:nur )?(?:ein )?(?:scherz|spa(?:ß|ss)|witz)) (?:about|lo de|lo del|das mit|mit|wegen)\b[^.,;!?\n]{1,40}[,;.]? (?:but|aber|pero)\b",
    re.IGNORECASE,
)
"""Matches words that say that the rest is serious, or that only another thing was a joke: "jk about the boat, but …".
"""
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,30}\binstructions?\b|\bsystem\b.{0,12}(?::|\boverride\b|\bprompt\b)|\byou are now\b"
    r"|(?:(?:^|[.!?\n])\W{0,5}|\b(?:hey|hi|dear|ai|to the|tell the|virtual|your) )assistant\b|\b(?:chatbot|chatgpt|gpt|claude|gemini|siri|alexa|language model|note to (?:the )?ai|dear ai|hey ai)\b"
    r"|\b(?:save|add|store|commit|write)\b.{0,30}\bmemory\b|\byour memory\b|\bremember that\b|\bfrom now on,? you\b"
    r"|\bdeveloper mode\b|\bmerke? dir\b|\brecuerda que\b|\bmemory:",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"^[^\w\n]*(?:forwarded(?: message| from|:)|fwd?:|begin forwarded message|weitergeleitete nachricht|wg:|mensaje reenviado|reenviado|original message"
    r"|on .{5,80} wrote:|am .{5,80} schrieb .{2,60}:|el .{5,80} escribió:|(?:from|von): .+\n(?:sent|to|subject|gesendet|an|betreff|date): "
    r"|messaggio inoltrato|message transféré|mensagem encaminhada)",
    re.IGNORECASE | re.MULTILINE,
)
_FANTASY = re.compile(
    r"\bi(?:['’]?m| am) (?:an? )?(?:elf|half[- ]elf|tiefling|orc|dwarf|gnome|halfling|troll|fairy|unicorn|mermaid|werewolf|demon|barbarian|paladin|necromancer|superhero|cyborg|time traveller|wizard|witch|vampire|zombie|ghost|goblin|dragon|pirate|alien|robot|king|queen|god|\d{3,} years old)\b",
    re.IGNORECASE,
)
_POSED = re.compile(
    r"^\W*(?:translate|übersetze|traduce|write (?:a|an|me)|pretend|imagine|suppose|supposing|let['’]?s say|say i|what if"
    r"|hypothetically|stell dir vor|imagina|quote|lyrics|chorus|singing|sang)\b",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"^\s*(?:[-*•]\s*)?[*_]{0,2}(?:\d+\s*[|.)]\s*)?(?:\[[^\]]*\]\s*)?(?P<who>[^\W\d_][\w .'’()-]{0,40}?)[*_]{0,2}\s*(?:(?:wrote|said|schrieb|escribió)?:(?=\s|$)|>\s)"
)
NO_LABEL = re.compile(
    r"^(?:(?:but |and |aber |pero )?(?:jokes? aside|joking aside|(?:scherz|spaß|spass|witz) beiseite|bromas? aparte|fuera de bromas?|im ernst|en serio|seriously|serious(?:ly)? (?:now|though|tho)|(?:ok )?(?:ooc|irl)|plot twist|true story|real talk|no joke|life update|random|unrelated)|new (?:gig|job|role)|neuer job|(?:quick )?update on (?:the|our|my) [^\W\d_]+(?: [^\W\d_]+)?|anyway|anyways|update|news|ps|p\.s|fyi|btw|fun fact|edit|also|honestly|good news|bad news|big news|confession"
    r"|correction|results are in|next stop|(?:my |our |the )?new (?:address|number|phone|mobile|email)(?: .{1,30})?|(?:my|our) (?:address|number|phone|mobile|e-?mail|birthday|plans?|news)|mi (?:n[uú]mero|m[oó]vil|tel[eé]fono|correo|direcci[oó]n)(?: nuev[oa])?|(?:meine |unsere |die )?neue (?:anschrift|adresse|nummer|handynummer|mail)|important|reminder to self|long story short|quick update|übrigens|nachtrag|por cierto|(?:nach|seit|ab|in|im|am|vor|zum|zur|für|bis) .{2,25}|fazit|stand|neues|neuigkeiten|kurz(?:e info)?|info|nur so|wichtig|achtung|ergebnis|kurzfassung|geständnis|frohe botschaft|gute nachricht|schlechte nachricht|noticia|novedad(?:es)?|aviso|resumen|actualización|(?:después de|tras|desde|en) .{2,25}|nota|confesión|spoiler|buena noticia|mala noticia|lo mío|conclusión)$",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(
    rf"(?!(?<=\d)\.\s+{any_of_pattern(MONTHS)}\b)"  # "am 4. Mai" goes on
    r"(?!(?<=\bSt)\.\s|(?<=\bDr)\.\s|(?<=\bSta)\.\s|(?<=\bMr)\.\s|(?<=\bMrs)\.\s)"  # "St. George" goes on, too
    r"(?:[.!?…]+(?=[\s\"”)\0]|$)|\n+|[^\w\s,;:'’\"()\[\]/&%+@#*.!?…\0-](?=\s*[^\W\d_]))",
    re.IGNORECASE,
)
# White space is looked at from its beginning only, and so just once however long it is.
SEPARATOR = re.compile(
    r"[,;:]\s+|(?<!\s)\s++(?:[-–—]++|(?:and|but|so|because|cause|cuz|und|aber|weil|y|pero|porque|x|xx|lol|lmao|ha(?:ha)+|btw|tbh|ngl|tho|ja(?:ja)+|übrigens|hihi))\s+"
)
LEAD = re.compile(
    r"\s*(?:(?:ok(?:ay)?|so+|and|but|yes|yeah|yep|yup|no(?=\s*[,.!…–-])|nope|nah|ha(?:ha)+|lol|oh|ah|aw+|well|btw|by the way|anyway|honestly"
    r"|actually|sorry|thanks|thank you|thx|hi|hello|hey|hi all|hi everyone|morning|good morning|because|also|plus|fyi|fun fact"
    r"|now|today|i mean|you know|basically|tbh|to be honest|unfortunately|sadly|luckily|finally|just|been|no worries|as you know"
    r"|jok(?:es?|ing) aside|plot twist|true story|no jokes?|not (?:even )?(?:kidding|joking)|(?:but )?seriously|(?:scherz|spa(?:ß|ss)) beiseite|kein (?:scherz|witz)|im ernst|(?:fuera de|sin) bromas?|bromas? aparte|no es broma|update|turns out|good news|big news|omg|guys|listen|see|true|personally|me(?=,| i\b| i['’]m\b| im\b)|(?:bro+|bruh|dude|mate|man|girl|babe|hun|fam|lads|yaar|now that|meanwhile|as (?:requested|promised|discussed))(?=,? (?:i|i['’]m|im|i['’]ve|ive|we|we['’]re|my|our)\b)|irl|for the record|heads up|ps|exactly|fwiw|for context|ngl|to be fair|tbf|fair|as for me|in other news|actual news|congrats|welcome|same|course|of course|anda|ostras|so|tja|genau|klar|danke|gracias|perfect|great|ok cool|weird|for real|honestly|wow|ugh|yay|ya|uff?|buf|leute|hey all|hi there|dear all|as of today|like|super|schade|naja|übrigens|ja|nein|doch|also|und|aber|hallo"
    r"|naja|na ja|leider|endlich|sí|si,|no,|no no|pues|bueno|(?:yo )?es que|así que|como(?= (?:yo )?(?:soy|tengo|vivo|trabajo|estoy)\b)|de momento|por ahora|ahora mismo|hoy en día|mientras|encima|además|eso sí|igual|en realidad|total|mira|oye|uy|ay|bah|jaja(?:ja)*|a mí|aviso que|que(?= (?:yo|me|nos|soy|tengo|tenemos|vivo|vivimos|estoy|trabajo)\b)|es q|jo|jep|jup|joa|klaro|che|wey|boluda|boludo|tía|tío|ansonsten|außerdem|jedenfalls|trotzdem|ehrlich gesagt|zum glück|zumindest|sonst|ach|mei|ne|nee|geh|hihi|digga|alter|du|weisst du|weißt du|stimmt|echt|gut|apropos|nebenbei(?= (?:ich|bin)\b)|yo también|también|al final|en serio|hola|y|pero|por cierto|la verdad)(?:[\s,:!.…-]+|$)){1,40}",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:if|unless|whether|when|whenever|wish|wished|would|could|should|might|may|maybe|perhaps|imagine|suppose|pretend"
    r"|as if|as though|(?<!\bi )(?<!\bwe )like|said|says|say|saying|told|tell|tells|telling|thinks?|thought|believes?|believed|claims?|claimed"
    r"|assumes?|assumed|heard|hears|asked|asks|wonder\w*|guess|dream\w*|game|film|movie|book|(?<!true )story|novel|song|lyrics?|poem"
    r"|never|almost|nearly|not|isn['’]t|wasn['’]t|don['’]t|didn['’]t|can['’]t|nobody|no one|everyone|everybody|according"
    r"|apparently|supposed\w*|remember|sure|until|(?:before|after)(?! (?:(?:\d+|two|three|four|five|six|seven|eight|nine|ten|a few|the|my|our|all) )?(?:years?|months?|weeks?|uni|school|college|work|that|this|divorce|wedding)\b)|once|even|though|although|while|because he|because she"
    r"|introduce|quote|wrote|writes|goes|sign|title|means?|meant|hope(?! (?:you|this|that you|all|everyone|things)\b)|hoping|doubt|rumou?rs?|read|reads|form|app|profile|character"
    r"|wenn|falls|ob|würde\w*|hätte|wäre|sagt\w*|sagen|meint\w*|denkt|glaubt\w*|dachte|vielleicht|angeblich|als ob|dass|(?:er|sie|der|die) so|(?:immer|nur|dann|halt) so(?=,? (?:ich|wir)\b)|profil|steckbrief|formular|figur"
    r"|cuando|ojalá|quizás?|dice\w*|dijo|cree\w*|piensa\w*|como si|(?<!\bes )(?<!\basí )(?<!\bya )(?<!único )(?<!hace un año )(?<!\bun mes )(?<!, )(?<!aviso )que|perfil|ficha|personaje|solicitud)\b|['’]d\b",
    re.IGNORECASE,
)
_REGRET = re.compile(
    r"\b(?:ich|wir) (?:wär|hätt|würd)\w*(?![^,;]*\b(?:sag\w*|mein\w*|denk\w*|behaupt\w*|schreib\w*|wenn|falls)\b)[^,;]*,(?=\s+(?:(?:aber|denn|doch|nur) )?(?:ich|wir)\b)",
    re.IGNORECASE,
)
"""A main clause of what would be nice, after which comes what is so: "ich wäre gern dabei, wir fliegen nach Kreta"."""
_DENIAL = re.compile(
    r"\b(?:never|not(?! (?:because|that|as if|like|so)\b)|isn['’]?t|wasn['’]?t|don['’]?t|didn['’]?t|can['’]?t|nobody|no one)\b",
    re.IGNORECASE,
)
"""Matches a negation: it makes its own clause uncertain, but no later clause in which people speak of themselves:
"can't come, I live in Hull".
"""
_THOUGHT = re.compile(r"\b(?:true|that|think|thinking|say\w*|mean|know|believe|pretend|want|because)\b", re.IGNORECASE)
_OF_THEMSELVES = re.compile(
    r"(?:i|i['’]?m|i['’]?ve|we|we['’]?re|we['’]?ve|my|our)\b(?! (?:mean|guess|think)\b)", re.IGNORECASE
)
_TAKEN_BACK = re.compile(
    r"\b(?:apparently|supposedly|allegedly|according to|in my (?:dreams?|head|mind|imagination)|in the (?:game|movie|film|book)"
    r"|said no(?: one|body| man| woman)|not really(?! (?:an?|into|my|much|keen)\b)|or so|they say|angeblich|supuestamente|if (?:only|it|he|she|they|you|we|i)|would(?! you believe)|wouldn['’]t)\b",
    re.IGNORECASE,
)
ASKED = re.compile(
    r"^\s*(?:or|right|no|ok|okay|correct|yes|yeah|eh|huh|innit|is|am|are|isn|aren|oder|nicht|verdad|wie|que)\b",
    re.IGNORECASE,
)


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences that state something in the writer's own voice, unless all of the text says otherwise; see
    `is_told_otherwise`.
    """
    masked = QUOTED.sub(lambda match: BLANK * len(match[0]), text)
    offset = 0
    for line in masked.splitlines(keepends=True):
        label = LABEL.match(line)
        if label and not NO_LABEL.match(last_of(label["who"])) and "," not in label["who"]:
            return  # somebody else's line, pasted; whatever follows it may be theirs too
        yield from _of_line(line, offset)
        offset += len(line)


def last_of(label: str) -> str:
    """The last sentence of what stands before a colon: "back. ok ooc"."""
    return re.split(r"[.!?]\s+", label.strip())[-1]


def is_told_otherwise(text: str) -> bool:
    """Return whether a text as a whole is no statement of its writer: a joke, an order to an assistant, a supposition,
    lyrics or markup, a forwarded message or a fantasy. It takes longer than most searches, so call it only for a
    text with a match.
    """
    if JOKE.search(SERIOUS.sub(" ", text)):
        return True
    return any(pattern.search(text) for pattern in (_ADDRESSED, _POSED, _UNSPANNED, _FORWARDED, _FANTASY))


def _of_line(line: str, offset: int) -> Iterator[Sentence]:
    begin = 0
    for end in [match.end() for match in SENTENCE_END.finditer(line)] + [len(line)]:
        sentence = line[begin:end]
        if sentence.strip(" \t\n\r.!?…"):
            stated = _stated(sentence)
            if stated is not None:
                yield Sentence(stated, offset + begin)
        begin = end


def _stated(sentence: str) -> str | None:
    """The sentence, or of a question what stands before its last comma: "I moved, didn't I tell you?"."""
    stated: str | None = sentence
    if "?" in sentence or "¿" in sentence:
        claim, comma, question = sentence.rpartition(",")
        stated = (
            claim + comma if comma and "?" not in claim and "¿" not in claim and not ASKED.match(question) else None
        )
    return None if stated is None or _TAKEN_BACK.search(sentence) else stated


def plain(sentence: str, begin: int) -> bool:
    """Return whether the words before `begin` leave what is said there certain, and the writer's own."""
    unsure, blank = _first_doubts(sentence)
    if blank < begin:
        return False
    if unsure >= begin or not (doubts := list(_UNSURE.finditer(_without_regret(sentence), unsure, begin))):
        return True
    lead = LEAD.match(sentence, begin)
    if not _OF_THEMSELVES.match(sentence, begin if lead is None else lead.end()):
        return False
    clause = max((match.end() for match in SEPARATOR.finditer(sentence, 0, begin)), default=0)
    if _THOUGHT.search(sentence, 0, begin):
        return False
    return all(match.end() <= clause and _DENIAL.match(sentence, match.start()) for match in doubts)


@lru_cache(maxsize=16)
def _first_doubts(sentence: str) -> tuple[int, int]:
    """Return the positions of the first uncertain word and of the first blanked character; the length of the sentence
    where there is none. Cached, as `plain` is called for several positions of each sentence.
    """
    unsure, blank = _UNSURE.search(_without_regret(sentence)), sentence.find(BLANK)
    return len(sentence) if unsure is None else unsure.start(), len(sentence) if blank < 0 else blank


def _without_regret(sentence: str) -> str:
    """The sentence as long as it is, without the clauses of what would be nice."""
    return _REGRET.sub(lambda match: " " * len(match[0]), sentence)
