"""The patterns of German; the verb may stand before "ich", and "ich" may be left out."""

from __future__ import annotations

from functools import partial

from .pattern import Pattern

_p = partial(Pattern, language="de")

_SPOUSE = "(?P<who>Mann|Frau|Ehemann|Ehefrau|Freund|Freundin|Partner|Partnerin|Verlobter?|Lebensgefährt(?:e|in))"
_CHILD = "(?P<who>Sohn|Tochter)"
_SIBLING = "(?P<who>Bruder|Schwester|Zwillingsbruder|Zwillingsschwester)"
_PARENT = "(?P<who>Mutter|Mama|Vater|Papa)"
_KIN = (
    (
        "partner",
        _SPOUSE,
        "mann frau ehemann ehefrau freund freundin partner partnerin verlobte verlobter lebensgefährte lebensgefährtin",
    ),
    ("child", _CHILD, "sohn tochter"),
    ("sibling", _SIBLING, "bruder schwester zwillingsbruder zwillingsschwester"),
    ("parent", _PARENT, "mutter mama vater papa"),
)
_IS = "{r} von {s} heißt {v}."
_NICK = "(?:(?:liebe[rn]?|ältere[rn]?|älteste[rn]?|jüngere[rn]?|jüngste[rn]?|kleine[rn]?|große[rn]?|neue[rn]?) )?"


def _relatives() -> tuple[Pattern, ...]:
    rows: list[Pattern] = []
    for attribute, who, cues in _KIN:
        rows += [
            _p(attribute, cues, f"<mein> {_NICK}{who} <=name>(?! und (?!ich))", _IS, anywhere=True),
            _p(attribute, cues, f"<mein> {_NICK}{who} heißt <=name>", _IS),
            _p(attribute, cues, f"<=name> ist <mein> {_NICK}{who}<halt>", _IS),
            _p(
                attribute,
                cues,
                f"(?:ich (?:hab|habe)|hab|habe|wir haben) (?:eine|einen) {_NICK}{who} namens <=name>",
                _IS,
            ),
        ]
    return tuple(rows)


_HOME, _HOME_NO, _HOME_PAST = "{s} wohnt in {v}.", "{s} wohnt nicht mehr in {v}.", "{s} hat früher in {v} gewohnt."
_JOB, _JOB_NO = "{s} ist {v}.", "{s} ist nicht mehr {v}."
_WORK, _WORK_NO = "{s} arbeitet bei {v}.", "{s} arbeitet nicht mehr bei {v}."
_PET = "{s} hat {a}."
_DIET = r"(?P<value>Vegetarier(?:in)?|Veganer(?:in)?|vegan|vegetarisch|Zöliakie|laktoseintolerant|glutenintolerant)"
_AVOIDED = r"(?P<value>(?:kein|keine|keinen) (?:Fleisch|Schweinefleisch|Rindfleisch|Fisch|Milchprodukte|Gluten|Eier))"
_I_LIVE = "(?:ich (?:wohn|wohne|leb|lebe)|(?:wir )?(?:wohnen|leben)(?: wir)?|(?:wohn|wohne|leb|lebe)(?: ich)?)"
_I_HAVE = "(?:ich (?:hab|habe)|wir haben|(?:hab|habe)(?: ich)?|haben(?: wir)?)"
_I_AM = "(?:ich bin|bin(?: ich)?)"
_I_WORK = "(?:ich (?:arbeit|arbeite)|(?:arbeit|arbeite)(?: ich)?)"

GERMAN: tuple[Pattern, ...] = (
    _p("home", "wohn wohne wohnen leb lebe leben", f"{_I_LIVE} <nun><zeit>in <=place>", _HOME, time="state"),
    _p(
        "home",
        "gezogen umgezogen",
        f"(?:{_I_AM}|(?:wir )?sind(?: wir)?) <nun><zeit>nach <=place> (?:um)?gezogen",
        _HOME,
        time="change",
    ),
    _p("home", "wohn wohne wohnen", f"{_I_LIVE} nicht mehr in <=place>", _HOME_NO, negated=True),
    _p("home", "früher gewohnt", f"{_I_HAVE} früher in <=place> (?:gewohnt|gelebt)", _HOME_PAST, time="past"),
    _p(
        "origin",
        "komme komm stamme",
        "(?:ich (?:komm|komme|stamme)|(?:komm|komme|stamme)(?: ich)?) <nun>aus <=place><halt>",
        "{s} kommt aus {v}.",
    ),
    _p(
        "origin",
        "aufgewachsen",
        f"{_I_AM} <nun>in <=place> (?:geboren und )?aufgewachsen",
        "{s} ist in {v} aufgewachsen.",
    ),
    _p("origin", "geboren", f"{_I_AM} in <=place> geboren", "{s} ist in {v} geboren."),
    _p("origin", "bin", f"{_I_AM} <nun>(?:halber? )?<=nationality>", "{s} ist {v}."),
    _p("occupation", "bin", f"{_I_AM} <nun>(?:ein |eine )?<=job>", _JOB),
    _p("occupation", "arbeite arbeit", f"{_I_WORK} <nun><zeit>als <=job>", _JOB, time="state"),
    _p(
        "occupation",
        "rente pension",
        f"{_I_AM} <nun>in (?P<value>Rente|Pension)<halt>",
        "{s} ist in {v}.",
    ),
    _p("occupation", "mehr", f"{_I_AM} nicht mehr <=job>", _JOB_NO, negated=True),
    _p("employer", "arbeite arbeit", f"{_I_WORK} <nun><zeit>(?:bei|beim|für) <=org>", _WORK, time="state"),
    _p("employer", "arbeite arbeit", f"{_I_WORK} nicht mehr (?:bei|beim|für) <=org>", _WORK_NO, negated=True),
    _p("employer", "gekündigt", f"{_I_HAVE} (?:bei|beim) <=org> gekündigt", _WORK_NO, negated=True),
    *_relatives(),
    _p(
        "partner",
        "getrennt",
        "<=name> und ich haben uns <zeit>getrennt",
        "{s} ist nicht mehr mit {v} zusammen.",
        negated=True,
        of_known=True,
    ),
    _p(
        "partner",
        "gestorben verstorben",
        "<=name> (?:ist|wurde) (?:gestern |heute |leider )*(?:gestorben|verstorben)",
        "{v}, Partner von {s}, lebt nicht mehr.",
        negated=True,
        of_known=True,
    ),
    _p(
        "partner",
        "getrennt",
        f"{_I_HAVE} mich von <=name> getrennt",
        "{s} ist nicht mehr mit {v} zusammen.",
        negated=True,
        of_known=True,
    ),
    _p("pet", "hab habe haben", f"{_I_HAVE} <nun>(?:einen? |eine |nen |ne |ein )?<=pet>", _PET),
    _p(
        "pet",
        "mein meine meinen meiner unser unsere unseren unserer",
        "<mein> <=animal>(?= <name>(?! und ))",
        _PET,
        anywhere=True,
    ),
    _p("pet", "mein meine meinen meiner unser unsere unseren unserer", "<mein> <=animal><tut>", _PET, anywhere=True),
    _p("pet", "heißt", "<mein> <=animal> heißt <name>", _PET),
    _p(
        "pet",
        "gestorben eingeschläfert",
        "<mein> <=animal>(?: <name>)? (?:ist|wurde) (?:[^\\W\\d_]+ ){0,2}(?:gestorben|eingeschläfert)",
        "{s} hat k{a} mehr.",
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
    _p(
        "language",
        "spreche sprech",
        "(?:ich (?:spreche|sprech)|spreche(?: ich)?) (?:fließend |auch )*<=languages>",
        "{s} spricht {v}.",
    ),
    _p("language", "muttersprache", "meine muttersprache ist <=languages>", "{s} spricht {v}."),
    _p(
        "allergy",
        "allergisch",
        f"{_I_AM} (?:sehr |stark |hoch|leider |auch )*allergisch (?:gegen|auf) <=allergens>",
        "{s} ist gegen {v} allergisch.",
    ),
    _p(
        "allergy",
        "allergisch",
        f"{_I_AM} (?:sehr |stark |leider |auch )*gegen <=allergen> allergisch",
        "{s} ist gegen {v} allergisch.",
    ),
    _p(
        "diet",
        "vegetarier vegetarierin veganer veganerin vegan laktoseintolerant",
        f"{_I_AM} <nun>{_DIET}<ende>",
        "{s} ist {v}.",
    ),
    _p(
        "diet",
        "kein keine keinen",
        f"{_I_AM} (?:übrigens |jetzt )*kein(?:e|en)? {_DIET} mehr",
        "{s} ist nicht mehr {v}.",
        negated=True,
    ),
    _p(
        "diet",
        "ess esse lebe ernähre",
        "(?:ich (?:ess|esse|lebe|ernähre mich)|(?:ess|esse) ich) <nun>(?P<value>vegan|vegetarisch)<ende>",
        "{s} isst {v}.",
    ),
    _p(
        "diet",
        "kein keine keinen",
        f"(?:ich (?:ess|esse)|(?:ess|esse)(?: ich)?) (?:gar |mehr )*{_AVOIDED}(?: mehr)?<ende>",
        "{s} isst {v}.",
    ),
    _p("birthday", "geburtstag", f"{_I_HAVE} am <=born> geburtstag", "{s} hat am {v} Geburtstag."),
    _p("birthday", "geburtstag", "mein geburtstag ist (?:am |der )?<=born>", "{s} hat am {v} Geburtstag."),
    _p("birthday", "geboren", f"{_I_AM} am <=born> (?:in [^.,;!?\\n]{{1,20}} )?geboren", "{s} ist am {v} geboren."),
    _p("birthday", "geburtstag", f"{_I_HAVE} heute (?P<value>geburtstag)<halt>", "{s} hat am {v} Geburtstag."),
    _p("age", "alt", f"{_I_AM} <nun><=age> (?:jahre )?alt", "{s} ist {v} Jahre alt."),
    _p(
        "age",
        "geworden",
        f"{_I_AM} (?:gestern |heute |gerade )*<=age> (?:jahre alt )?geworden",
        "{s} ist {v} Jahre alt.",
    ),
    _p("name", "heiße heiss heisse", "(?:ich (?:heiße|heisse)|heiße(?: ich)?) <=fullname>", "{s} heißt {v}."),
    _p("name", "name", "mein name ist <=fullname>", "{s} heißt {v}."),
    _p(
        "phone",
        "nummer handynummer telefonnummer",
        "meine (?:neue )?(?:handy|telefon)?nummer (?:ist|lautet) <=phone>",
        "Die Nummer von {s} ist {v}.",
    ),
    _p(
        "email",
        "mail email mailadresse",
        "meine (?:neue )?e?-?mail-?(?:adresse)? (?:ist|lautet) <=email>",
        "Die E-Mail-Adresse von {s} ist {v}.",
    ),
)
