"""The words of English."""

from __future__ import annotations

from .language import AskingWords, Language

_TIMES = (
    "weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|easter|christmas|\d"
)
ASKING = AskingWords(
    first_person=(
        "i", "i'(?:m|ve|d|ll)", "my", "mine", "myself",
        "(?<!tell )(?<!show )(?<!give )(?<!remind )(?<!let )(?<!find )(?<!help )me", "we", "we'(?:re|ve|d|ll)", "our",
        "ours", "ourselves",
    ),
    subject=("i|i'(?:m|ve|d|ll)",),
    own_words=(
        r"i (?:[^\W_]+ )?(?:{saying}|message|phone|contact)", r"my (?:[^\W_]+ )?(?:questions?|prompts?|messages?) (?:to|for)",
    ),
    between_us=(
        "between me and", "between [^?]{1,40} and me",
        "my (?:chats?|conversations?|talks?|messages|discussions?) with",
        r"(?:and|&) i (?:[^\W_]+ ){0,2}?(?:{saying})",
        r"i (?:[^\W_]+ ){0,2}?(?:talk(?:ed)?|sp(?:eak|oke|oken)|chat(?:ted)?) (?:[^?]{1,40} )?(?:to|with)",
        "in (?:touch|contact) with",
    ),
    to_somebody=(
        r"(?:messages?|mails?|e-?mails?|texts?|notes?|letters?|photos?|pictures?|{saying})(?: [^\W_]+){0,3}? (?P<words>to)(?= [^\W_])",
    ),
    before_chat=("in(?: the| our| my)?", "(?:groups?|channels?|chats?|rooms?)",),
    behind_chat=("(?:group )?chats?", "groups?", "channels?", "threads?", "rooms?",),
    to_asker=(
        "(?:messages?|mails?|e-?mails?|texts?|letters?|photos?|pictures?|{saying}) (?:to|for) me",
        "(?:sent|wrote|written|texted|messaged|e-?mailed) me",
        "i (?:got|received)",
    ),
    saying=(
        "sp(?:eaks?|eaking|oke|oken)",
        "mention(?:ed|s|ing)?", "sa(?:y|ys|id|ying)", "tells?|told|telling", "text(?:ed|s)?",
        "writes?|wrote|written|writing", "ask(?:ed|s|ing)?", "suggest(?:ed|s|ing|ions?)?", "propos(?:e|ed|es|als?)",
        "recommend(?:ed|s|ations?)?", "promis(?:e|ed|es)", "plan(?:ned|s|ning)?", "sends?|sent|sending",
        "e-?mail(?:ed|s)?", "complain(?:ed|s|ts?)?", "talk(?:ed|s|ing)?", "explain(?:ed|s)?",
        "announc(?:e|ed|es|ements?)", "confirm(?:ed|s)?", "agree(?:d|s)?", "offer(?:ed|s)?", "invit(?:e|ed|es)",
        "warn(?:ed|s|ings?)?", "remind(?:ed|s)?", "report(?:ed|s)?", "descri(?:be|bed|bes)", "decid(?:e|ed|es)",
        "apologi[sz](?:e|ed|es)", "thank(?:ed|s)?", "request(?:ed|s)?", "repl(?:y|ied|ies)", "answer(?:ed|s)?",
        "forward(?:ed|s)?", "post(?:ed|s)?", "advis(?:e|ed|es)|advice", "claim(?:ed|s)?",
        "admit(?:ted|s)?", "insist(?:ed|s)?", "jok(?:e|ed|es)", "wish(?:ed|es)?", "comment(?:ed|s)?",
        "discuss(?:ed|es)?", "messag(?:ed|ing)", "chat(?:ted|ting)", "phoned",
    ),
    newest=(
        "(?:the )?(?:very )?(?:latest|newest)", "(?:the )?most recent(?:ly)?",
        r"(?:with|(?:write|wrote|writing|talk(?:ed)?|sp(?:eak|oke)|text(?:ed)?|repl(?:y|ied)) to) (?P<words>last)(?=[\W_]*$)",
        "(?<!at )(?<!to )(?<!it )(?<!long )last(?! (?:names?|minute|resort|but|for|until|years?|straw|chance|call))(?: (?:time|message|messages|thing|things|words?))?",
    ),
    oldest=(
        "(?:the )?(?:very )?(?:earliest|oldest) (?:message|mail|e-?mail|note|photo|picture|text|entry)",
        "(?:the )?(?:very )?first (?:messages?", "mails?", "e-?mails?", "notes?", "texts?", "words?", "things?",
        "time", "photos?", "pictures?", "calls?", "chats?", "conversations?", "repl(?:y|ies)", "answers?", "posts?",
        "entr(?:y|ies)|mention)",
        r"(?:did|have|has|had|was|were|do|does) (?:[^\W_]+ ){1,4}?(?P<words>first)(?= [^\W\d_]+)",
        r"[^\W_]+'s (?P<words>first)", "who (?P<words>first)(?= (?:{saying}))",
    ),
    soonest=(
        r"(?:the |my |our )?next(?= (?:[^\W_]+ ){0,2}(?:appointments?|events?|meetings?|dates?|lessons?|class(?:es)?))",
        r"when (?:is|are|will|do|does|am) (?:[^?]{0,40} )?(?P<words>(?:the |my |our )?next(?: time)?)(?= [^\W_])",
        r"when(?:s|'s|’s) (?P<words>(?:the |my |our )?next(?: time)?)(?= [^\W_])",
    ),
    counting=(
        "how often", "how many times", "number of times",
    ),
    counting_messages=(
        "how (?:many|much) (?:messages|mails?|e-?mails|notes|texts|photos|pictures)",
        "count (?:the |all |my )*(?:messages|mails?|e-mails|notes|texts|photos|pictures)",
    ),
    many=("how many",),
    mail=(
        "(?:e-?)?mails?", "e-?mailed", "newsletters?",
    ),
    note=(
        "notes?",
        "noted|(?:write|wrote|written) down",
    ),
    event=(
        "events?", "appointments?", "calendar(?: entr(?:y|ies))?",
    ),
    picture=(
        "photos?", "pictures?", "pics?", "images?", "screenshots?", "selfies?",
    ),
    file=(
        "pdfs?", "documents?", "files?", "spreadsheets?", "docx?",
    ),
    planning=(
        rf"what(?:'?s| is) (?:on|happening|going on|coming up)(?= (?:(?:on|in|for|at|this|next) )*(?:{_TIMES}))",
        r"what(?:'?s| is) on (?:the |my )?(?:agenda|calendar|schedule)",
    ),
    of_person=(
        r"(?:did|has|have|had|does) (?P<words>[^\W\d_]+)(?: (?:ever|just|also|last|first|really))? (?:{saying})",
        r"did (?:i|we) (?:tell|ask|write to|write|promise|send|text) (?P<words>[^\W\d_]+)",
        r"(?:messages?|mails?|e-?mails?|letters?|texts?) (?:from|by) (?P<words>[^\W\d_]+)",
    ),
    begins_question=(
        "(?:what|where|who|why|how|when)(?:'?s| is| are| was| were| did| do| does| will| would| can| could)",
        "what about", "how (?:many|much|about)", "what (?:time|kind)",
        "(?:did|do|does|have|are|is|can|could|will|would) (?:you|u|we|it|they|he|she)",
    ),
    number=(
        "how (?:many|much|old|long|far|often|big|tall|high|expensive)", "number|code|price|cost",
    ),
    now=("now|nowadays|today|currently|these days|at present",),
    whether_known=(
        r"(?:do|does|is|are)\s+(?:(?:you|we|i|they|any(?:one|body)|some(?:one|body))\s+(?:still\s+)?(?:know|remember|recall|have|think)|it\s+known)",
    ),
    present=("does|doesn'?t|lives|works",),
    maybe_present=(r"is|are|do|(?:where|who|what|how)['’]s|(?:has|have)\s+(?:\w+\s+){0,3}got",),
    past=(
        r"did|didn'?t|was|were|had|used\s+to",
        r"(?:where|who|whom|what|which|that)(?:\s+(?!(?:is|are|do)\b)[\w'’]+){1,4}\s+\w+ed",
    ),
    former=(r"before(?=(?:\s+(?:that|this|now|then))?\W*$)", r"previous(?:ly)?|former(?:ly)?|used?\s+to"),
    acts=(
        "complain(?:ed|s|ts?)?", "thank(?:ed|s)?", "apologi[sz](?:e|ed|es)", "promis(?:e|ed|es)", "warn(?:ed|s|ings?)?",
        "jok(?:e|ed|es)", "invit(?:e|ed|es)", "suggest(?:ed|s)?", "propos(?:e|ed|es)", "recommend(?:ed|s)?", "advis(?:e|ed|es)",
        "insist(?:ed|s)?", "admit(?:ted|s)?", "wish(?:ed|es)?", "agree(?:d|s)?", "ask(?:ed|s)?", "remind(?:ed|s)?",
    ),
    about=(
        "about|regarding|concerning", "mention(?:ed|s|ing)?", "(?:the )?(?:words?|topic|subject)(?: of)?",
        "(?:talk(?:ed|s|ing)?|sp(?:eaks?|eaking|oke|oken)|heard?) of",
    ),
    silent=(
        "mr", "mrs", "ms", "dr", "time", "times", "date", "day", "thing", "things", "news", "ever",
        "happen(?:ed|s|ing)?", "going on", "get|got|receive(?:d)?", "there",
        "many|much", "hear|heard", "in touch|touch", "latest|last|newest|first",
        "chats?", "messages?",
        "lately|recently", "regarding|concerning|the (?:words?|topic|subject)(?: of)?", "people|persons?|(?:every|any|some|no)(?:body|one)|no one|anything|everything|something",
        "far|so far|altogether|in total|total|count|channel|group",
    ),
)  # fmt: skip

LANGUAGE = Language(
    code="en",
    asking=ASKING,
    months=(
        "january, jan", "february, feb", "march, mar", "april, apr", "may", "june, jun", "july, jul", "august, aug",
        "september, sept, sep", "october, oct", "november, nov", "december, dec",
    ),
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    short_weekdays=("mon", "tue, tues", "wed", "thu, thur, thurs", "fri", "sat", "sun"),
    seasons={3: "spring", 6: "summer", 9: "autumn, fall", 12: "winter"},
    units={
        "minute": "minute, minutes, min, mins", "hour": "hour, hours, hr, hrs, h", "day": "day, days",
        "week": "week, weeks", "weekend": "weekend, weekends", "month": "month, months", "quarter": "quarter, quarters",
        "year": "year, years, yr, yrs",
    },
    plurals="days, weeks, months, years, hours, weekends, quarters",
    durations={
        "fortnight": (14, "day"), "half a year": (6, "month"), "half year": (6, "month"), "half an hour": (30, "minute"),
        "year and a half": (18, "month"), "decade": (10, "year"),
    },
    numbers=(
        "one, a, an", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ),
    about_two="couple of, couple",
    ordinals=(
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
        "twentieth", "twenty first", "twenty second", "twenty third", "twenty fourth", "twenty fifth", "twenty sixth",
        "twenty seventh", "twenty eighth", "twenty ninth", "thirtieth", "thirty first",
    ),
    days={
        -2: "the day before yesterday, day before yesterday", -1: "yesterday", 0: "today",
        1: "tomorrow, tmrw", 2: "the day after tomorrow, day after tomorrow",
    },
    day_parts={
        "morning": "morning", "noon": "noon, midday, lunchtime", "afternoon": "afternoon", "evening": "evening",
        "night": "night",
    },
    parts_from_now={(0, "evening"): "tonight", (-1, "night"): "last night", (-2, "night"): "the night before last"},
    calendar_week="calendar week, cw",
    decades=("", "", "", "fifties", "sixties", "seventies", "eighties", "nineties"),
    feasts={
        "christmas": "christmas, xmas, christmastime", "christmas_eve": "christmas eve", "christmas_day": "christmas day",
        "boxing_day": "boxing day", "new_years_eve": "new year's eve, new years eve, nye",
        "new_years_day": "new year's day, new years day", "new_year": "new year, new years, new year's, the new year",
        "easter": "easter, easter weekend", "easter_sunday": "easter sunday", "easter_monday": "easter monday",
        "good_friday": "good friday", "pentecost": "pentecost, whitsun", "ascension": "ascension day, ascension",
        "halloween": "halloween", "valentine": "valentine's day, valentines day, valentine's, valentines",
        "thanksgiving": "thanksgiving, thanksgiving day", "black_friday": "black friday",
        "epiphany": "epiphany", "mothers_day": "mother's day, mothers day", "labour_day": "may day",
        "labor_day": "labor day", "memorial_day": "memorial day",
        "independence_day": "independence day, the fourth of july, fourth of july",
        "st_patrick": "st patrick's day, st. patrick's day, st patricks day, saint patrick's day",
        "all_saints": "all saints' day, all saints day", "carnival": "carnival, mardi gras", "holy_week": "holy week",
        "ash_wednesday": "ash wednesday", "ramadan": "ramadan", "eid_al_fitr": "eid al-fitr, eid",
        "eid_al_adha": "eid al-adha", "st_nicholas": "st nicholas day", "fathers_day": "father's day, fathers day",
    },
    roles={
        "last": "last, previous", "past": "past, recent", "next": "next, coming, upcoming, following", "this": "this, current",
        "ago": "ago, back", "within": "in, within", "before": "before, prior to, earlier than",
        "after": "after, later than, from now", "since": "since, ever since, as of, starting", "from": "from, between",
        "until": "until, till, til, up to, up until, by", "to": "to, until, till, through, thru, -, –, —", "and": "and, &, or",
        "in": "in, on, at, during, over, for, throughout, within, around, dated", "the": "the, year, s, ',', .",
        "of": "of",
        "beginning": "beginning, start, early, the beginning, the start", "middle": "middle, mid, mid -, the middle",
        "end": "end, late, the end", "half": "half", "few": "few, several, some",
        "every": "every, each", "age": "old, long, aged, worth", "lasting": "for, lasting, takes, took",
        "future": (
            "will, planned, planning, scheduled, upcoming, coming up, going to, gonna, must, have to, need to, should, "
            "due, do i have, do we have, have we to, have i to, is there, are there, is anything, are we, am i, 'll"
        ),
        "past_tense": "did, was, were, had, have i, has, have we, said, wrote, told, happened, went, attended, missed, took place, been",
        "when": "when", "title": "mr, mrs, ms, miss, dr, prof",
    },
    doubtful="may, march, mar, june, april, august, jan, jun, jul, aug, sept, dec, spring, fall, monday, friday, sunday",
    given_names="may, april, june, jan, monday, friday, sunday",
    month_first=True,
    irregular=(
        "mouse, mice", "goose, geese", "foot, feet", "tooth, teeth", "child, children", "ox, oxen", "louse, lice",
        "knife, knives", "wife, wives", "leaf, leaves", "loaf, loaves", "half, halves", "shelf, shelves",
        "thief, thieves", "wolf, wolves", "calf, calves", "scarf, scarves", "bend, bent", "bite, bit, bitten",
        "bleed, bled", "blow, blew, blown", "break, broke, broken", "breed, bred", "bring, brought", "build, built",
        "buy, bought", "catch, caught", "choose, chose, chosen", "creep, crept", "deal, dealt", "dig, dug",
        "draw, drew, drawn", "dream, dreamt", "drink, drank, drunk", "drive, drove, driven", "eat, ate, eaten",
        "fall, fell, fallen", "feed, fed", "fight, fought", "flee, fled", "fly, flew, flown",
        "forget, forgot, forgotten", "forgive, forgave, forgiven", "freeze, froze, frozen", "grow, grew, grown",
        "hang, hung", "hear, heard", "hide, hid, hidden", "hold, held", "leave, left", "lend, lent", "lose, lost",
        "pay, paid", "ride, rode, ridden", "ring, rang, rung", "rise, rose, risen", "run, ran", "seek, sought",
        "sell, sold", "shake, shook, shaken", "shine, shone", "shoot, shot", "shrink, shrank, shrunk",
        "sing, sang, sung", "sink, sank, sunk", "sit, sat", "sleep, slept", "slide, slid", "spin, spun",
        "stand, stood", "steal, stole, stolen", "stick, stuck", "sting, stung", "strike, struck",
        "swear, swore, sworn", "sweep, swept", "swim, swam, swum", "swing, swung", "teach, taught",
        "tear, tore, torn", "throw, threw, thrown", "understand, understood", "wake, woke, woken", "wear, wore, worn",
        "weave, wove, woven", "win, won",
    ),
)  # fmt: skip
"""English."""
