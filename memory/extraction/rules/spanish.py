"""The patterns of Spanish; the verb says who speaks, and "yo" is rare."""

from __future__ import annotations

from functools import partial

from .pattern import Pattern, partings, relatives

_p = partial(Pattern, language="es")

_KIN = {
    "partner": "marido esposo mujer esposa novio novia pareja prometido prometida",
    "child": "hijo hija",
    "sibling": "hermano hermana gemelo gemela",
    "parent": "madre mamá padre papá",
}
_SEVERAL = {"child": "hijos hijas", "sibling": "hermanos hermanas"}
_NICK = "(?: (?:mayor|menor|pequeñ[oa]|median[oa]))?"
_RELATIVES = relatives(
    "es",
    _KIN,
    f"<mi> <who>{_NICK} se llama <=name>",
    f"(?:tengo|tenemos) una? <who>{_NICK} (?:que se llama|llamad[oa]) <=name>",
    anywhere=f"<mi> <who>{_NICK} <=name>(?! y (?!yo))",
) + relatives("es", _SEVERAL, f"<mi> <who>{_NICK} se llaman <=names>", anywhere=f"<mi> <who>{_NICK} <=names>")
_DIET = r"(?P<value>vegan[oa]|vegetarian[oa]|celíac[oa])"
_AVOIDED = r"(?P<value>carne|cerdo|pescado|marisco|gluten|lácteos|huevos?)"

SPANISH: tuple[Pattern, ...] = (
    _p(
        "home",
        "vivo vivimos viviendo",
        "<ya>(?:vivo|vivimos|estoy viviendo|estamos viviendo) (?:ahora |todavía |otra vez |aquí |acá )*en <=place>",
        time="state",
    ),
    _p(
        "home",
        "mudé mudamos mudado",
        "<ya>(?:me mudé|nos mudamos|me he mudado|nos hemos mudado) a <=place>",
        time="change",
    ),
    _p("home", "vivo vivimos", "ya no (?:vivo|vivimos) en <=place>", negated=True),
    _p("home", "vivía vivíamos", "(?:antes )?(?:vivía|vivíamos) en <=place>", time="past"),
    _p("origin", "soy", "<ya>soy de <=place><fin>"),
    _p("origin", "nací", "<ya>nací en <=place>", "{s} nació en {v}."),
    _p("origin", "crecí crié", "<ya>(?:crecí|me crié) en <=place>", "{s} creció en {v}."),
    _p("origin", "soy", "<ya>soy <=nationality>", "{s} es {v}."),
    _p("occupation", "soy", "<ya>soy (?:una? )?<=job>"),
    _p("occupation", "trabajo", "<ya>trabajo (?:de|como) <=job>", time="state"),
    _p("occupation", "jubilado jubilada", "<ya>estoy (?P<value>jubilad[oa])<fin>", "{s} está {v}."),
    _p("occupation", "soy", "ya no soy <=job>", negated=True),
    _p("employer", "trabajo", "<ya>trabajo (?:en|para) <=org>", time="state"),
    _p("employer", "trabajo", "ya no trabajo (?:en|para) <=org>", negated=True),
    _p("employer", "dejé dejado", "(?:dejé|he dejado) <=org>(?=<fin>)", negated=True, of_known=True),
    _p(
        "employer",
        "echaron despidieron",
        "me (?:echaron|despidieron|han echado|han despedido) (?:de |del )<=org>",
        negated=True,
        of_known=True,
    ),
    _p("employer", "trabajar", "(?:hoy )?(?:empecé|he empezado) a trabajar en <=org>", time="change"),
    *_RELATIVES,
    _p(
        "partner",
        "terminamos dejamos rompimos separamos",
        "<=name> y yo (?:ya )?(?:terminamos|lo dejamos|rompimos|nos separamos)",
        negated=True,
        of_known=True,
    ),
    *partings(
        "es",
        _KIN["partner"],
        f"<mi> <who>{_NICK} y yo (?:ya )?(?P<value>terminamos|rompimos|hemos roto|lo dejamos|lo hemos dejado"
        "|nos separamos|nos hemos separado)",
        "(?:<mi> <who> y yo )?nos (?P<value>divorciamos|hemos divorciado)",
        f"<mi> <who>{_NICK} me (?P<value>dejó|ha dejado)<alto>",
    ),
    *partings(
        "es",
        _KIN["partner"],
        f"<mi> <who>{_NICK} (?P<value>murió|ha muerto|falleció|ha fallecido)",
        "(?:se )?(?:me |nos )?(?P<value>murió|ha muerto|falleció|ha fallecido) <mi> <who>",
        says="{r} de {s} ya no está.",
    ),
    _p("partner", "casado casada", "<ya>estoy casad[oa] con <=name>", "La pareja de {s} se llama {v}."),
    _p("pet", "tengo tenemos", "<ya>(?:tengo|tenemos) (?:una? )?<=pet>"),
    _p(
        "pet",
        "adopté adoptamos adoptado",
        "<ya>(?:adopté|adoptamos|he adoptado|hemos adoptado) (?:a )?una? <=pet>",
        time="change",
    ),
    _p("pet", "mi nuestro nuestra", "<mi> <=animal>(?= <name>(?! y ))", anywhere=True),
    _p("pet", "mi mis nuestro nuestra", "<mi> <=animal><hace>", anywhere=True),
    _p("pet", "llama", "<mi> <=animal> se llama <name>"),
    _p("pet", "murió muerto", "<mi> <=animal>(?: <name>)? (?:se )?(?:nos |me )?(?:murió|ha muerto)", negated=True),
    _p("pet", "murió muerto", "(?:se )?(?:nos |me )?(?:murió|ha muerto) <mi> <=pet>", negated=True),
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
    _p("language", "hablo", "<ya>hablo <=languages>"),
    _p("language", "lengua idioma", "mi (?:lengua materna|primer idioma) es (?:el )?<=languages>"),
    _p("allergy", "alérgico alérgica", "<ya>soy (?:muy )?alérgic[oa] (?:a las?|a los|al|a) <=allergens>"),
    _p("allergy", "alergia", "<ya>tengo alergia (?:a las?|a los|al|a) <=allergens>"),
    _p(
        "allergy",
        "intolerante",
        "<ya>soy intolerante (?:a la|al) (?P<value>lactosa|gluten|fructosa)<fin>",
        "{s} es intolerante a {v}.",
    ),
    _p("diet", "vegano vegana vegetariano vegetariana celíaco celíaca", f"<ya>soy {_DIET}<fin>"),
    _p("diet", "soy", f"ya no soy {_DIET}<fin>", negated=True),
    _p("diet", "como", f"<ya>no como {_AVOIDED}<fin>", "{s} no come {v}.", value_form="no {v}"),
    _p("birthday", "cumpleaños cumple", "mi (?:cumpleaños|cumple) es (?:el )?<=born>"),
    _p("birthday", "cumplo", "<ya>cumplo años el <=born>"),
    _p("birthday", "nací", "nací el <=born>", "{s} nació el {v}."),
    _p("birthday", "cumpleaños cumple", "hoy es mi (?P<value>cumpleaños|cumple)<fin>"),
    _p("age", "tengo", "<ya>tengo <=age> años(?! (?:menos|más|viviendo|trabajando|en|de|con|sin|aquí))"),
    _p("age", "tengo", "<ya>tengo <=age><fin>", after=True),
    _p("name", "llamo", "<ya>me llamo <=fullname>"),
    _p("name", "nombre", "mi nombre es <=fullname>"),
    _p(
        "phone",
        "número móvil teléfono celular",
        "mi (?:número|móvil|teléfono|celular)(?: nuevo| de teléfono)? es (?:el )?<=phone>",
    ),
    _p("email", "correo mail email", "mi (?:correo|mail|email|e-mail)(?: electrónico)? es <=email>"),
)
