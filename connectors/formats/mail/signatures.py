"""Finds signatures, disclaimers, and footers of mailing lists below a mail's own text."""

from __future__ import annotations

import re
from collections.abc import Sequence

DELIMITER = re.compile(r"^--[ \t\xa0]*$")
_LONGEST_SIGNATURE = 30
"""The largest number of lines of a signature below a delimiter."""
_LONGEST_CLOSING = 10
"""The largest number of lines below a closing formula, not counting blank ones."""
_LONGEST_FORMULA = 45
_LONGEST_DEVICE = 160
_WIDEST = 90
"""The largest length of a line in a signature without a delimiter, in characters."""

_APPS = r"(?:gmail|outlook|yahoo|samsung|proton|iphone|ipad|android|windows|blackberry|gmx|web\.de|airmail|bluemail)"
_DEVICE = re.compile(
    r"^\s*(?:[-_–—*]{1,3}\s*)?(?:[(<\[]{1,2}sent by |[(<\[]{0,2}sent (?:wirelessly )?(?:from|with|via|using) (?:my |the |a )?\S|from my (?:phone|mobile|galaxy|"
    + _APPS
    + r")\b|"
    r"gesendet (?:von|mit) |von meine[mr] .{1,40} gesendet|von "
    + _APPS
    + r".{0,40} gesendet|diese (?:nachricht|(?:e-?)?mail) wurde (?:von|mit) .{1,60}gesendet|"
    r"envoyé (?:sans fil |de |depuis |à partir d|via "
    + _APPS
    + r")|provenance ?: (?:courrier|outlook) |enviado (?:desde |do |de |da |pelo |a partir d|a través de "
    + _APPS
    + r")|inviat[oa] da(?:l|lla)? |"
    r"verzonden (?:vanaf|met|vanuit) |verstuurd (?:vanaf|vanuit) |(?:skickat|sendt) (?:från |fra |med "
    + _APPS
    + r")|lähetetty |wysłan[eo] z |odesláno z|odoslané z|"
    r"отправлено (?:с|со|из) |отправлено через "
    + _APPS
    + r"|надіслано (?:з|із) |(?:.{0,20}[uıi]md[ae]n|"
    + _APPS
    + r".{0,30}) gönderildi\W*$|elküldve |trimis de pe |στάλθηκε από |"
    r"从我的.{1,20}发送|[发發](?:送)?自(?:我的|.{0,12}(?:[邮郵][箱件]|手[机機]|mail|windows|客[户戶]端))|從我的.{1,20}傳送|[从從] ?"
    + _APPS
    + r".{1,20}(?:发送|傳送)\W*$|.{0,20}から送信|(?:나의|내) .{1,20}에서 보냄|"
    + _APPS
    + r".{0,20}에서 보냄|"
    r"נשלח מ|أُ?رسلت? من |dikirim dari |được gửi từ |enviat des |this (?:e-?mail|message) was sent from my|"
    r"(?:get|download|obtener|obtén|obtenga|descargar|obter o|obtenha o|baixar o|baixe o|obtenir|obtenez|télécharge[rz]|scarica|ottieni|hent|hämta|skaffa|skaff deg|hanki|pobierz(?: aplikację)?|"
    r"získat|získejte|stáhnout|загрузить|скачать|получить|获取|下载|取得|下載) outlook .{0,30}(?:ios|android|windows|mac|mobile)(?: phone| mobile| \d+)*[^\w\n]*(?:$|https?:|aka\.ms)|outlook (?:für|voor) (?:ios|android) (?:beziehen|herunterladen|downloaden|ophalen)|"
    r"(?=[^<>\n]*(?:ios|android))[^<>\n]{0,50}outlook[^<>\n]{0,40}[<(\[]https?://aka\.ms/\w+[>)\]]\s*$)",
    re.IGNORECASE,
)
_SAID_AFTER = re.compile(r"[.;!?]\s+(?=\S+\s+\S+\s+\S)|,\s+(?=[^\W\dA-Z]\S*\s+\S+\s+\S+\s+\S)")
"""Matches the beginning of a second clause in the line of a device."""
_CLAUSE_END = re.compile(r"[.,;!?]")
_OF_DEVICES = re.compile(
    r"excus|pardon|forgive|sorry|apolog|typo|brevity|short|autocorrect|dictat|\bapp\b|entschuldig|verzeih|tippfehler|kürze|faute|disculp|errat|scus|errori|ursäkta|undskyld|beklager",
    re.IGNORECASE,
)
"""Matches words of a second clause that apologises for the device and is not the author's own text."""
_THANKS = (
    r"(?:(?:many|much|kind) )?(?:thanks|thank you)(?: (?:so|very) much| in advance| again)?|thx|(?:vielen |besten |herzlichen )?dank(?:e|e dir|e ihnen)?|merci(?: d['’]avance| beaucoup)?|"
    r"(?:muchas )?gracias|grazie(?: mille)?|(?:muito )?obrigad[oa]|(?:alvast )?bedankt|dank je|tack(?: på förhand)?|takk|på forhånd tak|kiitos|dziękuj[ęe](?:my)?|děkuj[iu](?:eme)?|ďakujem|köszönöm|"
    r"(?:заранее )?(?:спасибо|благодарю)|дякую|teşekkürler|mulțumesc|ευχαριστώ|谢谢|謝謝|ありがとうございます|감사합니다|고맙습니다|תודה|شكرا"
)
_REGARDS = (
    r"(?:with )?(?:(?:kind|best|warm(?:est)?|many|my) ?)?(?:regards|wishes)|with kindest regards|all the best|best|cheers|sincerely(?: yours)?|yours (?:sincerely|truly|faithfully)|respectfully|warmly|take care|talk soon|love|xoxo|rgds|"
    r"(?:mit )?(?:freundliche[nm]?|herzliche[nm]?|beste[nm]?|liebe[nm]?|viele[nm]?|schöne[nm]?|sonnige[nm]?) (?:gr[uü](?:ß|ss)(?:en?)?)(?: aus [\w-]+)?|(?:lg|mfg|vg|bg|liebe grüße|gruß|grüße)|"
    r"(?:bien )?cordialement|(?:bien )?amicalement|bien à (?:toi|vous)|(?:sincères |cordiales |meilleures )?salutations(?: distinguées)?|bonne (?:journée|soirée|réception)|(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|cordialmente|un abrazo|"
    r"(?:cordiali|distinti) saluti|saluti|un saluto|atenciosamente|(?:com os )?(?:melhores )?cumprimentos|abraços?|(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|groet(?:en|jes)?|"
    r"(?:med )?(?:vänlig|venlig|vennlig)e?a? h(?:älsning(?:ar)?|ilsen)|bästa hälsningar|(?:de )?bedste hilsner|mvh|dbh|kh|knus|hälsningar|hilsen|(?:ystävällisin )?terveisin|pozdrawiam|z powa[żz]aniem|s pozdrav[eo]m|s úctou|"
    r"с уважением|всего доброго|з повагою|saygılarımla|sevgiler|[uü]dv(?:[oö]zlettel)?|tisztelettel|cu stimă|με εκτίμηση|此致|祝好|よろしくお願いします|(?:以上、)?よろしくお願いいたします|בברכה|مع التحية|تحياتي"
)
_CLOSING = re.compile(
    rf"^\s*(?:{_REGARDS}|{_THANKS})(?:\s*(?:[/|&+,]|and|und|et|y|e|en|och|og)\s*(?:{_REGARDS}|{_THANKS}))?[^\w\n]{{0,8}}$",
    re.IGNORECASE,
)
_THANKING = re.compile(rf"^\s*(?:{_THANKS})[^\w\n]{{0,8}}$", re.IGNORECASE)
_POSTSCRIPT = re.compile(r"^\W*(?:pp?s|pd|p\.\s?(?:p\.\s?)?[sd]\.?|nb|n\.b\.|追伸|추신)\s*[:：.,–-]", re.IGNORECASE)
_SPEAKER = re.compile(
    r"\bI(?= [a-z])|\bI['’]\w|\b(?:we|you|ich|wir|nous|vous|ik|jag|jeg|мы|вы)\b|^(?:We|You|Ich|Wir|Nous|Vous|Ik|Jag|Jeg|Мы|Вы)\b"
)
_SENTENCE_END = re.compile(r"[.!…][\"'”’)\]]*$")
_NOT_SAID = re.compile(
    r"https?://|www\.|@|\bprint|umwelt|environment|imprim|stampare|\bregistered (?:in|office)", re.IGNORECASE
)
"""Matches addresses, and lines that ask not to print a mail or state where a company is registered."""
_SAID_BELOW = 2
"""The number of sentences below two dashes that rules out a signature."""
_CLAUSE = 4
"""The smallest number of words at which lower-case letters tell a sentence from a name, a role or an address."""
_DISCLAIMER = [
    "confidential", "privileged", "intended solely", "intended only", "intended recipient", "intended for",
    "addressee", "in error", "disclos", "unauthorised", "unauthorized", "virus", "consider the environment",
    "legally", "vertraulich", "bestimmungsgemäß", "empfänger", "irrtümlich", "unbefugt", "rechtlich geschützt",
    "confidentiel", "destinataire", "par erreur", "confidencial", "destinatario", "destinatário", "por error",
    "por engano", "por erro", "riservat", "confidenzial", "per errore", "vertrouwelijk", "geadresseerde",
    "abusievelijk", "konfidentiell", "sekretess", "avsedd", "fortrolig", "tiltenkt", "luottamuksel", "poufn",
    "adresat", "důvěrn", "příjemc", "конфиденциальн", "адресат", "конфіденційн", "gizli", "yetkisiz", "bizalmas",
    "címzett", "confidențial", "εμπιστευτικ", "παραλήπτη", "保密", "机密", "機密", "收件人", "误收", "秘密", "誤って", "宛先", "기밀",
    "수신인", "חסוי", "סודי", "הנמען", "سري", "المرسل إليه",
]  # fmt: skip
_ASCII_DISCLAIMER = tuple(word for word in _DISCLAIMER if word.isascii())
_STEMS = (
    "confiden", "privileg", "recipient", "in error", "addressee", "vertraulich", "irrtümlich", "destinat",
    "riservat", "vertrouwelijk", "konfiden", "fortrolig", "luottamuksel", "poufn", "důvěrn", "конфиден", "конфіден",
    "gizli", "bizalmas", "εμπιστευτικ", "密", "誤って", "기밀", "חסוי", "סודי", "سري",
)  # fmt: skip
"""The stems of which every disclaimer contains one: few searches rule out all other paragraphs."""


def _in_ascii(text: str) -> str:
    """Remove all non-ASCII letters."""
    return text.encode("ascii", "ignore").decode("ascii")


_LATIN = 4
"""The smallest number of ASCII letters with which a stem is searched by these alone."""
_PLAIN_STEMS = tuple(plain for stem in _STEMS if len(plain := _in_ascii(stem)) >= _LATIN)
_LETTERS = frozenset(
    "\N{KELVIN SIGN}\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"  # their lower-case forms are ASCII
    + "".join(stem[0] + stem[0].upper() for stem in _STEMS if len(_in_ascii(stem)) < _LATIN)
)
"""The first letters of the stems that are not searched by ASCII letters; a text without these has no such stem."""
_SHORTEST_DISCLAIMER = 80
_ONE_SENTENCE = 40
"""The smallest number of characters of a disclaimer that speaks of the mail itself."""
_OF_THE_MAIL = re.compile(
    r"\b(?:e-?mails?|messages?|messaggio|courriel|correo|mensaje|mensagem|nachricht|bericht|meddelande|melding|viesti)\b",
    re.IGNORECASE,
)
_LONGEST_DISCLAIMER = 4000
_DISCLAIMER_TITLE = re.compile(
    r"^\W{0,5}(?:legal )?(?:disclaimer|confidentiality(?: notice)?|haftungsausschluss|avis de confidentialité|aviso legal|aviso de confidencialidad)\b",
    re.IGNORECASE,
)
_SCANNED = re.compile(
    r"\b(?:scanned|checked|geprüft|analysé|analizado|controllat[ao]|verificad[oa])\b.{0,80}\b(?:virus|malware|viren)",
    re.IGNORECASE,
)
_FOOTER = re.compile(
    r"mailing list|mailman|listinfo|unsubscribe|to unsubscribe|you received this message because you are subscribed|yahoo! groups|google groups|"
    r"abmelden|abbestellen|se désabonner|désinscrire|darse de baja|cancelar (?:la )?suscripci|descadastrar|cancella(?:re)? l'iscrizione|afmelden|uitschrijven|avregistrera|отписаться|退订|取消订阅|配信停止|수신거부",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"^[ \t]*((?:[-–—]{1,2}|/{1,2}|~)[ \t]?)([^\W\d_][^\n/:;,!?()]{0,29})$")
"""Matches a line with a mark and a name: ``/Ann``, ``- Ann Example``."""
_LONG_RULE = re.compile(r"^(?:-{10,}|_{10,}|={10,}|([–—])\1{4,})[ \t]*$")
"""Matches a rule; its group is there if it is of dashes that nobody types by hand."""
_OF_RULES = frozenset("-_=–—")
_OF_NAMES = frozenset("-–—/~")
_REACHED = re.compile(r"@|https?://|www\.|\+?\d[\d ()/.-]{6,}")
"""Matches an address or a telephone number."""
_LONGEST_CARD = 4
"""The largest number of lines of a signature below a rule."""
_RULE = re.compile(r"^\s*(?:[_=~\-]{2,}|-~.{5,}~-*)\s*$")


def footer_start(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first line of a list footer among the last lines of a text; ``end`` if there is none."""
    for place in range(end - 1, max(start, end - 14) - 1, -1):
        if _RULE.match(lines[place]) and not DELIMITER.match(lines[place]):
            below = "\n".join(lines[place + 1 : end])
            return place if len(below) < 1500 and _FOOTER.search(below) else end
    return end


def disclaimer_start(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first line of the disclaimer, of one or more paragraphs, at the end of a text; else ``end``."""
    begin = end
    place = _trimmed(lines, start, end)
    pending = False
    while place > start:
        first = place
        while first > start and lines[first - 1].strip():
            first -= 1
        paragraph = " ".join(lines[first:place])
        titled = len(paragraph) < 5000 and _DISCLAIMER_TITLE.match(lines[first]) is not None
        long = _SHORTEST_DISCLAIMER <= len(paragraph) <= _LONGEST_DISCLAIMER
        long = long or (
            first > start
            and _ONE_SENTENCE <= len(paragraph) < _SHORTEST_DISCLAIMER
            and _OF_THE_MAIL.search(paragraph) is not None
        )
        hits = _hits(paragraph) if long or titled else 0
        if (long and hits >= 2) or (titled and (hits or begin < end)):
            begin, pending = first, False
        elif not pending and (_RULE.match(paragraph) or (begin == end and long and _SCANNED.search(paragraph))):
            # a rule or a virus scanner's note is part of the disclaimer above it, if there is one
            pending = True
        else:
            break
        place = _trimmed(lines, start, first)
    while begin > start and begin < end and _RULE.match(lines[begin - 1]) and not DELIMITER.match(lines[begin - 1]):
        begin -= 1
    return begin


def _hits(paragraph: str) -> int:
    """Return the number of disclaimer words in a paragraph, at most two."""
    # ASCII strings are searched fastest, and most paragraphs contain no stem.
    plain = paragraph if paragraph.isascii() else _in_ascii(paragraph)
    plain = plain.lower()
    if not any(stem in plain for stem in _PLAIN_STEMS) and not any(letter in paragraph for letter in _LETTERS):
        return 0
    paragraph = paragraph.lower()
    if not any(stem in paragraph for stem in _STEMS):
        return 0
    hits = 0
    for word in _ASCII_DISCLAIMER if paragraph.isascii() else _DISCLAIMER:
        hits += word in paragraph
        if hits == 2:
            break
    return hits


def signatures(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """Return the signatures of a text as ranges of lines; the text after one of them is the author's own again.

    A signature follows the delimiter that programs write, or is the line that a phone adds, or begins with a closing
    formula and contains names and addresses; a postscript below these is not part of it.
    """
    last = _trimmed(lines, start, end)
    if last == start:
        return []
    for place in range(last - 1, max(start, last - _LONGEST_SIGNATURE - 1) - 1, -1):
        if lines[place][:2] == "--" and DELIMITER.match(lines[place]) and not _divides(lines, place, last):
            return [(place, end)]
    device = _device_start(lines, start, last)
    by_device = [(device, end)] if device < last else []
    last = _trimmed(lines, start, device)
    closing = _closing_start(lines, start, last)
    if closing is None:
        marked = _marked_start(lines, start, last)
        return by_device if marked is None else [(marked, end)]
    said = next((place for place in range(closing + 1, last) if _is_said(lines[place])), None)
    return [(closing, end)] if said is None else [(closing, said), *by_device]


def _divides(lines: Sequence[str], place: int, last: int) -> bool:
    """Return whether ``--`` without the standard trailing blank separates two parts of the author's text."""
    return lines[place] == "--" and sum(_is_said(line) for line in lines[place + 1 : last]) >= _SAID_BELOW


def _device_start(lines: Sequence[str], start: int, last: int) -> int:
    """Return the line that a phone adds, among the last three lines of a text; ``last`` if there is none."""
    first = last
    while first > start and lines[first - 1].strip() and last - first < 3:
        first -= 1
    return next((place for place in range(first, last) if _is_of_device(lines[place])), last)


def _is_of_device(line: str) -> bool:
    if len(line) >= _LONGEST_DEVICE or not _DEVICE.match(line):
        return False
    if _OF_DEVICES.search(line):
        return True
    said = _SAID_AFTER.search(line)
    if said is not None:
        return _DEVICE.match(line, said.end()) is not None
    return _SPEAKER.search(_CLAUSE_END.split(line, maxsplit=1)[0]) is None


def _closing_start(lines: Sequence[str], start: int, last: int) -> int | None:
    """Return the line of the closing formula, with little but names and addresses below it; None without one."""
    below = 0
    for place in range(last - 1, start, -1):
        line = lines[place]
        if not line.strip():
            continue
        if len(line) > _WIDEST or below > _LONGEST_CLOSING:
            return None
        if len(line) < _LONGEST_FORMULA and _CLOSING.match(line):
            # Thanks that are all of a mail, or have no name below, are the author's own text.
            closes = any(above.strip() for above in lines[start:place])
            following = next((text for text in lines[place + 1 : last] if text.strip()), "")
            signs = bool(following) or not _THANKING.match(line)
            return place if closes and signs and not _is_said(following) and not _tells(following) else None
        below += 1
    return None


def _marked_start(lines: Sequence[str], start: int, last: int) -> int | None:
    """Return the last line if it is a mark with a name, or the rule above a few short lines that say nothing; None without
    these. A blank line is above; items of lists are neither.
    """
    place = last - 1
    if place <= start:
        return None
    if not _is_signed(lines[place]):
        card = _card_start(lines, start, last)
        if card is None:
            return None
        place = card
    above = _trimmed(lines, start, place) - 1
    if above < start or above == place - 1:
        return None
    before = lines[above].strip()
    return None if before[-1] in ":：" or before[0] == lines[last - 1].strip()[0] else place


def _is_signed(line: str) -> bool:
    """Return whether a line is a mark and a name; a hyphen and one word may be an item of a list."""
    signed = _SIGNED.match(line) if line.lstrip()[:1] in _OF_NAMES else None
    if signed is None:
        return False
    words = signed[2].split()
    return (signed[1] != "- " or len(words) > 1) and len(words) < _CLAUSE and all(word[0].isupper() for word in words)


def _card_start(lines: Sequence[str], start: int, last: int) -> int | None:
    """Return the line of the rule above the last lines, if these are the name and the address of somebody."""
    place = last - 2
    farthest = max(start, place - 2 * _LONGEST_CARD)
    while place > farthest and lines[place][:1] not in _OF_RULES:
        place -= 1
    rule = _LONG_RULE.match(lines[place]) if place > farthest else None
    if rule is None:
        return None
    card = [line.strip() for line in lines[place + 1 : last] if line.strip()]
    if not card or len(card) > _LONGEST_CARD:
        return None
    if any(len(line) > _LONGEST_FORMULA or line[0] in "-*>•" or _is_said(line) for line in card):
        return None
    return place if rule[1] or any(map(_REACHED.search, card)) else None


def _tells(line: str) -> bool:
    """Return whether the line below a closing formula is a statement; names have capitals, above all the last word."""
    words = line.split()
    if len(words) < _CLAUSE or _NOT_SAID.search(line):
        return False
    return words[-1][0].islower() or 2 * sum(word[0].islower() for word in words) > len(words)


def _is_said(line: str) -> bool:
    """Return whether a line below a closing formula is a sentence rather than a name, a role or an address."""
    text = line.strip()
    if _POSTSCRIPT.match(text):
        return True
    if not text or _NOT_SAID.search(text):
        return False
    if text[-1] in "?。！？":
        return True
    words = text.split()
    if len(words) < _CLAUSE:
        return len(words) == _CLAUSE - 1 and _SPEAKER.search(text) is not None
    small = sum(word[0].islower() for word in words)
    if _SENTENCE_END.search(text) and 2 * small >= len(words):
        return True
    return _SPEAKER.search(text) is not None or (small == len(words) and text[-1].isalpha())


def _trimmed(lines: Sequence[str], start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end
