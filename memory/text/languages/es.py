"""The words of Spanish."""

from __future__ import annotations

from .language import AskingWords, Language

_SAYING = "(?:escrib|habl|mand|envi|cont|coment|mencion|pregunt|ped|dij|promet|respond|contest|explic|avis|invit|propus|suger)"
"""The stems of verbs of saying."""
ASKING = AskingWords(
    first_person=(
        "yo", "mi", "mis", "mi[oa]s?", "me", "conmigo", "nosotr[oa]s", "nuestr[oa]s?", "nos", "vivo|vivimos",
        "trabajo", "tengo|tenemos", "soy|somos", "estoy|estamos", "compre", "dije", "hice", "fui", "pedi", "escribi",
        "necesito", "quiero", "puedo", "debo", "hable", "reserve", "pague", "deje", "puse", "empece", "conoci",
        "comi", "llame", "mande", "envie", "prometi", "gane", "perdi", "gaste",
    ),
    subject=("yo",),
    own_words=(

        "(?:le |te |les |se lo )?(?:pregunte|dije|escribi|conte|mencione|sugeri|propuse|recomende|prometi|pedi|envie|mande|explique|avise|invite|ofreci|conteste|respondi|comente)",
        "(?:he|habia) (?:preguntado|dicho|escrito|contado|mencionado|sugerido|propuesto|prometido|pedido|enviado|mandado)",
        "mis (?:preguntas|mensajes) a",
    ),
    between_us=(
        "entre [^?]{1,40} y yo", "entre yo y", "mi (?:chat|conversacion|charla) con", "mis mensajes con",
        r"[^\W_]+ y yo (?:[^\W_]+ ){0,3}?(?:hablamos|escribimos|hemos)",
        r"(?:hable|hablamos|he hablado) (?:[^\W_]+ ){0,3}?con",
        "en contacto con",
    ),
    to_somebody=(
        r"(?:mensajes?|correos?|e-?mails?|notas?|cartas?|fotos?|{saying})(?: [^\W_]+){0,3}? (?P<words>a|para)(?= [^\W_])",
    ),
    before_chat=("en(?: el| la| los| las)?", "(?:grupo|chat|canal)(?: de la| de los| de las| de| del)?",),
    behind_chat=("chat", "grupo", "canal",),
    to_asker=(
        "(?:a|para) mi",
        "me (?:{saying})",
        "(?:he recibido|recibi)",
    ),
    saying=(
        "dij(?:o|e|eron|iste)|dice[ns]?|dicho|decir|decia", "escri(?:bio|be|to|bieron)", "cont(?:o|ado|aba)",
        "coment(?:o|ado|aba)", "mencion(?:o|ado)", "pregunt(?:o|ado|aba)", "pid(?:io|e|ieron)|pedido",
        "sugiri(?:o|eron)|suger(?:ido|encia)", "propuso|propuesto|propuesta", "recomend(?:o|ado|acion)",
        "prometi(?:o|do|eron)", "envi(?:o|ado|aron)", "mand(?:o|ado|aron)", "quej(?:o|ado|aba)", "plane(?:o|ado|aba)",
        "explic(?:o|ado)", "avis(?:o|ado)", "invit(?:o|ado)", "ofreci(?:o|do)", "confirm(?:o|ado)",
        "contest(?:o|ado)", "respondi(?:o|do)", "decidi(?:o|do)", "anunci(?:o|ado)", "aconsej(?:o|ado)",
        "habl(?:o|ado|aba|amos)",
    ),
    newest=(
        "(?:el |la |lo |los |las )?ultim[oa]s?(?: (?:vez|mensajes?|cosa))?", "(?:el |la |lo )?mas recientes?",
        "por ultima vez",
    ),
    oldest=(
        "(?:el |la |lo )?primer[oa]? (?:mensaje|correo|nota|foto|vez|cosa|palabra|cita)", "lo primero",
        "por primera vez", "(?:el |la )?mas antigu[oa]",
    ),
    soonest=(
        r"(?:la |el |mi )?proxim[oa]s?(?= (?:citas?|eventos?|reunion(?:es)?))", r"(?:cita|evento|reunion) (?P<words>proxim[oa])",
        r"cuando (?:es|son|sera|tengo|tenemos|toca|veo) (?:[^?]{0,40} )?(?P<words>(?:la |el |mi )?proxim[oa](?: vez)?(?: que)?)(?= [^\W_])",
    ),
    counting=(
        "cuantas veces", "con que frecuencia",
    ),
    counting_messages=("cuant[oa]s (?:mensajes|correos|notas|fotos)",),
    many=("cuant[oa]s",),
    mail=(
        "correos?(?: electronicos?)?", "e-?mails?", "mails?",
    ),
    note=(
        "notas?",
        "apunt(?:e|ado|es)|anot(?:e|ado)",
    ),
    event=(
        "eventos?", "citas?", "calendario",
    ),
    picture=(
        "fotos?", "imagen(?:es)?",
    ),
    file=(
        "pdfs?", "documentos?", "archivos?",
    ),
    of_person=(
        r"(?:dijo|escribio|conto|pregunto|pidio|envio|mando|prometio|propuso) (?P<words>[^\W\d_]+)",
        r"(?:dije|escribi|conte|prometi|envie|mande) a (?P<words>[^\W\d_]+)",
        r"(?:mensajes?|correos?|e-?mails?|mails?) de (?P<words>[^\W\d_]+)",
    ),
    begins_question=(
        "que (?:tal|hora|haces|quieres|vas a)", "quien(?:es)? (?:es|son|va|viene|tiene)", "donde (?:esta|estas|estan|queda)",
        "cuando (?:es|vienes|quedamos|empieza)", "como (?:estas|esta|te llamas|se llama)", "cuanto (?:cuesta|vale|costo)",
    ),
    number=("cuant[oa]s?|codigo|numero|precio",),
    now=("ahora|hoy|actualmente",),
    present=("viven?|trabajan?|residen?",),
    former=(r"antes(?=(?:\s+de\s+(?:eso|ahora))?\W*$)", r"anterior\w*"),
    acts=(
        "quej(?:o|ado|aba)", "prometi(?:o|do|eron)", "propuso|propuesto", "sugiri(?:o|eron)|sugerido", "recomend(?:o|ado)",
        "avis(?:o|ado)", "invit(?:o|ado)", "ofreci(?:o|do)", "aconsej(?:o|ado)", "pregunt(?:o|ado|aba)", "pidio|pedido",
    ),
    about=(
        "sobre|acerca de", r"mencion[^\W_]*", "la palabra", r"habl[^\W_]+ (?:[^\W_]+ ){0,2}?del?",
    ),
    silent=(
        "senor", "senora", "don", "dona", "fecha", "dia", "cosa", "cosas", "vez", "veces", "noticia",
        "paso|pasado", "ocurri(?:o|do)", "suced(?:io|ido|ieron|e)",
        "gente|todo el mundo|personas?|alguien|nadie", "acerca de|la palabra", "ultimamente",
        f"{_SAYING}(?:[eio]|[ai]mos|[ai]ste|aron|i?eron|[ai]do|ando|iendo|abas?|ia)",
        "(?:he|has|ha|hemos|han) (?:dicho|escrito|propuesto)", "hubo", "habia", "planes", "agenda",
        "recib(?:i|ido|io)",
        "cuant[oa]s", "noticias", "ultim[oa]s?|primer[oa]?",
        "mensajes?", "pasaba",
    ),
)  # fmt: skip

LANGUAGE = Language(
    code="es",
    asking=ASKING,
    months=(
        "enero, ene", "febrero, feb", "marzo", "abril, abr", "mayo", "junio, jun", "julio, jul", "agosto",
        "septiembre, setiembre, sept, sep", "octubre, oct", "noviembre, nov", "diciembre, dic",
    ),
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    seasons={3: "primavera", 6: "verano", 9: "otoño", 12: "invierno"},
    units={
        "minute": "minuto, minutos, min", "hour": "hora, horas, h", "day": "día, días", "week": "semana, semanas",
        "weekend": "fin de semana, fines de semana, finde", "month": "mes, meses",
        "quarter": "trimestre, trimestres", "year": "año, años",
    },
    plurals="días, semanas, meses, años, horas, minutos, fines de semana, trimestres",
    durations={
        "medio año": (6, "month"), "media hora": (30, "minute"), "quincena": (15, "day"), "año y medio": (18, "month"),
        "década": (10, "year"),
    },
    numbers=(
        "un, una, uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
        "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte",
    ),
    about_two="par de, un par de",
    ordinals=(
        "primer, primera, primero", "segundo, segunda", "tercer, tercera, tercero", "cuarto, cuarta", "quinto, quinta",
    ),
    days={
        -2: "anteayer, antes de ayer, antier", -1: "ayer", 0: "hoy", 1: "mañana", 2: "pasado mañana",
    },
    day_parts={
        "morning": "mañana, por la mañana, de la mañana, madrugada, de madrugada", "noon": "mediodía, al mediodía, a mediodía",
        "afternoon": "tarde, por la tarde, de la tarde, a la tarde", "night": "noche, por la noche, de noche, a la noche",
    },
    parts_from_now={
        (-1, "night"): "anoche", (-2, "night"): "anteanoche", (0, "morning"): "esta mañana", (1, "morning"): "mañana por la mañana",
    },
    feasts={
        "christmas": "navidad, navidades, la navidad, las navidades", "christmas_eve": "nochebuena", "christmas_day": "día de navidad",
        "new_years_eve": "nochevieja, noche vieja, fin de año", "new_years_day": "año nuevo, día de año nuevo",
        "epiphany": "reyes, día de reyes, noche de reyes, reyes magos", "holy_week": "semana santa",
        "easter": "pascua, pascuas", "easter_sunday": "domingo de pascua, domingo de resurrección", "good_friday": "viernes santo",
        "maundy_thursday": "jueves santo", "easter_monday": "lunes de pascua", "pentecost": "pentecostés", "carnival": "carnaval, carnavales",
        "ash_wednesday": "miércoles de ceniza", "halloween": "halloween", "all_saints": "todos los santos, día de todos los santos",
        "valentine": "san valentín, día de los enamorados", "st_john": "san juan, noche de san juan",
        "labour_day": "día del trabajo, día del trabajador", "hispanic_day": "día de la hispanidad, el pilar", "constitution_day": "día de la constitución",
        "mothers_day_may_1": "día de la madre", "innocents": "día de los inocentes", "thanksgiving": "acción de gracias, día de acción de gracias",
        "black_friday": "black friday, viernes negro", "assumption": "la asunción, día de la asunción", "dead_day": "día de muertos, día de los muertos",
        "corpus_christi": "corpus, corpus christi", "ramadan": "ramadán",
    },
    roles={
        "last": "último, última, pasado, pasada, pasados, pasadas, últimos, últimas", "past": "",
        "previous_but_one": "antepasado, antepasada, penúltimo, penúltima",
        "next": "próximo, próxima, próximos, próximas, que viene, que vienen, siguiente, entrante", "this": "este, esta, estos, estas",
        "ago": "hace, hacía, hace ya", "within": "en, dentro de", "before": "antes, antes de, antes del",
        "after": "después, después de, después del, tras", "since": "desde, desde hace, a partir de, a partir del",
        "from": "del, entre", "until": "hasta", "to": "al, a, -, –, —", "and": "y, e, o, u",
        "in": "en, durante, por, para", "article": "el, los", "of": "de", "the": "la, las, lo, año, mes, ',', .",
        "beginning": "principios, principio, comienzos, comienzo, inicios, inicio, a principios, a comienzos, a inicios",
        "middle": "mediados, a mediados", "end": "finales, final, fines, fin, a finales, a fines, al final",
        "half": "mitad, semestre, medio, media", "few": "unos, unas, algunos, algunas, pocos, pocas, cuantos, cuantas, unos cuantos, unos pocos",
        "every": "todos los, todas las, cada", "lasting": "durante, por, dura, duró", "age": "de edad, de antigüedad",
        "future": (
            "habrá, será, tengo, tenemos, tiene, planeado, planeada, previsto, prevista, planes, programado, debo, hay que, "
            "tengo que, va a, vamos a, voy a, viene, hay, plan"
        ),
        "past_tense": "dijo, fue, fueron, era, eran, estaba, hubo, había, tuve, tuvimos, tuvo, fui, fuimos, escribió, pasó, hice, hicimos, compré, contó, tenía, estuvimos, mandó, envió",
        "when": "cuándo", "title": "señor, señora, sr, sra, don, doña",
    },
    doubtful="abril, domingo, mayo",
    given_names="abril, domingo",
    bare=frozenset(),
    ago_first=True,
    adjective_last=True,
    capital_days=False,
    irregular=(
        "ir, fui, fue, fuimos, fueron, iba, íbamos", "ver, vi, vio, vimos, vieron, visto",
        "poner, pongo, puse, puso, pusieron, puesto", "venir, vengo, vine, vino, vinieron",
        "traer, traigo, traje, trajo, trajeron", "saber, supe, supo, supieron", "dormir, duermo, durmió, durmieron",
        "morir, murió, murieron, muerto", "pedir, pido, pidió, pidieron", "perder, pierdo, pierde",
        "volver, vuelvo, volvió, vuelto", "romper, rompió, roto", "abrir, abrió, abierto",
        "escribir, escribió, escrito", "conducir, conduje, condujo", "caer, cayó, cayeron", "leer, leyó, leyeron",
    ),
)  # fmt: skip
"""Spanish."""
