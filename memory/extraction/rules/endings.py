"""Rows that end what is known of somebody by a name alone: "Bess died", "we gave Olive away", "Catalina y yo terminamos".

Who Bess is, the message does not say. Each of these rows is therefore read for every attribute that such a name may be a value
of, and what it states only ends a fact that is known: where there is none, nothing comes of it (see `Statement.of_known`).
"""

from __future__ import annotations

from collections.abc import Iterator

from .pattern import Pattern, Shape

_NOT_FOR_GOOD = (
    r"(?! (?:of|from|with) (?:laugh\w+|boredom|embarrassment|shame|cringe|excitement)| (?:laughing|inside|a little|on (?:me|us|you)"
    r"|(?:in|at the end of) (?:the|that|this|my|a) (?:film|movie|book|game|show|series|episode|finale|dream|level|round|story|novel|play)))"
)
_NOT_FOR_GOOD_DE = r"(?! (?:im|in dem) (?:Film|Buch|Spiel|Traum|Finale))"
_NOT_FOR_GOOD_ES = r"(?! de (?:risa|vergüenza|aburrimiento|miedo)| en (?:la|el) (?:película|libro|juego|serie|sueño))"
_LATELY = r"(?=\s*(?:$|[,.!;]|[^\w\s'’])|\s+(?:yesterday|today|this|last|on|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|at|and|but|to|because|after|before|since|two|three|a (?:few|couple)|when)\b)"
_SAYS = {
    "pet": "{s} no longer has {v}.",
    "partner": "{s} is no longer with {v}.",
    "plan": "{s}'s plan is over or put off, no longer as it was: {v}.",
    "study": "{s} no longer studies: {v}.",
    "health": "{s} no longer has trouble with: {v}.",
}


def _rows(language: str, attributes: str, cues: str, text: str, eg: str, *, shape: Shape = "name") -> Iterator[Pattern]:
    """The row for each of the attributes."""
    for attribute in attributes.split():
        says = _SAYS[attribute] if language == "en" else ""
        yield Pattern(
            attribute,
            text,
            says,
            shape,
            negated=True,
            language=language,
            cues=cues,
            example=eg,
            of_known=True,
        )


ENDINGS: tuple[Pattern, ...] = (
    *_rows("en", "pet partner", "died passed", rf"<=name>(?:['’]s)? (?:has |had |just |sadly |suddenly |finally |peacefully )*(?:died|passed (?:away|on)){_NOT_FOR_GOOD}", "Arthur passed away on Tuesday = Arthur"),
    *_rows("en", "pet", "put sleep rehomed", r"<=name> (?:has |had |was |is |to be |being |been |just |sadly )+(?:put (?:down|to sleep)|rehomed)", "Bess was put to sleep this morning = Bess"),
    *_rows("en", "pet", "put sleep", r"(?:<i> )?(?:<adv>)(?:had to |have had to |decided to )?(?:have |had |put )<=name> (?:put )?(?:down|to sleep)(?! (?:for|in|on|at|early|late|with|a|the|by|again)\b)", "had to have Salt put down this morning = Salt"),
    *_rows("en", "pet", "go", r"(?:<i> )<adv>(?:had to |have had to )let <=name> go(?= (?:today|yesterday|this|last|on|in)\b|\s*(?:$|[,.!]))", "we had to let Bess go this morning = Bess"),
    *_rows("en", "pet", "away up", r"(?:<i> |<ive> )(?:<adv>)(?:had to )?(?:gave|give|given) <=name> (?:away|up(?! (?:for|on|to the)\b))", "we gave Olive away, my daughter is allergic = Olive"),
    *_rows("en", "pet", "rehomed rehome goodbye", r"(?:<i> |<ive> )(?:<adv>)(?:had to )?(?:rehomed?|(?:said|say) goodbye to) <=name>" + _LATELY, "We rehomed Olive last week = Olive"),
    *_rows("en", "pet partner", "lost", r"(?:<i> |<ive> )(?:<adv>)lost (?:my |our )?<=name>(?= (?:yesterday|this morning|last (?:night|week|month|year)|on \w+day|to (?:cancer|old age|kidney|heart))\b)", "We lost Arthur last month = Arthur"),
    *_rows("en", "partner", "out", r"<=name>(?:['’]s)? (?:has |just |finally )*moved out" + _LATELY, "Roland moved out last week = Roland"),
    *_rows("en", "partner", "me", r"<=name> (?:has |just |finally )*(?:left|dumped|divorced|broke up with|split up with|split with|walked out on|ended it with|finished with) me(?! (?:a|the|some|his|her|with|on|in|at|here|there|waiting|alone|wondering|speechless)\b)", "Cerys left me = Cerys"),
    *_rows("en", "partner", "ring wedding engagement", r"<=name> (?:has |just )*(?:gave (?:me )?(?:back the ring|the ring back|me the ring back)|called off (?:the|our) (?:wedding|engagement))", "Cerys gave me the ring back = Cerys"),
    *_rows("en", "partner", "ended finished dumped broke split left", r"(?:<i> |<ive> )(?:<adv>)(?:ended (?:it|things) with|finished (?:it )?with|dumped|broke up with|split (?:up )?(?:with|from)|left) <=name>" + _LATELY, "I ended things with Cerys last night = Cerys"),
    *_rows("en", "plan", "push pushed postpone postponed", r"(?:<i> |<ive> )?(?:<adv>)(?:had to |have to )?(?:push(?:ed)?|postponed?|put off) <=place>(?: trip| holiday)?(?= (?:back|until|till|to)\b)", "Had to push Iceland back to September = Iceland", shape="fixed"),
    *_rows("en", "plan", "back", r"(?:<im> )?<adv>(?:back|home) from <=place>(?= (?:now|yesterday|today|last|since|and|with|in one piece)\b|\s*(?:$|[,.!]))", "back from Iceland, what a trip = Iceland", shape="fixed"),
    *_rows("en", "study", "graduated", r"(?:<i> |<ive> )?(?:<adv>)(?P<value>graduated)(?= (?:yesterday|today|this|last (?:week|month))\b|\s*(?:$|[,.!]))", "I graduated yesterday = graduated", shape="fixed"),
    *_rows("en", "study", "finished", r"(?:<i> |<ive> )(?:<adv>)finished (?:my )?(?P<value>uni|university|college|degree|studies|course|master['’]?s|bachelor['’]?s|phd)(?= (?:yesterday|today|this|last (?:week|month))\b|\s*(?:$|[,.!]))", "I finished uni last week = uni", shape="fixed"),
    *_rows("en", "health", "healed better cleared gone mended", r"(?:<my> )?(?P<value>ankle|knee|wrist|arm|leg|foot|back|shoulder|hip|finger|neck|<illness>)(?:['’]s| is| has| are)? (?:now |finally |completely |fully |all |much )*(?:healed|mended|cleared up|gone away|back to normal)", "ankle's completely healed now = ankle", shape="fixed"),
    *_rows("de", "pet partner", "gestorben verstorben eingeschläfert gegangen eingeschlafen", rf"<=name> (?:ist|wurde) (?:[^\W\d_]+ ){{0,3}}?(?:gestorben|verstorben|eingeschläfert|von uns gegangen|für immer eingeschlafen|friedlich eingeschlafen){_NOT_FOR_GOOD_DE}", "Mikesch ist gestern gestorben = Mikesch"),
    *_rows("de", "pet", "einschläfern abgeben", r"(?:ich |wir )(?:mussten?|haben|hab) <=name> (?:[^\W\d_]+ ){0,2}?(?:einschläfern|abgeben|gehen) ?(?:lassen|müssen)?", "wir mussten Mikesch gestern einschläfern lassen = Mikesch"),
    *_rows("de", "pet", "abgeben einschläfern", r"<=name> (?:mussten|haben) wir (?:leider |gestern |heute )*(?:abgeben|einschläfern lassen|abgegeben)", "Minka mussten wir abgeben = Minka"),
    *_rows("de", "partner", "verlassen ausgezogen getrennt", r"<=name> (?:hat mich verlassen|ist (?:[^\W\d_]+ ){0,2}?ausgezogen|hat sich (?:von mir )?getrennt|hat schluss gemacht)", "Jonas ist gestern ausgezogen = Jonas"),
    *_rows("de", "partner", "getrennt", r"(?:ich )?(?:hab|habe) mich (?:[^\W\d_]+ ){0,2}?von <=name> getrennt", "ich hab mich von Jonas getrennt = Jonas"),
    *_rows("de", "study", "fertig", r"(?:ich )?(?:bin )?(?:ich )?(?:jetzt |endlich |offiziell )*fertig mit (?:dem|meinem) (?P<value>studium|bachelor|master)", "ich bin fertig mit dem Studium = Studium", shape="fixed"),
    *_rows("de", "plan", "zurück", r"(?:ich |wir )?(?:bin |sind )?(?:ich |wir )?(?:wieder |gestern |heute |seit gestern )*zurück aus <=place>(?=\s*(?:$|[,.!]))", "sind wieder zurück aus Island = Island", shape="fixed"),
    *_rows("es", "pet partner", "murió muerto falleció fallecido", rf"(?!(?:se|ya|ayer|anoche|hoy|me|nos|no|todo)\b)<=name> (?:se )?(?:nos |me )?(?:murió|ha muerto|falleció|ha fallecido){_NOT_FOR_GOOD_ES}", "Paz falleció el sábado = Paz"),
    *_rows("es", "pet partner", "murió muerto falleció fallecido", rf"(?:se )?(?:nos |me )?(?:murió|ha muerto|falleció|ha fallecido) (?:el |la )?<=name>{_NOT_FOR_GOOD_ES}", "Se nos murió Bizcocho anoche = Bizcocho"),
    *_rows("es", "pet", "dormir sacrificar", r"(?:tuvimos|hemos tenido|tuve) que (?:dormir|sacrificar) a <=name>", "tuvimos que sacrificar a Luna = Luna"),
    *_rows("es", "partner", "terminamos dejamos rompimos separamos terminado dejado roto separado", r"<=name> y yo (?:ya )?(?:terminamos|lo dejamos|rompimos|nos separamos|hemos terminado|lo hemos dejado|hemos roto|nos hemos separado)", "Catalina y yo terminamos = Catalina"),
    *_rows("es", "partner", "cortamos cortado terminamos rompimos dejamos", r"(?:con <=name> (?:ya )?(?:cortamos|terminamos|rompimos|lo dejamos))", "con Cami cortamos = Cami"),
    *_rows("es", "partner", "cortamos", r"<=name> y yo (?:ya )?cortamos", "Cami y yo cortamos = Cami"),
    *_rows("es", "partner", "dejó dejado", r"<=name> me (?:dejó|ha dejado)(?= (?:ayer|anoche|el|hace|esta|por)\b|\s*(?:$|[,.!]))", "Catalina me dejó ayer = Catalina"),
    *_rows("es", "study", "gradué licencié carrera", r"(?:ya )?(?:me |terminé la |acabé la |he terminado la |he acabado la )(?P<value>gradué|licencié|carrera)(?= (?:ayer|hoy|el|este|esta|por fin)\b|\s*(?:$|[,.!]))", "me gradué ayer = gradué", shape="fixed"),
    *_rows("es", "plan", "vuelta volvimos volví", r"(?:ya )?(?:estamos |estoy )?(?:de vuelta|volvimos|volví) (?:ya )?de <=place>(?= (?:ayer|hoy|anoche|y|con)\b|\s*(?:$|[,.!]))", "ya de vuelta de Islandia, qué pasada = Islandia", shape="fixed"),
    *_rows("es", "employer", "jubilo jubilé jubilado", r"(?:hoy |ya |por fin )*(?:me (?:he )?)(?P<value>jubilo|jubilé|jubilado)", "me jubilo hoy = jubilo", shape="fixed"),
)  # fmt: skip
