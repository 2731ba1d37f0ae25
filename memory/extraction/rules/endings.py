"""Rows that end what is known of somebody by a name alone: "Bess died", "we gave Olive away", "Catalina y yo terminamos".

Who Bess is, the message does not say. Each of these rows is therefore read for every attribute that such a name may be a value
of, and what it states only ends a fact that is known: where there is none, nothing comes of it (see `Statement.of_known`).
"""

from __future__ import annotations

from collections.abc import Iterator

from .pattern import CLOSED, Pattern, Shape

_TIME = (
    r"(?:yesterday|today|tonight|last (?:night|week|weekend|month|year|summer|winter|autumn|spring)|this (?:morning|afternoon|evening|week|weekend|month|summer|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|(?:a|two|three|four|five|six|a few|a couple of) (?:days|weeks|months|years|day|week|month|year) ago)"
)
_THEN = rf"(?=(?:,? {_TIME})?\s*(?:$|[,.!;)…]|[^\w\s'’(:-]))"
"""What may stand behind an ending: a time, and the end of the clause. Anything else makes something else of it ("left me a note")."""
_GONE = (
    rf"(?=(?:,? (?:{_TIME}|peacefully|suddenly|unexpectedly|quietly|at home|in (?:his|her|their) sleep|at the vet['’]?s?|(?:of|from|after) (?:cancer|old age|covid|pneumonia|kidney failure|a (?:long illness|short illness|stroke|heart attack|tumour))"
    r"|(?:aged|at) \d{1,3})){0,3}\s*(?:$|[,.!;)…]|[^\w\s'’(:-]))"
)
_TIME_ES = r"(?:ayer|anoche|hoy|esta (?:mañana|noche|semana|tarde)|anteayer|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|mes pasado|año pasado|verano pasado)|la semana pasada|hace [^\W\d_]+ [^\W\d_]+|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre))"
_THEN_ES = rf"(?=(?:,? {_TIME_ES})?\s*(?:$|[,.!;)…]|[^\w\s(:-]))"
_DE = r"(?:(?:gestern|heute|letzte|letzten|vorige|Nacht|Woche|Monat|Jahr|am|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|leider|nun|jetzt|plötzlich|diese|morgen|früh|Abend|vorgestern|friedlich|für|immer|vor (?:einem|einer|ein paar|zwei|drei|vier|fünf|sechs|\d{1,2}) (?:Tag|Woche|Monat|Jahr)(?:e?n)?) ){0,4}"
"""Words of time and regret between the two parts of a German verb; "nicht" and "fast" would turn it round."""


_SAYS = {
    "pet": "{s} no longer has {v}.",
    "partner": "{s} is no longer with {v}.",
    "plan": "{s}'s plan is over or put off, no longer as it was: {v}.",
    "study": "{s} no longer studies: {v}.",
    "health": "{s} no longer has trouble with: {v}.",
    "possession": "{s} no longer has {v}.",
    "occupation": "{s}'s business has closed: {v}.",
    "employer": "{s} no longer has the job: {v}.",
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
    *_rows("en", "pet partner", "died passed", rf"<=name> (?:has |had |just |sadly |suddenly |finally |peacefully )*(?:died|passed away){_GONE}", "Arthur passed away on Tuesday = Arthur"),
    *_rows("en", "pet", "put sleep rehomed", rf"<=name> (?:just |sadly )*(?:was|had to be|has been|got|been) (?:put (?:down|to sleep)|rehomed){_THEN}", "Bess was put to sleep this morning = Bess"),
    *_rows("en", "pet", "put sleep down", rf"(?:<i> |<ive> )?(?:<adv>)(?:had to |decided to )(?:have |put )<=name> (?:put )?(?:down|to sleep){_THEN}", "had to have Salt put down this morning = Salt"),
    *_rows("en", "pet", "go", rf"(?:<i> |<ive> )<adv>(?:had to |decided to )let <=name> go{_THEN}", "we had to let Bess go this morning = Bess"),
    *_rows("en", "pet", "away up", rf"(?:<i> |<ive> )(?:<adv>)(?:had to give|gave|given) <=name> (?:away|up){_THEN}", "we gave Olive away, my daughter is allergic = Olive"),
    *_rows("en", "pet", "rehomed rehome", rf"(?:<i> |<ive> )(?:<adv>)(?:had to rehome|rehomed) <=name>{_THEN}", "We rehomed Olive last week = Olive"),
    *_rows("en", "pet partner", "lost", r"(?:<i> |<ive> )(?:<adv>)lost (?:my |our )?<=name> to (?:cancer|old age|covid|kidney failure|a (?:stroke|heart attack|tumour))", "We lost Arthur to cancer = Arthur"),
    *_rows("en", "partner", "lost", r"(?:<i> |<ive> )(?:<adv>)lost my <=name> (?:last (?:month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\s*(?=$|[.!,])", "I lost my Bill on Sunday = Bill"),
    *_rows("en", "partner", "out", rf"<=name>(?:['’]s)? (?:has |just |finally )*moved out{_THEN}", "Roland moved out last week = Roland"),
    *_rows("en", "partner", "me", rf"<=name> (?:has |just |finally )*(?:(?:dumped|divorced|broke up with|split up with|walked out on|ended it with) me|left me(?: for (?-i:<name>))?){_THEN}", "Cerys left me = Cerys"),
    *_rows("en", "partner", "ring wedding engagement", rf"<=name> (?:has |just )*(?:gave (?:me )?(?:back the ring|the ring back|me the ring back)|called off (?:the|our) (?:wedding|engagement)){_THEN}", "Cerys gave me the ring back = Cerys"),
    *_rows("en", "partner", "ended finished dumped broke split", rf"(?:<i> |<ive> )(?:<adv>)(?:ended (?:it|things) with|finished it with|dumped|broke up with|split up with|split from) <=name>{_THEN}", "I ended things with Cerys last night = Cerys"),
    *_rows("en", "plan", "back", rf"(?:<im> )?<adv>back from (?:the )?<=place>{_THEN}", "back from Iceland, what a trip = Iceland", shape="fixed"),
    *_rows("en", "study", "graduated", rf"(?:<i> |<ive> )?(?:<adv>)(?P<value>graduated){_THEN}", "I graduated yesterday = graduated", shape="fixed"),
    *_rows("en", "study", "finished", rf"(?:<i> |<ive> )(?:<adv>)finished (?:my )?(?P<value>uni|university|college|degree|studies|master['’]?s|bachelor['’]?s|phd){_THEN}", "I finished uni last week = uni", shape="fixed"),
    *_rows("en", "employer", "job", rf"(?:<i> |<ive> )<adv>(?:quit|resigned from|lost) my (?P<value>job)(?:,? {_TIME})?{CLOSED}", "I quit my job yesterday = job", shape="fixed"),
    *_rows("en", "employer", "laid redundant job", rf"(?:i (?:just |finally )?(?:got|was)|<ive> (?:just )?been) (?P<value>laid off|made redundant|(?:fired|sacked)(?= from my job))(?: from my job)?(?:,? {_TIME})?{CLOSED}", "I got laid off last week = laid off", shape="fixed"),
    *_rows("en", "health", "healed better cleared gone mended normal", r"(?:<my> )?(?P<value>ankle|knee|wrist|arm|leg|foot|back|shoulder|hip|finger|neck|<illness>)(?:['’]s| is| has| are)? (?:now |finally |completely |fully |all )*(?:healed|mended|cleared up|gone away|back to normal)(?=(?: now| again)?\s*(?:$|[,.!;]))", "ankle's completely healed now = ankle", shape="fixed"),
    *_rows("en", "plan", "happening binned scrapped shelved cancelled canceled off table", r"(?:(?:quick )?update on )?(?:the|our|my) (?P<value>[^\W\d_]+(?: (?!is\b|was\b|has\b|got\b)[^\W\d_]+)?)(?:(?: is|['’]s)(?: now| officially)?|:|,)? (?:not happening|called off|cancelled|canceled|binned|scrapped|shelved|off the table)(?=(?: after all| any ?more| for now)?\s*(?:$|[,.!]))", "the loft conversion is not happening = loft conversion", shape="fixed"),
    *_rows("en", "pet partner", "gone", r"<=name>(?:['’]s| is) gone[.,…]+ (?:[^\W\d_]+ (?:night|morning|evening|afternoon),? |it was (?:very |so )?)?peaceful(?:ly)?(?=\s*(?:$|[,.!]))", "Marge is gone. Friday night, peaceful = Marge"),
    *_rows("en", "possession occupation", "closed shut", r"(?:<i> |<ive> )?<adv>(?:closed|shut)(?: down)? (?:the|our|my) (?P<value>(?:little |old |wee )?(?:[^\W\d_]+ )?(?:shop|store|caf[eé]|restaurant|pub|bakery|salon|studio|gallery|business|practice|stall|bookshop|bar)) for good(?=(?:,? (?:yesterday|today|on \w+day|last (?:week|month|year|night)))?\s*(?:$|[,.!]))", "closed the shop for good yesterday = shop", shape="fixed"),
    *_rows("de", "pet partner", "gestorben verstorben eingeschläfert gegangen eingeschlafen", rf"<=name> (?:ist|wurde) {_DE}(?:gestorben|verstorben|eingeschläfert|von uns gegangen|für immer eingeschlafen)(?=\s*(?:$|[,.!;]|[^\w\s]))", "Mikesch ist gestern gestorben = Mikesch"),
    *_rows("de", "pet", "einschläfern abgeben", rf"(?:ich |wir )(?:mussten?|haben|hab) <=name> {_DE}(?:einschläfern|abgeben)(?: lassen| müssen)?(?=\s*(?:$|[,.!;]|[^\w\s]))", "wir mussten Mikesch gestern einschläfern lassen = Mikesch"),
    *_rows("de", "pet", "abgeben abgegeben einschläfern", rf"<=name> (?:mussten|haben) wir {_DE}(?:abgeben|einschläfern lassen|abgegeben)(?=\s*(?:$|[,.!;]|[^\w\s]))", "Minka mussten wir abgeben = Minka"),
    *_rows("de", "partner", "verlassen ausgezogen getrennt schluss", rf"<=name> (?:hat mich {_DE}verlassen|ist {_DE}ausgezogen|hat sich {_DE}(?:von mir )?getrennt|hat {_DE}schluss gemacht)(?=\s*(?:$|[,.!;]|[^\w\s]))", "Jonas ist gestern ausgezogen = Jonas"),
    *_rows("de", "partner", "getrennt", rf"(?:ich )?(?:hab|habe) mich {_DE}von <=name> getrennt", "ich hab mich von Jonas getrennt = Jonas"),
    *_rows("de", "study", "fertig", r"(?:ich )?(?:bin )?(?:ich )?(?:jetzt |endlich |offiziell )*fertig mit (?:dem|meinem) (?P<value>studium|bachelor|master)(?=\s*(?:$|[,.!;]|[^\w\s])| (?:und|aber)\b)", "ich bin fertig mit dem Studium = Studium", shape="fixed"),
    *_rows("de", "employer", "gekündigt verloren hingeschmissen geschmissen", rf"(?:ich )?(?:hab|habe) (?:ich )?{_DE}meinen (?P<value>Job) {_DE}(?:gekündigt|verloren|hingeschmissen|geschmissen){CLOSED}", "hab heute meinen Job gekündigt = Job", shape="fixed"),
    *_rows("de", "employer", "gefeuert", rf"(?:ich (?:wurde|bin)|wurde|bin) {_DE}(?P<value>gefeuert) worden{CLOSED}", "bin gestern gefeuert worden = gefeuert", shape="fixed"),
    *_rows("de", "plan", "zurück", r"(?:ich |wir )?(?:bin |sind )?(?:ich |wir )?(?:wieder |gestern |heute |seit gestern )*zurück aus <=place>(?=\s*(?:$|[,.!]))", "sind wieder zurück aus Island = Island", shape="fixed"),
    *_rows("es", "pet partner", "murió muerto falleció fallecido", rf"(?!(?:se|ya|ayer|anoche|hoy|me|nos|no|todo)\b)<=name> (?:se )?(?:nos |me )?(?:murió|ha muerto|falleció|ha fallecido){_THEN_ES}", "Paz falleció el sábado = Paz"),
    *_rows("es", "pet partner", "murió muerto falleció fallecido", rf"(?:se )?(?:nos |me )?(?:murió|ha muerto|falleció|ha fallecido) (?:el |la )?<=name>{_THEN_ES}", "Se nos murió Bizcocho anoche = Bizcocho"),
    *_rows("es", "pet", "sacrificar", rf"(?:tuvimos|hemos tenido|tuve) que sacrificar a <=name>{_THEN_ES}", "tuvimos que sacrificar a Luna = Luna"),
    *_rows("es", "partner", "terminamos dejamos rompimos separamos cortamos terminado dejado roto separado", rf"<=name> y yo (?:ya )?(?:terminamos|lo dejamos|rompimos|cortamos|nos separamos|hemos terminado|lo hemos dejado|hemos roto|nos hemos separado){_THEN_ES}", "Catalina y yo terminamos = Catalina"),
    *_rows("es", "partner", "cortamos terminamos rompimos dejamos", rf"con <=name> (?:ya )?(?:cortamos|terminamos|rompimos|lo dejamos){_THEN_ES}", "con Cami cortamos = Cami"),
    *_rows("es", "partner", "dejó dejado", rf"<=name> me (?:dejó|ha dejado){_THEN_ES}", "Catalina me dejó ayer = Catalina"),
    *_rows("es", "study", "gradué licencié", rf"(?:ya )?me (?P<value>gradué|licencié){_THEN_ES}", "me gradué ayer = gradué", shape="fixed"),
    *_rows("es", "plan", "vuelta volvimos volví", rf"(?:ya )?(?:estamos |estoy )?(?:de vuelta|volvimos|volví) (?:ya )?de <=place>{_THEN_ES}", "ya de vuelta de Islandia, qué pasada = Islandia", shape="fixed"),
    *_rows("es", "employer", "trabajo curro empleo", rf"(?:dejé|he dejado|renuncié a|he renunciado a) mi (?P<value>trabajo|curro|empleo)(?:,? {_TIME_ES})?{CLOSED}", "ayer dejé mi trabajo = trabajo", shape="fixed"),
    *_rows("es", "employer", "despidieron despedido", rf"me (?P<value>despidieron|han despedido) del (?:trabajo|curro)(?:,? {_TIME_ES})?{CLOSED}", "me despidieron del trabajo ayer = despidieron", shape="fixed"),
    *_rows("es", "employer", "jubilo jubilé jubilado", r"(?:hoy |ya |por fin )*(?:me (?:he )?)(?P<value>jubilo|jubilé|jubilado)(?= hoy\b|\s*(?:$|[,.!]))", "me jubilo hoy = jubilo", shape="fixed"),
)  # fmt: skip
