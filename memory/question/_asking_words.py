"""scratch"""
from dataclasses import dataclass
@dataclass(frozen=True, slots=True, kw_only=True)
class AskingWords:
    code: str
    spaceless: bool = False
    first_person: tuple[str, ...] = ()
    own_words: tuple[str, ...] = ()
    between_us: tuple[str, ...] = ()
    saying: tuple[str, ...] = ()
    newest: tuple[str, ...] = ()
    oldest: tuple[str, ...] = ()
    counting: tuple[str, ...] = ()
    mail: tuple[str, ...] = ()
    note: tuple[str, ...] = ()
    event: tuple[str, ...] = ()
    picture: tuple[str, ...] = ()
    file: tuple[str, ...] = ()
LANGUAGES = (
  AskingWords(code='en', spaceless=False,
    first_person=('i', "i'(?:m|ve|d|ll)", 'my', 'mine', 'myself', '(?<!tell )(?<!show )(?<!give )(?<!remind )(?<!let )(?<!find )(?<!help )me', 'we', "we'(?:re|ve|d|ll)", 'our', 'ours', 'ourselves'),
    own_words=('i (?:[^\\W_]+ )?(?:mention(?:ed|s|ing)?|sa(?:y|ys|id|ying)|tells?|told|telling|text(?:ed|s)?|writes?|wrote|written|writing|ask(?:ed|s|ing)?|suggest(?:ed|s|ing|ions?)?|propos(?:e|ed|es|als?)|recommend(?:ed|s|ations?)?|promis(?:e|ed|es)|plan(?:ned|s|ning)?|sends?|sent|sending|e-?mail(?:ed|s)?|complain(?:ed|s|ts?)?|talk(?:ed|s|ing)?|explain(?:ed|s)?|announc(?:e|ed|es|ements?)|confirm(?:ed|s)?|agree(?:d|s)?|offer(?:ed|s)?|invit(?:e|ed|es)|warn(?:ed|s|ings?)?|remind(?:ed|s)?|report(?:ed|s)?|descri(?:be|bed|bes)|decid(?:e|ed|es)|apologi[sz](?:e|ed|es)|thank(?:ed|s)?|request(?:ed|s)?|repl(?:y|ied|ies)|answer(?:ed|s)?|shar(?:e|ed|es)|forward(?:ed|s)?|post(?:ed|s)?|advis(?:e|ed|es)|advice|claim(?:ed|s)?|admit(?:ted|s)?|insist(?:ed|s)?|jok(?:e|ed|es)|wish(?:ed|es)?|comment(?:ed|s)?|discuss(?:ed|es)?)', 'my (?:[^\\W_]+ )?(?:questions?|prompts?|messages?) (?:to|for)'),
    between_us=('between me and', 'between [^?]{1,40} and me', 'my (?:chats?|conversations?|talks?|messages|discussions?) with'),
    saying=('mention(?:ed|s|ing)?', 'sa(?:y|ys|id|ying)', 'tells?|told|telling', 'text(?:ed|s)?', 'writes?|wrote|written|writing', 'ask(?:ed|s|ing)?', 'suggest(?:ed|s|ing|ions?)?', 'propos(?:e|ed|es|als?)', 'recommend(?:ed|s|ations?)?', 'promis(?:e|ed|es)', 'plan(?:ned|s|ning)?', 'sends?|sent|sending', 'e-?mail(?:ed|s)?', 'complain(?:ed|s|ts?)?', 'talk(?:ed|s|ing)?', 'explain(?:ed|s)?', 'announc(?:e|ed|es|ements?)', 'confirm(?:ed|s)?', 'agree(?:d|s)?', 'offer(?:ed|s)?', 'invit(?:e|ed|es)', 'warn(?:ed|s|ings?)?', 'remind(?:ed|s)?', 'report(?:ed|s)?', 'descri(?:be|bed|bes)', 'decid(?:e|ed|es)', 'apologi[sz](?:e|ed|es)', 'thank(?:ed|s)?', 'request(?:ed|s)?', 'repl(?:y|ied|ies)', 'answer(?:ed|s)?', 'shar(?:e|ed|es)', 'forward(?:ed|s)?', 'post(?:ed|s)?', 'advis(?:e|ed|es)|advice', 'claim(?:ed|s)?', 'admit(?:ted|s)?', 'insist(?:ed|s)?', 'jok(?:e|ed|es)', 'wish(?:ed|es)?', 'comment(?:ed|s)?', 'discuss(?:ed|es)?'),
    newest=('(?:the )?(?:very )?(?:latest|newest)', '(?:the )?most recent(?:ly)?', '(?<!at )(?<!to )(?<!it )(?<!long )last(?! (?:names?|minute|resort|but|for|until|years?|straw|chance|call))(?: (?:time|message|messages|thing|things|words?))?'),
    oldest=('(?:the )?(?:very )?(?:earliest|oldest) (?:message|mail|e-?mail|note|photo|picture|text|entry)', '(?:the )?(?:very )?first (?:messages?|mails?|e-?mails?|notes?|texts?|words?|things?|time|photos?|pictures?|calls?|chats?|conversations?|repl(?:y|ies)|answers?|posts?|entr(?:y|ies)|mention)', '(?:did|have|has|had|was|were|do|does) (?:[^\\W_]+ ){1,4}?(?P<words>first)(?= [^\\W\\d_]+)', "[^\\W_]+'s (?P<words>first)"),
    counting=('how often', 'how many times', 'how (?:many|much) (?:messages|mails?|e-?mails|notes|texts|photos|pictures)', 'number of times'),
    mail=('(?:e-?)?mails?', 'e-?mailed', 'newsletters?'),
    note=('notes?',),
    event=('events?', 'appointments?', 'calendar(?: entr(?:y|ies))?'),
    picture=('photos?', 'pictures?', 'pics?', 'images?', 'screenshots?', 'selfies?'),
    file=('pdfs?', 'documents?', 'files?', 'spreadsheets?', 'docx?'),
  ),
  AskingWords(code='de', spaceless=False,
    first_person=('ich', 'mein(?:e[nmrs]?|s)?', '(?<!sag )(?<!zeig )(?<!gib )(?<!erzahl )mir', 'mich', 'wir', 'uns', 'unser(?:e[nmrs]?|[nmrs])?'),
    own_words=('(?:hab|habe|hatte) ich (?:[^?]{0,80}? )?(?:gesagt|sag(?:te[nst]?|t|st|en)|geschrieben|schrieb(?:en|st)?|schreib(?:t|st|en)|erzahl(?:t|te|ten|st|en)|erwahn(?:t|te|ten|en)|gemeint|mein(?:te|ten)|gefragt|frag(?:te|ten|t|en)|vorgeschlagen|schlug|vorschlug|schlagt|vorschlagen|vorschlag(?:e|s)?|versproch?en|versprach|verspricht|geschickt|schick(?:te|ten|t|en)|gesendet|sandte|gesandt|gemailt|mailte|geplant|plan(?:te|ten|t|en)|beschwer(?:t|te|ten)|(?:be|ge)klagt|empf(?:ohlen|ahl|iehlt|ehlen|ehlung(?:en)?)|(?:an)?gekundigt|erklar(?:t|te|ten|en)|bestatigt(?:e|en)?|angeboten|bietet|anbot|eingeladen|einlud|(?:ge)?warn(?:t|te|ten)|erinner(?:t|te)|bericht(?:et|ete|en)|beschlossen|beschloss|entschieden|entschied|geantwortet|antwort(?:et|ete)|gebeten|gratuliert|gedankt|bedankt|gewunscht|geraten|riet|zugesagt|abgesagt|beschrieben|beschrieb|geteilt|weitergeleitet|gemeldet|meldet(?:e)?|besprochen|geredet|redet(?:e)?|gesprochen|sprach)', '(?:gesagt|sag(?:te[nst]?|t|st|en)|geschrieben|schrieb(?:en|st)?|schreib(?:t|st|en)|erzahl(?:t|te|ten|st|en)|erwahn(?:t|te|ten|en)|gemeint|mein(?:te|ten)|gefragt|frag(?:te|ten|t|en)|vorgeschlagen|schlug|vorschlug|schlagt|vorschlagen|vorschlag(?:e|s)?|versproch?en|versprach|verspricht|geschickt|schick(?:te|ten|t|en)|gesendet|sandte|gesandt|gemailt|mailte|geplant|plan(?:te|ten|t|en)|beschwer(?:t|te|ten)|(?:be|ge)klagt|empf(?:ohlen|ahl|iehlt|ehlen|ehlung(?:en)?)|(?:an)?gekundigt|erklar(?:t|te|ten|en)|bestatigt(?:e|en)?|angeboten|bietet|anbot|eingeladen|einlud|(?:ge)?warn(?:t|te|ten)|erinner(?:t|te)|bericht(?:et|ete|en)|beschlossen|beschloss|entschieden|entschied|geantwortet|antwort(?:et|ete)|gebeten|gratuliert|gedankt|bedankt|gewunscht|geraten|riet|zugesagt|abgesagt|beschrieben|beschrieb|geteilt|weitergeleitet|gemeldet|meldet(?:e)?|besprochen|geredet|redet(?:e)?|gesprochen|sprach) ich', 'meine (?:fragen?|nachrichten?) an', 'ich (?:[^?]{1,60} )?(?:gesagt|sag(?:te[nst]?|t|st|en)|geschrieben|schrieb(?:en|st)?|schreib(?:t|st|en)|erzahl(?:t|te|ten|st|en)|erwahn(?:t|te|ten|en)|gemeint|mein(?:te|ten)|gefragt|frag(?:te|ten|t|en)|vorgeschlagen|schlug|vorschlug|schlagt|vorschlagen|vorschlag(?:e|s)?|versproch?en|versprach|verspricht|geschickt|schick(?:te|ten|t|en)|gesendet|sandte|gesandt|gemailt|mailte|geplant|plan(?:te|ten|t|en)|beschwer(?:t|te|ten)|(?:be|ge)klagt|empf(?:ohlen|ahl|iehlt|ehlen|ehlung(?:en)?)|(?:an)?gekundigt|erklar(?:t|te|ten|en)|bestatigt(?:e|en)?|angeboten|bietet|anbot|eingeladen|einlud|(?:ge)?warn(?:t|te|ten)|erinner(?:t|te)|bericht(?:et|ete|en)|beschlossen|beschloss|entschieden|entschied|geantwortet|antwort(?:et|ete)|gebeten|gratuliert|gedankt|bedankt|gewunscht|geraten|riet|zugesagt|abgesagt|beschrieben|beschrieb|geteilt|weitergeleitet|gemeldet|meldet(?:e)?|besprochen|geredet|redet(?:e)?|gesprochen|sprach)(?: hab| habe| hatte)'),
    between_us=('zwischen mir und', 'zwischen [^?]{1,40} und mir', 'mein(?:e[nm]?)? (?:chat|gesprach|unterhaltung|nachrichten) mit'),
    saying=('gesagt|sag(?:te[nst]?|t|st|en)', 'geschrieben|schrieb(?:en|st)?|schreib(?:t|st|en)', 'erzahl(?:t|te|ten|st|en)', 'erwahn(?:t|te|ten|en)', 'gemeint|mein(?:te|ten)', 'gefragt|frag(?:te|ten|t|en)', 'vorgeschlagen|schlug|vorschlug|schlagt|vorschlagen|vorschlag(?:e|s)?', 'versproch?en|versprach|verspricht', 'geschickt|schick(?:te|ten|t|en)', 'gesendet|sandte|gesandt', 'gemailt|mailte', 'geplant|plan(?:te|ten|t|en)', 'beschwer(?:t|te|ten)', '(?:be|ge)klagt', 'empf(?:ohlen|ahl|iehlt|ehlen|ehlung(?:en)?)', '(?:an)?gekundigt', 'erklar(?:t|te|ten|en)', 'bestatigt(?:e|en)?', 'angeboten|bietet|anbot', 'eingeladen|einlud', '(?:ge)?warn(?:t|te|ten)', 'erinner(?:t|te)', 'bericht(?:et|ete|en)', 'beschlossen|beschloss', 'entschieden|entschied', 'geantwortet|antwort(?:et|ete)', 'gebeten', 'gratuliert', 'gedankt|bedankt', 'gewunscht', 'geraten|riet', 'zugesagt|abgesagt', 'beschrieben|beschrieb', 'geteilt', 'weitergeleitet', 'gemeldet|meldet(?:e)?', 'besprochen', 'geredet|redet(?:e)?|gesprochen|sprach'),
    newest=('(?:das |die |der |den )?(?:aller)?(?:letzte[nmrs]?|neue?ste[nmrs]?|jungste[nmrs]?|aktuellste[nmrs]?)(?: (?:mal|nachricht|nachrichten))?', 'zuletzt', 'zum letzten mal'),
    oldest=('(?:das |die |der |den )?(?:aller)?(?:erste[nmrs]?) (?:nachricht(?:en)?|mails?|e-?mails?|notiz|mal|fotos?|bild|wort|termin|anruf|treffen|besuch|chat|eintrag)', 'zum ersten mal', 'zuerst', 'als erstes', '(?:fruheste|alteste)[nmrs]?'),
    counting=('wie oft', 'wie haufig', 'wie ?viele? (?:nachrichten|mails?|e-?mails|notizen|fotos|bilder|male?)'),
    mail=('e-?mails?', 'mails?', 'mailte', 'gemailt', 'newsletter'),
    note=('notiz(?:en)?',),
    event=('termin(?:e|en|s)?', 'kalender(?:eintrag|eintrage)?'),
    picture=('fotos?', 'bild(?:er|ern|es)?', 'screenshots?'),
    file=('pdfs?', 'dokument(?:e|en|s)?', 'datei(?:en)?'),
  ),
  AskingWords(code='es', spaceless=False,
    first_person=('yo', 'mi', 'mis', 'mi[oa]s?', 'me', 'conmigo', 'nosotr[oa]s', 'nuestr[oa]s?', 'nos', 'vivo|vivimos', 'trabajo', 'tengo|tenemos', 'soy|somos', 'estoy|estamos', 'compre', 'dije', 'hice', 'fui', 'pedi', 'escribi', 'necesito', 'quiero', 'puedo', 'debo', 'hable', 'reserve', 'pague', 'deje', 'puse', 'empece', 'conoci', 'comi', 'llame', 'mande', 'envie', 'prometi', 'gane', 'perdi', 'gaste'),
    own_words=('(?:le |te |les |se lo )?(?:pregunte|dije|escribi|conte|mencione|sugeri|propuse|recomende|prometi|pedi|envie|mande|explique|avise|invite|ofreci|conteste|respondi|comente)', '(?:he|habia) (?:preguntado|dicho|escrito|contado|mencionado|sugerido|propuesto|prometido|pedido|enviado|mandado)', 'mis (?:preguntas|mensajes) a'),
    between_us=('entre [^?]{1,40} y yo', 'entre yo y', 'mi (?:chat|conversacion|charla) con', 'mis mensajes con'),
    saying=('dij(?:o|e|eron|iste)|dice[ns]?|dicho|decir|decia', 'escri(?:bio|be|to|bieron)', 'cont(?:o|ado|aba)', 'coment(?:o|ado|aba)', 'mencion(?:o|ado)', 'pregunt(?:o|ado|aba)', 'pid(?:io|e|ieron)|pedido', 'sugiri(?:o|eron)|suger(?:ido|encia)', 'propuso|propuesto|propuesta', 'recomend(?:o|ado|acion)', 'prometi(?:o|do|eron)', 'envi(?:o|ado|aron)', 'mand(?:o|ado|aron)', 'quej(?:o|ado|aba)', 'plane(?:o|ado|aba)', 'explic(?:o|ado)', 'avis(?:o|ado)', 'invit(?:o|ado)', 'ofreci(?:o|do)', 'confirm(?:o|ado)', 'contest(?:o|ado)', 'respondi(?:o|do)', 'decidi(?:o|do)', 'anunci(?:o|ado)', 'aconsej(?:o|ado)', 'habl(?:o|ado|aba|amos)'),
    newest=('(?:el |la |lo |los |las )?ultim[oa]s?(?: (?:vez|mensajes?|cosa))?', '(?:el |la |lo )?mas recientes?', 'por ultima vez'),
    oldest=('(?:el |la |lo )?primer[oa]? (?:mensaje|correo|nota|foto|vez|cosa|palabra|cita)', 'lo primero', 'por primera vez', '(?:el |la )?mas antigu[oa]'),
    counting=('cuantas veces', 'con que frecuencia', 'cuant[oa]s (?:mensajes|correos|notas|fotos)'),
    mail=('correos?(?: electronicos?)?', 'e-?mails?', 'mails?'),
    note=('notas?',),
    event=('eventos?', 'citas?', 'calendario'),
    picture=('fotos?', 'imagen(?:es)?'),
    file=('pdfs?', 'documentos?', 'archivos?'),
  ),
  AskingWords(code='tr', spaceless=False,
    first_person=('ben(?:im|i|de|den|imle)?', 'bana', 'biz(?:im|e|i|de)?', '[^\\W\\d_]{2,}(?:[iu]yor(?:um|uz)|[dt](?:im|um|ik|uk)|m[iu]s(?:im|um|iz)|acagim|ecegim)', '(?!resim|bilim|dilim|kasim|isim|yatirim|egitim|iletisim|degisim)[^\\W\\d_]{2,}[iu]m(?:i|in|e|a|de|da|den|dan)?', '(?:anne|baba|araba|kedi|sifre|numara|lastik|hala|teyze|dede|nine|oda|bahce|fatura|masa)m(?:i|in|a|e|da|de)?'),
    own_words=('sor(?:dum|mustum)', 'de(?:dim|mistim)', 'yaz(?:dim|mistim)', 'soyle(?:dim|mistim)', 'anlat(?:tim|mistim)', 'bahset(?:tim|mistim)', 'oner(?:dim|mistim)', 'gonder(?:dim|mistim)', 'soz ver(?:dim|mistim)', 'iste(?:dim|mistim)', 'teklif et(?:tim|mistim)', 'tavsiye et(?:tim|mistim)'),
    between_us=('benimle [^?]{1,40} arasinda[^\\W_]*', 'aramizda[^\\W_]*', 'ile (?:benim )?(?:konusmam|yazismam|sohbetim)'),
    saying=('anlat(?:ti|mis)', 'bahset(?:ti|mis)', 'de(?:di|mis|misti)|diyor(?:du)?', 'soyle(?:di|mis)', 'yaz(?:di|mis)', 'sor(?:du|mus)', 'oner(?:di|mis|isi)', 'soz ver(?:di|mis)', 'gonder(?:di|mis)', '(?:mail|mesaj|eposta) at(?:ti|mis)', 'sikayet et(?:ti|mis)', 'planla(?:di|mis)', 'tavsiye et(?:ti|mis)', 'iste(?:di|mis)', 'davet et(?:ti|mis)', 'haber ver(?:di|mis)', 'cevap ver(?:di|mis)', 'acikla(?:di|mis)', 'teklif et(?:ti|mis)', 'karar ver(?:di|mis)', 'konus(?:tu|mus|tuk)'),
    newest=('en son(?:uncu)?', 'son (?:mesaj(?:i|lari)?|mail(?:i)?|e-?posta(?:si|yi)?|not(?:u)?|kez|defa|kere|olarak|sozu?|seyi?|foto(?:graf)?(?:i)?)', 'en yeni', 'sonuncu'),
    oldest=('ilk (?:mesaj(?:i)?|mail(?:i)?|e-?posta(?:si)?|not(?:u)?|kez|defa|kere|olarak|soz|sey|foto(?:graf)?(?:i)?)', 'en eski'),
    counting=('kac (?:kez|kere|defa|mesaj|mail|eposta|e-posta|not)', 'ne siklikla'),
    mail=('e-?posta[^\\W\\d_]*', 'mail[^\\W\\d_]*'),
    note=('not(?:u|lar|lari|larim|um|umda|ta|larda|unda)?',),
    event=('etkinlik[^\\W\\d_]*', 'randevu[^\\W\\d_]*', 'takvim[^\\W\\d_]*'),
    picture=('foto(?:graf)?[^\\W\\d_]*', 'resim[^\\W\\d_]*|resm[ei]'),
    file=('pdf[^\\W\\d_]*', 'belge[^\\W\\d_]*', 'dosya[^\\W\\d_]*'),
  ),
  AskingWords(code='fr', spaceless=False,
    first_person=('je', "j'[^\\W_]+", 'moi', 'mon', 'ma', 'mes', 'me', "m'[^\\W_]+", 'nous', 'notre', 'nos', 'mienn?e?s?'),
    own_words=("j'ai (?:[^\\W_]+ )?(?:dit|disait|disent|dis|ecrit|ecrivait|demand(?:e|ait|ee)|propos(?:e|ait|ition)|sugger(?:e|ait)|suggestion|promis|promettait|envoy(?:e|ait|ee)|recommand(?:e|ait|ation)|mentionn(?:e|ait)|racont(?:e|ait)|parl(?:e|ait|ons)|expliqu(?:e|ait)|prevu|planifie|plaint|plaignait|repondu|repond(?:ait)?|invit(?:e|ait)|conseill(?:e|ait)|annonc(?:e|ait)|confirm(?:e|ait)|decid(?:e|ait)|averti|rappel(?:e|ait))", 'ai-je (?:[^\\W_]+ )?(?:dit|disait|disent|dis|ecrit|ecrivait|demand(?:e|ait|ee)|propos(?:e|ait|ition)|sugger(?:e|ait)|suggestion|promis|promettait|envoy(?:e|ait|ee)|recommand(?:e|ait|ation)|mentionn(?:e|ait)|racont(?:e|ait)|parl(?:e|ait|ons)|expliqu(?:e|ait)|prevu|planifie|plaint|plaignait|repondu|repond(?:ait)?|invit(?:e|ait)|conseill(?:e|ait)|annonc(?:e|ait)|confirm(?:e|ait)|decid(?:e|ait)|averti|rappel(?:e|ait))', "j'avais (?:[^\\W_]+ )?(?:dit|disait|disent|dis|ecrit|ecrivait|demand(?:e|ait|ee)|propos(?:e|ait|ition)|sugger(?:e|ait)|suggestion|promis|promettait|envoy(?:e|ait|ee)|recommand(?:e|ait|ation)|mentionn(?:e|ait)|racont(?:e|ait)|parl(?:e|ait|ons)|expliqu(?:e|ait)|prevu|planifie|plaint|plaignait|repondu|repond(?:ait)?|invit(?:e|ait)|conseill(?:e|ait)|annonc(?:e|ait)|confirm(?:e|ait)|decid(?:e|ait)|averti|rappel(?:e|ait))", "est-ce que j'ai (?:[^\\W_]+ )?(?:dit|disait|disent|dis|ecrit|ecrivait|demand(?:e|ait|ee)|propos(?:e|ait|ition)|sugger(?:e|ait)|suggestion|promis|promettait|envoy(?:e|ait|ee)|recommand(?:e|ait|ation)|mentionn(?:e|ait)|racont(?:e|ait)|parl(?:e|ait|ons)|expliqu(?:e|ait)|prevu|planifie|plaint|plaignait|repondu|repond(?:ait)?|invit(?:e|ait)|conseill(?:e|ait)|annonc(?:e|ait)|confirm(?:e|ait)|decid(?:e|ait)|averti|rappel(?:e|ait))", 'mes (?:questions|messages) a'),
    between_us=('entre [^?]{1,40} et moi', 'entre moi et', 'ma (?:conversation|discussion) avec', 'mes messages avec'),
    saying=('dit|disait|disent|dis', 'ecrit|ecrivait', 'demand(?:e|ait|ee)', 'propos(?:e|ait|ition)', 'sugger(?:e|ait)|suggestion', 'promis|promettait', 'envoy(?:e|ait|ee)', 'recommand(?:e|ait|ation)', 'mentionn(?:e|ait)', 'racont(?:e|ait)', 'parl(?:e|ait|ons)', 'expliqu(?:e|ait)', 'prevu|planifie', 'plaint|plaignait', 'repondu|repond(?:ait)?', 'invit(?:e|ait)', 'conseill(?:e|ait)', 'annonc(?:e|ait)', 'confirm(?:e|ait)', 'decid(?:e|ait)', 'averti', 'rappel(?:e|ait)'),
    newest=('(?:le |la |les )?derni(?:er|ere|ers|eres)(?: (?:messages?|fois|choses?|mots?))?', '(?:le |la |les )?plus recent(?:e|s|es)?', 'en dernier'),
    oldest=('(?:le |la |les )?premi(?:er|ere|ers|eres) (?:message|mail|courriel|note|photo|fois|chose|mot|rendez-vous)', '(?:le |la )?plus ancien(?:ne)?', 'en premier'),
    counting=('combien de fois', 'combien de (?:messages|mails|courriels|notes|photos)', 'a quelle frequence'),
    mail=('e-?mails?', 'mails?', 'courriels?', 'mel'),
    note=('notes?',),
    event=('evenements?', 'rendez-vous', 'rdv', 'agenda', 'calendrier'),
    picture=('photos?', 'images?'),
    file=('pdfs?', 'documents?', 'fichiers?'),
  ),
  AskingWords(code='ja', spaceless=True,
    first_person=('私', 'わたし', '僕', 'ぼく', '俺', '自分', '我が家', 'うちの'),
    own_words=('(?:私|わたし|僕|俺)[はがの].*(?:聞い|聞き|尋ね|質問し|言っ|言い|書い|書き|話し|送っ|送り|頼ん|頼み|勧め|すすめ|提案し|約束し|伝え)',),
    between_us=('私と[^?？]{1,20}の(?:間|会話|やりとり)', 'との(?:会話|やりとり)'),
    saying=('言っ(?:た|て)|言い(?:まし|たか)|言及し', '話し(?:た|て|まし)', '書い(?:た|て)|書きまし|述べ(?:た|て|まし)', '送っ(?:た|て)|送りまし', '聞い(?:た|て)|聞きまし|尋ね|質問し', '頼ん(?:だ|で)|頼みまし|お願いし', '勧め(?:た|て|まし)|すすめ(?:た|て|まし)|おすすめし', '提案し', '約束し', '教え(?:た|て|まし)', '伝え(?:た|て|まし)', '誘っ(?:た|て)|誘いまし', '計画し', '相談し', '報告し', '返事し', '予約し', '注文し'),
    newest=('最後の?(?:メッセージ|メール|言葉)?(?:に|は)?', '最新の?', '一番新しい', 'いちばん新しい', '直近の?'),
    oldest=('最初の?(?:に|は)?', '初めて', 'はじめて', '一番古い'),
    counting=('何回', '何度', '何通', 'どのくらいの頻度'),
    mail=('メール', 'eメール'),
    note=('メモ', 'ノート'),
    event=('予定', 'イベント', 'カレンダー'),
    picture=('写真', '画像'),
    file=('PDF|pdf', '書類', 'ファイル', '文書'),
  ),
)
