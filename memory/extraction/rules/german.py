"""The patterns of German; the verb may stand before "ich", and "ich" may be left out."""

from __future__ import annotations

from functools import partial

from .pattern import Pattern, partings, relatives

_p = partial(Pattern, language="de")

_KIN = {
    "partner": "mann frau ehemann ehefrau freund freundin partner partnerin verlobte verlobter lebensgefährte"
    " lebensgefährtin",
    "child": "sohn tochter",
    "sibling": "bruder schwester zwillingsbruder zwillingsschwester",
    "parent": "mutter mama vater papa",
}
_SEVERAL = {"child": "kinder söhne töchter", "sibling": "brüder schwestern"}
_NICK = "(?:(?:liebe[rn]?|ältere[rn]?|älteste[rn]?|jüngere[rn]?|jüngste[rn]?|kleine[rn]?|große[rn]?|neue[rn]?) )?"
_RELATIVES = relatives(
    "de",
    _KIN,
    f"(?<!weil.)<mein> {_NICK}<who> <=name><tun>",
    f"(?:das|hier) ist <mein> {_NICK}<who> <=name><halt>",
    f"<mein> {_NICK}<who> heißt <=name>",
    f"(?:ich (?:hab|habe)|hab|habe|wir haben) (?:eine|einen) {_NICK}<who> namens <=name>",
) + relatives(
    "de",
    _SEVERAL,
    f"(?<!weil.)<mein> {_NICK}<who> <=names>(?= (?-i:sind|[a-zß-ü]+en)\\b)",
    f"<mein> {_NICK}<who> heißen <=names>",
)
_DIET = r"(?P<value>Vegetarier(?:in)?|Veganer(?:in)?|vegan|vegetarisch|Zöliakie)"
_AVOIDED = r"(?P<value>(?:kein|keine|keinen) (?:Fleisch|Schweinefleisch|Rindfleisch|Fisch|Milchprodukte|Gluten|Eier))"
_I_LIVE = "(?:ich (?:wohn|wohne|leb|lebe)|(?:wir )?(?:wohnen|leben)(?: wir)?|(?:wohn|wohne|leb|lebe)(?: ich)?)"
_I_HAVE = "(?:ich (?:hab|habe)|wir haben|(?:hab|habe)(?: ich)?|haben(?: wir)?)"
_I_AM = "(?:ich bin|bin(?: ich)?)"
_I_WORK = "(?:ich (?:arbeit|arbeite)|(?:arbeit|arbeite)(?: ich)?)"

GERMAN: tuple[Pattern, ...] = (
    _p("home", "wohn wohne wohnen leb lebe leben", f"{_I_LIVE} <nun><seit>in <=place>", time="state"),
    _p(
        "home",
        "gezogen umgezogen",
        f"(?:{_I_AM}|(?:wir )?sind(?: wir)?) <nun><zeit>nach <=place> (?:um)?gezogen",
        time="change",
    ),
    _p("home", "wohn wohne wohnen", f"{_I_LIVE} nicht mehr in <=place>", negated=True),
    _p("home", "früher gewohnt", f"{_I_HAVE} früher in <=place> (?:gewohnt|gelebt)", time="past"),
    _p(
        "origin",
        "komme komm stamme",
        "(?:ich (?:komm|komme|stamme)|(?:komm|komme|stamme)(?: ich)?) (?:(?:ursprünglich|eigentlich|übrigens|ja) )*aus"
        " <=place><halt>",
    ),
    _p(
        "origin",
        "aufgewachsen",
        f"{_I_AM} <nun>in <=place> (?:geboren und )?aufgewachsen",
        "{s} ist in {v} aufgewachsen.",
    ),
    _p("origin", "geboren", f"{_I_AM} in <=place> geboren", "{s} ist in {v} geboren."),
    _p("origin", "bin", f"{_I_AM} <nun><=nationality>", "{s} ist {v}."),
    _p("occupation", "bin", f"{_I_AM} <nun>(?:ein |eine )?<=job>"),
    _p("occupation", "arbeite arbeit", f"{_I_WORK} <nun><seit>als <=job>", time="state"),
    _p("occupation", "rente pension", f"{_I_AM} <nun>in (?P<value>Rente|Pension)<halt>", "{s} ist in {v}."),
    _p("occupation", "mehr", f"{_I_AM} nicht mehr <=job>", negated=True),
    _p("employer", "arbeite arbeit", f"{_I_WORK} <nun><seit>(?P<at>bei|beim) <=org>", time="state"),
    _p("employer", "arbeite arbeit", f"{_I_WORK} nicht mehr (?P<at>bei|beim) <=org>", negated=True),
    _p("employer", "gekündigt", f"{_I_HAVE} (?P<at>bei|beim) <=org> gekündigt", negated=True),
    *_RELATIVES,
    _p("partner", "getrennt", "<=name> und ich haben uns <zeit>getrennt", negated=True, of_known=True),
    _p(
        "partner",
        "gestorben verstorben",
        "<=name> (?:ist|wurde) (?:gestern |heute |leider )*(?:gestorben|verstorben)",
        "{v}, Partner von {s}, lebt nicht mehr.",
        negated=True,
        of_known=True,
    ),
    _p("partner", "getrennt", f"{_I_HAVE} mich von <=name> getrennt", negated=True, of_known=True),
    *partings(
        "de",
        _KIN["partner"],
        f"(?:wir haben|haben wir|<mein> {_NICK}<who> und ich haben) uns <zeit>(?P<value>getrennt)<halt>",
        f"{_I_HAVE} mich <zeit>von <mein> {_NICK}<who> (?P<value>getrennt)",
        f"<mein> {_NICK}<who> hat mich <zeit>(?P<value>verlassen)<halt>",
    ),
    *partings(
        "de",
        _KIN["partner"],
        f"<mein> {_NICK}<who> (?:ist|wurde) (?:[^\\W\\d_]+ ){{0,2}}(?P<value>gestorben|verstorben)",
        says="{r} von {s} lebt nicht mehr.",
    ),
    _p("partner", "verheiratet", f"{_I_AM} <nun>mit <=name> verheiratet", "{s} ist mit {v} verheiratet."),
    _p("pet", "hab habe haben", f"{_I_HAVE} <nun>(?:einen? |eine |nen |ne |ein )?<=pet>"),
    _p(
        "pet",
        "mein meine meinen meiner unser unsere unseren unserer",
        "<mein> <=animal>(?= <name>(?! und ))",
        anywhere=True,
    ),
    _p("pet", "mein meine meinen meiner unser unsere unseren unserer", "<mein> <=animal><tut>", anywhere=True),
    _p("pet", "heißt", "<mein> <=animal> heißt <name>"),
    _p(
        "pet",
        "gestorben eingeschläfert",
        "<mein> <=animal>(?: <name>)? (?:ist|wurde) (?:[^\\W\\d_]+ ){0,2}(?:gestorben|eingeschläfert)",
        negated=True,
    ),
    _p(
        "pet",
        "gestorben eingeschläfert",
        "<=name> (?:ist|wurde) (?:gestern |heute |leider )*(?:gestorben|eingeschläfert)",
        "{s} hat {v} nicht mehr.",
        negated=True,
        of_known=True,
    ),
    _p("language", "spreche sprech", "(?:ich (?:spreche|sprech)|spreche(?: ich)?) (?:fließend |auch )*<=languages>"),
    _p("language", "muttersprache", "meine muttersprache ist <=languages>"),
    _p("allergy", "allergisch", f"{_I_AM} (?:sehr |stark |hoch|leider |auch )*allergisch (?:gegen|auf) <=allergens>"),
    _p("allergy", "allergisch", f"{_I_AM} (?:sehr |stark |leider |auch )*gegen <=allergen> allergisch"),
    _p(
        "allergy",
        "laktoseintolerant glutenintolerant fruktoseintolerant",
        f"{_I_AM} <nun>(?P<value>(?:laktose|gluten|fruktose)intolerant)<ende>",
        "{s} ist {v}.",
    ),
    _p(
        "diet",
        "vegetarier vegetarierin veganer veganerin vegan",
        f"{_I_AM} <nun>{_DIET}<ende>",
        "{s} ist {v}.",
    ),
    _p("diet", "kein keine keinen", f"{_I_AM} (?:übrigens |jetzt )*kein(?:e|en)? {_DIET} mehr", negated=True),
    _p(
        "diet",
        "ess esse lebe ernähre",
        "(?:ich (?:ess|esse|lebe|ernähre mich)|(?:ess|esse) ich) <nun>(?P<value>vegan|vegetarisch)<ende>",
    ),
    _p(
        "diet",
        "kein keine keinen",
        f"(?:ich (?:ess|esse)|(?:ess|esse)(?: ich)?) (?:gar |mehr )*{_AVOIDED}(?: mehr)?<ende>",
    ),
    _p("birthday", "geburtstag", f"{_I_HAVE} am <=born> geburtstag"),
    _p("birthday", "geburtstag", "mein geburtstag ist (?:am |der )?<=born>"),
    _p("birthday", "geboren", f"{_I_AM} am <=born> (?:in [^.,;!?\\n]{{1,20}} )?geboren", "{s} ist am {v} geboren."),
    _p("birthday", "geburtstag", f"{_I_HAVE} heute (?P<value>geburtstag)<halt>"),
    _p("age", "alt", f"{_I_AM} <nun><=age> (?:jahre )?alt"),
    _p("age", "bin", f"{_I_AM} <nun><=age><halt>", after=True),
    _p("age", "geworden", f"{_I_AM} (?:gestern |heute |gerade )*<=age> (?:jahre alt )?geworden"),
    _p("name", "heiße heiss heisse", "(?:ich (?:heiße|heisse)|heiße(?: ich)?) <=fullname>"),
    _p("name", "name", "mein name ist <=fullname>"),
    _p("phone", "nummer handynummer telefonnummer", "meine (?:neue )?(?:handy|telefon)?nummer (?:ist|lautet) <=phone>"),
    _p("email", "mail email mailadresse", "meine (?:neue )?e?-?mail-?(?:adresse)? (?:ist|lautet) <=email>"),
)
