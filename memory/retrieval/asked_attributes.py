"""Finds the attributes of facts that a question asks for, by its words in English, German, Spanish, Turkish and
Japanese. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from ..text.analyzer import fold, words
from ..text.language import likely_languages

_EUROPEAN: Mapping[str, str] = {
    "home": r"\bwhere\b.*\b(?:live[sd]?|living|home|based|reside[sd]?|mov(?:e|ed|ing))\b|\b(?:address|hometown|what city|which city|mov(?:e[ds]?|ing) to)\b"
    r"|\bwo(?:hin)?\b.*\b(?:(?:ge)?wohn\w*|(?:ge)?leb\w*|zieh\w*|zog\w*|gezogen)\b|\bwohnort\b|\bdonde\b.*\b(?:viv\w+|mud\w+)\b",
    "location": r"\bwhere\b.*\b(?:is|are|was|were|now|staying)\b(?!.*\b(?:from|born)\b)|\bwo (?:ist|bist|sind|war\w*|steckte?)\b(?!.*\bgeboren\b)"
    r"|\bdonde est[au]",
    "origin": r"\bwhere\b.*\b(?:from|born)\b|\b(?:grow|grew) up\b|\bbirthplace\b|\bwoher\b|\bwo\b.*\bgeboren\b|\bgeburtsort\b|\bde donde\b"
    r"|\bdonde naci\w*",
    "employer": r"\b(?:job|work(?:s|ed|ing)?|employer|company|employed|career)\b|\b(?:(?:ge)?arbeite\w*|beruf|firma|arbeitgeber)\b"
    r"|\b(?:trabaj\w+|empresa)\b",
    "occupation": r"\b(?:job|profession|occupation|career|for a living|work(?:s|ed|ing)? as|what does .* do)\b"
    r"|\b(?:beruf\w*|(?:ge)?arbeite\w*)\b|\b(?:trabaj\w+|profesion|se dedica\w*)\b",
    "study": r"\b(?:stud(?:y|ies|ied|ying)|university|college|school|major|degree)\b|\b(?:studier\w*|uni)\b|\bestudi\w+\b",
    "age": r"\bhow old\b|\bage\b|\bwie alt\b|\bcuantos anos\b|\bedad\b",
    "birthday": r"\b(?:birthday|bday|born|date of birth)\b|\b(?:geburtstag|geboren)\b|\b(?:cumpleanos|nacio)\b",
    "name": r"\b(?:called|full name|real name|nickname)\b|\b(?:heisst|hiess|geheissen)\b|\bse llama\w*\b",
    "phone": r"\b(?:phone|mobile|cell|number)\b|\b(?:telefon\w*|handynummer|nummer)\b|\b(?:telefono|movil)\b",
    "email": r"\b(?:e-?mail|mail address|correo)\b",
    "marital_status": r"\b(?:married|single|divorced|marital|relationship status|wedding)\b|\b(?:verheiratet|geschieden|ledig)\b"
    r"|\b(?:casad[oa]|solter[oa])\b",
    "partner": r"\b(?:partner|wife|husband|spouse|girlfriend|boyfriend|fiance\w*|married|divorced|dating|(?<!every )single)\b"
    r"|\b(?:frau|mann|freundin|freund|verheiratet|geschieden)\b|\b(?:casad[oa]|solter[oa]|pareja|espos[oa]|novi[oa]|marido|mujer)\b",
    "child": r"\b(?:child|children|kids?|sons?|daughters?|baby)\b|\b(?:kind(?! of\b)(?:er)?|sohn|tochter)\b|\bhij[oa]s?\b",
    "parent": r"\b(?:parents?|mother|father|mom|mum|dad)\b|\b(?:eltern|mutter|vater)\b|\b(?:padres?|madre)\b",
    "sibling": r"\b(?:siblings?|brothers?|sisters?)\b|\b(?:geschwister|bruder|schwester)\b|\bherman[oa]s?\b",
    "relative": r"\b(?:relatives?|uncle|aunt|cousin|grandm\w+|grandf\w+|family)\b|\b(?:oma|opa|onkel|tante|familie)\b|\b(?:abuel[oa]|ti[oa]|familia)\b",
    "friend": r"\bfriends?\b|\bfreunde?\b|\bamig[oa]s?\b",
    "pet": r"\b(?:pets?|dogs?|cats?|animals?)\b|\b(?:haustier\w*|hund|katze)\b|\b(?:mascotas?|perr[oa]|gat[oa])\b",
    "car": r"\b(?:cars?|drives?|drove|driven|driving)\b|\b(?:auto|wagen)\b|\bcoche\b",
    "possession": r"\b(?:own(?:s|ed)?|bought|have got|has got|possess\w*)\b|\b(?:gekauft|besitzt|besass|besessen)\b|\bcompr\w+\b",
    "diet": r"\b(?:vegan|vegetarian|diet|eats?|ate|meat)\b|\b(?:isst|ernahr\w*|vegetari\w+)\b|\b(?:come|dieta|vegan[oa])\b",
    "allergy": r"\ballerg\w+\b|\balergi\w*\b",
    "health": r"\b(?:health|ill|illness|sick|disease|diagnos\w+|injur\w+|surgery|condition)\b|\b(?:krank\w*|gesund\w*)\b|\b(?:salud|enferm\w+)\b",
    "likes": r"\b(?:like[sd]?|love[sd]?|enjoy(?:s|ed)?|fond|prefers?|preferred|preferences?|into)\b|\b(?:mag|mochte|gemocht|liebte?|geliebt|gern)\b|\ble gusta\w*\b",
    "dislikes": r"\b(?:dislike[sd]?|hate[sd]?|like[sd]?|avoid\w*|can'?t stand)\b|\b(?:hasste?|gehasst|mag|mochte)\b|\b(?:odia\w*|le gusta\w*)\b",
    "favourite": r"\bfavou?rites?\b|\blieblings\w+\b|\bfavorit[oa]s?\b",
    "hobby": r"\b(?:hobb(?:y|ies)|sports?|plays?|free time|spare time|for fun|weekends?|pastimes?)\b|\b(?:freizeit|wochenende)\b|\b(?:tiempo libre|aficion\w*)\b",
    "habit": r"\b(?:habits?|routines?|every (?:day|morning|week)|usually|regularly|weekends?)\b|\b(?:gewohnheit\w*|jeden)\b",
    "plan": r"\b(?:plans?|planning|going to|will|intends?|upcoming|next)\b|\b(?:plan[te]?|vor|will)\b|\b(?:planes|planea|va a)\b",
    "event": r"\b(?:happened|events?)\b|\bpassiert\b|\bpaso\b",
    "goal": r"\b(?:goals?|wants? to|dreams?|aims?)\b|\bziele?\b|\bmetas?\b",
    "need": r"\b(?:needs?|looking for)\b|\b(?:braucht|sucht)\b|\b(?:necesita|busca)\b",
    "skill": r"\b(?:skills?|can .* do|good at|able to)\b|\bkann\b|\bsabe\b",
    "language": r"\b(?:languages?|speaks?|spoke|fluent)\b|\b(?:sprach\w*|spricht)\b|\b(?:idiomas?|habla(?:ban?)?)\b",
    "mood": r"\b(?:feel(?:s|ing)?|mood|how is|how are)\b|\b(?:fuhlt|laune)\b|\bse siente\b",
    "belief": r"\b(?:thinks?|thought|believes?|believed|opinion|religio\w+)\b|\b(?:glaubte?|geglaubt|meinung)\b|\b(?:cree|creia|opina\w*)\b",
}
"""Patterns for English, German and Spanish."""
_TURKISH: Mapping[str, str] = {
    "home": r"\bnere(?:de|ye)\b.*\b(?:otur|yas[ai]|tasin|ikamet)|\badres",
    "location": r"\bnerede(?:ydi|dir|ler(?:di)?)?\W*$",
    "origin": r"\bnereli|\bmemleket|\bnerede (?:dog|buyu)",
    "employer": r"\bcalis|\bisi(?:ni|nde)?\b|\bis ?yeri|\bsirket|\bisveren",
    "occupation": r"\bcalis|\bisi(?:ni|nde)?\b|\bmesle[kg]|\bne is yap",
    "study": r"\boku(?:yor|du|l)|\buniversite|\bbolum|\bmezun",
    "age": r"\bkac yas|\byasi\b",
    "birthday": r"\bdogum (?:gun|tarih)|\bdogdu",
    "name": r"\b(?:ad|isim|ism|soyad|lakab)i\b",
    "phone": r"\btelefon|\bnumara|\bcep\b",
    "email": r"\be-?(?:posta|mail)|\bmail",
    "marital_status": r"\b(?:evli|bekar|nisanli)\b|\bbosan|\bevlen",
    "partner": r"\b(?:esi|karisi|kocasi|sevgilisi|nisanlisi|(?:kiz|erkek) arkadasi|evli)\b|\bevlen",
    "child": r"\bcocu[kg]|\boglu|\bkizi\b|\bbebe[kg]",
    "parent": r"\banne(?!anne)|\bbaba(?!anne)|\bebeveyn",
    "sibling": r"\bkardes|\babla|\bagabey|\babisi",
    "relative": r"\bakraba|\bteyze|\bhalasi|\bamca|\bdayi|\bkuzen|\bdede|\baile|\b(?:baba|anne)anne",
    "friend": r"(?<!kiz )(?<!erkek )\barkadas",
    "pet": r"\bevcil|\bkope[kg]|\bkedi|\bhayvan",
    "car": r"\baraba|\botomobil|\baraci\b",
    "possession": r"\bsatin al|\bsahip|\baldi",
    "diet": r"\bvegan|\bvejetaryen|\bdiyet|\bbeslen|\byiyor|\bet yer",
    "allergy": r"\balerji",
    "health": r"\bhasta|\bsagli[kg]|\brahatsiz|\bameliyat",
    "likes": r"\bsev(?:er|iyor|di)|\bhoslan|\bbegen",
    "dislikes": r"\bsevm|\bnefret|\bhoslanm|\bbegenm",
    "favourite": r"\ben sevdig|\bfavori",
    "hobby": r"\bhobi|\bbos zaman|\bhafta son",
    "habit": r"\baliskanli[kg]|\bher (?:gun|sabah|aksam|hafta)\b|\bgenelde\b|\brutin",
    "plan": r"\bplan|\bniyet|\b\w{2,}[ae]ca[kg](?:lar|ti|i)?\b|\b\w{2,}ece[kg](?:ler|ti|i)?\b",
    "event": r"\bne oldu\b|\bolay",
    "goal": r"\bhedef|\bhayal|\bamac|\bistiyor",
    "need": r"\bihtiyac|\blazim\b|\bariyor",
    "skill": r"\byetene[kg]|\bbecer|[ae]bil(?:ir|iyor)",
    "language": r"\b(?:hangi|kac) dil|\bdilleri",
    "mood": r"\bhissed|\bruh hal|\bkeyf|\bnasil\W*$",
    "belief": r"\bdusunuyor|\binan[iy]|\bgorus|\bfikr",
}
"""The beginnings of words in Turkish, whose words have endings."""
_JAPANESE: Mapping[str, str] = {
    "home": r"どこ.*(?:住|暮ら|引っ?越)|住所|住まい",
    "location": r"どこに(?:い[るたま]|滞在)|どこ(?:です|でした|だった)?か?[?？。]*$",
    "origin": r"出身|どこ(?:から|の生まれ)|故郷|地元|育ち|育った",
    "employer": r"会社|勤め|勤務|職場|仕事|働[いかく]|就職|転職",
    "occupation": r"職業|職種|仕事|働[いかく]",
    "study": r"大学|学校|高校|専攻|学部|勉強|留学",
    "age": r"何歳|いくつです|年齢",
    "birthday": r"誕生日|生年月日|生まれ",
    "name": r"名前|本名|あだ名|[名苗]字",
    "phone": r"電話|携帯|番号",
    "email": r"メール|アドレス",
    "marital_status": r"結婚|独身|離婚|既婚|婚約",
    "partner": r"妻|夫(?!婦)|奥さん|旦那|彼女|彼氏|恋人|パートナー|結婚|婚約|付き合",
    "child": r"子供|子ども|こども|息子|娘|赤ちゃん",
    "parent": r"両親|(?<!祖)[父母]",
    "sibling": r"[兄姉弟妹]",
    "relative": r"親戚|祖[父母]|[叔伯][父母]|おじい?さん|おばあ?さん|いとこ|家族",
    "friend": r"友達|友だち|友人|親友",
    "pet": r"ペット|[犬猫]|飼[いうっわ]",
    "car": r"(?<![電列転馬])車(?!椅子|掌)|クルマ|運転",
    "possession": r"買[いうっわ]|持って|所有",
    "diet": r"ベジタリアン|[ビヴ]ィ?ーガン|菜食|食べ|食事",
    "allergy": r"アレルギー",
    "health": r"病気|健康|体調|怪我|ケガ|手術|入院|持病",
    "likes": r"好[きむみ]|気に入",
    "dislikes": r"嫌[いう]|苦手|好き",
    "favourite": r"一番好き|お気に入り",
    "hobby": r"趣味|休日|週末",
    "habit": r"習慣|毎[日朝晩週]|普段|日課",
    "plan": r"予定|計画|つもり",
    "event": r"何が(?:あっ|起[きこ])|出来事",
    "goal": r"目標|夢|[しりき]たい",
    "need": r"必要|探し",
    "skill": r"得意|特技|でき(?:る|ます)|上手",
    "language": r"何語|言語|話せ",
    "mood": r"気分|機嫌|元気|調子",
    "belief": r"信じ|どう思|意見|考え|宗教",
}
"""Patterns for Japanese, which has no blanks between words."""
_WORD = re.compile(r"[^\W_]+")
LONGEST = 1_000
"""Characters of a question that are searched: "where … live" takes quadratic time in a text that repeats "where"."""
LONGEST_PHRASE = 3
"""The most words of a phrase that asks for an attribute as a whole: "for a living"."""
_BORN_WHERE = re.compile(r"\b(?:where\b.*\bborn|wo\b.*\bgeboren|donde nacio)\b")
"""Matches questions for a place of birth, although "born" alone asks for a day."""
_LIKE_TURKISH = (("en",), ("de",), ("es",))
_PATTERNS = {name: re.compile(f"{pattern}|{_JAPANESE[name]}") for name, pattern in _EUROPEAN.items()}
_TURKISH_PATTERNS = {name: re.compile(pattern) for name, pattern in _TURKISH.items()}


def asked_attributes(question: str, names: Collection[str] = ()) -> frozenset[str]:
    """Return the attributes that a question asks for. Turkish words count unless the question is in a language with
    similar words: "hasta" is "ill" in Turkish and "until" in Spanish.

    Args:
        question: the original question.
        names: its folded words that name people: with a capital, Anne is no mother ("anne"), and Frau Weber nobody's
            wife.
    """
    text = _nameless(question, names)
    asked = frozenset(name for name, _ in _asking(text))
    rest = _BORN_WHERE.sub(" ", fold(text))
    day_too = rest == fold(text) or _PATTERNS["birthday"].search(rest)
    return asked if day_too else asked - {"birthday"}


def topic_of(question: str, names: Collection[str] = ()) -> str:
    """Return the folded question without the words that ask for an attribute: "pizza" remains of "what pizza does John
    like?".
    """
    text = _nameless(question, names)
    told = list(fold(text))
    for _, match in _asking(text):
        found = list(_WORD.finditer(match[0]))
        # Any words may occur between the ends of "where … live": they are kept.
        for word in found if len(found) <= LONGEST_PHRASE else (found[0], found[-1]):
            start = match.start()
            told[start + word.start() : start + word.end()] = " " * len(word[0])
    return "".join(told)


def _nameless(question: str, names: Collection[str]) -> str:
    text = question[:LONGEST]
    if not names:
        return text
    return _WORD.sub(lambda match: " " if match[0][0].isupper() and fold(match[0]) in names else match[0], text)


def _asking(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the attributes, each with the match that asks for it in the folded text."""
    folded = fold(text)
    likely = likely_languages(text, words(text))
    turkish = "tr" in likely or likely[:1] not in _LIKE_TURKISH
    for patterns in (_PATTERNS, _TURKISH_PATTERNS) if turkish else (_PATTERNS,):
        for name, pattern in patterns.items():
            for match in pattern.finditer(folded):
                yield name, match


def asks_for_attribute(folded: str) -> bool:
    """Return whether folded words that are not Turkish ask for any attribute."""
    return any(pattern.search(folded) for pattern in _PATTERNS.values())
