"""The patterns of English: what people say of themselves."""

from __future__ import annotations

from .pattern import Pattern, partings, relatives

_KIN = {
    "partner": "husband wife hubby boyfriend girlfriend bf gf partner fiancé fiancée fiance fiancee",
    "child": "son daughter",
    "sibling": "brother sister twin",
    "parent": "mother mum mom mommy mummy father dad daddy",
}
_SEVERAL = {"child": "kids children sons daughters", "sibling": "brothers sisters"}
_RELATIVES = relatives(
    "en",
    _KIN,
    "<my> <nick><who><called> <=name>",
    "(?:<ive>(?: got)?|<i> have) an? <nick><who> (?:called|named) <=name>",
    anywhere="<my> <nick><who> <=name>(?! and (?!i\\b)| <name>)",
) + relatives("en", _SEVERAL, "<my> <nick><who> are called <=names>", anywhere="<my> <nick><who> <=names>")
_DIET = r"(?P<value>vegetarian|veggie|vegan|pescatarian|coeliac|celiac|gluten[- ]free|keto|teetotal)"
_AVOIDED = r"(?P<value>meat|red meat|pork|beef|fish|seafood|shellfish|dairy|gluten|eggs)"
_OWN = "(?:<i> <adv>have|<ive> <adv>got|<ive>)"

ENGLISH: tuple[Pattern, ...] = (
    Pattern("home", "live", "<i> <adv>live in <=place>", time="state"),
    Pattern(
        "home", "lived", "<ive> <adv>lived in <=place>(?=,? (?:since|for(?! a (?:while|bit|time)))\\b)", time="state"
    ),
    Pattern("home", "living", "(?:<ive> )?<adv>been living in <=place>(?=,? (?:since|for)\\b)", time="state"),
    Pattern("home", "living", "<were> <adv>living in <=place>", time="state"),
    Pattern("home", "based", "<were> <adv>based in <=place>", time="state"),
    Pattern(
        "home",
        "moved relocated",
        "(?:(?:<i>|<ive>) )?<adv>(?:moved|relocated) (?:back |over |out |up |down )?to <=known>"
        "(?![^.!?]*\\b(?:then|later|after that|until|but|moved back)\\b)",
        time="change",
    ),
    Pattern("home", "settled", "(?:<i>|<ive>) <adv>settled in <=place>", time="change"),
    Pattern("home", "live", "<i> no longer live in <=place>", negated=True),
    Pattern("home", "live", "<i> <dont> live in <=place><more>", negated=True),
    Pattern("home", "moved relocated", "(?:<i>|<ive>) <adv>moved (?:out of|away from) <=place>", negated=True),
    Pattern("home", "live lived", "<i> (?:used to live|lived) in <=place>", time="past"),
    Pattern("origin", "from", "<im> <adv>from <=place><stop>"),
    Pattern("origin", "come", "<i> <adv>come from <=place><stop>"),
    Pattern(
        "origin",
        "born",
        "<i> was born (?:and (?:raised|bred|brought up) )?in (?!the usa)<=place>",
        "{s} was born in {v}.",
    ),
    Pattern("origin", "grew", "<i> <adv>grew up in <=place>", "{s} grew up in {v}."),
    Pattern("origin", "m am im", "<im> <adv><=nationality>", "{s} is {v}."),
    Pattern("occupation", "m am im", "<im> <adv>an? <=job>"),
    Pattern("occupation", "work", "<i> <adv>work as an? <=job>", time="state"),
    Pattern("occupation", "working", "<im> <adv>working as an? <=job>", time="state"),
    Pattern("occupation", "been", "<ive> <adv>been an? <=job>(?= (?:since|for)\\b)", time="state"),
    Pattern("occupation", "became", "<i> <adv>became an? <=job>", time="change"),
    Pattern(
        "occupation", "started job", "<i> <adv>(?:started|got a job) (?:work(?:ing)? )?as an? <=job>", time="change"
    ),
    Pattern("occupation", "retired", "<im> <adv>(?P<value>retired)<stop>", "{s} is {v}."),
    Pattern("occupation", "longer", "<im> no longer an? <=job>", negated=True),
    Pattern("occupation", "not", "<im> not an? <=job>(?=<more>)", negated=True),
    Pattern("occupation", "used", "<i> used to (?:be|work as) an? <=job>", time="past"),
    Pattern("employer", "work", "<i> <adv>work (?:at|for) <=org>", time="state"),
    Pattern("employer", "working", "(?:<im>|<ive> been) <adv>working (?:at(?! the\\b)|for) <=org>", time="state"),
    Pattern("employer", "work", "<i> <adv>work in <=workplace>", time="state"),
    Pattern("employer", "started", "(?:<i> )?<adv>started (?:work|working|a new job) at <=org>", time="change"),
    Pattern("employer", "started", "(?:<i> )?<adv>started at <=workplace>", time="change"),
    Pattern("employer", "employer", "my employer is <=org>"),
    Pattern(
        "employer", "job", "(?:<i> <adv>got|<ive> <adv>got) (?:a|the) (?:new )?job (?:at|with) <=org>", time="change"
    ),
    Pattern("employer", "longer", "<i> no longer work (?:at|for) <=org>", negated=True),
    Pattern("employer", "work", "<i> <dont> work (?:at|for) <=org><more>", negated=True),
    Pattern(
        "employer",
        "job resigned",
        "<i> <adv>(?:(?:quit|left|lost) my job at|resigned from my job at) <=org>",
        negated=True,
    ),
    Pattern(
        "employer",
        "fired sacked laid redundant go",
        "(?:<i> )?<adv>(?:got|was|been) (?:fired|sacked|laid off|made redundant|let go) (?:from|by|at) <=org>",
        negated=True,
    ),
    Pattern("employer", "left quit", "<i> <adv>(?:left|quit) <=org>(?=<gone>)", negated=True, of_known=True),
    Pattern("employer", "worked", "<i> worked (?:at|for) <=org>", time="past"),
    Pattern("employer", "used", "<i> used to work (?:at|for) <=org>", time="past"),
    *_RELATIVES,
    *(
        Pattern("partner", "married engaged", f"{both} (?:are|got) <adv>(?:married|engaged)", "{s} is with {v}.")
        for both in ("me and <=name>", "<=name> and (?:i|me)")
    ),
    Pattern("partner", "dating", "<im> <adv>dating <=name><end>", "{s} is with {v}."),
    Pattern(
        "partner", "broke split", "<=name> and i <adv>(?:broke up|split up|separated)", negated=True, of_known=True
    ),
    Pattern("partner", "broke split", "<i> <adv>(?:broke|split) up with <=name>", negated=True, of_known=True),
    Pattern(
        "partner", "dumped divorced left", "<=name> <adv>(?:dumped|divorced|left) me<gone>", negated=True, of_known=True
    ),
    Pattern(
        "partner",
        "died passed",
        "<=name> <adv>(?:has )?(?:died|passed away)<gone>",
        "{s}'s partner {v} is no longer there.",
        negated=True,
        of_known=True,
    ),
    *partings(
        "en",
        _KIN["partner"],
        "(?:we|we['’]ve|<my> <nick><who> and i(?: have)?) <adv>(?P<value>broke up|broken up|split up|separated|divorced"
        "|got divorced)(?: yesterday| today| last [^\\W\\d_]+)?<stop>",
        "<i> <adv>(?P<value>broke|split) up with <my> <nick><who>",
        "<my> <nick><who> <adv>(?P<value>left|dumped|divorced) me<gone>",
    ),
    *partings(
        "en",
        _KIN["partner"],
        "<my> <nick><who> <adv>(?:has )?(?P<value>died|passed away)<gone>",
        says="{s}'s {r} is no longer there.",
    ),
    Pattern("partner", "married", "<im> <adv>married to <=name><end>", "{s} is married to {v}."),
    Pattern("pet", "have got ve", f"{_OWN} (?:an? |another )?<=pet>"),
    Pattern(
        "pet",
        "adopted got bought rescued",
        "(?:<i>|<ive>) <adv>(?:adopted|got|bought|rescued) (?:an? |another )<=pet>",
        time="change",
    ),
    Pattern("pet", "my our", "<my> <=animal>(?= <name>(?! and ))", anywhere=True),
    Pattern("pet", "my our", "<my> <=animal><does>", anywhere=True),
    Pattern("pet", "called name named", "<my> <=animal><called> <name>"),
    Pattern(
        "pet",
        "died passed",
        "<my> <=animal>(?: <name>)? <adv>(?:has )?(?:died|passed away)<gone>",
        "{s}'s {v} has died.",
        negated=True,
    ),
    Pattern("pet", "died passed", "<=name> <adv>(?:has )?(?:died|passed away)<gone>", negated=True, of_known=True),
    Pattern(
        "pet", "rehomed rehome", "(?:<i> )?<adv>(?:had to rehome|rehomed) <=name><gone>", negated=True, of_known=True
    ),
    Pattern(
        "pet",
        "put",
        "(?:<i> )?<adv>had to (?:have|put) <=name> (?:put )?(?:down|to sleep)<gone>",
        negated=True,
        of_known=True,
    ),
    Pattern("pet", "gave", "(?:<i> )?<adv>gave <=name> away<gone>", negated=True, of_known=True),
    Pattern("language", "speak", "<i> <adv>speak (?:fluent )?<=languages>"),
    Pattern("language", "fluent", "<im> <adv>fluent in <=languages>"),
    Pattern(
        "language",
        "learning",
        "(?:<im>|<ive> been) <adv>learning <=languages><end>",
        "{s} is learning {v}.",
        time="state",
    ),
    Pattern("language", "speak", "<i> <dont> speak (?:any )?<=languages>", negated=True),
    Pattern("language", "tongue language", "my (?:mother tongue|(?:native|first) language) is <=languages>"),
    Pattern("allergy", "allergic", "<im> <adv>(?:really |very |severely |highly |deathly )?allergic to <=allergens>"),
    Pattern(
        "allergy",
        "allergy",
        f"{_OWN} an? (?:severe |bad |serious |mild )?<=allergen> allergy",
        "{s} has a {v} allergy.",
    ),
    Pattern(
        "allergy", "intolerant", "<im> <adv>(?P<value>lactose|gluten|fructose)[- ]intolerant", "{s} is {v} intolerant."
    ),
    Pattern("allergy", "allergic", "<im> (?:not|no longer) allergic to <=allergens>", negated=True),
    Pattern(
        "diet",
        "vegetarian veggie vegan pescatarian coeliac celiac gluten keto teetotal",
        f"(?:<im>|<ive> been) <adv>(?:an? )?{_DIET}<end>",
        time="state",
    ),
    Pattern(
        "diet",
        "vegetarian veggie vegan pescatarian gluten keto",
        f"<i> <adv>(?:went|turned|became) (?:an? )?{_DIET}<end>",
        time="change",
    ),
    Pattern(
        "diet",
        "vegetarian veggie vegan pescatarian",
        f"(?:<im> )?(?:not|no longer) (?:an? )?{_DIET}(?:<more>)?<end>",
        negated=True,
    ),
    Pattern("diet", "eat", f"<i> <dont> eat (?:any )?{_AVOIDED}<end>", "{s} does not eat {v}.", value_form="no {v}"),
    Pattern("birthday", "birthday bday", "my (?:birthday|bday)(?: is|['’]s)(?: on)? <=born>"),
    Pattern("birthday", "born", "<i> was born (?:on|in) <=born>", "{s} was born on {v}."),
    Pattern(
        "birthday",
        "birthday bday",
        "(?:it['’]?s|it is|today is|today['’]s) (?:<adv>)my (?:\\d+(?:st|nd|rd|th) )?(?P<value>birthday"
        "|bday)(?: (?P<day>today|tomorrow))?<stop>",
    ),
    Pattern("age", "old yo", "<im> <adv><=age> (?:years old|yrs old|y/?o|years of age)"),
    Pattern("age", "m am im", "<im> <adv><=age><stop>", after=True),
    Pattern("age", "turned", "<i> <adv>turned <=age>(?= (?:today|yesterday|last|this|on|in)\\b|\\s*(?:$|[,.!]))"),
    Pattern("name", "name", "my (?:full |first )?name(?: is|['’]s) <=fullname>"),
    Pattern("name", "called", "<im> called <=fullname>"),
    Pattern("name", "calls call", "(?:everyone|everybody|people|my friends) calls? me <=name><stop>"),
    Pattern("phone", "number", "my (?:new |own )?(?:phone |mobile |cell ?(?:phone )?)?number(?: is|['’]s|:) <=phone>"),
    Pattern("email", "mail email", "my (?:new )?e-?mail(?: address)?(?: is|['’]s|:) <=email>"),
)
