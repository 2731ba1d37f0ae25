"""Extracts the parts of a sentence that must be true: names, numbers, dates, meanings in several languages, denial and
doubt. Pure.

`answer_words.txt` has the closed lists; a word in none of them is compared literally, or by a model.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

from ..extraction.calendar import MONTHS, NUMBERS, WEEKDAYS
from ..extraction.spelled_numbers import spelled_numbers
from ..text.analyzer import fold
from ..text.language import likely_languages
from ..text.stopwords import stop_words

Kind = Literal["name", "place", "meaning", "kin", "word", "number", "date", "weekday"]
Day = tuple[int | None, int | None, int | None]
"""Year, month and day, as far as they are given."""

_CJK = "\u3040-\u30ff\u3400-\u9fff々ー"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IDEOGRAPHS = re.compile("[\u30a1-\u30faー]{2,}|[\u3400-\u9fff々]{2,}")
_NUMBER = re.compile(r"\d+")
_GROUPED = re.compile(r"(?<=\d)[.,'’ ](?=\d{3}(?!\d))")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2})(?:[:.](\d\d))? ?([ap])\.?m\b", re.IGNORECASE)
_FULL_HOUR = re.compile(r"(?<=\d):00(?!\d)")
_MONTHS = {fold(word): number for word, number in MONTHS.items()} | {
    fold(word): number
    for number, word in enumerate(
        ["ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim", "kasım", "aralık"],
        1,
    )
}
_WEEKDAYS = {fold(word): number for word, number in WEEKDAYS.items()} | {
    word: number
    for number, row in enumerate(
        ("mon mondays pazartesi", "tue tues sali", "wed carsamba", "thu thur thurs persembe", "fri cuma", "cumartesi", "pazar"), 1
    )
    for word in row.split()
}  # fmt: skip
_NUMBERS = {fold(word): number for word, number in NUMBERS.items() if number > 1} | {
    word: number
    for number, word in enumerate(
        ["iki", "uc", "dort", "bes", "alti", "yedi", "sekiz", "dokuz", "on", "on_bir", "on_iki"], 2
    )
    if word != "on"
}
_NOT_ALWAYS_NUMBERS = {"once": "es", "elf": "de"}
_TURKISH_DENIAL = re.compile(r"(?<=\w\w)m(?=[iu]yor)|(?<=\w)m(?=[iu]yor)")
_JAPANESE_DIGITS = {each: number for number, each in enumerate("一二三四五六七八九十", 1)}
_COUNTED = re.compile("([一二三四五六七八九十])(?=[人匹つ歳年本個回台頭年月日時])")
_JAPANESE_WEEKDAYS = {each: number for number, each in enumerate("月火水木金土日", 1)}
_MONTH = rf"(?P<month>{'|'.join(sorted({*MONTHS, *['şubat', 'mart', 'nisan', 'mayıs', 'haziran', 'temmuz', 'ağustos', 'eylül', 'ekim', 'kasım', 'aralık', 'ocak']}, key=len, reverse=True))})"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<m>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d)",
        r"(?<![\d.])(?P<day>\d{1,2})[./](?P<m>\d{1,2})[./](?P<year>\d{4}|\d\d)?(?!\d)",
        r"(?:(?P<year>\d{4})年)?(?P<m>\d{1,2})月(?:(?P<day>\d{1,2})日)?",
        r"(?P<year>(?:19|20)\d\d)年",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?{_MONTH}(?![^\W\d_])\.?(?:,?\s+(?:del?\s+)?(?P<year>\d{{4}}))?",
        rf"(?<![^\W_]){_MONTH}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]|\s*[ap]\.?m)(?:,?\s+(?P<year>\d{{4}}))?",
        rf"(?<![^\W_]){_MONTH}\.?,?\s+(?:del?\s+)?(?P<year>\d{{4}})",
        rf"(?:(?<=in )|(?<=im )|(?<=en )|(?<=since )|(?<=seit )|(?<=desde )|(?<=until )|(?<=last )|(?<=next )|(?<=this )|(?<=of )|(?<=de )|(?<=bis ))(?:Anfang |Ende |Mitte |early |late )?{_MONTH}(?![^\W_])",
        r"(?<![^\W_])(?P<month>ocak|şubat|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık|january|february|april|june|july|august|september|october|november|december|januar|februar|juni|juli|oktober|dezember|enero|febrero|abril|mayo|junio|julio|septiembre|octubre|noviembre|diciembre)(?![^\W\d_])",
        r"(?<![\d.,:])(?P<year>(?:19|20)\d\d)(?![\d:])(?![.,]\d)",
    )
)


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a sentence that a supporting line must contain, too."""

    kind: Kind
    word: str
    """The folded word; of a number its digits."""
    meanings: frozenset[str] = frozenset()
    day: Day = (None, None, None)


@dataclass(frozen=True, slots=True)
class Marks:
    """The mode of a clause. ``denied``: it is not so, or no longer."""

    denied: bool = False
    doubted: bool = False
    """True for a wish, plan, supposition or prediction."""
    asked: bool = False
    over: bool = False
    """True if it is denied only as a former state."""
    past: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a sentence, with its extracted items."""

    text: str
    marks: Marks
    items: tuple[Item, ...]
    words: frozenset[str] = frozenset()
    """All words, folded."""
    ways: frozenset[str] = frozenset()
    lead: str = ""
    """The folded name of the person that the clause is about, if it begins or continues with a name."""
    own: bool = False
    """True if the speaker is the subject."""
    relatives: frozenset[str] = frozenset()
    """The meanings of the relatives that the clause is about, if the speaker is not the subject."""
    another: bool = False
    """True if it begins with "she", "he", "they"."""

    def of_kind(self, *kinds: Kind) -> list[Item]:
        """Return the items of these kinds."""
        return [item for item in self.items if item.kind in kinds]

    @property
    def meanings(self) -> frozenset[str]:
        """The meanings of all items."""
        return frozenset[str]().union(*(item.meanings for item in self.items))


@dataclass(slots=True)
class _Lists:
    single: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    beginnings: dict[str, set[str]] = field(default_factory=dict)
    spaceless: dict[str, set[str]] = field(default_factory=dict)
    light: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)

    def meanings(self, word: str) -> frozenset[str]:
        """Return the meanings of a folded word, or of several separated by blanks; a negated Turkish verb has those of
        the verb.
        """
        return self._listed(word) or self._listed(_TURKISH_DENIAL.sub("", word))

    def parts(self, word: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the meanings of the two parts of a compound; both empty if it is none."""
        for at in range(4, len(word) - 3):
            if (first := self._listed(word[:at])) and (second := self._listed(word[at:])):
                return first, second
        return frozenset(), frozenset()

    def _listed(self, word: str) -> frozenset[str]:
        found = set(self.single.get(word, ()))
        for size in range(max(3, word.rfind(" ") + 2), len(word) + 1):
            found |= self.beginnings.get(word[:size], set())
        return frozenset(found)


@cache
def _lists() -> _Lists:
    lists = _Lists()
    section = ""
    for number, line in enumerate((Path(__file__).parent / "answer_words.txt").read_text("utf-8").splitlines()):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        for word in fold(line).replace("_", " ").split(" ") if section in ("light", "said") else fold(line).split():
            _enter(lists, section, word.replace("_", " "), f"{section}:{number}")
    return lists


def _enter(lists: _Lists, section: str, word: str, meaning: str) -> None:
    if section in ("light", "said"):
        (lists.light if section == "light" else lists.said).add(word.rstrip("*"))
        if section == "said":
            lists.light.add(word.rstrip("*"))
    elif _IDEOGRAPHS.search(word) or re.search(rf"[{_CJK}]", word):
        lists.spaceless.setdefault(word, set()).add(meaning)
    elif word.endswith("*"):
        lists.beginnings.setdefault(word[:-1], set()).add(meaning)
    else:
        lists.single[word].add(meaning)


def clauses_of(text: str, people: frozenset[str] = frozenset()) -> list[Clause]:
    """Return the clauses of a text.

    Args:
        text: the text of a message or an answer.
        people: folded words of the names of all authors.
    """
    found: list[Clause] = []
    before: Clause | None = None
    for sentence, asked in _sentences(text):
        for part, joined in _parts(sentence):
            clause = _clause(part, people, asked=asked)
            if before is not None:
                clause = _going_on(clause, before, joined=joined)
            found.append(clause)
            before = clause
    return found


def _going_on(clause: Clause, before: Clause, *, joined: bool) -> Clause:
    """Return a clause with the properties that it takes over from the previous one: its subject, and its denial if it
    has no verb.
    """
    if (joined or clause.another) and not clause.own and not clause.lead and not clause.relatives:
        clause = replace(clause, lead=before.lead, relatives=before.relatives)
    if joined and not clause.ways and not clause.own and not clause.another:
        marks = replace(
            clause.marks,
            denied=clause.marks.denied or before.marks.denied,
            doubted=clause.marks.doubted or before.marks.doubted,
            over=clause.marks.over or before.marks.over,
        )
        clause = replace(clause, marks=marks, own=before.own and not clause.lead and not clause.relatives)
    return clause


_SENTENCE = re.compile(r".+?(?:(?:(?<!\d)|(?<=\d\d\d))\.(?=\s|$)|[!?…。！？]+|\n|$)", re.DOTALL)
_SPLIT = re.compile(
    r"(?P<joined>,(?!\d)|;|、|(?<![^\W_])(?:and|und|y|ve|or|oder|nor)(?![^\W_]))|(?P<apart>[:()–—]| - |(?<![^\W_])(?:but|aber|pero|ama|because|weil|porque|although|obwohl|aunque|while|since when)(?![^\W_]))",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]|か[。」]?$")


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            whole = match[0].strip()
            yield whole, bool(_ASKS.search(whole)) or "¿" in whole


def _parts(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield each clause with whether it continues the previous one."""
    at, joined = 0, False
    for match in _SPLIT.finditer(sentence):
        if re.match(r":\d", sentence[match.start() :]):  # a time of day
            continue
        if sentence[at : match.start()].strip():
            yield sentence[at : match.start()], joined
            joined = match["joined"] is not None
        else:
            joined = joined and match["joined"] is not None
        at = match.end()
    if sentence[at:].strip():
        yield sentence[at:], joined


_DENIAL = re.compile(
    r"(?<![^\W_])(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot|(?:do|does|did|is|are|was|were|have|has|had|ca|wo|could|would|should)n['’]?t|can['’]t|won['’]t"
    r"|nicht|kein\w*|nie|niemals|ohne|weder|nichts|niemand\w*|nunca|jamás|sin|tampoco|ni|ningun\w*|ningún|nadie|nada"
    r"|değil\w*|hiç|yok\w*|(?!umuyor)\w+m[iıuü]yor\w*|\w+m[ae]d[ıi]\w*|\w+m[ae]z\w*|\w+(?:mam|mem)|\w+m[ae]yan)(?![^\W_])"
    r"|(?<![少危切])な(?:い|かっ|く)|ません|(?<![すさ])ず(?:に|、)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?<![^\W_])(?:quit|quits|stopped|stop|gave up|given up|left|sold|broke up|split up|separated|divorced?|cancel\w*|called off|died|passed away|lost"
    r"|aufgehört|gekündigt|kündigte|aufgegeben|verkauft\w*|getrennt|geschieden|abgesagt|gestorben|verlassen|verloren"
    r"|dej[éóo]|dejado|dejamos|vendi|vendí|vendió|vendido|vendimos|rompimos|separ\w+|divorci\w*|cancel\w+|murió|fallec\w+|perdí|perdió"
    r"|bırak\w+|ayrıl\w+|sat(?:tım|tı|tık)|boşan\w+|iptal\w*|kaybet\w+)(?![^\W_])|やめ|辞め|別れ|離婚|亡くな|売っ|キャンセル|中止",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"(?<![^\W_])(?:no longer|(?:not .{0,40})?any ?more|used to|formerly|former|previously|ex|früher|ehemalig\w*|nicht mehr|kein\w* .{0,30}mehr|antes|anteriormente|ya no|eskiden|artık|önceden)(?![^\W_])|以前|昔|もう|元(?!気)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?<![^\W_])(?:was|were|had|lived|worked|bought|took|went|came|gave|made|met|got|won|found|used to|until|\w{3,}ed|war|waren|hatte\w*|wohnte\w*|lebte\w*|arbeitete\w*|ge\w{3,}t|\w*ge\w{3,}en|bis"
    r"|era|eran|tenía|tuvo|fue|hasta|\w{3,}(?:aba|aban|ía|ían|ió|ó)|\w+(?:d|t)[ıiuü](?:lar|ler)?|kadar)(?![^\W_])|(?:た|でした|だった)(?:$|[。、」])",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"(?<![^\W_])(?:if|maybe|perhaps|might|could|would|want\w*|wish\w*|hop(?:e|es|ing)|think(?:s|ing)?|thought|consider\w*|plan(?:s|ned|ning)?|dream\w*|probably|possibly|will|'ll|going to|about to|intends?|suppos\w+|i guess|unsure|not sure"
    r"|vielleicht|würde\w*|könnte\w*|möchte\w*|wollen|wollte\w*|wenn|falls|überleg\w+|hoff\w+|träum\w*|wahrscheinlich|werde[nt]?|wird|geplant|glaube"
    r"|quizás?|tal vez|podría\w*|quisiera|quiero|queremos|quiere\w*|si|ojalá|espero|espera|planea\w*|gustaría|voy a|vamos a|va a|pensando|creo"
    r"|belki|ister\w*|isti\w+|umar\w*|umuyor\w*|düşünüyor\w*|planl\w+|keşke|eğer|\w+(?:acak|ecek|acağ|eceğ)\w*)(?![^\W_])|かもしれ|たい|かな|もし|つもり|予定|たぶん|だろう|でしょう|思[うい]",
    re.IGNORECASE,
)
_MAY = re.compile(r"(?<![^\W_])may (?!\d)(?=[a-z])")
_OWN = re.compile(
    r"(?<![^\W_])(?:i|i['’](?:m|ve|ll|d)|im|ive|we|we['’](?:re|ve|ll)|ich|wir|yo|nosotr[oa]s|(?P<ben>ben|biz)|je"
    r"|vivo|trabajo|tengo|estoy|soy|voy|fui|he|hemos|juego|quiero|odio|me (?:gusta|encanta)n?|nací|compré|vendí|dejé|\w{2,}(?:amos|emos|imos)|\w{3,}é"
    r"|\w+(?:yorum|yoruz|[dt][ıiuü][mk]|(?:ar|er|ır|ir|ur|ür)[ıi]m|acağım|eceğim|[ae]m[ae]m|m[ae]m)|(?:\w+|ve)y[ıiuü]m|var[ıi]m)(?![^\W_])|私|僕|俺|うち",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\W*(?:(?:and|but|so|und|aber|y|pero|ve|ama) )?(?:he|she|they|his|her|their|he['’]s|she['’]s|they['’]re|er|sie|ella|él|ellos|ellas|onlar|onun|o)(?![^\W_])|\W*彼",
    re.IGNORECASE,
)
_THIRD = frozenset(
    [
        "is",
        "has",
        "was",
        "had",
        "lives",
        "works",
        "likes",
        "loves",
        "hates",
        "plays",
        "moved",
        "lived",
        "worked",
        "got",
        "ist",
        "hat",
        "war",
        "wohnt",
        "lebt",
        "arbeitet",
        "mag",
        "spielt",
        "es",
        "tiene",
        "era",
        "vive",
        "trabaja",
        "juega",
    ]
)
_FIRST_PERSON = frozenset(
    [
        "i",
        "im",
        "ive",
        "ich",
        "ben",
        "yo",
        "we",
        "wir",
        "biz",
        "nosotros",
        "my",
        "mein",
        "meine",
        "mi",
        "mis",
        "our",
        "unser",
        "he",
        "she",
        "it",
        "they",
        "er",
        "sie",
        "el",
        "ella",
        "you",
    ]
)


def marks_of(text: str, *, asked: bool = False) -> Marks:
    """Return the mode of a clause."""
    plain = re.sub("かもしれ(?:ない|ません)|なければ", "かもしれ", text)
    denied = _DENIAL.search(plain) is not None
    ended = _ENDED.search(plain) is not None
    former = _FORMER.search(plain) is not None
    contrary = any(
        meaning.startswith("contrary:") for token in _TOKEN.findall(text) for meaning in _lists().meanings(fold(token))
    ) or any(word in text for word in ("嫌い",))
    doubted = _DOUBT.search(text) is not None or _MAY.search(text) is not None
    return Marks((denied or ended or former) != contrary, doubted, asked, former, _PAST.search(plain) is not None)


def _clause(text: str, people: frozenset[str], *, asked: bool) -> Clause:
    marks = marks_of(text, asked=asked)
    items, ways = _items(text, people)
    tokens = _TOKEN.findall(text)
    first = fold(tokens[0]) if tokens else ""
    second = fold(tokens[1]) if len(tokens) > 1 else ""
    own = any(fold(match["ben"] or "") not in people or match["ben"] is None for match in _OWN.finditer(text))
    named = (
        first in people
        or first.removesuffix("s") in people
        or (
            bool(tokens)
            and tokens[0][0].isupper()
            and second in _THIRD
            and not is_light(first)
            and first not in _FIRST_PERSON
        )
    )
    words = frozenset(fold(token) for token in tokens)
    kin = {meaning for item in items if item.kind == "kin" and not own for meaning in item.meanings}
    lead = first.removesuffix("s") if first not in people and first.removesuffix("s") in people else first
    return Clause(
        text,
        marks,
        tuple(items),
        words,
        ways,
        lead if named and not own else "",
        own,
        frozenset(kin),
        _ANOTHER.match(text) is not None and not own,
    )


def _items(text: str, people: frozenset[str]) -> tuple[list[Item], frozenset[str]]:
    """Return the items of a text in order, and the kinds of its verbs."""
    items: list[Item] = []
    ways: set[str] = set()
    text, days = _without_dates(unicodedata.normalize("NFKC", text))
    items += [Item("date", "", day=day) for day in days]
    text = _CLOCK.sub(lambda match: f"{int(match[1]) % 12 + 12 * (match[3] in 'pP')}:{match[2] or '00'}", text)
    text = _FULL_HOUR.sub("", _GROUPED.sub("", text))
    languages = languages_of(text)
    items += [Item("number", number) for number in spelled_numbers(fold(text))]
    tokens = _TOKEN.findall(text)
    at = 0
    while at < len(tokens):
        token, size = tokens[at], 1
        if re.match(rf"[{_CJK}]", token):
            _take_spaceless(token, items, ways, people)
            at += 1
            continue
        word = fold(token)
        meanings: frozenset[str] = frozenset()
        for size in (3, 2, 1):
            word = " ".join(fold(each) for each in tokens[at : at + size])
            meanings = _lists().meanings(word) if at + size <= len(tokens) else frozenset[str]()
            if meanings or size == 1:
                break
        _take(token, word, meanings, items, ways, languages, people, first=at == 0)
        at += size
    return items, frozenset(ways)


def _take(
    token: str,
    word: str,
    meanings: frozenset[str],
    items: list[Item],
    ways: set[str],
    languages: Sequence[str],
    people: frozenset[str],
    *,
    first: bool,
) -> None:
    if word.isdecimal():
        items.append(Item("number", str(int(word))))
    elif digits := _NUMBER.search(word):
        items.append(Item("number", str(int(digits[0]))) if word[0].isdecimal() else Item("name", word))
    elif (weekday := word if word in _WEEKDAYS else word.removesuffix("s")) in _WEEKDAYS and (
        len(word) > 4 or token[0].isupper()
    ):
        items.append(Item("weekday", str(_WEEKDAYS[weekday])))
    elif word in _NUMBERS and _NOT_ALWAYS_NUMBERS.get(word, "") in ("", *languages):
        items.append(Item("number", str(_NUMBERS[word])))
    elif token[0].isupper() and (word in people or word.removesuffix("s") in people):
        items.append(Item("name", word if word in people else word.removesuffix("s")))
    elif meanings:
        found = {each.partition(":")[0] for each in meanings}
        ways.update(each for each in meanings if each.startswith("ways:"))
        rest = frozenset(each for each in meanings if not each.startswith("ways:"))
        rest = frozenset(_LIKE if each.startswith("contrary:") else each for each in rest)
        if rest and "ways" not in found:
            kind: Kind = "place" if "places" in found else "kin" if "kin" in found else "meaning"
            items.append(Item(kind, word, rest))
    elif is_light(word):
        return
    elif token[0].isupper() and not first and "de" not in languages:
        items.append(Item("name", word))
    elif all(parts := _lists().parts(word)):
        items += [Item("meaning", word, part) for part in parts]
    elif len(word) > 1:
        items.append(Item("name" if token[0].isupper() and first else "word", word))


def _take_spaceless(token: str, items: list[Item], ways: set[str], people: frozenset[str]) -> None:
    for name in people:
        if len(name) > 1 and name in token:
            items.append(Item("name", name))
            token = token.replace(name, " ")
    items += [
        Item("weekday", str(_JAPANESE_WEEKDAYS[match[1]])) for match in re.finditer("([月火水木金土日])曜", token)
    ]
    token = re.sub("[月火水木金土日]曜日?", " ", token)
    items += [Item("number", str(_JAPANESE_DIGITS[match[1]])) for match in _COUNTED.finditer(token)]
    token = _COUNTED.sub(" ", token)
    for word in sorted(_lists().spaceless, key=len, reverse=True):
        if word not in token:
            continue
        token = token.replace(word, " ")
        meanings = _lists().spaceless[word]
        ways.update(each for each in meanings if each.startswith("ways:"))
        rest = frozenset(
            _LIKE if each.startswith("contrary:") else each for each in meanings if not each.startswith("ways:")
        )
        if rest:
            found = {each.partition(":")[0] for each in meanings}
            kind: Kind = "place" if "places" in found else "kin" if "kin" in found else "meaning"
            items.append(Item(kind, word, rest))
    for word in sorted((each for each in _lists().light if re.match(rf"[{_CJK}]", each)), key=len, reverse=True):
        token = token.replace(word, " ")
    items += [Item("word", fold(word)) for word in _IDEOGRAPHS.findall(token)]


def _without_dates(text: str) -> tuple[str, list[Day]]:
    days: list[Day] = []

    def take(match: re.Match[str]) -> str:
        parts = match.groupdict()
        month = int(parts["m"]) if parts.get("m") else _MONTHS.get(fold(parts.get("month") or ""), 0) or None
        year = int(parts["year"]) if parts.get("year") else None
        year = year + 2000 if year is not None and year < 100 else year
        day = int(parts["day"]) if parts.get("day") else None
        if (month is not None and month > 12) or (day is not None and day > 31):
            return match[0]
        days.append((year, month, day))
        return " "

    for pattern in _DATES:
        text = pattern.sub(take, text)
    return text, days


def without_days(text: str) -> str:
    """Return a text without the days, months and years in it."""
    return _without_dates(unicodedata.normalize("NFKC", text))[0]


def languages_of(text: str) -> Sequence[str]:
    """Return the likely languages of a text; none if they are unknown."""
    if re.search("[\u3040-\u30ff]", text):
        return ("ja",)
    return likely_languages(text, [fold(word) for word in _TOKEN.findall(text)])


def is_light(word: str) -> bool:
    """Return whether a folded word has no meaning by itself."""
    return word in _lists().light or word in _small_words()


@cache
def _small_words() -> frozenset[str]:
    return frozenset(fold(word) for language in ("en", "de", "es", "tr") for word in stop_words(language))


def tells_who_said(text: str) -> bool:
    """Return whether a sentence states the author or the time of a message."""
    folded = fold(text)
    said = _lists().said
    return not said.isdisjoint(_TOKEN.findall(folded)) or any(
        each in folded for each in ("言", "述べ", "書い", "によると", "時点", "話し")
    )


@cache
def _like() -> str:
    return next(each for each in _lists().meanings("likes"))


_LIKE = _like()
