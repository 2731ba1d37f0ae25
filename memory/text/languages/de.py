"""The words of German."""

from __future__ import annotations

from collections.abc import Mapping

from .language import AskingWords, CountedUnit, Language


def _forms(*stems: str) -> str:
    """Return the forms of adjectives: "letzte, letzten, letztem, letzter, letztes"."""
    return ", ".join(f"{stem}{ending}" for stem in stems for ending in ("e", "en", "em", "er", "es"))


_TIMES = (
    "wochenende|woche|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|januar|februar|marz|april|mai"
    r"|juni|juli|august|september|oktober|november|dezember|ostern|weihnachten|\d+\."
)
ASKING = AskingWords(
    first_person=(
        "ich", "mein(?:e[nmrs]?|s)?", "(?<!sag )(?<!zeig )(?<!gib )(?<!erzahl )mir", "mich", "wir", "uns",
        "unser(?:e[nmrs]?|[nmrs])?",
    ),
    subject=("ich",),
    own_words=(
        "(?:hab|habe|hatte) ich (?:[^?]{0,80}? )?(?:{saying})", "(?:{saying}) ich",
        "meine (?:fragen?|nachrichten?) an", "ich (?:[^?]{1,60} )?(?:{saying})(?: hab| habe| hatte)",
    ),
    between_us=(
        "zwischen mir und", "zwischen [^?]{1,40} und mir",
        "mein(?:e[nm]?)? (?:chat|gesprach|unterhaltung|nachrichten) mit",
        r"und ich (?:[^\W_]+ ){0,2}?(?:{saying})",
        r"ich (?:[^\W_]+ ){0,2}?mit [^?]{1,40} (?:geredet|gesprochen|geschrieben|gechattet|telefoniert)",
        "(?:in|im) kontakt mit",
    ),
    to_somebody=(
        r"(?:nachricht(?:en)?|e-?mails?|mails?|notiz(?:en)?|briefe?|fotos?|bild(?:er)?|{saying})(?: [^\W_]+){0,3}? (?P<words>an)(?= [^\W_])",
        r"(?P<words>an|zu)(?= [^\W_]+(?: [^\W_]+){0,3}? (?:{saying}))",
    ),
    before_chat=("im", "in(?: de[rmn]| unsere[rm]| meine[rm])?", "(?:gruppe|chat|kanal)",),
    behind_chat=("(?:gruppen)?chats?", "gruppe", "kanal",),
    to_asker=(
        "an mich",
        r"mir (?:[^\W_]+ ){0,2}?(?:{saying})",
        "ich (?:[^?]{0,40} )?(?:bekommen|erhalten)",
    ),
    saying=(
        "gesagt|sag(?:te[nst]?|t|st|en)", "(?:an|zuruck)?geschrieben|schrieb(?:en|st)?|schreib(?:t|st|en|e)",
        "erzahl(?:t|te|ten|st|en)", "erwahn(?:t|te|ten|en)", "gemeint|mein(?:te|ten)", "gefragt|frag(?:te|ten|t|en)",
        "vorgeschlagen|schlug|vorschlug|schlagt|vorschlagen|vorschlag(?:e|s)?", "versproch?en|versprach|verspricht",
        "(?:ge|ver)?schick(?:te[nst]?|t|en|e)", "(?:ge|ver|zuge)sendet|ver(?:sandt|sendete)|sandte|gesandt", "gemailt|mailte", "geplant|plan(?:te|ten|t|en)",
        "beschwer(?:t|te|ten)", "(?:be|ge)klagt", "empf(?:ohlen|ahl|iehlt|ehlen|ehlung(?:en)?)", "(?:an)?gekundigt",
        "erklar(?:t|te|ten|en)", "bestatigt(?:e|en)?", "angeboten|bietet|anbot", "eingeladen|einlud",
        "(?:ge)?warn(?:t|te|ten)", "erinner(?:t|te)", "bericht(?:et|ete|en)", "beschlossen|beschloss",
        "entschieden|entschied", "geantwortet|antwort(?:et|ete)", "gebeten", "gratuliert", "gedankt|bedankt",
        "gewunscht", "geraten|riet", "zugesagt|abgesagt", "beschrieben|beschrieb", "geteilt", "weitergeleitet",
        "telefonier(?:t|te|ten)", "gechattet|chattete[nt]?", "gemeldet|meldet(?:e)?", "besprochen", "geredet|redet(?:e)?|gesprochen|sprach",
    ),
    newest=(

        "(?:das |die |der |den )?(?:aller)?(?:letzte[nmrs]?|neue?ste[nmrs]?|jungste[nmrs]?|aktuellste[nmrs]?)(?: (?:mal|nachricht|nachrichten))?",
        "zuletzt", "zum letzten mal",
    ),
    oldest=(

        "(?:das |die |der |den )?(?:aller)?(?:erste[nmrs]?) (?:nachricht(?:en)?|mails?|e-?mails?|notiz|mal|fotos?|bild|wort|termin|anruf|treffen|besuch|chat|eintrag)",
        "zum ersten mal", "zuerst", "als erstes", "(?:fruheste|alteste)[nmrs]?",
    ),
    soonest=(
        r"(?:der |die |das |mein(?:e[nr]?)? |unser(?:e[nr]?)? )?nachste[nrsm]?(?= (?:[^\W_]+ ){0,2}(?:[^\W_]*termine?|verabredung|treffen|veranstaltung))",
        r"wann (?:ist|sind|habe?|haben|hat|findet|kommt|sehe|sehen|treffe|treffen|muss) (?:[^?]{0,40} )?(?P<words>(?:der |die |das |mein(?:e[nr]?)? )?nachste[nrsm]?(?: mal)?)(?= [^\W_])",
    ),
    counting=(
        "wie oft", "wie haufig", "wie ?viele? male?",
    ),
    counting_messages=("wie ?viele? (?:nachrichten|mails?|e-?mails|notizen|fotos|bilder)",),
    many=("wie ?viele?",),
    mail=(
        "e-?mails?", "mails?", "mailte", "gemailt", "newsletter",
    ),
    note=(
        "notiz(?:en)?",
        "notiert(?:e)?|aufgeschrieben",
    ),
    event=(
        "termin(?:e|en|s)?", "kalender(?:eintrag|eintrage)?",
    ),
    picture=(
        "fotos?", "bild(?:er|ern|es)?", "screenshots?",
    ),
    file=(
        "pdfs?", "dokument(?:e|en|s)?", "datei(?:en)?",
    ),
    planning=(
        rf"hab(?:e ich|en wir| ich) (?:(?![^\W\d_]*ge[^\W\d_]+(?:t|en) )[\w.]+ )*(?:vor|zeit|frei|{_TIMES})(?=[\W_]*$)",
        r"(?:steht|stehen|liegt|liegen) (?:[\w.]+ )*an(?=[\W_]*$)", rf"was ist (?:[\w.]+ )*(?:{_TIMES}) los(?=[\W_]*$)",
    ),
    of_person=(
        r"(?:hat|hatte) (?P<words>[^\W\d_]+) (?:[^?]{1,60} )?(?:{saying})",
        r"(?:sagte|schrieb|meinte|erzahlte|fragte|schickte|schlug) (?P<words>[^\W\d_]+)",
        r"hab(?:e)? ich (?P<words>[^\W\d_]+) (?:gesagt|geschrieben|erzahlt|geschickt|versprochen|gefragt)",
        r"(?:nachricht(?:en)?|mails?|e-?mails?|briefe?) von (?P<words>[^\W\d_]+)",
    ),
    begins_question=(
        "(?:was|wo|wer|wie|wann|warum|wieso|wohin|woher|welche[rsnm]?) (?:ist|war|sind|waren|hat|hast|habt|haben)",
        "(?:was|wo|wer|wie|wann|warum|wieso|wohin|woher) (?:heisst|hiess|kostet|geht|macht|machst|kommt|kommst|wird)",
        "(?:was|wo|wer|wie|wann|warum) (?:willst|soll|sollen|kann|kannst)", "wie (?:viele?|lange|oft)",
        "(?:hast|kannst|willst|bist|weisst|kommst|machst|magst) du", "(?:habt|konnt|wollt|seid|wisst|kommt) ihr",
    ),
    number=(
        "wie ?viele?[nrsm]?|wie (?:oft|alt|lang|lange|teuer|hoch|gross|weit|schnell)", "nummer|preis",
    ),
    now=("jetzt|heute|heutzutage|derzeit|zurzeit|momentan|aktuell|gegenwartig",),
    present=("wohnt|lebt|arbeitet",),
    former=(r"davor|vorher\w*|zuvor|fruher\w*|ehemal\w*",),
    acts=(
        "beschwer(?:t|te|ten)", "(?:be|ge)klagt", "gedankt|bedankt", "versproch?en|versprach|verspricht", "(?:ge)?warn(?:t|te|ten)",
        "eingeladen|einlud", "vorgeschlagen|schlug|vorschlug|vorschlagen", "empf(?:ohlen|ahl|iehlt|ehlen)", "gratuliert",
        "gewunscht", "geraten|riet", "gebeten", "gefragt|frag(?:te|ten|t|en)", "erinner(?:t|te)", "zugesagt|abgesagt",
    ),
    about=(
        "uber|wegen|bezuglich", "erwahn(?:t|te|ten|en)", "(?:das|zum) (?:wort|thema)",
        r"von [^?]{1,40} (?:erzahlt|gesprochen|geredet|berichtet)", r"(?:erzahlte|sprach|redete|berichtete) [^?]{0,40}von",
    ),
    silent=(
        "herr", "herrn", "frau", "dr", "datum", "tag", "mal", "male", "ding", "dinge", "sache", "sachen", "neues",
        "neuigkeiten",
        "passiert(?:e|en)?", "lautet?|lauten", "los", "gab", "geschah|geschehen", "vor", "programm",
        "wor(?:um|uber|an|in|aus|auf)|wo(?:fur|mit|zu|von|gegen|nach|bei)", "geht|ging", "bei",
        "bekommen|bekam", "erhalten|erhielt",
        "viele?[nrs]?", "gehort|horte", "kam|kamen|kommt|gekommen", "jemals", "letzte[nmrs]?|erste[nmrs]?|zuletzt",
        "chats?", "nachricht(?:en)?", "neulich|kurzlich|letztens", "(?:das|zum) (?:wort|thema)", "leuten?|personen?|jemand(?:e[mn])?|niemand(?:e[mn])?|irgend(?:wer|jemand|was|etwas)",
        "wegen|bezuglich|trotz|steh(?:t|en)|stand(?:en)?|schon|insgesamt",
    ),
)  # fmt: skip
_HALVES: tuple[tuple[int, str, CountedUnit], ...] = (
    (12, "jahre", "month"), (12, "jahren", "month"), (7, "wochen", "day"),
)  # fmt: skip
_AND_A_HALF: Mapping[str, tuple[int, CountedUnit]] = {
    f"{number}einhalb {word}": (count * months + months // 2, unit)
    for count, number in enumerate(("zwei", "drei", "vier", "fünf"), 2)
    for months, word, unit in _HALVES
}
"""The lengths of "zweieinhalb Jahre" and the like."""

LANGUAGE = Language(
    code="de",
    asking=ASKING,
    months=(
        "januar, jan, jänner", "februar, feb", "märz, maerz", "april, apr", "mai", "juni, jun", "juli, jul", "august, aug",
        "september, sept, sep", "oktober, okt", "november, nov", "dezember, dez",
    ),
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag, sonnabend", "sonntag"),
    short_weekdays=("mo", "di", "mi", "do", "fr", "sa", "so"),
    seasons={3: "frühling, frühjahr", 6: "sommer", 9: "herbst", 12: "winter"},
    units={
        "minute": "minute, minuten", "hour": "stunde, stunden, std, h", "day": "tag, tage, tagen, tages",
        "week": "woche, wochen", "weekend": "wochenende, wochenenden, wochenendes",
        "month": "monat, monate, monaten, monats", "quarter": "quartal, quartale, quartals, quartalen, vierteljahr",
        "year": "jahr, jahre, jahren, jahres",
    },
    plurals="tage, tagen, wochen, monate, monaten, jahre, jahren, stunden, minuten, wochenenden, quartale",
    durations={
        **_AND_A_HALF, "halbes jahr": (6, "month"), "halben jahr": (6, "month"), "halbe jahr": (6, "month"), "halben jahres": (6, "month"),
        "halbe stunde": (30, "minute"), "halben stunde": (30, "minute"), "anderthalb jahren": (18, "month"),
        "anderthalb jahre": (18, "month"), "eineinhalb jahren": (18, "month"), "dreiviertel jahr": (9, "month"),
        "jahrzehnt": (10, "year"),
    },
    numbers=(
        "ein, eine, einen, einem, einer, eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht",
        "neun", "zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
        "zwanzig",
    ),
    about_two="paar, ein paar",
    ordinals=(
        _forms("erst"), _forms("zweit"), _forms("dritt"), _forms("viert"), _forms("fünft"), _forms("sechst"),
        _forms("siebt", "siebent"), _forms("acht"), _forms("neunt"), _forms("zehnt"), _forms("elft"), _forms("zwölft"),
    ),
    days={-2: "vorgestern", -1: "gestern", 0: "heute", 1: "morgen", 2: "übermorgen"},
    day_parts={
        "morning": "morgen, morgens, vormittag, vormittags, früh, morgens früh", "noon": "mittag, mittags",
        "afternoon": "nachmittag, nachmittags", "evening": "abend, abends, abends spät", "night": "nacht, nachts",
    },
    unit_parts={
        ("year", "beginning"): "jahresanfang, jahresbeginn", ("year", "middle"): "jahresmitte", ("year", "end"): "jahresende",
        ("month", "beginning"): "monatsanfang, monatsbeginn", ("month", "middle"): "monatsmitte",
        ("month", "end"): "monatsende", ("week", "beginning"): "wochenanfang, wochenbeginn", ("week", "middle"): "wochenmitte",
        ("quarter", "end"): "quartalsende", ("quarter", "beginning"): "quartalsanfang",
    },
    calendar_week="kw, kalenderwoche, woche nr",
    decades=(
        "", "", "", "fünfzigern, fünfziger", "sechzigern, sechziger", "siebzigern, siebziger", "achtzigern, achtziger",
        "neunzigern, neunziger",
    ),
    feasts={
        "christmas": "weihnachten, weihnachtsfeiertage, weihnachtsfeiertagen, weihnachtszeit",
        "christmas_eve": "heiligabend, heiligen abend, heiliger abend, heilig abend",
        "christmas_day": "erster weihnachtstag, ersten weihnachtstag, ersten weihnachtsfeiertag, erster weihnachtsfeiertag",
        "boxing_day": "zweiter weihnachtstag, zweiten weihnachtstag, zweiten weihnachtsfeiertag, zweiter weihnachtsfeiertag",
        "new_years_eve": "silvester, sylvester", "new_years_day": "neujahr, neujahrstag",
        "new_year": "jahreswechsel", "between_the_years": "zwischen den jahren", "easter": "ostern",
        "easter_sunday": "ostersonntag", "easter_monday": "ostermontag", "good_friday": "karfreitag",
        "holy_week": "karwoche", "maundy_thursday": "gründonnerstag", "pentecost": "pfingsten",
        "pentecost_sunday": "pfingstsonntag", "pentecost_monday": "pfingstmontag", "ascension": "himmelfahrt, christi himmelfahrt, vatertag",
        "corpus_christi": "fronleichnam", "carnival": "karneval, fasching, fastnacht", "rose_monday": "rosenmontag",
        "ash_wednesday": "aschermittwoch", "halloween": "halloween", "valentine": "valentinstag",
        "st_nicholas": "nikolaus, nikolaustag", "epiphany": "dreikönig, dreikönigstag, heilige drei könige, heiligen drei könige",
        "mothers_day": "muttertag", "labour_day": "tag der arbeit, maifeiertag", "german_unity": "tag der deutschen einheit",
        "reformation": "reformationstag", "all_saints": "allerheiligen", "st_martin": "martinstag, sankt martin, st. martin",
        "thanksgiving": "thanksgiving", "black_friday": "black friday", "advent": "adventszeit, advent",
        "advent_1": "erster advent, ersten advent, 1. advent", "advent_2": "zweiter advent, zweiten advent, 2. advent",
        "advent_3": "dritter advent, dritten advent, 3. advent", "advent_4": "vierter advent, vierten advent, 4. advent",
        "repentance": "buß- und bettag, buß und bettag", "ramadan": "ramadan", "eid_al_fitr": "zuckerfest", "eid_al_adha": "opferfest",
    },
    roles={
        "last": _forms("letzt", "vergangen", "vorig"), "past": "", "previous_but_one": _forms("vorletzt"),
        "next_but_one": _forms("übernächst"), "next": _forms("nächst", "naechst", "kommend"), "this": _forms("dies"),
        "ago": "her", "within": "in", "before": "vor, bevor", "after": "nach", "since": "seit, ab",
        "from": "von, vom, zwischen", "until": "bis, bis zum, bis zur, bis zu", "to": "-, –, —", "and": "und, &, oder",
        "in": "in, im, am, an, zu, zum, zur, um, über, während, innerhalb, fürs, ins",
        "of": "des", "the": "der, die, das, dem, den, jahr, jahre, jahres, monat, ',', ., s",
        "beginning": "anfang, beginn, anfangs", "middle": "mitte", "end": "ende", "half": "hälfte, halbjahr, halbjahres",
        "few": _forms("einig", "mehrer"), "every": _forms("jed"), "lasting": "für, dauert, dauerte, dauern", "age": "alt, alte, alten, alter, altes, lang",
        "future": (
            "wird, werden, werde, wirst, geplant, plan, pläne, vor haben, muss, müssen, musst, soll, sollen, sollte, ansteht, "
            "steht … an, stehen … an, noch an, kommt, kommen, fällig, haben wir, habe ich heute, treffen wir"
        ),
        "past_tense": "war, waren, hatte, hatten, hat, gab, fand, fanden, gewesen, gehabt, verpasst, wurde, wurden, sagte, schrieb, haben wir, hab ich, habe ich, habt, hast",
        "when": "wann", "title": "herr, herrn, frau, dr, prof",
    },
    doubtful="mai, april, august, sommer, winter, herbst, frühling, freitag, sonntag",
    given_names="mai, april, freitag, sonntag, sommer, winter",
    bare=frozenset({"year", "weekday", "feast"}),
    ago_first=True,
    capital_nouns=True,
    irregular=(
        "backen, backt, buk", "befehlen, befahl, befohlen", "beginnen, begann, begonnen", "beißen, biss, gebissen",
        "beweisen, bewies, bewiesen", "biegen, bog, gebogen", "bieten, bot, geboten", "binden, band, gebunden",
        "bitten, bat, gebeten", "bleiben, blieb, geblieben", "braten, briet", "brechen, bricht, brach, gebrochen",
        "brennen, brannte, gebrannt", "bringen, brachte, gebracht", "empfehlen, empfiehlt, empfahl, empfohlen",
        "essen, isst, aß, gegessen", "fahren, fährt, fuhr", "fallen, fällt, fiel", "fangen, fängt, fing",
        "finden, fand, gefunden", "fliegen, flog, geflogen", "fliehen, floh, geflohen", "fließen, floss, geflossen",
        "frieren, fror, gefroren", "genießen, genoss, genossen", "gewinnen, gewann, gewonnen",
        "gießen, goss, gegossen", "greifen, griff, gegriffen", "hängen, hing, gehangen", "heben, hob, gehoben",
        "helfen, hilft, half, geholfen", "kennen, kannte, gekannt", "kriechen, kroch, gekrochen", "laden, lädt, lud",
        "laufen, läuft, lief", "leihen, lieh, geliehen", "lesen, liest, las", "lügen, log, gelogen",
        "messen, misst, maß", "nehmen, nimmt, nahm, genommen", "pfeifen, pfiff, gepfiffen", "raten, rät, riet",
        "reiten, ritt, geritten", "reißen, riss, gerissen", "rennen, rannte, gerannt", "riechen, roch, gerochen",
        "rufen, rief", "scheinen, schien, geschienen", "schieben, schob, geschoben", "schießen, schoss, geschossen",
        "schlafen, schläft, schlief", "schlagen, schlägt, schlug", "schließen, schloss, geschlossen",
        "schneiden, schnitt, geschnitten", "schreiben, schrieb, geschrieben", "schreien, schrie, geschrien",
        "schweigen, schwieg, geschwiegen", "schwimmen, schwamm, geschwommen", "singen, sang, gesungen",
        "sinken, sank, gesunken", "sitzen, saß, gesessen", "sprechen, spricht, sprach, gesprochen",
        "springen, sprang, gesprungen", "stehlen, stiehlt, stahl, gestohlen", "steigen, stieg, gestiegen",
        "sterben, stirbt, starb, gestorben", "streichen, strich, gestrichen", "streiten, stritt, gestritten",
        "tragen, trägt, trug", "treffen, trifft, traf, getroffen", "treiben, trieb, getrieben", "treten, tritt, trat",
        "trinken, trank, getrunken", "verbieten, verbot, verboten", "vergessen, vergisst, vergaß",
        "verlieren, verlor, verloren", "verschwinden, verschwand, verschwunden",
        "versprechen, verspricht, versprach, versprochen", "verstehen, verstand, verstanden",
        "wachsen, wächst, wuchs", "waschen, wäscht, wusch", "werfen, wirft, warf, geworfen", "wiegen, wog, gewogen",
        "ziehen, zog, gezogen", "umziehen, umgezogen", "zwingen, zwang, gezwungen",
    ),
)  # fmt: skip
"""German."""
