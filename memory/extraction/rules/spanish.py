"""The patterns of Spanish; the verb says who speaks, and "yo" is rare."""

from __future__ import annotations

from functools import partial

from .pattern import Pattern

_p = partial(Pattern, language="es")

_SPOUSE = "(?P<who>marido|esposo|mujer|esposa|novi[oa]|pareja|prometid[oa])"
_CHILD = "(?P<who>hij[oa])"
_SIBLING = "(?P<who>herman[oa]|gemel[oa])"
_PARENT = "(?P<who>madre|mamá|padre|papá)"
_KIN = (
    ("partner", _SPOUSE, "marido esposo mujer esposa novio novia pareja prometido prometida"),
    ("child", _CHILD, "hijo hija"),
    ("sibling", _SIBLING, "hermano hermana gemelo gemela"),
    ("parent", _PARENT, "madre mamá padre papá"),
)
_IS = "{r} de {s} se llama {v}."
_NICK = "(?: (?:mayor|menor|pequeñ[oa]|median[oa]))?"


def _relatives() -> tuple[Pattern, ...]:
    rows: list[Pattern] = []
    for attribute, who, cues in _KIN:
        rows += [
            _p(attribute, cues, f"<mi> {who}{_NICK} <=name>(?! y (?!yo))", _IS, anywhere=True),
            _p(attribute, cues, f"<mi> {who}{_NICK} se llama <=name>", _IS),
            _p(attribute, cues, f"<=name> es <mi> {who}{_NICK}<fin>", _IS),
            _p(attribute, cues, f"(?:tengo|tenemos) una? {who}{_NICK} (?:que se llama|llamad[oa]) <=name>", _IS),
        ]
    return tuple(rows)


_HOME, _HOME_NO, _HOME_PAST = "{s} vive en {v}.", "{s} ya no vive en {v}.", "{s} vivía antes en {v}."
_JOB, _JOB_NO = "{s} es {v}.", "{s} ya no es {v}."
_WORK, _WORK_NO = "{s} trabaja en {v}.", "{s} ya no trabaja en {v}."
_PET = "{s} tiene {a}."
_DIET = r"(?P<value>vegan[oa]|vegetarian[oa]|celíac[oa]|intolerante a la lactosa)"
_AVOIDED = r"(?P<value>carne|cerdo|pescado|marisco|gluten|lácteos|huevos?)"

SPANISH: tuple[Pattern, ...] = (
    _p(
        "home",
        "vivo vivimos viviendo",
        "<ya>(?:vivo|vivimos|estoy viviendo|estamos viviendo) (?:ahora |todavía |otra vez |aquí |acá )*en <=place>",
        _HOME,
        time="state",
    ),
    _p(
        "home",
        "mudé mudamos mudado",
        "<ya>(?:me mudé|nos mudamos|me he mudado|nos hemos mudado) a <=place>",
        _HOME,
        time="change",
    ),
    _p("home", "vivo vivimos", "ya no (?:vivo|vivimos) en <=place>", _HOME_NO, negated=True),
    _p("home", "vivía vivíamos", "(?:antes )?(?:vivía|vivíamos) en <=place>", _HOME_PAST, time="past"),
    _p("origin", "soy", "<ya>soy de <=place><fin>", "{s} es de {v}."),
    _p("origin", "nací", "<ya>nací en <=place>", "{s} nació en {v}."),
    _p("origin", "crecí crié", "<ya>(?:crecí|me crié) en <=place>", "{s} creció en {v}."),
    _p("origin", "soy", "<ya>soy <=nationality>", "{s} es {v}."),
    _p("occupation", "soy", "<ya>soy (?:una? )?<=job>", _JOB),
    _p("occupation", "trabajo", "<ya>trabajo (?:de|como) <=job>", _JOB, time="state"),
    _p("occupation", "jubilado jubilada", "<ya>estoy (?P<value>jubilad[oa])<fin>", "{s} está {v}."),
    _p("occupation", "soy", "ya no soy <=job>", _JOB_NO, negated=True),
    _p("employer", "trabajo", "<ya>trabajo (?:en|para) <=org>", _WORK, time="state"),
    _p("employer", "trabajo", "ya no trabajo (?:en|para) <=org>", _WORK_NO, negated=True),
    _p("employer", "dejé dejado", "(?:dejé|he dejado) <=org>(?=<fin>)", _WORK_NO, negated=True, of_known=True),
    _p(
        "employer",
        "echaron despidieron",
        "me (?:echaron|despidieron|han echado|han despedido) (?:de |del )<=org>",
        _WORK_NO,
        negated=True,
        of_known=True,
    ),
    _p("employer", "trabajar", "(?:hoy )?(?:empecé|he empezado) a trabajar en <=org>", _WORK, time="change"),
    *_relatives(),
    _p(
        "partner",
        "terminamos dejamos rompimos separamos",
        "<=name> y yo (?:ya )?(?:terminamos|lo dejamos|rompimos|nos separamos)",
        "{s} ya no está con {v}.",
        negated=True,
        of_known=True,
    ),
    _p("pet", "tengo tenemos", "<ya>(?:tengo|tenemos) (?:una? )?<=pet>", _PET),
    _p(
        "pet",
        "adopté adoptamos adoptado",
        "<ya>(?:adopté|adoptamos|he adoptado|hemos adoptado) (?:a )?una? <=pet>",
        _PET,
        time="change",
    ),
    _p("pet", "mi nuestro nuestra", "<mi> <=animal>(?= <name>(?! y ))", _PET, anywhere=True),
    _p("pet", "mi mis nuestro nuestra", "<mi> <=animal><hace>", _PET, anywhere=True),
    _p("pet", "llama", "<mi> <=animal> se llama <name>", _PET),
    _p(
        "pet",
        "murió muerto",
        "<mi> <=animal>(?: <name>)? (?:se )?(?:nos |me )?(?:murió|ha muerto)",
        "{s} ya no tiene {a}.",
        negated=True,
    ),
    _p(
        "pet",
        "murió muerto",
        "(?:se )?(?:nos |me )?(?:murió|ha muerto) <mi> <=pet>",
        "{s} ya no tiene {a}.",
        negated=True,
    ),
    _p(
        "pet",
        "murió muerto",
        "<=name> (?:se )?(?:nos |me )?(?:murió|ha muerto)",
        "{s} ya no tiene {v}.",
        negated=True,
        of_known=True,
    ),
    _p(
        "partner",
        "murió muerto falleció",
        "<=name> (?:murió|ha muerto|falleció)",
        "{v}, pareja de {s}, ya no está.",
        negated=True,
        of_known=True,
    ),
    _p(
        "pet",
        "murió muerto",
        "(?:se )?(?:nos |me )?(?:murió|ha muerto) <=name><fin>",
        "{s} ya no tiene {v}.",
        negated=True,
        of_known=True,
    ),
    _p("language", "hablo", "<ya>hablo <=languages>", "{s} habla {v}."),
    _p("language", "lengua idioma", "mi (?:lengua materna|primer idioma) es (?:el )?<=languages>", "{s} habla {v}."),
    _p(
        "allergy",
        "alérgico alérgica",
        "<ya>soy (?:muy )?alérgic[oa] (?:a las?|a los|al|a) <=allergens>",
        "{s} tiene alergia a {v}.",
    ),
    _p("allergy", "alergia", "<ya>tengo alergia (?:a las?|a los|al|a) <=allergens>", "{s} tiene alergia a {v}."),
    _p(
        "diet",
        "vegano vegana vegetariano vegetariana celíaco celíaca intolerante",
        f"<ya>soy {_DIET}<fin>",
        "{s} es {v}.",
    ),
    _p("diet", "soy", f"ya no soy {_DIET}<fin>", "{s} ya no es {v}.", negated=True),
    _p("diet", "como", f"<ya>no como {_AVOIDED}<fin>", "{s} no come {v}.", value="no {v}"),
    _p(
        "birthday",
        "cumpleaños cumple",
        "mi (?:cumpleaños|cumple) es (?:el )?<=born>",
        "El cumpleaños de {s} es el {v}.",
    ),
    _p("birthday", "cumplo", "<ya>cumplo años el <=born>", "El cumpleaños de {s} es el {v}."),
    _p("birthday", "nací", "nací el <=born>", "{s} nació el {v}."),
    _p(
        "birthday",
        "cumpleaños cumple",
        "hoy es mi (?P<value>cumpleaños|cumple)<fin>",
        "El cumpleaños de {s} es el {v}.",
    ),
    _p("age", "tengo", "<ya>tengo <=age> años(?! (?:viviendo|trabajando|en|de|con|sin|aquí))", "{s} tiene {v} años."),
    _p("name", "llamo", "<ya>me llamo <=fullname>", "{s} se llama {v}."),
    _p("name", "nombre", "mi nombre es <=fullname>", "{s} se llama {v}."),
    _p(
        "phone",
        "número móvil teléfono celular",
        "mi (?:número|móvil|teléfono|celular)(?: nuevo| de teléfono)? es (?:el )?<=phone>",
        "El teléfono de {s} es {v}.",
    ),
    _p(
        "email",
        "correo mail email",
        "mi (?:correo|mail|email|e-mail)(?: electrónico)? es <=email>",
        "El correo de {s} es {v}.",
    ),
)
