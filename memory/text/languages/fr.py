"""The words of French."""

from __future__ import annotations

from .language import AskingWords, Language

_TIMES = (
    "week-end|semaine|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|fevrier|mars|avril|mai|juin|juillet|aout"
    r"|septembre|octobre|novembre|decembre|paques|noel|\d"
)
_BEFORE_TIMES = rf"(?= (?:(?:ce|cette|le|en|au|a|pour|de) )*(?:{_TIMES}))"
ASKING = AskingWords(
    first_person=(
        "je", r"j'[^\W_]+", "moi", "mon", "ma", "mes", "me", r"m'[^\W_]+", "nous", "notre", "nos", "mienn?e?s?",
    ),
    subject=("je|j'[^\\W_]+",),
    own_words=(
        r"j'ai (?:[^\W_]+ )?(?:{saying})", r"ai-je (?:[^\W_]+ )?(?:{saying})", r"j'avais (?:[^\W_]+ )?(?:{saying})",
        r"est-ce que j'ai (?:[^\W_]+ )?(?:{saying})", "mes (?:questions|messages) a",
    ),
    between_us=(
        "entre [^?]{1,40} et moi", "entre moi et", "ma (?:conversation|discussion) avec", "mes messages avec",
        r"et moi (?:[^\W_]+ ){0,4}?(?:{saying})",
        r"(?:j\'ai|ai-je) (?:[^\W_]+ )?parle (?:[^?]{1,30} )?(?:a|avec)",
        "en contact avec",
    ),
    to_somebody=(
        r"(?:messages?|e-?mails?|mails?|courriels?|notes?|lettres?|photos?|{saying})(?: [^\W_]+){0,3}? (?P<words>a|pour)(?= [^\W_])",
    ),
    before_chat=("(?:dans|sur)(?: le| la| les)?", "(?:groupe|chat|canal|salon)(?: de la| des| de| du)?",),
    behind_chat=("chat", "groupe", "canal",),
    to_asker=(
        "(?:a|pour) moi",
        "m'(?:a|ont) (?:{saying})",
        "(?:j'ai|ai-je) recue?s?",
    ),
    saying=(
        "dit(?:e|es|s)?|disai(?:t|s|ent)|disent|dis", "ecrit(?:e|es|s)?|ecriv(?:ait|ais|ons|ez|ent)", "demand(?:e|ait|ee)", "propos(?:e|ait|ition)",
        "sugger(?:e|ait)|suggestion", "promis|promettait", "envoy(?:e|ait|ais|ee|es|ees|ez)", "telephon(?:e|ait)", "recommand(?:e|ait|ation)",
        "mentionn(?:e|ait)", "racont(?:e|ait)", "parl(?:e|ait|ons)", "expliqu(?:e|ait)", "prevu|planifie",
        "plainte?s?|plaignait", "repondu|repond(?:ait)?", "invit(?:e|ait)", "conseill(?:e|ait)", "annonc(?:e|ait)",
        "confirm(?:e|ait)", "decid(?:e|ait)", "averti", "rappel(?:e|ait)",
    ),
    newest=(
        "(?:le |la |les )?derni(?:er|ere|ers|eres)(?: (?:messages?|fois|choses?|mots?))?",
        "(?:le |la |les )?plus recent(?:e|s|es)?", "en dernier",
    ),
    oldest=(
        "(?:le |la |les )?premi(?:er|ere|ers|eres) (?:message|mail|courriel|note|photo|fois|chose|mot|rendez-vous)",
        "(?:le |la )?plus ancien(?:ne)?", "en premier",
    ),
    soonest=(
        r"(?:le |la |mon |ma )?prochaine?s?(?= (?:rendez-vous|rdv|evenements?|reunions?))", r"(?:rendez-vous|rdv|reunion) (?P<words>prochaine?)",
        r"quand (?:est|sera|aura lieu|ai-je|avons-nous) (?:[^?]{0,40} )?(?P<words>(?:le |la |mon |ma )?prochaine?(?: fois)?(?: que)?)(?= [^\W_])",
    ),
    counting=(
        "combien de fois", "a quelle frequence",
    ),
    counting_messages=("combien de (?:messages|mails|courriels|notes|photos)",),
    many=("combien d[e']",),
    mail=(
        "e-?mails?", "mails?", "courriels?", "mel",
    ),
    note=(
        "notes?",
        "notee?s?",
    ),
    event=(
        "evenements?", "rendez-vous", "rdv", "agenda", "calendrier",
    ),
    picture=(
        "photos?", "images?",
    ),
    file=(
        "pdfs?", "documents?", "fichiers?",
    ),
    planning=(
        f"(?:qu'est-ce que j'ai|qu'ai-je|est-ce que j'ai|qu'avons-nous|qu'est-ce qu'on a)(?: de prevu)?{_BEFORE_TIMES}",
        f"(?:qu'y a-t-il|qu'est-ce qu'il y a){_BEFORE_TIMES}",
    ),
    of_person=(
        r"(?:a|avait) (?:dit|ecrit|demande|propose|promis|envoye|raconte) (?P<words>[^\W\d_]+)",
        r"(?:qu'a|que|qu'est-ce que) (?P<words>[^\W\d_]+) a(?:-t-il|-t-elle)? (?:{saying})",
        r"(?:messages?|mails?|e-?mails?|courriels?) de (?P<words>[^\W\d_]+)",
    ),
    begins_question=(
        "qu'est-ce", "est-ce qu", "ou (?:est|es)", "quand est", "comment (?:ca va|vas|tu|va)", "combien (?:de|ca|coute)",
        "quel(?:le)?s? (?:est|sont|heure)",
    ),
    number=("combien|prix",),
    acts=(
        "plainte?|plaignait", "promis|promettait", "propos(?:e|ait)", "sugger(?:e|ait)", "recommand(?:e|ait)", "invit(?:e|ait)",
        "conseill(?:e|ait)", "averti", "demand(?:e|ait)", "rappel(?:e|ait)",
    ),
    about=(
        "(?:a propos|au sujet) d(?:e|u|es)", r"mentionn[^\W_]*", "le mot", "parl(?:e|ait|ons) (?:[^\\W_]+ ){0,2}?d(?:e|u|es|')",
    ),
    silent=(
        "monsieur", "madame", "m", "mme", "date", "jour", "chose", "choses", "fois", "nouvelle", "qu'?est-ce|est-ce",
        "passe(?:e|s|r)?", "arrive(?:e|r)?", "programme", "prevu(?:e|s)?", "elle|il|t",
        "recu(?:e|s|es)?",
        "tout le monde|gens|personnes?", "(?:a propos|au sujet) d(?:e|u|es)|le mot|d'apres|recemment", "ci", "combien", "nouvelles", "dernier(?:e|s|es)?|premier(?:e|s|es)?",
        "messages?",
    ),
)  # fmt: skip

LANGUAGE = Language(
    code="fr",
    asking=ASKING,
    months=(
        "janvier, janv", "février, févr", "mars", "avril, avr", "mai", "juin", "juillet, juil", "août",
        "septembre, sept", "octobre, oct", "novembre, nov", "décembre, déc",
    ),
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    seasons={3: "printemps", 6: "été", 9: "automne", 12: "hiver"},
    units={
        "minute": "minute, minutes, min", "hour": "heure, heures, h", "day": "jour, jours, journée", "week": "semaine, semaines",
        "weekend": "week-end, week-ends, weekend, weekends, fin de semaine", "month": "mois", "quarter": "trimestre, trimestres",
        "year": "an, ans, année, années",
    },
    plurals="jours, semaines, ans, années, heures, minutes, week-ends, weekends, trimestres",
    durations={
        "quinzaine": (15, "day"), "quinzaine de jours": (15, "day"), "demi-heure": (30, "minute"), "an et demi": (18, "month"),
        "décennie": (10, "year"),
    },
    numbers=(
        "un, une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
        "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf", "vingt",
    ),
    ordinals=("premier, première, 1er, 1ère", "deuxième, second, seconde", "troisième", "quatrième", "cinquième"),
    days={-2: "avant-hier", -1: "hier", 0: "aujourd'hui", 1: "demain", 2: "après-demain"},
    day_parts={
        "morning": "matin, au matin, matinée, dans la matinée", "noon": "midi, à midi", "afternoon": "après-midi, dans l'après-midi",
        "evening": "soir, au soir, soirée, dans la soirée", "night": "nuit, dans la nuit",
    },
    parts_from_now={(-1, "night"): "cette nuit"},
    feasts={
        "christmas": "noël", "christmas_eve": "réveillon de noël, veille de noël", "christmas_day": "jour de noël",
        "new_years_eve": "saint-sylvestre, réveillon du nouvel an, réveillon", "new_years_day": "jour de l'an",
        "new_year": "nouvel an, le nouvel an", "epiphany": "épiphanie, l'épiphanie", "candlemas": "chandeleur", "easter": "pâques",
        "easter_sunday": "dimanche de pâques", "easter_monday": "lundi de pâques", "good_friday": "vendredi saint",
        "holy_week": "semaine sainte", "ascension": "ascension", "pentecost": "pentecôte", "pentecost_monday": "lundi de pentecôte",
        "carnival": "carnaval, mardi gras", "ash_wednesday": "mercredi des cendres", "halloween": "halloween",
        "all_saints": "toussaint", "valentine": "saint-valentin, saint valentin", "labour_day": "fête du travail",
        "bastille": "fête nationale", "st_john": "saint-jean", "assumption": "assomption, quinze août", "armistice": "armistice",
        "mothers_day_last_may": "fête des mères", "fathers_day": "fête des pères", "music_day": "fête de la musique",
        "thanksgiving": "thanksgiving", "black_friday": "black friday", "st_nicholas": "saint-nicolas", "ramadan": "ramadan",
    },
    roles={
        "last": "dernier, dernière, derniers, dernières, passé, passée, passés, passées, écoulé, écoulée, précédent, précédente", "past": "",
        "previous_but_one": "avant-dernier, avant-dernière",
        "next": "prochain, prochaine, prochains, prochaines, qui vient, à venir, suivant, suivante",
        "this": "ce, cet, cette, ces", "ago": "il y a, voilà, ça fait", "within": "dans, d'ici, en", "before": "avant",
        "after": "après", "since": "depuis, à partir de, à partir du, dès", "from": "du, entre, de",
        "until": "jusque, jusqu'à, jusqu'au, jusqu'en, d'ici", "to": "au, à, -, –, —", "and": "et, ou",
        "in": "en, dans, pendant, durant, pour, lors, courant, cours", "article": "le, les", "of": "d, des",
        "the": "la, l, année, mois, an, ',', .", "beginning": "début, le début, au début, commencement",
        "middle": "mi, mi -, milieu, au milieu", "end": "fin, la fin, à la fin", "half": "moitié, semestre, demi, demie",
        "few": "quelques, plusieurs", "every": "chaque, tous les, toutes les", "lasting": "pendant, durant, pour, dure, duré", "age": "d'âge, d'ancienneté",
        "future": (
            "sera, aura, vais, va, allons, dois, devons, faut, prévu, prévue, prévus, plans, doit, avons-nous, ai-je de prévu, planifié, viendra"
        ),
        "past_tense": "était, étaient, étais, avait, avais, avais-je, avions-nous, avons-nous eu, ai-je eu, avait-il, il y avait, a eu lieu, a dit, a écrit, avons fait, ai fait, m'a, qu'a, a-t-il, a-t-elle, ai-je noté",
        "when": "quand", "title": "monsieur, madame, m, mme",
    },
    doubtful="mars, avril, juin, août, été, sept",
    given_names="avril",
    bare=frozenset({"weekday"}),
    ago_first=True,
    adjective_last=True,
    capital_days=False,
)  # fmt: skip
"""French."""
