"""Decides whether a person asserts the words that a proposal quotes: no question, hypothesis, joke, report, plan or
denial. Pure.

The gate is the same for rules and models. Cues are in English, German, Spanish, French, Italian, Portuguese, Dutch and
Turkish; a sentence in another language passes unless its punctuation shows a question. A cue applies to the sentence of
the quote alone, a negation to the clause of the value alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from ..text.analyzer import fold
from ..text.word_files import patterns
from .assertions import ASKED, JOKE, LABEL, NO_LABEL, QUOTED, SENTENCE_END, SERIOUS, last_of
from .equivalents import groups_of
from .nonliteral_gate import is_meant_otherwise, is_paused

Fault = Literal["instruction", "question", "hypothetical", "joke", "reported", "negation-dropped", "negation-not-said"]
Tense = Literal["present", "past", "future"]

WISHES = frozenset({"plan", "goal", "need", "belief", "likes", "dislikes", "mood", "event", "favourite"})
"""Attributes of wishes, intentions and opinions: "I want to live in Rome" is a goal, not a home."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote in its message, with its first and last offset."""

    text: str
    start: int
    end: int


_CUES = patterns(Path(__file__).with_suffix(".txt"))
_HYPOTHETICAL = _CUES["hypothetical"]
_CONDITION = _CUES["condition"]
_WANTED = _CUES["wanted"]
_REPORTED = _CUES["reported"]
_FOUND_BY_A_DOCTOR = _CUES["found by a doctor"]
_JOKES = _CUES["jokes"]
_NEGATION = _CUES["negation"]
_ENGLISH = _CUES["english"]
_GERMAN = _CUES["german"]
_ARTICLE = _CUES["article"]
_CANCELLED = _CUES["cancelled"]
_BRIEF = _CUES["brief"]
_FOR_TODAY = _CUES["for today"]
_BEGAN = _CUES["began"]
_ENDED = _CUES["ended"]
_FUTURE = _CUES["future"]
_FORMER = _CUES["former"]
_ENDS = re.compile(rf"[。！？]+|{SENTENCE_END.pattern}", re.IGNORECASE)
_FORWARDED = re.compile(
    r"^[^\w\n]*(?:forwarded(?: message| from|:)|fwd?:|begin forwarded message|weitergeleitet\w*\b|wg:|reenviado\b|mensaje reenviado|original message)",
    re.IGNORECASE | re.MULTILINE,
)
_MARKED_LABEL = re.compile(
    r"[*_]{1,2}(?P<who>[^*_]{1,40})[*_]{1,2} ?:|(?P<name>[^:\s][^:]{0,39}?) (?:said|says|wrote|writes|sagt|schrieb|schreibt|dijo|dice|escribió|a dit|ha detto) ?:"
)
LONGEST_LABEL = 100
"""Characters at the beginning of a line in which a label is looked for, to bound the time for a line."""
_FORM_LABELS = re.compile(
    r"^(?:address|home|name|nickname|phone|mobile|email|e-mail|mail|job|work|employer|occupation|hobb(?:y|ies)|allerg\w*|diet|health|status"
    r"|birthday|born|age|pets?|car|plans?|goals?|todo|to do|summary|note|notes|likes|dislikes|languages?|favou?rite[\w ]*|results?|today"
    r"|yesterday|tomorrow|tonight|now|then|so|re|adresse|beruf|hobbys|allergien|geburtstag|plan|trabajo|direcci[oó]n|alergias|\d.*)$",
    re.IGNORECASE,
)
_SPANISH_YES = re.compile(r"(?<![^\W_])si,")
_TAKEN_BACK = re.compile(
    r"\s*(?:not|nicht|no|psych|as if|nope|haha no|wait no|scratch that|nee|quatsch|schön wär['’]?s|mentira|que no|es broma|jk|kidding)\W*(?:$|\n)",
    re.IGNORECASE,
)
_TOLD_BY = re.compile(
    r"\W{0,4}(?:(?:he|she|they|er|sie|él|ella|ellos) (?:said|says|wrote|writes|told|goes|claims?|sagte?|meinte?|meint|schrieb|schreibt|dijo|dice|escribió)\b|says(?! (?:hi|hello|hey|happy|thanks|thank you)\b)|sagt|dice|according to|laut|seg[úu]n|(?:stand|steht) (?:in|auf) (?:der|dem|einer?))\b",
    re.IGNORECASE,
)
"""Words behind a quote that show it to be somebody else's: "I live in Vienna, says the postcard"."""
_DENIED_AFTER = re.compile(
    r"\W{0,4}(?:not|nicht|ojal[áa]|(?:no,?\s+)?mentira|quatsch|i wish)\W*(?:$|\n)", re.IGNORECASE
)
_JOKE_LINE = re.compile(
    r"\W*(?:(?:haha|lol|no|nein|quatsch|ach)\W+)?(?:just kidding|jk|kidding|only joking|just joking|(?:war )?nur spa(?:ß|ss)|(?:war ein )?scherz|es broma|(?:es )?mentira)\W*",
    re.IGNORECASE,
)
_NO = re.compile(r"(?<![^\W_])(?:no|ne|n'|pas|non)(?![^\W_-])")
"""Matches a negation in languages other than English, which denies a noun by "no" and has words such as non-profit."""
_NONE = "(?:no|without|kein\\w*|ohne|sin|geen|sans|senza|sem)"
"""Words that deny the noun behind them: "an oven and no patience" has an oven."""
_DENIED_NOUN = re.compile(rf"(?<![^\W_]){_NONE}\s+((?:[^\W_]+\s+){{0,2}}?[^\W_]+)(?![^\W_])")
_LAUGHING = re.compile(r"\W{0,3}(?:[😂🤣😹]\s*){2,}")
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:instructions?|rules?|prompts?)\b|\bsystem\b.{0,12}(?::|\boverride\b|\bprompt\b)|\byou are now\b"
    r"|\bnote to (?:the )?(?:ai|memory|assistant|model)\b|\b(?:save|add|store|commit|write)\b.{0,30}\bmemory\b"
    r"|\byour memory\b|\bfrom now on,? you\b|\bdeveloper mode\b|\bmemory:",
    re.IGNORECASE,
)
_TOLD_TO_STORE = re.compile(
    r"(?:^|\b(?:and|then|please|to|must|should|:)\s+)(?:save|store|record|note|write down)\s+that\b", re.IGNORECASE
)
OWN = frozenset({"partner", "child", "sibling", "parent", "relative", "friend"})
"""Attributes whose value is a person that the speaker may name in passing."""
NAMED = OWN | {"pet"}
"""Attributes that the words "my wife Anna" alone state: a negation in the rest of the sentence does not deny them."""
_OVER = re.compile(
    r"(?:[^.!?\n]{0,30}?\b)(?:no longer (?:my|our|together|married|with us|alive|mine|ours|a couple)|(?:not|\w+n['’]?t) (?:my|our|mine|ours|together|married|alive|a couple)\b|did(?:n['’]t|nt| not) make it"
    r"|(?:has |just |finally )?(?:left|dumped) me\b(?! (?:an?|the|some|his|her|with|on|in|at|here|alone)\b)|(?:lebt|ist) (?:leider )?nicht mehr|nicht mehr (?:zusammen|mein)|ya no (?:es|est[áa]|estamos|somos|vive)|no es (?:mi[oa]?|nuestr))",
    re.IGNORECASE,
)
"""Matches words that deny or end such a relation: "my wife Anna is no longer my wife"."""
_OWN = re.compile(r"(?:my|our|mein\w*|unser\w*|mis?|nuestr\w+) ", re.IGNORECASE)
FOR_LONG = frozenset({"child", "pet", "diet", "occupation", "employer", "possession", "car"})
"""Attributes that nobody has for a day only: "I have four children today" means minding them."""
_INVERTED = re.compile(
    r"\W*(?:(?:and|so|but|hey|wait|und|y)\W+)?(?:do|does|did|are|is|am|was|were|have|has|had|can|could|will|would|should|may|who|what|where|when|why|how|which"
    r"|wie|wo|was|wann|wer|warum|bist|hast|ist|sind|habt|seid|[a-zäöüß]+st du|d[óo]nde|c[óo]mo|qu[ée]|qui[ée]n|cu[áa]ndo)\b"
)
_HARMLESS = (
    "no problem", "no worries", "long time no", "never forget", "can't wait", "cannot wait", "can't believe",
    "couldn't agree more", "can't agree more", "haven't talked", "haven't spoken", "haven't chatted", "no matter",
    "not only", "no idea", "why not", "no doubt", "not kidding", "not joking", "kein problem", "nicht nur",
)  # fmt: skip
_CLAUSE_END = re.compile(
    r"[,;:–—]\s|\s-\s|(?<![^\W_])(?:but|although|though|aber|sondern|pero|sino|mais|mas|ma|maar|ama)(?![^\W_])"
    r"|(?<![^\W_])(?:and|so|und|y|et|e)\s+(?=(?:still |just |now |already |also )?(?:never|not|no|kein\w*|didn['’]t|haven['’]t|won['’]t|nie|nicht|nunca|i|we|he|she|they|it|can|can['’]t|do|don['’]t|ich|wir|er|sie|yo|je)(?![^\W_]))",
    re.IGNORECASE,
)
_NOT_THAT_DAY = re.compile(r"(?<![^\W_])(?:not|nicht|no) (?:on )?(?:the |am |el )?\d")
"""Matches the denial of another day than the birthday: "21 march, not the 12th"."""
_TURN = re.compile(r"(?<![^\W_])(?:but|anyway|aber|jedenfalls|pero|mais|ma|maar)(?![^\W_])", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_ENDS_OF_CLAUSES = re.compile(rf"{_ENDS.pattern}|{_CLAUSE_END.pattern}|\n", re.IGNORECASE)
_LAST_PART = re.compile(r"(.*)(?:,| [-–—] )(.*)", re.DOTALL)
_PLAINLY_MORE = 2
"""The number of further words of the value that a clause outside the quote must contain to replace the quote."""


def fault_of(quoted: Quoted, value: str, attribute: str, speaker: str, *, negated: bool) -> Fault | None:
    """Return the reason why the quoted words do not assert this value; None if they do.

    Args:
        quoted: the quote in its message.
        value: the claimed value; it selects the clause of the quote that counts.
        attribute: the claimed attribute.
        speaker: the author of the message; a line labelled with this name is still the speaker's.
        negated: whether the claim denies the value.
    """
    reported = _TOLD_BY.match(quoted.text, quoted.end) and not _names_one_s_own(quoted, attribute)
    if _is_of_another(quoted, speaker) or reported:
        return "reported"
    begin, end = _sentence(quoted)
    sentence = quoted.text[begin:end]
    if is_instruction(quoted):
        return "instruction"
    meant_otherwise = is_meant_otherwise(quoted.text, (quoted.start, quoted.end), (begin, end), value, attribute)
    paused = negated and attribute == "habit" and is_paused(quoted.text[quoted.start : end])
    if _is_joke(quoted, end) or (meant_otherwise and not negated) or paused:
        return "joke"
    if _is_asked(sentence, quoted.start - begin):
        return "question"
    before = _TURN.split(_plain(quoted.text[begin : quoted.end]))[-1]
    if attribute == "health":
        before = _FOUND_BY_A_DOCTOR.sub(" ", before)
    doubt = _doubt(before, wished=attribute in WISHES)
    if doubt is None and not negated and attribute in FOR_LONG and _is_for_today(_plain(clause_of(quoted, value))):
        doubt = "hypothetical"
    if doubt is not None:
        return doubt
    if negated:
        return None if _says_no(_plain(sentence)) else "negation-not-said"
    if attribute in ("plan", "goal") and _CANCELLED.search(_plain(quoted.text), quoted.start):
        return "negation-dropped"
    of_oneself = attribute in NAMED and _OWN.match(quoted.text, quoted.start) is not None
    over = of_oneself and _OVER.match(quoted.text, quoted.end) is not None
    clause = quoted.text[quoted.start : quoted.end] if of_oneself else clause_of(quoted, value)
    return "negation-dropped" if over or _denies(_plain(clause), _plain(value), attribute) else None


def is_instruction(quoted: Quoted) -> bool:
    """Return whether the message, or the sentences of the quote, tell a program what to store."""
    begin, end = _sentence(quoted)
    instruction = _TOLD_TO_STORE.search(quoted.text[begin:end].strip())
    return instruction is not None or _INSTRUCTION.search(quoted.text) is not None


def tense_of(quoted: Quoted, value: str) -> Tense:
    """Return the tense of the clause that contains the value."""
    clause = _plain(clause_of(quoted, value))
    if _FUTURE.search(clause):
        return "future"
    return "past" if _FORMER.search(clause) else "present"


def _is_joke(quoted: Quoted, end: int) -> bool:
    """Return whether a message jokes, or takes back before ``end`` what it says."""
    serious = SERIOUS.sub(" ", quoted.text)
    marked = JOKE.search(serious) or _JOKES.search(_plain(serious)) or _TAKEN_BACK.match(quoted.text, end)
    after = _LAUGHING.match(quoted.text, quoted.end) or _DENIED_AFTER.match(quoted.text, quoted.end)
    return marked is not None or after is not None


def takes_back(text: str) -> bool:
    """Return whether the whole message only declares the previous one a joke."""
    return _JOKE_LINE.fullmatch(text) is not None


def denies_otherwise(content: str, value: str, attribute: str, *, negated: bool) -> bool:
    """Return whether a sentence about a fact denies what the fact states, or states what the fact denies."""
    plain = _plain(content)
    if negated:
        return content.isascii() and not _says_no(plain)
    denies = _NEGATION.search(plain) is not None and _NEGATION.search(_plain(value)) is None
    return denies and attribute not in ("dislikes", "allergy", "diet", "health", "need")


def ends_something(text: str) -> bool:
    """Return whether a text contains a word for an end: "sold", "gekündigt", "ya no"."""
    return _ENDED.search(_plain(text)) is not None


def where_it_stands(quoted: Quoted, value: str) -> Quoted:
    """Return the clause of the message that contains the value, if it has clearly more of it than the quote; else the
    quote.

    Models quote the beginning of a message and take the value from its middle. Question, denial, supposition and
    quotation are then looked for around the words that were actually used.
    """
    wanted = set(_WORD.findall(_plain(value)))
    bounds = [0, *(match.end() for match in _ENDS_OF_CLAUSES.finditer(quoted.text)), len(quoted.text)]
    spans = [(first, last) for first, last in pairwise(bounds) if quoted.text[first:last].strip()]

    def words(start: int, end: int) -> int:
        return len(wanted & set(_WORD.findall(_plain(quoted.text[start:end]))))

    start, end = max(spans, key=lambda span: words(*span), default=(quoted.start, quoted.end))
    if words(start, end) < words(quoted.start, quoted.end) + _PLAINLY_MORE:
        return quoted
    return Quoted(quoted.text, start, start + len(quoted.text[start:end].rstrip(" ,;:.!")))


def is_brief(quoted: Quoted) -> bool:
    """Return whether the sentence of the quote describes a temporary stay."""
    begin, end = _sentence(quoted)
    return _BRIEF.search(_plain(quoted.text[begin:end])) is not None


def _names_one_s_own(quoted: Quoted, attribute: str) -> bool:
    """Return whether the quote names a relative or friend of the speaker who then says something: "my wife Anna says
    that it rains".
    """
    return (
        attribute in OWN
        and quoted.text[quoted.end : quoted.end + 1] == " "
        and _OWN.match(quoted.text, quoted.start) is not None
    )


def _is_for_today(clause: str) -> bool:
    """Return whether a clause describes a day or an hour, and not the beginning of a lasting state."""
    return _FOR_TODAY.search(clause) is not None and _BEGAN.search(clause) is None


def _doubt(before: str, *, wished: bool) -> Fault | None:
    """Return the reason why the words up to the end of a quote do not state it: it is reported, supposed, thought or
    wished.
    """
    if _REPORTED.search(before):
        return "reported"
    if wished:
        return "hypothetical" if _CONDITION.search(before) else None
    doubtful = _HYPOTHETICAL.search(_SPANISH_YES.sub(" ", before)) or _WANTED.search(before)
    return "hypothetical" if doubtful else None


def _says_no(sentence: str) -> bool:
    """Return whether a sentence denies or ends something; True for non-ASCII text, whose language may have no cues."""
    return bool(_NEGATION.search(sentence) or _NO.search(sentence) or _ENDED.search(sentence)) or not sentence.isascii()


def _denies(clause: str, value: str, attribute: str) -> bool:
    """Return whether a clause has a negation that neither the value nor the attribute has."""
    for harmless in _HARMLESS:
        clause = clause.replace(harmless, " ")
    if _GERMAN.search(clause) or clause.lstrip().startswith("ne "):
        clause = _ARTICLE.sub(" ", clause)
    if (
        attribute == "dislikes"
        or (attribute == "allergy" and "allerg" not in clause)
        or _NEGATION.search(value)
        or _NO.search(value)
    ):
        return False
    if attribute == "birthday":
        clause = _NOT_THAT_DAY.sub(" ", clause)
    first = next(iter(_WORD.findall(value)), "")
    none = re.search(rf"(?<![^\W_]){_NONE}\s+(?:[^\W_]+\s+){{0,2}}?{re.escape(first)}", clause)
    none = none is not None or _denies_in_another_language(clause, value)
    foreign = _NO.search(clause) is not None and _ENGLISH.search(clause) is None
    return _NEGATION.search(clause) is not None or none or foreign


def _denies_in_another_language(clause: str, value: str) -> bool:
    """Return whether a clause denies a noun that means the same as a word of the value: "keine Katze" and "cat"."""
    if _DENIED_NOUN.search(value):
        return False
    wanted = [groups_of(word) for word in _WORD.findall(fold(value))]
    denied = [groups_of(word) for match in _DENIED_NOUN.finditer(clause) for word in _WORD.findall(fold(match[1]))]
    return any(not one.isdisjoint(other) for one in denied for other in wanted)


def _is_of_another(quoted: Quoted, speaker: str) -> bool:
    """Return whether the quote is within quotation marks, behind somebody else's pasted label, or in a forwarded
    message.
    """
    if any(match.start() <= quoted.start and quoted.end <= match.end() for match in QUOTED.finditer(quoted.text)):
        return True
    head = quoted.text[: quoted.end]
    if _FORWARDED.search(head):
        return True
    return any(who.casefold() != speaker.casefold() for who in _labels(head))


def _labels(head: str) -> Iterator[str]:
    for line in head.splitlines():
        begin = line.strip()[:LONGEST_LABEL]
        marked = _MARKED_LABEL.match(begin)
        if marked is not None:
            yield (marked["who"] or marked["name"]).strip()
        label = LABEL.match(begin)
        who = "" if label is None else label["who"].strip()
        named = 0 < len(who.split()) <= 3 and all(word[0].isupper() for word in who.split()) and who.split()[0] != "I"
        if named and not NO_LABEL.match(last_of(who)) and not _FORM_LABELS.match(who):
            yield who


def _sentence(quoted: Quoted) -> tuple[int, int]:
    """Return the start and end of the sentences that contain the quote."""
    begin, end = 0, len(quoted.text)
    for match in _ENDS.finditer(quoted.text):
        if match.end() <= quoted.start:
            begin = match.end()
        elif match.end() >= quoted.end:
            end = match.end()
            break
    return begin, end


def _is_asked(sentence: str, start: int) -> bool:
    """Return whether the words from ``start`` are a question; the part before the last comma may be a statement: "I
    moved, didn't I tell you?".
    """
    bare = sentence.strip()
    if not bare.endswith(("?", "？", "?!", "?)", "か。", "か")) and "¿" not in bare:
        return False
    parted = _LAST_PART.match(sentence)
    claim, question = parted.groups() if parted else (sentence, "")
    if not parted or "?" in claim or "¿" in claim or ASKED.match(question) or _INVERTED.match(_plain(claim)):
        return True
    return start >= len(claim)


def clause_of(quoted: Quoted, value: str) -> str:
    """Return the clause of the quote's sentences that has most words of the value."""
    begin, end = _sentence(quoted)
    bounds = [begin, *(match.end() for match in _CLAUSE_END.finditer(quoted.text, begin, end)), end]
    wanted = set(_WORD.findall(_plain(value)))
    clauses = [
        quoted.text[first:last] for first, last in pairwise(bounds) if first < quoted.end and last > quoted.start
    ]
    return max(clauses, key=lambda each: len(wanted & set(_WORD.findall(_plain(each)))), default=quoted.text[begin:end])


def _plain(text: str) -> str:
    """Return a text in folded case and with one kind of apostrophe; accents stay, since "würde" is not "wurde"."""
    return text.casefold().replace("\u2019", "'").replace("ʼ", "'")
