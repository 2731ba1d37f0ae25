"""Decides whether the words of a clause can state this attribute: "I work in Leeds" states no home, and a flatmate is
no partner. Pure.

Cues are in English, German, Spanish, French, Italian, Portuguese, Dutch and Turkish; a text in another script passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..text.analyzer import fold


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(patterns)})(?![^\W_])")


_NEEDED: Mapping[str, re.Pattern[str]] = {
    "partner": _words(
        "husband", "wife", "hubby", "boyfriend", "girlfriend", "bf", "gf", "partner\\w*", "fianc\\w+", "spouse", "marr\\w+", "proposed", "said yes", "calling? it quits", "seeing (?:someone|somebody)", "called it (?:quits|a day)", "history", "parted ways", "wed(?:ding)?", "dating", "engaged", "together",
        "relationship", "are (?:done|over|history|official|an item)", "broke up", "split up", "divorc\\w*", "separat\\w*", "single", "ex", "my (?:man|guy|girl|love|other half)", "couple", "crush", "kiss\\w*", "date",
        "mann", "frau", "ehemann", "ehefrau", "freund", "freundin", "verheiratet", "verlobt\\w*", "heirat\\w*", "geheiratet", "zusammen", "getrennt", "geschieden", "trenn\\w*", "schluss", "paar", "beziehung",
        "saliendo", "y yo (?:ya )?(?:cortamos|terminamos|rompimos|lo dejamos|nos separamos|hemos (?:terminado|roto))", "lo (?:de|mio con|nuestro con)", "sal(?:go|imos) con", "prometid\\w+", "marido", "esposo", "mujer", "esposa", "novi[oa]s?", "pareja", "cas(?:ad[oa]s?|amos|arme|arnos|o|e)", "boda", "dejado", "separad[oa]s?", "juntos", "prometid[oa]",
        "mari", "femme", "compagn\\w+", "copain", "copine", "marito", "moglie", "fidanzat[oa]", "namorad[oa]", "vriend\\w*", "sevgilim", "esim", "kocam", "karim",
    ),
    "child": _words(
        "sons?", "daughters?", "kids?", "child\\w*", "boys?", "girls?", "baby", "babies", "bab[ey]", "twins?", "newborn", "born", "birth", "pregnan\\w*", "toddler", "little one", "adopt\\w*", "dad", "mum", "mom", "eldest", "youngest", "oldest",
        "sohn", "sohne", "tochter", "kind\\w*", "baby", "zwillinge", "schwanger", "geboren", "welt", "kleine[rn]?", "grosse[rn]?", "jungste[rn]?", "alteste[rn]?", "mama (?:von|einer|eines)", "mutter (?:von|einer|eines)", "(?:papa|vater|oma|opa) (?:von|einer|eines|zweier|dreier)", "peques?", "pequen[oa]", "cri[oa]s?", "chamac\\w+", "niet[oa]s?", "mellizos", "bub(?:en)?", "madchen", "gramm", "hij[oa]s?", "nin[oa]s?", "bebe", "embarazad\\w", "nacio", "gemel\\w+",
        "fils", "fille", "enfants?", "bebe", "figli\\w+", "bambin\\w+", "filh[oa]s?", "zoon", "dochter", "oglum", "kizim", "cocu\\w+", "bebe\\w*",
    ),
    "sibling": _words(
        "sisters?", "brothers?", "(?:youngest|oldest|eldest|middle|one) of", "only child", "einzelkind", "hij[oa] unic[oa]", "somos", "triplet", "half-\\w+", "sis", "bro", "sibling\\w*", "twin\\w*", "schwester\\w*", "bruder\\w*", "geschwister", "zwilling\\w*", "herman[oa]s?", "soeurs?", "freres?", "sorell[ae]", "fratell[oi]", "irma[os]?", "irmaos", "zus", "broer", "kardes\\w*", "abi\\w*", "abla\\w*",
    ),
    "parent": _words(
        "mother", "mom", "mum", "mummy", "mam", "ma", "dad", "daddy", "father", "pa", "papa", "parents?", "folks", "step\\w+", "mutter", "mama", "mutti", "vater", "vati", "eltern", "madre", "padres?", "mama", "papa", "mere", "pere", "mae", "pai", "anne\\w*", "baba\\w*", "moeder", "vader",
    ),
    "allergy": re.compile(r"allerg|alerg|alerj|アレルギー|intoleran|anaphyl|epipen|hay ?fever|heuschnupfen|can'?t (?:eat|have|drink|touch)|unvertrag|vertrag\w* (?:kein|nicht)|celiac|coeliac|zoliakie|celiac"),
    "marital_status": _words(
        "marr\\w+", "single", "divorc\\w*", "widow\\w*", "engage\\w*", "separat\\w*", "husband", "wife", "wed\\w*", "together", "relationship", "proposed", "said yes", "calling? it quits", "seeing (?:someone|somebody)", "called it (?:quits|a day)", "history", "parted ways", "broke up", "split up", "dating", "bachelor\\w*", "partner\\w*",
        "verheiratet", "ledig", "geschieden", "verwitwet", "witwer?", "verlobt", "getrennt", "heirat\\w*", "geheiratet", "trenn\\w*", "scheid\\w*", "beziehung", "vergeben", "mann", "frau",
        "comprometid\\w+", "casad[oa]s?", "solter[oa]s?", "divorci\\w*", "viud[oa]", "separ\\w*", "casamos", "casarme", "casarnos", "me caso", "me case", "prometid\\w+", "dejado", "pareja", "mari\\w*", "celibataire", "sposat\\w", "evli", "bekar", "getrouwd",
    ),
}  # fmt: skip
"""Patterns of words, one of which the cited lines or the question before them must contain to state the attribute."""
_RELATIVES = ("partner", "child", "sibling", "parent")
_TITLE = r"(?:(?:is|are|called|named|heisst|heissen|namens|ist|se llama|es)\s+)?"
_OTHERS_RELATIVE = _words(
    "friend", "bestie", "cousin\\w*", "aunt", "uncle", "niece", "nephew", "grand\\w+", "gran", "boss", "colleague", "flatmate", "roommate", "neighbou?r",
    "kumpel", "tante", "onkel", "oma", "opa", "nichte", "neffe", "chefin?", "kolleg\\w+", "nachbar\\w*", "mitbewohner\\w*",
    "amig[oa]", "prim[oa]", "ti[oa]", "sobrin[oa]", "abuel[oa]", "jef[ea]", "vecin[oa]",
)  # fmt: skip
_WORKS = _words(
    "work\\w*",
    "job",
    "office",
    "commut\\w*",
    "stud(?:y|ying|ied)",
    "arbeit\\w*",
    "pendel\\w*",
    "studier\\w*",
    "trabaj\\w*",
    "curr\\w+",
    "estudi\\w*",
    "travaill\\w*",
    "lavor\\w*",
)
_LIVES = _words(
    "liv(?:e|es|ed|ing)", "home", "hous\\w+", "flat", "apartment", "mov(?:e|ed|ing)", "relocat\\w*", "resid\\w+", "settl\\w+", "based", "rent\\w*", "address", "place", "neighbou?r\\w*", "room", "from home",
    "wohn\\w*", "leb\\w+", "zieh\\w*", "zog\\w*", "gezogen", "zuhause", "daheim", "viv\\w+", "mud\\w+", "casa", "piso", "habit\\w+", "demenag\\w*", "abit\\w+", "mor[oa]",
)  # fmt: skip
_LOVES = _words(
    "love",
    "loves",
    "adore",
    "adores",
    "enjoy\\w*",
    "like",
    "likes",
    "fond",
    "fan",
    "crazy about",
    "liebe",
    "mag",
    "gern\\w*",
    "toll",
    "encanta\\w*",
    "gusta\\w*",
    "adoro",
    "aime",
    "adore",
    "amo",
)
_HATES = _words(
    "hat(?:e|es|ed|ing)",
    "dislike\\w*",
    "can'?t stand",
    "cannot stand",
    "loathe\\w*",
    "detest\\w*",
    "despise\\w*",
    "hasse",
    "hass",
    "odi[oa]\\w*",
    "detesto",
    "deteste",
    "nicht ausstehen",
    "no soporto",
    "fed up",
    "sick of",
    "awful",
    "disgust\\w*",
)
_EMPLOYED = (
    r"(?:at|for|with|by|from|in|of|to|join\w*|left|leav\w+|quit\w*|is|bei|beim|fur|von|vom|im|am|en|para|con|de|del|por|chez|pour|presso|per|bij)\s+"
    r"(?:(?:the|an?|my|our|der|die|dem|den|das|einer?|einem|la|el|las|los|una?|le|il)\s+)?(?:[^\W\d_]+\s+){0,2}?"
)


def is_another_attribute(attribute: str, clause: str, lines: str, value: str) -> bool:
    """Return whether the words clearly state another attribute of the value.

    Args:
        attribute: the claimed attribute.
        clause: the clause that contains the value.
        lines: the cited lines, and the question that they answer.
        value: the claimed value; empty if it answers a question, which names the attribute.
    """
    plain, whole = fold(clause), fold(lines)
    if not re.search(r"[a-z]", whole):
        return False
    if attribute in _RELATIVES and _is_another_relative(attribute, whole, fold(value)):
        return True
    needed = _NEEDED.get(attribute)
    if needed is not None and not needed.search(whole):
        return True
    if attribute == "home":
        return bool(_WORKS.search(plain)) and not _LIVES.search(plain)
    if attribute == "dislikes":
        return bool(_LOVES.search(plain)) and not _HATES.search(plain) and not _DENIED.search(plain)
    if attribute == "likes":
        return bool(_HATES.search(plain)) and not _LOVES.search(plain)
    if attribute == "employer" and value[:1].islower():
        first = re.escape(fold(value).split()[0]) if fold(value).split() else ""
        return not re.search(rf"(?<![^\W_]){_EMPLOYED}{first}", plain)
    return False


def _is_another_relative(attribute: str, lines: str, value: str) -> bool:
    """Return whether the word directly before a name makes that person another relative: "my mother Mia and my sister
    Eva".
    """
    name = re.escape(value.rsplit(maxsplit=1)[-1]) if value.strip() else ""
    called = re.search(rf"(?<![^\W_])([^\W_]+),?\s+{_TITLE}{name}(?![^\W_])", lines) if name else None
    if called is None or _NEEDED[attribute].fullmatch(called[1]):
        return False
    others = (*(_NEEDED[other] for other in _RELATIVES if other != attribute), _OTHERS_RELATIVE)
    return any(other.fullmatch(called[1]) for other in others)


_DENIED = _words(
    "not", "no", "[a-z]+n'?t", "never", "nicht", "kein\\w*", "nie", "nunca", "tampoco", "pas", "non", "nao", "niet"
)
