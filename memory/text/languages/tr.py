"""The words of Turkish."""

from __future__ import annotations

from .language import AskingWords, Language

_SAYING = (
    "(?:yaz|sor|soyle|anlat|bahset|gonder|oner|konus|yazis|gorus|mesajlas|ilet|paylas|acikla|cevapla|yanitla|bildir|iste"
    "|(?:mesaj|mail|e-?posta) at|(?:soz|sikayet|teklif|tavsiye|davet) et|(?:soz|cevap|haber|karar) ver)"
)
"""The stems of verbs of saying."""
ASKING = AskingWords(
    first_person=(
        "ben(?:im|i|de|den|imle)?", "bana", "biz(?:im|e|i|de)?",
        r"[^\W\d_]{2,}(?:[iu]yor(?:um|uz)|[dt](?:im|um|ik|uk)|m[iu]s(?:im|um|iz)|acagim|ecegim)",
        "(?:anne|baba|araba|kedi|sifre|numara|lastik|hala|teyze|dede|nine|oda|bahce|fatura|masa)m(?:i|in|a|e|da|de)?",
    ),
    subject=("ben|[^\\W\\d_]{2,}(?:[iu]yorum|[dt](?:im|um))",),
    own_words=(
        "sor(?:dum|mustum)", "de(?:dim|mistim)", "yaz(?:dim|mistim)", "soyle(?:dim|mistim)", "anlat(?:tim|mistim)",
        "bahset(?:tim|mistim)", "oner(?:dim|mistim)", "gonder(?:dim|mistim)", "soz ver(?:dim|mistim)",
        "iste(?:dim|mistim)", "(?:mesaj|mail|e-?posta) at(?:tim|mistim)", "soz et(?:tim|mistim)", "konus(?:tum|mustum)", "teklif et(?:tim|mistim)", "tavsiye et(?:tim|mistim)",
    ),
    between_us=(
        r"benimle [^?]{1,40} arasinda[^\W_]*", r"aramizda[^\W_]*", "ile (?:benim )?(?:konusmam|yazismam|sohbetim)",
        r"(?:ile|[^\W_]+[\'\u2019]?y?l[ae]) (?:[^\W_]+ ){0,5}?(?:konustum|konustuk|yazistim|yazistik|gorustum|gorustuk)",
    ),
    to_somebody=(
        r"[^\W_]+(?P<words>[\'\u2019](?:y?[ea]))(?= (?:[^\W_]+ ){0,5}?(?:mesaj|mail|e-?posta|not|{saying}))",
    ),
    before_chat=("(?:grup|kanal)",),
    behind_chat=(r"gru[bp][^\W\d_]*", r"sohbet[^\W\d_]*", r"kanal[^\W\d_]*",),
    to_asker=(
        "bana",
        "(?:aldigim)",
    ),
    saying=(
        "anlat(?:ti|mis)", "bahset(?:ti|mis)", "de(?:di|mis|misti)|diyor(?:du)?", "soyle(?:di|mis)", "yaz(?:di|mis)",
        "sor(?:du|mus)", "oner(?:di|mis|isi)", "soz (?:ver|et)(?:ti|di|mis)", "gonder(?:di|mis)",
        "(?:mail|mesaj|eposta) at(?:ti|mis)", "sikayet et(?:ti|mis)", "planla(?:di|mis)", "tavsiye et(?:ti|mis)",
        "iste(?:di|mis)", "davet et(?:ti|mis)", "haber ver(?:di|mis)", "cevap ver(?:di|mis)", "acikla(?:di|mis)",
        "teklif et(?:ti|mis)", "karar ver(?:di|mis)", "konus(?:tu|mus|tuk)",
    ),
    newest=(
        "en son(?:uncu)?", "(?P<words>son)(?= (?:yazan|konusan|gelen))", "son (?:mesaj(?:i|lari)?", "mail(?:i)?", "e-?posta(?:si|yi)?", "not(?:u)?", "kez", "defa",
        "kere", "olarak", "sozu?", "seyi?", "foto(?:graf)?(?:i)?)", "en yeni", "sonuncu",
    ),
    oldest=(
        "ilk (?:mesaj(?:i)?", "mail(?:i)?", "e-?posta(?:si)?", "not(?:u)?", "kez", "defa", "kere", "olarak", "soz",
        "sey", "foto(?:graf)?(?:i)?)", "en eski", "(?P<words>ilk)(?= ne zaman)",
    ),
    soonest=(
        r"(?:bir )?(?:sonraki|siradaki|sıradaki)(?= (?:[^\W_]+ ){0,2}(?:randevu|etkinlik|toplanti|toplantı)[^\W\d_]*)",
        r"(?P<words>(?:bir )?(?:sonraki|siradaki|sıradaki))(?= [^?]{1,60} ne zaman)",
    ),
    counting=(
        "kac (?:kez|kere|defa)", "ne siklikla",
    ),
    counting_messages=("kac (?:mesaj|mail|eposta|e-posta|not)",),
    many=("kac",),
    mail=(
        r"e-?posta[^\W\d_]*", r"mail[^\W\d_]*",
    ),
    note=(
        "not(?:u|lar|lari|larim|um|umda|ta|larda|unda)?",
    ),
    event=(
        r"etkinlik[^\W\d_]*", r"randevu[^\W\d_]*", r"takvim[^\W\d_]*",
    ),
    picture=(
        r"foto(?:graf)?[^\W\d_]*", r"resim[^\W\d_]*|resm[ei]",
    ),
    file=(
        r"pdf[^\W\d_]*", r"belge[^\W\d_]*", r"dosya[^\W\d_]*",
    ),
    planning=("musait mi[^\\W_]*|bos mu[^\\W_]*",),
    of_person=(
        r"(?P<words>[^\W\d_]+) ne (?:zaman )?(?:{saying})",
        r"(?P<words>[^\W\d_]+)['’]?[dt][ae]n (?:gelen )?(?:mesaj|mail|e-?posta)[^\W\d_]*",
    ),
    begins_question=(
        "ne (?:zaman|haber|yapiyorsun|kadar)", "nerede(?:sin|siniz)?", "nasilsin(?:iz)?", "hangi", "kim", "neden",
    ),
    ends_question=(" m[iu](?:sin|sun|siniz|sunuz|yiz|yuz|yim|yum|ydi|ydu)?",),
    number=(
        "kac(?:i|ta|tan|a|inci|ar|imiz|iniz|tane)?|ne kadar", "kodu?|numarasi|numara|fiyati?",
    ),
    now=("simdi|su an|bugun",),
    whether_known=(r"(?:biliyor|hatirliyor)\w*",),
    present=(r"\w+[iu]yor(?:lar)?",),
    former=(r"eskiden|daha\s+once|onceden|onceki",),
    acts=(
        "(?:sikayet|davet|teklif|tavsiye) et(?:ti|mis)", "soz ver(?:di|mis)", "oner(?:di|mis)", "sor(?:du|mus)",
    ),
    about=(
        r"hakkinda[^\W_]*|dair|ilgili", r"bahse[^\W_]*", r"soz e[td][^\W_]*", r"kelimesi[^\W_]*",
    ),
    silent=(
        "bey", "hanim", "sayin", "zaman", "gun", "sey", "haber", "haberi", "kez", "kere", "defa",
        "oldu|olmus", "vardi|var", "nasildi",
        "kac", "son|ilk|en",
        "mesaj(?:lar)?", "te|ta|de|da", r"kim(?:in|le|inle|i|e|den|de|ler)", r"hakkinda[^\W_]*|dair|ilgili|kelimesi[^\W_]*", r"herkes[^\W_]*|kimse[^\W_]*|birileri|birisi|insanlar|kisi(?:ler)?",
        rf"{_SAYING}(?:[dt][iu](?:m|n|k|niz|nuz|l[ae]r|g[iu](?:m|n|miz|niz)?)?|m[iu]s(?:t[iu])?(?:m|n|k|[iu]m|l[ae]r)?|[iu]?yor[^\W_]*|[ae]n(?:l[ae]r)?)",
        "gelen(?:l[ae]r)?|at(?:t[iu](?:[mk]|g[iu][mn]?)?|mis(?:tim)?)",
    ),
)  # fmt: skip

LANGUAGE = Language(
    code="tr",
    asking=ASKING,
    months=(
        "ocak, ocağ", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim", "kasım",
        "aralık, aralığ",
    ),
    weekdays=("pazartesi", "salı", "çarşamba", "perşembe", "cuma", "cumartesi", "pazar"),
    seasons={3: "ilkbahar, bahar", 6: "yaz", 9: "sonbahar, güz", 12: "kış"},
    units={
        "minute": "dakika, dk", "hour": "saat", "day": "gün", "week": "hafta", "weekend": "hafta sonu, haftasonu",
        "month": "ay", "quarter": "çeyrek, çeyreğ", "year": "yıl, sene",
    },
    durations={"yarım yıl": (6, "month"), "altı aylık": (6, "month"), "yarım saat": (30, "minute"), "bir buçuk yıl": (18, "month")},
    numbers=(
        "bir", "iki", "üç", "dört", "beş", "altı", "yedi", "sekiz", "dokuz", "on", "on bir", "on iki", "on üç", "on dört",
        "on beş", "on altı", "on yedi", "on sekiz", "on dokuz", "yirmi",
    ),
    ordinals=("birinci, ilk", "ikinci", "üçüncü", "dördüncü", "beşinci"),
    days={-2: "evvelsi gün, evvelki gün, önceki gün", -1: "dün", 0: "bugün", 1: "yarın", 2: "öbür gün, ertesi gün"},
    day_parts={
        "morning": "sabah, sabahı, sabahleyin", "noon": "öğle, öğlen, öğleyin", "afternoon": "öğleden sonra, ikindi",
        "evening": "akşam, akşamı, akşamleyin", "night": "gece, gecesi, geceleyin",
    },
    feasts={
        "christmas": "noel", "christmas_eve": "noel arifesi", "new_years_eve": "yılbaşı gecesi, yılbaşı akşamı",
        "new_year": "yılbaşı, yeni yıl", "valentine": "sevgililer günü", "mothers_day": "anneler günü", "fathers_day": "babalar günü",
        "republic_day": "cumhuriyet bayramı", "april_23": "23 nisan çocuk bayramı, çocuk bayramı", "may_19": "gençlik bayramı",
        "august_30": "zafer bayramı", "eid_al_fitr": "ramazan bayramı, şeker bayramı", "eid_al_adha": "kurban bayramı",
        "ramadan": "ramazan", "easter": "paskalya", "halloween": "cadılar bayramı", "labour_day": "işçi bayramı",
        "black_friday": "kara cuma", "thanksgiving": "şükran günü", "hidirellez": "hıdırellez",
    },
    roles={
        "last": "geçen, geçtiğimiz, önceki", "past": "son", "previous_but_one": "evvelki", "next": "gelecek, önümüzdeki, haftaya",
        "this": "bu", "ago": "evvel", "within": "", "before": "önce, önceki", "after": "sonra, sonraki",
        "since": "beri, itibaren, bu yana, buyana", "from": "", "until": "kadar, dek", "to": "-, –, —, ile", "and": "ve, ile, veya, ya da",
        "in": "boyunca, içinde, sırasında, arası, arasında, zarfında", "of": "",
        "the": "',', .",
        "beginning": "baş, başlar, başlangıc", "middle": "orta, ortalar", "end": "son, sonlar", "half": "yarı, yarıyıl, buçuk",
        "few": "birkaç, bir kaç", "every": "her", "age": "yaşında, yaşındaki, boyu",
        "future": "olacak, planlanan, planım, plan, planlandı, yapacağız, yapacağım, edecek, gelecek mi, var, gerekiyor, lazım, gerek",
        "past_tense": "dedi, oldu, yazdı, vardı, aldım, gittim, gittik, katıldım, katıldık, kaçırdım, yaptık, yaptım, konuştuk, etti",
        "when": "ne zaman", "title": "bay, bayan, bey, hanım, doktor",
    },
    doubtful="ocak, mart, nisan, eylül, ekim, aralık, pazar, yaz, bahar, kasım, güz, mayıs",
    bare=frozenset({"weekday"}),
    relation_last=True,
    capital_days=False,
    endings=(
        r"(?P<plural>l[ae]r)?(?:s?[iu])?(?:(?<=[iu])n(?=[aed]))?"
        r"(?:(?P<from>[dt][ae]n)|(?P<since>[dt][iu]r)|(?P<in>[dt][ae](?:ki(?:l[ae]r)?)?|ki(?:l[ae]r)?)|(?P<of>n?[iu]n)|(?P<to>y?[ae])|y?[iu])?"
    ),
)  # fmt: skip
"""Turkish."""
