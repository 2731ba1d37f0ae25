"""The patterns of English: what people say of themselves."""

from __future__ import annotations

from .pattern import Pattern

_SPOUSE = "(?P<who>husband|wife|hubby|boyfriend|girlfriend|bf|gf|partner|fianc[eé]e?)"
_CHILD = "(?P<who>son|daughter|boy|girl)"
_SIBLING = "(?P<who>brother|sister|twin(?: brother| sister)?)"
_PARENT = "(?P<who>mother|mum|mom|mommy|mummy|father|dad|daddy)"
_KIN = (
    ("partner", _SPOUSE, "husband wife hubby boyfriend girlfriend bf gf partner fiancé fiancée fiance fiancee"),
    ("child", _CHILD, "son daughter boy girl"),
    ("sibling", _SIBLING, "brother sister twin"),
    ("parent", _PARENT, "mother mum mom mommy mummy father dad daddy"),
)
_IS = "{s}'s {r} is called {v}."


def _relatives() -> tuple[Pattern, ...]:
    rows: list[Pattern] = []
    for attribute, who, cues in _KIN:
        rows += [
            Pattern(attribute, cues, f"<my> <nick>{who} <=name>(?! and (?!i\\b))", _IS, anywhere=True),
            Pattern(attribute, cues, f"<my> <nick>{who}<called> <=name>", _IS),
            Pattern(attribute, cues, f"<=name> is <my> <nick>{who}<stop>", _IS),
            Pattern(attribute, cues, f"<ive>(?: got)? an? <nick>{who} (?:called|named) <=name>", _IS),
            Pattern(attribute, cues, f"<i> have an? <nick>{who} (?:called|named) <=name>", _IS),
        ]
    return tuple(rows)


_HOME, _HOME_NO, _HOME_PAST = "{s} lives in {v}.", "{s} no longer lives in {v}.", "{s} used to live in {v}."
_FROM = "{s} comes from {v}."
_JOB, _JOB_NO, _JOB_PAST = "{s} is {a}.", "{s} is no longer {a}.", "{s} used to be {a}."
_WORK, _WORK_NO, _WORK_PAST = "{s} works at {v}.", "{s} no longer works at {v}.", "{s} used to work at {v}."
_PET, _PET_NO = "{s} has {a}.", "{s}'s {v} has died."
_DIET = r"(?P<value>vegetarian|veggie|vegan|pescatarian|coeliac|celiac|gluten[- ]free|keto|teetotal)"
_AVOIDED = r"(?P<value>meat|red meat|pork|beef|fish|seafood|shellfish|dairy|gluten|eggs)"
_OWN = "(?:<i> <adv>have|<ive> <adv>got|<ive>)"

ENGLISH: tuple[Pattern, ...] = (
    Pattern("home", "live", "<i> <adv>live in <=place>", _HOME, time="state"),
    Pattern(
        "home",
        "lived living",
        "(?:<ive> )?<adv>(?:lived|been living) in <=place>(?=,? (?:since|for)\\b)",
        _HOME,
        time="state",
    ),
    Pattern("home", "living", "(?:<were> )?<adv>living in <=place>", _HOME, time="state"),
    Pattern("home", "based", "(?:<were> )?<adv>based in <=place>", _HOME, time="state"),
    Pattern(
        "home",
        "moved relocated",
        "(?:(?:<i>|<ive>) )?<adv>(?:moved|relocated) (?:back |over |out |up |down )?to <=place>",
        _HOME,
        time="change",
    ),
    Pattern("home", "settled", "(?:<i>|<ive>) <adv>settled in <=place>", _HOME, time="change"),
    Pattern("home", "live", "<i> no longer live in <=place>", _HOME_NO, negated=True),
    Pattern("home", "live", "<i> <dont> live in <=place><more>", _HOME_NO, negated=True),
    Pattern(
        "home", "moved relocated", "(?:<i>|<ive>) <adv>moved (?:out of|away from) <=place>", _HOME_NO, negated=True
    ),
    Pattern("home", "live lived", "<i> (?:used to live|lived) in <=place>", _HOME_PAST, time="past"),
    Pattern("origin", "from", "<im> <adv>from <=place><stop>", _FROM),
    Pattern("origin", "come", "<i> <adv>come from <=place><stop>", _FROM),
    Pattern(
        "origin",
        "born",
        "<i> was born (?:and (?:raised|bred|brought up) )?in (?!the usa)<=place>",
        "{s} was born in {v}.",
    ),
    Pattern("origin", "grew", "<i> <adv>grew up in <=place>", "{s} grew up in {v}."),
    Pattern("origin", "m am im", "<im> <adv>(?:half )?<=nationality>", "{s} is {v}."),
    Pattern("occupation", "m am im", "<im> <adv>an? <=job>", _JOB),
    Pattern("occupation", "work working", "(?:<i> <adv>work|(?:<im> )?<adv>working) as an? <=job>", _JOB, time="state"),
    Pattern("occupation", "been", "<ive> <adv>been an? <=job>(?= (?:since|for)\\b)", _JOB, time="state"),
    Pattern("occupation", "became", "<i> <adv>became an? <=job>", _JOB, time="change"),
    Pattern(
        "occupation",
        "started job",
        "<i> <adv>(?:started|got a job) (?:work(?:ing)? )?as an? <=job>",
        _JOB,
        time="change",
    ),
    Pattern("occupation", "retired", "<im> <adv>(?P<value>retired)<end>", "{s} is {v}."),
    Pattern("occupation", "longer", "<im> no longer an? <=job>", _JOB_NO, negated=True),
    Pattern("occupation", "not", "<im> not an? <=job>(?=<more>)", _JOB_NO, negated=True),
    Pattern("occupation", "used", "<i> used to (?:be|work as) an? <=job>", _JOB_PAST, time="past"),
    Pattern("employer", "work", "<i> <adv>work (?:at|for) <=org>", _WORK, time="state"),
    Pattern("employer", "working", "(?:(?:<im>|<ive> been) )?<adv>working (?:at|for) <=org>", _WORK, time="state"),
    Pattern("employer", "work", "<i> <adv>work in (?=(?:an?|the) )<=org>", _WORK, time="state"),
    Pattern(
        "employer", "started", "(?:<i> )?<adv>started (?:work |working |a new job )?at <=org>", _WORK, time="change"
    ),
    Pattern("employer", "back", "<im> back at <=org>", _WORK),
    Pattern("employer", "employer", "my employer is <=org>", _WORK),
    Pattern(
        "employer",
        "job",
        "(?:<i> <adv>got|<ive> <adv>got) (?:a|the) (?:new )?job (?:at|with) <=org>",
        _WORK,
        time="change",
    ),
    Pattern("employer", "longer", "<i> no longer work (?:at|for) <=org>", _WORK_NO, negated=True),
    Pattern("employer", "work", "<i> <dont> work (?:at|for) <=org><more>", _WORK_NO, negated=True),
    Pattern(
        "employer",
        "job resigned",
        "<i> <adv>(?:(?:quit|left|lost) my job at|resigned from my job at) <=org>",
        _WORK_NO,
        negated=True,
    ),
    Pattern(
        "employer",
        "fired sacked laid redundant go",
        "(?:<i> )?<adv>(?:got|was|been) (?:fired|sacked|laid off|made redundant|let go) (?:from|by|at) <=org>",
        _WORK_NO,
        negated=True,
    ),
    Pattern("employer", "left quit", "<i> <adv>(?:left|quit) <=org>(?=<gone>)", _WORK_NO, negated=True, of_known=True),
    Pattern("employer", "worked", "<i> worked (?:at|for) <=org>", _WORK_PAST, time="past"),
    Pattern("employer", "used", "<i> used to work (?:at|for) <=org>", _WORK_PAST, time="past"),
    *_relatives(),
    Pattern(
        "partner",
        "married engaged together",
        "(?:me and )?<=name>(?: and (?:i|me))? (?:are|got) <adv>(?:married|engaged|together)",
        "{s} is with {v}.",
    ),
    Pattern("partner", "dating", "<im> <adv>dating <=name>", "{s} is with {v}."),
    Pattern(
        "partner",
        "broke split",
        "<=name> and i <adv>(?:broke up|split up|separated)",
        "{s} is no longer with {v}.",
        negated=True,
        of_known=True,
    ),
    Pattern(
        "partner",
        "broke split",
        "<i> <adv>(?:broke|split) up with <=name>",
        "{s} is no longer with {v}.",
        negated=True,
        of_known=True,
    ),
    Pattern(
        "partner",
        "dumped divorced left",
        "<=name> <adv>(?:dumped|divorced|left) me<gone>",
        "{s} is no longer with {v}.",
        negated=True,
        of_known=True,
    ),
    Pattern(
        "partner",
        "died passed",
        "<=name> <adv>(?:has )?(?:died|passed away)<gone>",
        "{s}'s partner {v} is no longer there.",
        negated=True,
        of_known=True,
    ),
    Pattern("pet", "have got ve", f"{_OWN} (?:an? |another )?<=pet>", _PET),
    Pattern(
        "pet",
        "adopted got bought rescued",
        "(?:<i>|<ive>) <adv>(?:adopted|got|bought|rescued) (?:an? |another )<=pet>",
        _PET,
        time="change",
    ),
    Pattern("pet", "my our", "<my> <=animal>(?= <name>(?! and ))", _PET, anywhere=True),
    Pattern("pet", "my our", "<my> <=animal><does>", _PET, anywhere=True),
    Pattern("pet", "called name named", "<my> <=animal><called> <name>", _PET),
    Pattern(
        "pet",
        "died passed",
        "<my> <=animal>(?: <name>)? <adv>(?:has )?(?:died|passed away)<gone>",
        _PET_NO,
        negated=True,
    ),
    Pattern(
        "pet",
        "died passed",
        "<=name> <adv>(?:has )?(?:died|passed away)<gone>",
        "{s} no longer has {v}.",
        negated=True,
        of_known=True,
    ),
    Pattern(
        "pet",
        "rehomed rehome",
        "(?:<i> )?<adv>(?:had to rehome|rehomed) <=name><gone>",
        "{s} no longer has {v}.",
        negated=True,
        of_known=True,
    ),
    Pattern(
        "pet",
        "put",
        "(?:<i> )?<adv>had to (?:have|put) <=name> (?:put )?(?:down|to sleep)<gone>",
        "{s} no longer has {v}.",
        negated=True,
        of_known=True,
    ),
    Pattern(
        "pet", "gave", "(?:<i> )?<adv>gave <=name> away<gone>", "{s} no longer has {v}.", negated=True, of_known=True
    ),
    Pattern("language", "speak", "<i> <adv>speak (?:fluent )?<=languages>", "{s} speaks {v}."),
    Pattern("language", "fluent", "<im> <adv>fluent in <=languages>", "{s} speaks {v}."),
    Pattern(
        "language",
        "learning",
        "(?:<im>|<ive> been) <adv>learning <=languages><end>",
        "{s} is learning {v}.",
        time="state",
    ),
    Pattern("language", "speak", "<i> <dont> speak (?:any )?<=languages>", "{s} does not speak {v}.", negated=True),
    Pattern(
        "language",
        "tongue language",
        "my (?:mother tongue|(?:native|first) language) is <=languages>",
        "{s} speaks {v}.",
    ),
    Pattern(
        "allergy",
        "allergic",
        "<im> <adv>(?:really |very |severely |highly |deathly )?allergic to <=allergens>",
        "{s} is allergic to {v}.",
    ),
    Pattern(
        "allergy",
        "allergy",
        f"{_OWN} an? (?:severe |bad |serious |mild )?<=allergen> allergy",
        "{s} has a {v} allergy.",
    ),
    Pattern(
        "allergy", "intolerant", "<im> <adv>(?P<value>lactose|gluten|fructose)[- ]intolerant", "{s} is {v} intolerant."
    ),
    Pattern(
        "allergy",
        "allergic",
        "<im> (?:not|no longer) allergic to <=allergens>",
        "{s} is not allergic to {v}.",
        negated=True,
    ),
    Pattern(
        "diet",
        "vegetarian veggie vegan pescatarian coeliac celiac gluten keto teetotal",
        f"(?:<im>|<ive> been) <adv>(?:an? )?{_DIET}<end>",
        "{s} is {v}.",
        time="state",
    ),
    Pattern(
        "diet",
        "vegetarian veggie vegan pescatarian gluten keto",
        f"<i> <adv>(?:went|turned|became) (?:an? )?{_DIET}<end>",
        "{s} is {v}.",
        time="change",
    ),
    Pattern(
        "diet",
        "vegetarian veggie vegan pescatarian",
        f"(?:<im> )?(?:not|no longer) (?:an? )?{_DIET}(?:<more>)?<end>",
        "{s} is not {v}.",
        negated=True,
    ),
    Pattern("diet", "eat", f"<i> <dont> eat (?:any )?{_AVOIDED}<end>", "{s} does not eat {v}.", value="no {v}"),
    Pattern("birthday", "birthday bday", "my (?:birthday|bday)(?: is|['’]s)(?: on)? <=born>", "{s}'s birthday is {v}."),
    Pattern("birthday", "born", "<i> was born (?:on|in) <=born>", "{s} was born on {v}."),
    Pattern(
        "birthday",
        "birthday bday",
        "(?:it['’]?s|it is|today is|today['’]s) (?:<adv>)my (?:\\d+(?:st|nd|rd|th) )?(?P<value>birthday"
        "|bday)(?: (?P<day>today|tomorrow))?<stop>",
        "{s}'s birthday is {v}.",
    ),
    Pattern("age", "old yo", "<im> <adv><=age> (?:years old|yrs old|y/?o|years of age)", "{s} is {v} years old."),
    Pattern(
        "age",
        "turned",
        "<i> <adv>turned <=age>(?= (?:today|yesterday|last|this|on|in)\\b|\\s*(?:$|[,.!]))",
        "{s} is {v} years old.",
    ),
    Pattern("name", "name", "my (?:full |first )?name(?: is|['’]s) <=fullname>", "{s} is called {v}."),
    Pattern("name", "called", "<im> called <=fullname>", "{s} is called {v}."),
    Pattern(
        "name", "calls call", "(?:everyone|everybody|people|my friends) calls? me <=name><stop>", "{s} is called {v}."
    ),
    Pattern(
        "phone",
        "number",
        "my (?:new |own )?(?:phone |mobile |cell ?(?:phone )?)?number(?: is|['’]s|:) <=phone>",
        "{s}'s phone number is {v}.",
    ),
    Pattern(
        "email",
        "mail email",
        "my (?:new )?e-?mail(?: address)?(?: is|['’]s|:) <=email>",
        "{s}'s e-mail address is {v}.",
    ),
)
