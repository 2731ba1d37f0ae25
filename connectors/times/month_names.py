"""Names of months in dates, as they stand behind a day, in some forty languages, and their short forms. Pure."""

from __future__ import annotations

import re
from functools import cache

# January first. Names that mean two months in two languages are Polish and Czech here; Croatian ones stand apart.
_NAMES = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
jänner feber märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris
sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
januar februar marec april maj junij julij avgust september oktober november december
januar februar mart april maj jun jul avgust septembar oktobar novembar decembar
јануар фебруар март април мај јун јул август септембар октобар новембар децембар
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
януари февруари март април май юни юли август септември октомври ноември декември
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
januari februari maret april mei juni juli agustus september oktober november desember
januari februari mac april mei jun julai ogos september oktober november disember
enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
"""
_MONTHS: dict[str, int] = {}
for _line in _NAMES.split("\n"):
    for _month, _name in enumerate(_line.split(), start=1):
        _MONTHS.setdefault(_name.casefold(), _month)
ENGLISH_MONTHS = {
    name: month for row in _NAMES.split("\n")[2:0:-1] for month, name in enumerate(row.split(), start=1)
} | {"sept": 9}
"""The English months in lower case: January first, the short form and then the full name."""
_CROATIAN_NAMES = "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca"
_CROATIAN = {name: month for month, name in enumerate(_CROATIAN_NAMES.split(), start=1)}
_CROATIAN_DAY = re.compile(r"ponedjeljak|utorak|srijeda|četvrtak|petak|subota|nedjelja", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s.,،/|-]+")
_HEBREW_IN = "ב"
"""Stands before a month, in one word with it."""


# By their beginnings; Finnish, Ukrainian and Turkish names may begin like those of others, so the longest one counts.
_BEGINNINGS: dict[str, int] = {
    name: month
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",  # English
        "jän feb mär apr mai jun jul aug sep okt nov dez",  # German
        "janv févr mars avr mai juin juil août sept oct nov déc",  # French
        "ene feb mar abr may jun jul ago sep oct nov dic",  # Spanish
        "gen feb mar apr mag giu lug ago set ott nov dic",  # Italian
        "jan fev mar abr mai jun jul ago set out nov dez",  # Portuguese
        "jan feb mrt apr mei jun jul aug sep okt nov dec",  # Dutch
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",  # Polish
        "янв фев мар апр мая июн июл авг сен окт ноя дек",  # Russian
        "січ лют бер кві тра чер лип сер вер жов лис гру",  # Ukrainian
        "oca şub mar nis may haz tem ağu eyl eki kas ara",  # Turkish
        "jan feb mars apr maj juni juli aug sep okt nov dec",  # Swedish, Danish, Norwegian
        "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",  # Finnish
        "jan feb mar apr mei jun jul agu sep okt nov des",  # Indonesian
    )
    for month, name in enumerate(names.split(), start=1)
}
_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))


def month_of(text: str) -> int | None:
    """Return the month that is named in a date, 1 to 12."""
    names = _CROATIAN if _CROATIAN_DAY.search(text) else _MONTHS
    for word in _BETWEEN.split(text):
        plain = word.casefold()
        if number := names.get(plain) or names.get(plain.removeprefix(_HEBREW_IN)):
            return number
    return None


_SHORTEST = 3
_OWN_SHORT = {"mrt": 3, "mrz": 3, "जन": 1, "नव": 11, "अग": 8}
"""The short forms that are not beginnings of the name."""


def month_in_short(word: str) -> int | None:
    """Return the month of one word: a whole name, or its beginning (``Jan.``, ``févr.``, ``дек``) if only one month
    begins so.
    """
    plain = word.casefold().rstrip(".॰")
    return _MONTHS.get(plain) or _short_forms().get(plain) or None


@cache
def _short_forms() -> dict[str, int]:
    """Return the months by beginnings of names; 0 for a beginning of several months."""
    result: dict[str, int] = {}
    for name, month in _MONTHS.items():
        for end in range(_SHORTEST, len(name)):
            result[name[:end]] = month if result.get(name[:end], month) == month else 0
    return result | _OWN_SHORT


def month_beginning(word: str) -> int | None:
    """Return the month whose name begins as this word in small letters does, in one of the languages of Google's pages."""
    ends = range(min(_LONGEST_BEGINNING, len(word)), 2, -1)
    return next((_BEGINNINGS[word[:end]] for end in ends if word[:end] in _BEGINNINGS), None)
