"""What stands below a mail's own words: signatures, disclaimers, and the footers of mailing lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

DELIMITER = re.compile(r"^--[ \t\xa0]*$")
_LONGEST_SIGNATURE = 30
"""Lines below a delimiter that are still taken for a signature."""
_LONGEST_CLOSING = 10
_LONGEST_FORMULA = 45
_WIDEST = 90
"""Characters of a line in a signature without a delimiter."""

_DEVICE = re.compile(
    r"^\s*(?:[-_–—*]{1,3}\s*)?(?:sent (?:from|with|via|using) (?:my |the |a )?\S|get outlook for |gesendet (?:von|mit) |von meinem .{1,40} gesendet|diese nachricht wurde von|"
    r"envoyé (?:de|depuis|à partir de) |télécharge[rz] outlook|enviado (?:desde|do|de|pelo) |obtener outlook|inviato da |scarica outlook|"
    r"verzonden (?:vanaf|met|vanuit) |verstuurd vanaf |skickat från |sendt fra |lähetetty |wysłan[eo] z |odesláno z|отправлено (?:с|из) |надіслано з |"
    r"iphone'umdan gönderildi|.{0,20}(?:umdan|ımdan|imdan) gönderildi|elküldve |trimis de pe |στάλθηκε από |从我的.{1,20}发送|发自我的|發自我的|從我的.{1,20}傳送|.{0,20}から送信|나의 .{1,20}에서 보냄|내 .{1,20}에서 보냄|"
    r"נשלח מ|أُ?رسلت? من |dikirim dari |được gửi từ |enviat des |this (?:e-?mail|message) was sent from my|--- ?sent from)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^\s*(?:(?:kind|best|warm(?:est)?|many)? ?(?:regards|wishes)|best|cheers|sincerely(?: yours)?|yours (?:sincerely|truly|faithfully)|(?:many )?thanks(?: and regards)?|thank you|thx|"
    r"(?:mit )?(?:freundliche[nm]?|herzliche[nm]?|beste[nm]?|liebe[nm]?|viele[nm]?|schöne[nm]?|sonnige[nm]?) (?:gr[uü](?:ß|ss)(?:en?)?)|(?:lg|mfg|vg|bg|liebe grüße|gruß|grüße)|"
    r"(?:bien )?cordialement|(?:bien )?amicalement|bien à (?:toi|vous)|salutations(?: distinguées)?|(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|un abrazo|"
    r"(?:cordiali|distinti) saluti|saluti|un saluto|atenciosamente|(?:com os )?(?:melhores )?cumprimentos|abraços?|(?:met )?(?:vriendelijke|hartelijke) groet(?:en)?|groet(?:en|jes)?|"
    r"(?:med )?(?:vänlig|venlig|vennlig)e?a? h(?:älsning(?:ar)?|ilsen)|mvh|hälsningar|hilsen|(?:ystävällisin )?terveisin|pozdrawiam|z poważaniem|s pozdravem|s pozdravom|"
    r"с уважением|всего доброго|з повагою|saygılarımla|sevgiler|[uü]dv[oö]zlettel|cu stimă|με εκτίμηση|此致|祝好|谢谢|謝謝|よろしくお願いします|よろしくお願いいたします|감사합니다|בברכה|مع التحية|تحياتي)\s*[,.!，。、]?\s*$",
    re.IGNORECASE,
)
_DISCLAIMER = [
    "confidential",
    "privileged",
    "intended solely",
    "intended only",
    "intended recipient",
    "intended for",
    "addressee",
    "in error",
    "disclos",
    "unauthorised",
    "unauthorized",
    "virus",
    "consider the environment",
    "legally",
    "vertraulich",
    "bestimmungsgemäß",
    "empfänger",
    "irrtümlich",
    "unbefugt",
    "rechtlich geschützt",
    "confidentiel",
    "destinataire",
    "par erreur",
    "confidencial",
    "destinatario",
    "destinatário",
    "por error",
    "por engano",
    "por erro",
    "riservat",
    "confidenzial",
    "per errore",
    "vertrouwelijk",
    "geadresseerde",
    "abusievelijk",
    "konfidentiell",
    "sekretess",
    "avsedd",
    "fortrolig",
    "tiltenkt",
    "luottamuksel",
    "poufn",
    "adresat",
    "důvěrn",
    "příjemc",
    "конфиденциальн",
    "адресат",
    "конфіденційн",
    "gizli",
    "yetkisiz",
    "bizalmas",
    "címzett",
    "confidențial",
    "εμπιστευτικ",
    "παραλήπτη",
    "保密",
    "机密",
    "機密",
    "收件人",
    "误收",
    "秘密",
    "誤って",
    "宛先",
    "기밀",
    "수신인",
    "חסוי",
    "סודי",
    "הנמען",
    "سري",
    "المرسل إليه",
]
_ASCII_DISCLAIMER = tuple(word for word in _DISCLAIMER if word.isascii())
_STEMS = (
    "confiden",
    "privileg",
    "recipient",
    "in error",
    "addressee",
    "vertraulich",
    "irrtümlich",
    "destinat",
    "riservat",
    "vertrouwelijk",
    "konfiden",
    "fortrolig",
    "luottamuksel",
    "poufn",
    "důvěrn",
    "конфиден",
    "конфіден",
    "gizli",
    "bizalmas",
    "εμπιστευτικ",
    "密",
    "誤って",
    "기밀",
    "חסוי",
    "סודי",
    "سري",
)
"""Every disclaimer has one of these: few searches for all other paragraphs."""


def _in_ascii(text: str) -> str:
    """Without all other letters."""
    return text.encode("ascii", "ignore").decode("ascii")


_LATIN = 4
"""So many letters of ASCII a stem needs to be searched by them."""
_PLAIN_STEMS = tuple(plain for stem in _STEMS if len(plain := _in_ascii(stem)) >= _LATIN)
_LETTERS = frozenset(
    "\N{KELVIN SIGN}\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"  # whose small letters are of ASCII
    + "".join(stem[0] + stem[0].upper() for stem in _STEMS if len(_in_ascii(stem)) < _LATIN)
)
"""A text without these has no stem but those that are searched by their letters of ASCII."""
_SHORTEST_DISCLAIMER = 80
_LONGEST_DISCLAIMER = 4000
_DISCLAIMER_TITLE = re.compile(
    r"^\W{0,5}(?:legal )?(?:disclaimer|confidentiality(?: notice)?|haftungsausschluss|avis de confidentialité|aviso legal|aviso de confidencialidad)\b",
    re.IGNORECASE,
)
_FOOTER = re.compile(
    r"mailing list|mailman|listinfo|unsubscribe|to unsubscribe|you received this message because you are subscribed|yahoo! groups|google groups|"
    r"abmelden|abbestellen|se désabonner|désinscrire|darse de baja|cancelar (?:la )?suscripci|descadastrar|cancella(?:re)? l'iscrizione|afmelden|uitschrijven|avregistrera|отписаться|退订|取消订阅|配信停止|수신거부",
    re.IGNORECASE,
)
_RULE = re.compile(r"^\s*(?:[_=~\-]{2,}|-~.{5,}~-*)\s*$")


def footer_start(lines: Sequence[str], start: int, end: int) -> int:
    """Where the footer of a list begins among the last lines of a text; ``end`` when there is none."""
    for place in range(end - 1, max(start, end - 14) - 1, -1):
        if _RULE.match(lines[place]) and not DELIMITER.match(lines[place]):
            below = "\n".join(lines[place + 1 : end])
            return place if len(below) < 1500 and _FOOTER.search(below) else end
    return end


def disclaimer_start(lines: Sequence[str], start: int, end: int) -> int:
    """Where the disclaimer begins that ends a text; ``end`` when there is none. Several paragraphs may belong to it."""
    found = end
    place = _trimmed(lines, start, end)
    while place > start:
        first = place
        while first > start and lines[first - 1].strip():
            first -= 1
        paragraph = " ".join(lines[first:place])
        titled = len(paragraph) < 5000 and _DISCLAIMER_TITLE.match(lines[first]) is not None
        long = _SHORTEST_DISCLAIMER <= len(paragraph) <= _LONGEST_DISCLAIMER
        hits = _hits(paragraph) if long or titled else 0
        if not ((len(paragraph) >= _SHORTEST_DISCLAIMER and hits >= 2) or (titled and (hits or found < end))):
            break
        found = first
        if found > start and _RULE.match(lines[found - 1]) and not DELIMITER.match(lines[found - 1]):
            found -= 1
        place = _trimmed(lines, start, first)
    return found


def _hits(paragraph: str) -> int:
    """How many words of disclaimers a paragraph has; no more than two are counted."""
    # Strings of ASCII are searched quickest, and most paragraphs have nothing of any stem.
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


def signature_start(lines: Sequence[str], start: int, end: int) -> int:
    """Where the signature of a text begins; ``end`` when there is none.

    It follows the delimiter that programs write, or is the line that a telephone adds, or begins with a closing formula
    below which little more stands than names and addresses.
    """
    last = _trimmed(lines, start, end)
    if last == start:
        return end
    for place in range(last - 1, max(start, last - _LONGEST_SIGNATURE - 1) - 1, -1):
        if lines[place][:2] == "--" and DELIMITER.match(lines[place]):
            return place
    found = end
    first = last
    while first > start and lines[first - 1].strip() and last - first < 3:
        first -= 1
    for place in range(first, last):
        if len(lines[place]) < 160 and _DEVICE.match(lines[place]):
            found = place
            last = _trimmed(lines, start, place)
            break
    for place in range(last - 1, max(start, last - _LONGEST_CLOSING) - 1, -1):
        if len(lines[place]) > _WIDEST:
            break
        if len(lines[place]) < _LONGEST_FORMULA and _CLOSING.match(lines[place]):
            # A mail that only says thanks says it itself.
            return place if any(line.strip() for line in lines[start:place]) else found
    return found


def _trimmed(lines: Sequence[str], start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end
