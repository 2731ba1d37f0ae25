"""The table of first-person patterns, and the small language it is written in.

A pattern is a regular expression where a space stands for any white space and ``<name>`` for a fragment of `_FRAGMENTS`
or, where it is a value, for the group ``value`` in one of the shapes of `_VALUES`. Letters match in either case, but
for the capital a proper name begins with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import cache
from hashlib import sha256
from typing import Literal

from ..calendar import MONTHS, any_of_pattern
from . import lexicon
from .lexicon import (
    CHILDREN,
    INSTRUMENTS_AND_GAMES,
    JOBS,
    JOBS_DE,
    JOBS_ES,
    LANGUAGES,
    LANGUAGES_DE,
    LANGUAGES_ES,
    OTHERS,
    PARENTS,
    PETS,
    PLANNED,
    PLANNING,
    SIBLINGS,
    SPORTS,
    SPOUSES,
    WORKPLACES,
    words,
)

Time = Literal["none", "state", "change", "past", "plan"]
"""What words of time after the value mean: how long it has been so, when it became so, how long it was so, or when it
is to be."""
Shape = Literal["name", "place", "org", "phrase", "taste", "fixed", "birthday", "day", "number", "plan", "thing"]
"""What a value must look like, beyond its pattern; see `value_checks`."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row. ``says`` is the sentence in English; ``{s}`` the speaker, ``{v}`` the value, ``{r}`` a relative."""

    attribute: str
    words: str
    says: str
    shape: Shape
    time: Time = "none"
    negated: bool = False
    language: str = "en"
    anywhere: bool = False
    """It may stand within a sentence, not only where a claim begins."""
    value: str = "{v}"
    """What the value becomes; ``{kind}`` is the group of that name."""
    splits: bool = False
    """The value may be a list: "French and German"."""
    cues: str = ""
    """Words, one of which is in every text that the row matches; ``0`` stands for any digit. A text without any of them is
    not compared with the row at all."""

    @property
    def regex(self) -> re.Pattern[str]:
        """It compiled, once for each pattern."""
        return compiled(self.words)


_ADVERBS = (
    "really|actually|currently|now|also|just|still|already|always|absolutely|totally|honestly|originally|kinda|finally|both"
    "|only|all|recently|officially|definitely|truly|absolutely|so|quite|again|mostly|mainly|temporarily|genuinely|secretly"
)
_UPPER = r"(?-i:[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶŁŃŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ])"
_PROPER = rf"{_UPPER}[\w&+-]*(?:[’'](?!s\b)\w+)?"
_LINKED = rf"{_PROPER}(?: (?:(?:de|del|de la|la|of|of the|am|an der|upon|sur|do|da|di|y|&|on) )?{_PROPER})*"
_NAME = rf"{_UPPER}[^\W\d_]+(?:[-’']{_UPPER}[^\W\d_]+)?"


def _any(*lists: str) -> str:
    return any_of_pattern(re.escape(word).replace("\\ ", " ") for text in lists for word in words(text))


_FRAGMENTS: Mapping[str, str] = {
    "i": "(?:i|we)",
    "im": "(?:i['’]?m|i am|we['’]re|we are)",
    "ive": "(?:i['’]?ve|i have|we['’]ve|we have)",
    "ill": "(?:i['’]ll|i will|we['’]ll|we will)",
    "adv": rf"(?:(?:{_ADVERBS}) )*",
    "my": "(?:my|our)",
    "named": "(?:['’]s name(?: is|['’]s)|(?: is|['’]s)? (?:called|named))",
    "dont": "(?:don['’]?t|do not)",
    "anymore": "(?: any ?more| any longer| now)",
    "a": "(?:an?|the|my|our)",
    "age": r"(?:older|elder|eldest|oldest|younger|youngest|little|big|baby|twin|middle|only|half|step|late|dear|lovely)",
    "spouse": _any(SPOUSES),
    "child": _any(CHILDREN),
    "sibling": _any(SIBLINGS),
    "parent": _any(PARENTS),
    "relative": _any(SPOUSES, CHILDREN, SIBLINGS, PARENTS, OTHERS),
    "pet": _any(PETS),
    "count": "(?:two|three|four|five|six|seven|eight|nine|ten|twelve|several|many)",
    "then": r"(?=\s*(?:$|[^\w\s'’-]|(?:and|but|so|in|at|for|by|with|here|now|from|working|since|on|btw|lol|too|because|these|myself|near)\b))",
    "end": r"(?=\s*(?:$|[,.;:!…()–—\n]|[^\w\s'’\0-]|(?:and|but|so|btw|by the way|now|lol|haha|tbh|again|since|too|though|here|with)\b))",
}
_DAY_MONTH = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)? {any_of_pattern(MONTHS)}\b(?:,? (?:de )?\d{{4}})?"
    rf"|{any_of_pattern(MONTHS)} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}"
)
_VALUES: Mapping[str, str] = {
    "place": rf"{_LINKED}|[^\W\d_]+(?:-[^\W\d_]+)*",
    "org": rf"{_LINKED}|(?:(?:an?|the) )?(?:[^\W\d_]+ )?{_any(WORKPLACES)}|[^\W\d_]+",
    "job": rf"(?:[^\W\d_]+(?:-[^\W\d_]+)* ){{0,3}}?{_any(JOBS)}",
    "name": _NAME,
    "fullname": rf"{_NAME}(?: {_NAME})?",
    "phrase": r"[^\W_][^,.;:!?…()–—\n\0]*",
    "until_end": r"[^\W_][^.;:!?…()–—\n\0]*",
    "language": _any(LANGUAGES),
    "languages": rf"{_any(LANGUAGES)}(?:(?:, | and |, and | & ){_any(LANGUAGES)})*",
    "sprache": _any(LANGUAGES_DE),
    "idioma": _any(LANGUAGES_ES),
    "beruf": _any(JOBS_DE),
    "oficio": _any(JOBS_ES),
    "played": _any(INSTRUMENTS_AND_GAMES),
    "sport": _any(SPORTS),
    "pet": _any(PETS),
    "born": _DAY_MONTH,
    "number": r"\d{1,3}",
    "phone": r"\+?\(?\d[\d ()/.-]{5,}\d",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "to_do": rf"{_any(PLANNED)}(?: [^,.;:!?…()–—\n\0]*)?",
    "doing": rf"{_any(PLANNING)}(?: [^,.;:!?…()–—\n\0]*)?",
}


def spelled_out(text: str) -> str:
    """Such a text with its fragments and values as regular expressions; a space still stands for white space."""
    for name, fragment in _FRAGMENTS.items():
        text = text.replace(f"<{name}>", fragment)
    for name, value in _VALUES.items():
        text = text.replace(f"<={name}>", f"(?P<value>{value})").replace(f"<{name}>", f"(?:{value})")
    return text


@cache
def compiled(text: str) -> re.Pattern[str]:
    """The regular expression that such a text stands for."""
    whole = spelled_out(text).replace("(? ", r"(?\s").replace(" ", r"\s+")
    return re.compile(whole + r"(?![^\W_])", re.IGNORECASE)


def _p(
    attribute: str,
    cues: str,
    text: str,
    says: str,
    shape: Shape = "phrase",
    time: Time = "none",
    *,
    no: bool = False,
    anywhere: bool = False,
    value: str = "{v}",
    splits: bool = False,
) -> Pattern:
    return Pattern(attribute, text, says, shape, time, no, "en", anywhere, value, splits, cues)


_HOME, _NO_HOME = "{s} lives in {v}.", "{s} does not live in {v} any more."
_WORK, _NO_WORK = "{s} works at {v}.", "{s} does not work at {v} any more."
_DIETS = r"(?P<value>vegetarian|vegan|pescatarian|gluten-free|gluten free|halal|kosher|keto|plant-based)"
_STATUS = r"(?P<value>married|divorced|widowed|engaged|separated|single)"
_LOVE = r"(?:love|adore|like|enjoy|prefer)"

ENGLISH: tuple[Pattern, ...] = (
    _p("home", "live reside", "<i> <adv>(?:live|reside) in <=place>", _HOME, "place", "state"),
    _p("home", "living based settled", "<im> <adv>(?:living|based|settled) in <=place>", _HOME, "place", "state"),
    _p("home", "living based", "(?:<ive> been )?(?:living|based) in <=place>", _HOME, "place", "state"),
    _p("home", "living lived", "<ive> <adv>(?:been living|lived) in <=place>(?= (?:since|for|all|now)\\b)", _HOME, "place", "state"),
    _p("home", "moved relocated", "(?:<i> |<ive> )?<adv>(?:moved|relocated)(?: back| over| up| down)? to <=place>", _HOME, "place", "change"),
    _p("home", "home", "<my> home is in <=place>", _HOME, "place", "state"),
    _p("home", "address", r"<my> (?:new )?address is (?P<value>\d+[^.;:!?…()\n\0]*|[^\d.;:!?…()\n\0]+ \d+[^.;:!?…()\n\0]*)", _HOME, "fixed"),
    _p("home", "live longer", "<i> <adv>(?:<dont> live|no longer live) in <=place><anymore>", _NO_HOME, "place", no=True),
    _p("home", "live", "<i> (?:no longer|<dont>) <adv>live in <=place>", _NO_HOME, "place", no=True),
    _p("home", "living", "<im> (?:no longer|not) <adv>living in <=place>", _NO_HOME, "place", no=True),
    _p("home", "moved", "(?:<i> |<ive> )?<adv>moved (?:out of|away from) <=place>", _NO_HOME, "place", no=True),
    _p("home", "used", "<i> <adv>used to live in <=place>", "{s} used to live in {v}.", "place", "past"),
    _p("home", "lived", "<i> <adv>lived in <=place>(?= (?:until|till|from|between)\\b)", "{s} used to live in {v}.", "place", "past"),
    _p("origin", "from", "<im> <adv>from <=place>", "{s} comes from {v}.", "place"),
    _p("origin", "come", "<i> <adv>come from <=place>", "{s} comes from {v}.", "place"),
    _p("origin", "town village island suburb city", "<i> <adv>(?:come|am) from (?:a|the) (?P<value>(?:small |little |tiny )?(?:town|village|island|suburb|city)"
       r" (?:near|outside|in|of|north of|south of|east of|west of) <place>)", "{s} comes from a {v}.", "fixed"),
    _p("origin", "grew", "<i> <adv>grew up in <=place>", "{s} grew up in {v}.", "place"),
    _p("origin", "born", "<i> was <adv>born(?: and raised| and bred)? in <=place>", "{s} was born in {v}.", "place"),
    _p("employer", "work", "<i> <adv>work (?:at|for) <=org>", _WORK, "org", "state"),
    _p("employer", "working employed", "<im> <adv>(?:working|employed) (?:at|for|by) <=org>", _WORK, "org", "state"),
    _p("employer", "working worked", "<ive> <adv>(?:been working|worked) (?:at|for) <=org>(?= (?:since|for|now)\\b)", _WORK, "org", "state"),
    _p("employer", "started", "<i> <adv>started(?: working| my new job| a new job)? (?:at|for) <=org>", _WORK, "org", "change"),
    _p("employer", "job position role", "(?:<i> |<ive> )?<adv>(?:got|accepted|landed) (?:a|the|my) (?:new )?(?:job|position|role) (?:at|with) <=org>",
       _WORK, "org", "change"),
    _p("employer", "joined", "<i> <adv>joined <=org> as\\b", _WORK, "org"),
    _p("employer", "employer", "<my> (?:new )?employer is <=org>", _WORK, "org"),
    _p("employer", "quit", "(?:<i> |<ive> )?<adv>quit my job (?:at|with) <=org>", _NO_WORK, "org", no=True),
    _p("employer", "resigned fired laid", "(?:<i> |<ive> )?<adv>(?:resigned from|got fired from|got laid off from|was laid off from|was fired from)"
       " <=org>", _NO_WORK, "org", no=True),
    _p("employer", "left", "(?:<i> |<ive> )?<adv>left my (?:old )?(?:job|post|position) (?:at|with) <=org>", _NO_WORK, "org", no=True),
    _p("employer", "work", "<i> <adv><dont> work (?:at|for) <=org><anymore>", _NO_WORK, "org", no=True),
    _p("employer", "longer", "<i> no longer work (?:at|for) <=org>", _NO_WORK, "org", no=True),
    _p("employer", "longer", "<im> no longer (?:working )?(?:at|for|with) <=org>", _NO_WORK, "org", no=True),
    _p("employer", "used", "<i> <adv>used to work (?:at|for) <=org>", "{s} used to work at {v}.", "org", "past"),
    _p("employer", "worked", "<i> <adv>worked (?:at|for) <=org>(?= (?:until|till|from|between)\\b)", "{s} used to work at {v}.", "org", "past"),
    _p("occupation", JOBS, "<im> <adv>an? <=job><then>", "{s} is a {v}.", "fixed", "state"),
    _p("occupation", "work", "<i> <adv>work as an? <=job><then>", "{s} works as a {v}.", "fixed", "state"),
    _p("occupation", "working employed", "<im> <adv>(?:working|employed) as an? <=job>", "{s} works as a {v}.", "fixed", "state"),
    _p("occupation", JOBS, r"<ive> <adv>been (?:working as )?an? <=job>(?= (?:since|for|now)\b)", "{s} is a {v}.", "fixed", "state"),
    _p("occupation", "became", "<i> <adv>became an? <=job>", "{s} is a {v}.", "fixed", "change"),
    _p("occupation", "job profession occupation", "<my> (?:job|profession|occupation) is (?:an? |being an? )?<=job>", "{s} is a {v}.", "fixed"),
    _p("occupation", "longer not", "<im> (?:no longer|not) an? <=job><anymore>", "{s} is no longer a {v}.", "fixed", no=True),
    _p("occupation", "longer", "<im> no longer an? <=job>", "{s} is no longer a {v}.", "fixed", no=True),
    _p("occupation", "used", "<i> <adv>used to (?:be|work as) an? <=job>", "{s} used to be a {v}.", "fixed", "past"),
    _p("study", "studying majoring reading", "<im> <adv>(?:studying|majoring in|reading for) <=phrase>", "{s} studies {v}.", "taste", "state"),
    _p("study", "study major", "<i> <adv>(?:study|major in) <=phrase>", "{s} studies {v}.", "taste", "state"),
    _p("study", "study studying", "<i> <adv>started (?:studying|to study) <=phrase>", "{s} studies {v}.", "taste", "change"),
    _p("study", "phd doctorate masters ba bsc msc mba bachelors", r"<im> <adv>(?:doing|writing|starting) (?:a|my) (?P<value>(?:phd|doctorate|master['’]?s(?: degree)?|ba|bsc|msc|mba|bachelor['’]?s)"
       " in <phrase>)", "{s} does a {v}.", "thing", "state"),
    _p("study", "student", "<im> <adv>a student at (?:the )?<=place>", "{s} is a student at {v}.", "place", "state"),
    _p("study", "studied", "<i> <adv>studied <=phrase>(?= (?:until|till|from)\\b)", "{s} studied {v}.", "taste", "past"),
    _p("study", "dropped", "(?:<i> |<ive> )?<adv>dropped out of (?P<value>(?:law|med|medical|business|art|nursing|grad|graduate) school|<place>)",
       "{s} dropped out of {v}.", "fixed", no=True),
    _p("name", "name", "my (?:full |first |real )?name(?: is|['’]s) <=fullname>", "{s} is called {v}.", "name"),
    _p("name", "called", "i['’]?m called <=fullname>", "{s} is called {v}.", "name"),
    _p("name", "call calls", "(?:everyone|everybody|people|my friends|friends) calls? me <=name>", "{s} is called {v}.", "name", anywhere=True),
    _p("name", "call", r"(?:just |please |you can )?call me <=name>(?=\s*(?:$|[,.!;]|[^\w\s]))", "{s} is called {v}.", "name"),
    _p("age", "old yo o yrs", r"<im> <adv><=number>(?: |-)?(?:years?[ -]old|yo|y/o|yrs old)", "{s} is {v} years old.", "number"),
    _p("age", "0", r"(?:i['’]?m|i am) <adv><=number>(?=\s*(?:$|[,!;.](?!\d)|(?:and|but|so)\b))", "{s} is {v} years old.", "number"),
    _p("age", "turned", r"i <adv>turned <=number>(?=\s*(?:$|[,!;.](?!\d)|(?:today|yesterday|last|this|in|on)\b))", "{s} is {v} years old.", "number"),
    _p("birthday", "birthday bday b", "my (?:birthday|bday|b-day)(?: is|['’]s)(?: on)? <=born>", "{s}'s birthday is {raw}.", "birthday"),
    _p("birthday", "born", "i was born on <=born>", "{s} was born on {raw}.", "birthday"),
    _p("birthday", "birthday", r"(?:it['’]?s|it is|today is|today['’]s) my (?:\d+\w\w )?birthday(?: (?P<value>today|tomorrow))?(?! (?:soon|party|week|month|next|in|on))",
       "{s}'s birthday is {raw}.", "day"),
    _p("birthday", "tomorrow today yesterday", "my birthday(?: is|['’]s|was) (?P<value>tomorrow|today|yesterday)", "{s}'s birthday is {raw}.", "day"),
    _p("partner", SPOUSES, r"<my> (?:<age> )?(?-i:<spouse>),? <=name>", "{s}'s partner is {v}.", "name", anywhere=True),
    _p("partner", SPOUSES, "<my> <spouse><named> <=name>", "{s}'s partner is {v}.", "name", anywhere=True),
    _p("partner", "dating married engaged", "<im> <adv>(?:dating|married to|engaged to) <=name>", "{s}'s partner is {v}.", "name", "state"),
    _p("marital_status", "married divorced widowed engaged separated single", rf"<im> <adv>{_STATUS}(?! (?:to|in|with the|hand|thread))<end>", "{s} is {v}.", "fixed", "state"),
    _p("marital_status", "married divorced engaged separated", r"(?:<i> |<ive> )?<adv>got (?P<value>married|divorced|engaged|separated)(?! (?:to my|couples?))", "{s} is {v}.", "fixed", "change"),
    _p("marital_status", "married divorced widowed engaged separated single", rf"<im> (?:not|no longer) {_STATUS}<end>", "{s} is not {v}.", "fixed", no=True),
    _p("child", "daughter son", r"<my> (?:<age> )?(?-i:<child>),? <=name>", "{s} has a child called {v}.", "name", anywhere=True),
    _p("child", "daughter son", "<my> (?:<age> )?<child><named> <=name>", "{s} has a child called {v}.", "name", anywhere=True),
    _p("child", "daughter son", "(?:<i> have|<ive> got|<ive>) (?:<adv>)an? (?:<age> )?<child> (?:named|called) <=name>", "{s} has a child called {v}.", "name"),
    _p("child", "kids children sons daughters", "(?:<i> have|<ive> got|<ive>) (?P<value>(?:<count> )(?:kids|children|sons|daughters))<end>", "{s} has {v}.", "fixed"),
    _p("child", "daughter son", "(?:<i> have|<ive> got|<ive>) an? (?P<value>(?:little |baby |grown-up )?(?:daughter|son))<end>", "{s} has a {v}.", "fixed"),
    _p("child", "daughter son", r"<my> (?P<value><child>) (?:is|turned|just turned) (?P<rest>(?:\d{1,2}|<count>)(?: years? old)?)<end>",
       "{s}'s {v}.", "fixed", value="{v} {rest}"),
    _p("sibling", "brother sister", r"<my> (?:<age> )?(?-i:<sibling>),? <=name>", "{s} has a sibling called {v}.", "name", anywhere=True),
    _p("sibling", "brother sister", "<my> (?:<age> )?(?:twin )?<sibling><named> <=name>", "{s} has a sibling called {v}.", "name", anywhere=True),
    _p("sibling", "brother brothers sister sisters", "(?:<i> have|<ive> got|<ive>) (?:an? )?(?P<value>(?:(?:<count>|<age>) )*(?:brothers?|sisters?))<end>", "{s} has {v}.", "fixed"),
    _p("parent", PARENTS, r"<my> (?-i:<parent>),? <=name>", "{s}'s parent is called {v}.", "name", anywhere=True),
    _p("parent", PARENTS, "<my> <parent><named> <=name>", "{s}'s parent is called {v}.", "name", anywhere=True),
    _p("home", "live lives", "<my> (?P<who>(?:<age> )?<relative>) <adv>lives? in <=place>", "{s}'s {r} lives in {v}.", "place", "state"),
    _p("home", "moved", "<my> (?P<who>(?:<age> )?<relative>) <adv>moved to <=place>", "{s}'s {r} lives in {v}.", "place", "change"),
    _p("pet", "named called", r"(?:<i> have|<ive> got|<ive>|<i> own) an? (?P<kind>(?:<age> )?<pet>) (?:named|called) <=name>", "{s} has a {v}.", "name", value="{kind} {v}"),
    _p("pet", PETS, r"<my> (?:<age> )?(?P<kind>(?-i:<pet>)),? <=name>", "{s} has a {v}.", "name", anywhere=True, value="{kind} {v}"),
    _p("pet", PETS, "<my> (?P<kind><pet>)<named> <=name>", "{s} has a {v}.", "name", value="{kind} {v}"),
    _p("pet", PETS, r"(?:<i> have|<ive> got|<ive>) (?:an? )?(?P<value>(?:<count> )?<pet>)(?=\s*(?:$|[,.;!…]|[^\w\s'’\0]|(?:in the garden|at home|and|now|too|but|since)\b))",
       "{s} has {v}.", "fixed", "state"),
    _p("pet", PETS, r"(?:<i> |<ive> )?<adv>(?:adopted|got) (?:an? )?(?:new )?(?P<value>(?:<count> )?<pet>)(?! (?:food|tree|toy|bed|photo))", "{s} has {v}.", "fixed", "change"),
    _p("diet", "vegetarian vegan pescatarian gluten halal kosher keto plant", rf"<im> <adv>(?:an? )?{_DIETS}", "{s} is {v}.", "fixed", "state"),
    _p("diet", "vegetarian vegan pescatarian gluten halal kosher keto plant", rf"<ive> <adv>been (?:an? )?{_DIETS}(?= (?:since|for)\b)", "{s} is {v}.", "fixed", "state"),
    _p("diet", "vegetarian vegan pescatarian gluten halal kosher keto plant", rf"(?:<i> |<ive> )<adv>(?:became|went|turned|gone) (?:an? )?{_DIETS}", "{s} is {v}.", "fixed", "change"),
    _p("diet", "vegetarian vegan pescatarian gluten halal kosher keto plant", rf"<im> (?:no longer|not) (?:an? )?{_DIETS}<anymore>?", "{s} is not {v}.", "fixed", no=True),
    _p("diet", "eat", rf"<i> <adv>eat {_DIETS}", "{s} eats {v}.", "fixed"),
    _p("diet", "eat", "<i> <dont> eat (?P<value>(?:any )?(?:red meat|meat|pork|beef|fish|dairy|gluten|eggs|sugar|seafood|shellfish|chicken))<end>",
       "{s} does not eat {v}.", "fixed", value="no {v}"),
    _p("allergy", "allergic", "<im> <adv>allergic to <=phrase>", "{s} is allergic to {v}.", "taste"),
    _p("allergy", "allergy", r"(?:<i> have|<ive> got|<ive>) an? (?:severe |bad |serious |mild )?(?P<value>[^\W\d_]+) allergy", "{s} has a {v} allergy.", "fixed"),
    _p("allergy", "intolerant", r"<im> <adv>(?P<value>lactose|gluten|fructose)[ -]intolerant", "{s} is {v} intolerant.", "fixed"),
    _p("allergy", "allergic", "<im> (?:not|no longer) <adv>allergic to <=phrase>", "{s} is not allergic to {v}.", "taste", no=True),
    _p("likes", "love adore like enjoy prefer", rf"<i> <adv>{_LOVE} <=phrase>", "{s} likes {v}.", "taste"),
    _p("likes", "fan sucker", "<im> <adv>a (?:big |huge |massive |great |total )?(?:fan of|sucker for) <=phrase>", "{s} likes {v}.", "taste"),
    _p("likes", "into crazy mad fond obsessed keen", "<im> <adv>(?:into|crazy about|mad about|fond of|obsessed with|keen on) <=phrase>", "{s} likes {v}.", "taste"),
    _p("likes", "do dont longer", rf"<i> (?:<dont>|no longer) <adv>{_LOVE} <=phrase>(?<=more|nger)", "{s} no longer likes {v}.", "taste", no=True),
    _p("dislikes", "hate dislike detest loathe despise cant cannot", "<i> <adv>(?:hate|dislike|detest|loathe|despise|can['’]?t stand|cannot stand) <=phrase>", "{s} dislikes {v}.", "taste"),
    _p("dislikes", "do dont", r"<i> <dont> <adv>(?:like|enjoy) <=phrase>(?<!more)(?<!nger)", "{s} does not like {v}.", "taste"),
    _p("dislikes", "not", "<im> not <adv>(?:a (?:big |huge )?fan of|into|keen on|fond of) <=phrase>", "{s} does not like {v}.", "taste"),
    _p("favourite", "favorite favourite", r"<my> (?:all-time )?favou?rite (?P<kind>[^\W_][^,.;:!?\n\0]{0,40}?)(?: is|['’]s| are) <=phrase>", "{s}'s favourite {k} is {raw}.", "taste", value="{kind}: {v}"),
    _p("favourite", "favorite favourite", r"(?P<value>[^\W\d_]+(?: [^\W\d_]+)?) (?:is|are) (?:definitely |still )?my (?:all-time )?favou?rite (?P<kind>[^\W\d_]+(?: [^\W\d_]+)?)<end>",
       "{s}'s favourite {k} is {raw}.", "taste", value="{kind}: {v}"),
    _p("favourite", "used", r"<my> favou?rite (?P<kind>[^\W_][^,.;:!?\n\0]{0,40}?) used to be <=phrase>", "{s}'s favourite {k} used to be {raw}.", "taste", "past", value="{kind}: {v}"),
    _p("plan", "going gonna planning hoping about determined", "<im> <adv>(?:going to|gonna|planning to|hoping to|about to|determined to) <=to_do>", "{s} plans to {v}.", "plan", "plan"),
    _p("plan", "plan intend", "<i> <adv>(?:plan to|intend to) <=to_do>", "{s} plans to {v}.", "plan", "plan"),
    _p("plan", "decided mind", "(?:<i> |<ive> )<adv>(?:decided|made up my mind) to <=to_do>", "{s} plans to {v}.", "plan", "plan"),
    _p("plan", "planning", "<im> <adv>planning (?:an? |our |my )?(?P<value>(?:trip|holiday|vacation|wedding|move|journey|tour|party|weekend) (?:to|in|for|at|around|with) <phrase>)",
       "{s} plans a {v}.", "plan", "plan"),
    _p("plan", PLANNING, "<im> <adv>(?!going to (?-i:[a-z]))<=doing>", "{s} is {v}.", "plan", "plan"),
    _p("plan", "well will ill", "<ill> <adv>(?P<value>(?:be in|go to|fly to|visit|move to|start|come to) <until_end>)", "{s} will {v}.", "plan", "plan"),
    _p("possession", "bought", "(?:<i> |<ive> )?<adv>bought (?:an?|my|our) (?:own )?<=phrase>", "{s} bought {v}.", "thing", "change"),
    _p("possession", "phone laptop car bike bicycle camera guitar tv computer tablet sofa watch motorbike flat apartment house", "<i> <adv>got (?:a|my) (?P<value>new (?:phone|laptop|car|bike|bicycle|camera|guitar|tv|computer|tablet|sofa|watch|motorbike|flat|apartment|house))",
       "{s} has a {v}.", "thing", "change"),
    _p("possession", "own", "<i> <adv>own an? <=phrase>", "{s} owns {v}.", "thing", "state"),
    _p("possession", "piano guitar violin boat motorbike bike motorcycle bicycle camper van campervan car caravan garden greenhouse house sewing allotment telescope kayak cottage cabin flat apartment", r"(?:<i> have|<ive> got) an? (?P<value>(?:[^\W\d_]+ )?(?:piano|guitar|violin|boat|motorbike|motorcycle|bike|bicycle|camper van|campervan|"
       "van|caravan|car|garden|greenhouse|sewing machine|allotment|telescope|kayak|house|cottage|cabin|flat|apartment))<end>", "{s} has a {v}.", "thing"),
    _p("possession", "sold", "(?:<i> |<ive> )?<adv>sold (?:my|our) (?:old )?<=phrase>", "{s} sold {v}.", "thing", no=True),
    _p("car", "drive", rf"<i> <adv>drive an? (?P<value>(?:old |new |red |blue |black |white |silver |electric )?{_LINKED})", "{s} drives a {v}.", "fixed"),
    _p("car", "car", rf"<my> (?:new )?car is an? (?P<value>(?:old |new |red |blue |black |white |silver |electric )?{_LINKED})", "{s} drives a {v}.", "fixed"),
    _p("language", "speak", "<i> <adv>speak (?:fluent |some |a little |a bit of |good |basic )?<=languages>", "{s} speaks {v}.", "fixed", splits=True),
    _p("language", LANGUAGES, "(?:<im>|<ive>) <adv>(?:been )?(?:learning|studying) <=languages>", "{s} learns {v}.", "fixed", "state", splits=True),
    _p("language", "speak", "<i> <dont> <adv>speak (?:any )?<=language>", "{s} does not speak {v}.", "fixed", no=True),
    _p("language", "native mother first", "<my> (?:native language|mother tongue|first language) is <=language>", "{s} speaks {v}.", "fixed"),
    _p("hobby", "play", "<i> <adv>play (?:the )?<=played>(?! (?:with|for|tomorrow|tonight|today|later|next|this|at|that|along|out)\\b)", "{s} plays {v}.", "fixed", "state"),
    _p("hobby", "hobby pastime", "<my> (?:favou?rite )?(?:hobby|pastime) is <=phrase>", "{s}'s hobby is {v}.", "taste"),
    _p("hobby", "time hobby", r"<i> <adv>do (?P<value>[^\W\d_]+) (?:in my (?:spare|free) time|as a hobby)", "{s} does {v}.", "taste"),
    _p("hobby", "go", r"<i> <adv>go <=sport>(?= (?:every|each|on|twice|once|a lot|most|regularly)\b)", "{s} goes {v}.", "fixed"),
    _p("hobby", "collect", r"<i> <adv>collect (?P<value>(?:[^\W\d_]+ )?(?:stamps|coins|records|vinyl|books|comics|postcards|antiques|mugs|magnets|minerals|fossils|shells|maps|stickers|cards|watches|toys|figurines))",
       "{s} collects {v}.", "fixed"),
    _p("hobby", "taken into", "<ive> <adv>(?:taken up|got into) <=phrase>", "{s} has taken up {v}.", "taste", "change"),
    _p("phone", "number", "<my> (?:new )?(?:phone |mobile |cell |cell phone |telephone )?number(?: is|['’]s) <=phone>", "{s}'s number is {v}.", "fixed"),
    _p("email", "mail email", "<my> (?:new )?(?:e-?mail|mail)(?: address)?(?: is|['’]s) <=email>", "{s}'s e-mail address is {v}.", "fixed"),
)  # fmt: skip


def _l(
    language: str,
    attribute: str,
    cues: str,
    text: str,
    shape: Shape = "fixed",
    time: Time = "none",
    *,
    no: bool = False,
    value: str = "{v}",
) -> Pattern:
    return Pattern(attribute, text, "", shape, time, no, language, value=value, cues=cues)


_DIET_DE = r"(?P<value>vegetarier(?:in)?|veganer(?:in)?|vegan|vegetarisch)"
GERMAN: tuple[Pattern, ...] = (
    _l("de", "home", "wohne lebe wohnen leben", "(?:ich (?:wohne|lebe)|wir (?:wohnen|leben)) (?:jetzt |noch |aktuell |gerade |immer noch |nun |wieder )*in <=place>", "place", "state"),
    _l("de", "home", "seit", "(?:ich (?:wohne|lebe)|wir (?:wohnen|leben)) (?P<when>seit [^,.;!?]+?) in <=place>", "place", "state"),
    _l("de", "home", "wohne lebe wohnen leben", "(?:ich (?:wohne|lebe)|wir (?:wohnen|leben)) nicht mehr in <=place>", "place", no=True),
    _l("de", "home", "gezogen umgezogen", "(?:ich bin|wir sind) (?:(?P<when>(?:letzte[nrs]?|diese[nrs]?|gestern|vor|im|am) ?[^,.;!?]*?) )?nach <=place> (?:gezogen|umgezogen)", "place", "change"),
    _l("de", "origin", "komme", "ich komme (?:eigentlich |ursprünglich )?aus <=place>", "place"),
    _l("de", "origin", "aufgewachsen geboren", "ich bin in <=place> (?:aufgewachsen|geboren)", "place"),
    _l("de", "employer", "arbeite", "ich arbeite (?:jetzt |aktuell |gerade )*(?:bei|für) (?:der |dem )?<=org>", "org", "state"),
    _l("de", "employer", "arbeite", "ich arbeite nicht mehr (?:bei|für) (?:der |dem )?<=org>", "org", no=True),
    _l("de", "occupation", "als", "ich arbeite (?:jetzt |aktuell )*als <=beruf>"),
    _l("de", "occupation", JOBS_DE, "ich bin (?:jetzt |selbst |von Beruf )?<=beruf>(?! (?:von|für den))"),
    _l("de", "study", "studier studiere", r"(?:ich studiere|ich studier) (?P<value>(?-i:[A-ZÄÖÜ])[^\W\d_]+)", "fixed"),
    _l("de", "name", "heiße", "ich heiße <=fullname>", "name"),
    _l("de", "name", "name", "mein name ist <=fullname>", "name"),
    _l("de", "age", "jahre", "ich bin <=number> jahre alt", "number"),
    _l("de", "birthday", "geburtstag", "ich habe am <=born> geburtstag", "birthday"),
    _l("de", "birthday", "geburtstag", "mein geburtstag ist (?:am )?<=born>", "birthday"),
    _l("de", "birthday", "geboren", "ich bin am <=born> geboren", "birthday"),
    _l("de", "partner", "frau mann freund freundin partner partnerin", "mein(?:e)? (?:frau|mann|freundin|freund|partner|partnerin) (?:heißt )?<=name>", "name"),
    _l("de", "marital_status", "verheiratet geschieden verlobt verwitwet", "ich bin (?:nicht mehr )?(?P<value>verheiratet|geschieden|verlobt|verwitwet)(?! mit meine)"),
    _l("de", "child", "tochter sohn", "meine? (?:jüngste[r]? |älteste[r]? |kleine[r]? )?(?:tochter|sohn) (?:heißt )?<=name>", "name"),
    _l("de", "sibling", "bruder schwester", "meine? (?:kleine[r]? |große[r]? |ältere[r]? |jüngere[r]? )?(?:bruder|schwester) (?:heißt )?<=name>", "name"),
    _l("de", "parent", "mutter vater mama papa", "meine? (?:mutter|vater|mama|papa) (?:heißt )?<=name>", "name"),
    _l("de", "pet", "hund katze hunde katzen hasen kaninchen papagei pferd hamster wellensittich", r"(?:ich habe|wir haben) (?:einen|eine|ein|zwei|drei) (?P<value>Hund|Katze|Hunde|Katzen|Hasen|Kaninchen|Papagei|Pferd|Hamster|Wellensittich)(?=\s*(?:$|[,.!]))"),
    _l("de", "pet", "hund katze kater pferd hase papagei hamster", "(?:meine?|unsere?) (?P<kind>Hund|Katze|Kater|Pferd|Hase|Papagei|Hamster) (?:heißt )?<=name>", "name", value="{kind} {v}"),
    _l("de", "diet", "vegetarier vegetarierin veganer veganerin vegan vegetarisch", rf"ich (?:bin|lebe) (?:jetzt |auch )?{_DIET_DE}"),
    _l("de", "diet", "vegetarier vegetarierin veganer veganerin vegan vegetarisch", rf"ich (?:bin|lebe) (?:nicht mehr|kein[e]?) {_DIET_DE}", no=True),
    _l("de", "allergy", "allergisch", "ich bin (?:stark )?allergisch (?:gegen|auf) <=phrase>", "taste"),
    _l("de", "likes", "liebe mag", r"ich (?:liebe|mag) (?:gerne? )?(?P<value>(?-i:[A-ZÄÖÜ])[^\W\d_]+(?: (?:und|aus|mit|im|am) (?-i:[A-ZÄÖÜ])[^\W\d_]+)?)(?=\s*(?:$|[,.!;]|[^\w\s]))"),
    _l("de", "dislikes", "mag hasse", r"(?:ich mag keine?n? |ich hasse )(?P<value>(?-i:[A-ZÄÖÜ])[^\W\d_]+)(?=\s*(?:$|[,.!;]|[^\w\s]))"),
    _l("de", "favourite", "ist sind", r"meine? lieblings(?P<kind>[^\W\d_]+) (?:ist|sind) (?:die |der |das )?(?P<value>[^\W_][^,.;:!?\n\0]*)", "taste", value="{kind}: {v}"),
    _l("de", "possession", "gekauft", r"(?:ich habe|wir haben) (?:mir |uns )?(?P<when>gestern|heute|letzte woche|letzten monat|letztes jahr)? ?(?:einen?|ein) (?:neue[sn]? )?(?P<value>(?-i:[A-ZÄÖÜ])[^\W\d_]+) gekauft", "fixed", "change"),
    _l("de", "language", "spreche lerne", "ich (?:spreche|lerne) (?:fließend |etwas |auch |gerade )?<=sprache>"),
    _l("de", "hobby", "spiele", r"ich spiele (?:gerne? )?(?P<value>Klavier|Gitarre|Geige|Schlagzeug|Flöte|Cello|Trompete|Fußball|Tennis|Schach|Handball|Volleyball|Basketball|Tischtennis)"),
    _l("de", "phone", "nummer handynummer telefonnummer", "meine (?:neue )?(?:handy|telefon)?nummer ist <=phone>"),
)  # fmt: skip

SPANISH: tuple[Pattern, ...] = (
    _l("es", "home", "vivo vivimos", "(?:yo )?(?:vivo|vivimos) (?:ahora )?en <=place>", "place", "state"),
    _l("es", "home", "vivo vivimos", "ya no (?:vivo|vivimos) en <=place>", "place", no=True),
    _l("es", "home", "mudé mudamos mudado", "(?:me mudé|nos mudamos|me he mudado) a <=place>", "place", "change"),
    _l("es", "origin", "soy somos vengo", "(?:yo )?(?:soy|somos|vengo) de <=place>", "place"),
    _l("es", "origin", "nací crecí crié", "(?:nací|crecí|me crié) en <=place>", "place"),
    _l("es", "employer", "trabajo", "(?:yo )?trabajo (?:en|para) <=org>", "org", "state"),
    _l("es", "employer", "trabajo", "ya no trabajo (?:en|para) <=org>", "org", no=True),
    _l("es", "occupation", JOBS_ES, "(?:trabajo (?:como|de)|soy) (?:una? )?<=oficio>"),
    _l("es", "study", "derecho medicina biología física química historia filosofía psicología arquitectura economía ingeniería enfermería periodismo informática matemáticas arte música filología", r"estudio (?P<value>derecho|medicina|biología|física|química|historia|filosofía|psicología|arquitectura|economía|ingeniería(?: \w+)?|enfermería|periodismo|informática|matemáticas|arte|música|filología)"),
    _l("es", "name", "llamo nombre", "(?:me llamo|mi nombre es) <=fullname>", "name"),
    _l("es", "age", "años", "tengo <=number> años", "number"),
    _l("es", "birthday", "cumpleaños", "mi cumpleaños es el <=born>", "birthday"),
    _l("es", "birthday", "nací", "nací el <=born>", "birthday"),
    _l("es", "partner", "marido esposo esposa mujer novio novia pareja", "mi (?:marido|esposo|esposa|mujer|novio|novia|pareja) (?:se llama )?<=name>", "name"),
    _l("es", "marital_status", "casado casada divorciado divorciada soltero soltera viudo viuda", "(?:estoy|soy) (?P<value>casad[oa]|divorciad[oa]|solter[oa]|viud[oa])(?! con)"),
    _l("es", "child", "hijo hija", "mi (?:hij[oa]) (?:mayor |menor )?(?:se llama )?<=name>", "name"),
    _l("es", "sibling", "hermano hermana", "mi herman[oa] (?:mayor |menor )?(?:se llama )?<=name>", "name"),
    _l("es", "parent", "madre padre mamá papá", "mi (?:madre|padre|mamá|papá) (?:se llama )?<=name>", "name"),
    _l("es", "pet", "tengo tenemos", r"(?:tengo|tenemos) (?:una?|dos|tres) (?P<value>perr[oa]s?|gat[oa]s?|loros?|tortugas?|conejos?|caballos?)(?=\s*(?:$|[,.!]|que se llama))"),
    _l("es", "diet", "vegetariano vegetariana vegano vegana celíaco celíaca", r"soy (?P<value>vegetarian[oa]|vegan[oa]|celíac[oa])"),
    _l("es", "diet", "vegetariano vegetariana vegano vegana", r"ya no soy (?P<value>vegetarian[oa]|vegan[oa])", no=True),
    _l("es", "allergy", "alérgico alérgica", "soy alérgic[oa] (?:a las|a los|a la|al|a) <=phrase>", "taste"),
    _l("es", "likes", "gusta gustan encanta encantan", "me (?:gustan?|encantan?) (?:mucho )?(?:el|la|los|las) <=phrase>", "taste"),
    _l("es", "dislikes", "gusta gustan", "no me gustan? (?:nada )?(?:el|la|los|las) <=phrase>", "taste"),
    _l("es", "dislikes", "odio", "odio <=phrase>", "taste"),
    _l("es", "favourite", "favorito favorita preferido preferida", r"mi (?P<kind>[^\W\d_]+) (?:favorit[oa]|preferid[oa]) es (?:el |la )?<=phrase>", "taste", value="{kind}: {v}"),
    _l("es", "language", "hablo aprendiendo", "(?:hablo|estoy aprendiendo) (?:un poco de )?<=idioma>"),
    _l("es", "phone", "número teléfono móvil", "mi (?:nuevo )?(?:número|teléfono|móvil) es (?:el )?<=phone>"),
)  # fmt: skip

PATTERNS = (*ENGLISH, *GERMAN, *SPANISH)


def table_hash() -> str:
    """Twelve digits that are others when a row, a fragment or a list of words is another. Cues are left out: they decide
    how many rows are tried, not what is found.
    """
    lists = {name: text for name, text in vars(lexicon).items() if name.isupper()}
    table = repr([[astuple(row)[:-1] for row in PATTERNS], dict(_FRAGMENTS), dict(_VALUES), lists])
    return sha256(table.encode()).hexdigest()[:12]
