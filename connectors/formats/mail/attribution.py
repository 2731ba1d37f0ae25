"""Recognises lines that introduce quoted or forwarded mail, in many languages.

These are attributions, header blocks and forward marks. An attribution before marked quoted lines is recognised by its
form (a final colon, a date or an address) in any language. Before unmarked lines it must contain a known verb.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_ATTRIBUTION = 400
MOST_LINES = 4
_MOST_HEADER_LINES = 24
_MOST_BLANK = 8
"""The largest number of blank lines between an attribution and the quote."""

_VERBS = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|geschrieben|geschreven|a écrit|écrit|escribió|escribiste|escreveu|ha scritto|scrive|schreef|"
    r"skrev|skriver|kirjoitti|napisał|napisała|napisał\(a\)|napsal|napsala|napsal\(a\)|napísal|пише|пишет|писал|писала|"
    r"написал|написала|написал\(а\)|написав|yazdı|yazmış|írta|ezt írta|a scris|έγραψε|skrifaði|rašė|kirjutas|"
    r"đã viết|menulis|écrivait|va escriure|idatzi|je napisal|je napisao|написа|said|sagte)\b|"
    r"写道|寫道|写了|のメール|書きました|作成|작성|님이|씀|כתב|כתבה|كتب|כתב/ה|เขียน|नेलिखा|ने लिखा",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^[\s*_]*(?:on|am|le|el|il|op|em|den|de|dnia|w dniu|dne|dňa|v|в|on|tarihinde|a|la|στις|på|kl|în|у|vào|pada|在|于|於|"
    r"le|lun|mar|mer|gio|ven|sab|dom|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|пн|вт|ср|чт|пт|сб|вс|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|\d{1,4}[./\-年년 ])"
    r"(?=[\s,.\d])",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b(?:19|20)\d\d(?:\b|年|년)|\d{1,2}[:.h]\d\d|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")
_ADDRESS = re.compile(r"[^\s<>@,;:\"()]{1,64}@[^\s<>@,;:\"()]{1,255}")
_ENDS_WITH_ADDRESS = re.compile(r"@[^\s>@]+>?\s*\)?[:：][\s\u200e\u200f\u202a-\u202e\u2066-\u2069]*$")
COLON = re.compile(r"[:：]\s*+[*_\u200e\u200f\u202a-\u202e\u2066-\u2069]*+\s*+$")
"""Matches the end of a line that introduces another mail; marks of emphasis and direction may follow the colon."""
_SENTENCE_END = re.compile(r"(?:(?<!\d)\.|[!?…。！？])\s*$")
"""Matches the end of a sentence. A number with a full stop is a day in many languages, not an end."""

_FROM = "from|von|de|da|van|från|fra|lähettäjä|od|от|від|kimden|gönderen|feladó|από|expéditeur|mittente|afzender|absender|remitente|remetente|发件人|發件人|寄件者|寄件人|差出人|送信者|보낸 사람|보낸사람|발신|מאת|من|จาก|pengirim|dari|từ|nadawca|odesílatel"
_SENT = "sent|date|gesendet|gesendet am|datum|envoyé|envoyé le|fecha|enviado|enviado el|enviado em|enviada em|enviada|data|inviato|verzonden|skickat|sendt|dato|lähetetty|päivämäärä|päiväys|wysłano|wysłane|odesláno|отправлено|дата|надіслано|gönderildi|gönderilme tarihi|tarih|elküldve|küldve|dátum|trimis|στάλθηκε|ημερομηνία|发送时间|發送時間|发送日期|寄件日期|日期|日時|送信日時|日付|보낸 날짜|날짜|보낸날짜|נשלח|תאריך|التاريخ|تاريخ الإرسال|วันที่|tanggal|terkirim|ngày|odoslané|sendt dato"
_TO = "to|an|à|a|para|pour|aan|naar|till|til|vastaanottaja|do|komu|кому|kime|alıcı|címzett|către|προς|destinataire|destinatario|per|收件人|收件者|宛先|받는 사람|받는사람|수신|אל|إلى|ถึง|kepada|đến|adresat"
_CC = "cc|bcc|kopie|copie|copia|kopia|kopi|kopio|kopie an|копия|копія|másolat|bilgi|抄送|副本|참조|עותק|نسخة|reply-to|antwort an|importance|attachments|anlagen"
_SUBJECT = "subject|betreff|objet|sujet|asunto|assunto|oggetto|onderwerp|ämne|emne|aihe|temat|předmět|predmet|тема|konu|tárgy|subiect|θέμα|主题|主題|主旨|件名|제목|נושא|الموضوع|เรื่อง|subjek|perihal|chủ đề|re"
_LABELS = {
    label: name
    for name, labels in (("cc", _CC), ("to", _TO), ("subject", _SUBJECT), ("sent", _SENT), ("from", _FROM))
    for label in labels.split("|")
}
_LONGEST_LABEL = max(map(len, _LABELS)) + 8


def _labelled(line: str) -> tuple[str, str] | None:
    """Return the name of the header on a line, and its value; None for other lines."""
    place = line.find(":", 0, _LONGEST_LABEL)
    wide = line.find("：", 0, _LONGEST_LABEL if place < 0 else place)
    place = wide if wide >= 0 else place
    if place < 0:
        return None
    name = _LABELS.get(line[:place].strip(" \t\xa0>*_").lower())
    return None if name is None else (name, line[place + 1 :].strip(" \t\xa0*_"))


_ORIGINAL = (
    r"original message|original-nachricht|ursprüngliche nachricht|originalnachricht|ursprungliga meddelandet|originalmeddelande|"
    r"message d'origine|message d’origine|message original|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|"
    r"oprindelig meddelelse|opprinnelig melding|alkuperäinen viesti|oryginalna wiadomość|wiadomość oryginalna|původní zpráva|pôvodná správa|"
    r"исходное сообщение|оригинальное сообщение|вихідне повідомлення|orijinal ileti|özgün ileti|eredeti üzenet|mesaj original|"
    r"antwort nachricht|oprindelig besked|opprinnelig beskjed|ursprungligt meddelande|ursprüngliche e-?mail|původní e-?mail|αρχικό μήνυμα|原始邮件|原始郵件|原邮件|回复的原邮件|原始信息|原始消息|原始訊息|元のメッセージ|원본 메시지|원본메시지|הודעה מקורית|الرسالة الأصلية|original appointment|reply message|replied message"
)
_FORWARDED = (
    r"forwarded message|forwarded by .{0,80}|begin forwarded message|weitergeleitete nachricht|anfang der weitergeleiteten (?:nachricht|e-mail)|"
    r"message transféré|début du message (?:réexpédié|transféré)|mensaje reenviado|inicio del mensaje reenviado|mensagem encaminhada|mensagem reencaminhada|"
    r"início da mensagem (?:encaminhada|reencaminhada)|messaggio inoltrato|inizio messaggio inoltrato|doorgestuurd bericht|begin doorgestuurd bericht|"
    r"vidarebefordrat meddelande|vidarebefordrat brev|videresendt (?:meddelelse|besked|melding)|edelleenlähetetty viesti|välitetty viesti|"
    r"przekazana wiadomość|wiadomość przekazana|treść przekazanej wiadomości|přeposlaná zpráva|preposlaná správa|пересылаемое сообщение|переадресованное сообщение|"
    r"начало переадресованного сообщения|переслане повідомлення|iletilen mesaj|iletilmiş mesaj|továbbított üzenet|mesaj redirecționat|"
    r"προωθημένο μήνυμα|转发邮件|转发的邮件|轉寄郵件|轉寄的郵件|転送メッセージ|転送されたメッセージ|전달된 메시지|전달된 메일|הודעה שהועברה|الرسالة المعاد توجيهها|رسالة معاد توجيهها|"
    r"start på videresendt (?:besked|meddelelse|melding)|välitetty viesti alkaa|początek (?:przekazywanej|przekazanej) wiadomości|перенаправленное сообщение|转发邮件信息|转发的消息|"
    r"下面是被转发的邮件|以下是轉寄的郵件|iletilen ileti(?: başlangıcı)?|전달된 메시지 시작|"
    r"tin nhắn được chuyển tiếp|pesan terusan|missatge reenviat"
)
_MARK = re.compile(
    rf"^[\s>*]*[-_=*–—]{{2,}}+\s*+(?:(?P<original>{_ORIGINAL})|(?P<forwarded>{_FORWARDED}))\s*[:：]?\s*[-_=*–—]{{0,}}.{{0,40}}$",
    re.IGNORECASE,
)
_APPLE_MARK = re.compile(rf"^[\s>*]*(?:{_FORWARDED})\s*[:：]\s*$", re.IGNORECASE)
PROCESSED = "processed by david"
"""A part of the line that Tobit David writes above the mail that is answered, without dashes and without colons below it."""
_PROCESSED = re.compile(rf"^[\s>*]*original message {PROCESSED}\W*$", re.IGNORECASE)
_DASHED_WROTE = re.compile(
    rf"^[\s>]*[-_=*–—]{{2,}}\s*\w[^\n]{{1,190}}?(?:{_VERBS.pattern})\s*[:：]?\s*[-_=*–—]{{2,}}\s*$", re.IGNORECASE
)
"""Matches the form of Zoho and some phones: ``---- On Wed, 24 Feb 2021 14:02:50 +0530 ann@example.org wrote ----``."""
_NAMED_WROTE = re.compile(
    rf"^[^\n<>(]{{0,80}}[<(][^\s<>()@]+@[^\s<>()]+[>)]\s*(?:{_VERBS.pattern})\s*[:：]\s*$", re.IGNORECASE
)
_BARE_WROTE = re.compile(rf"^[^\n<>]{{0,200}}<[^\s<>@]+@[^\s<>]+>\s*(?:{_VERBS.pattern})\s*$", re.IGNORECASE)
"""Matches attributions without a colon; they must also begin like an attribution and contain a date."""
_TORN = re.compile(rf"^>\s*(?:{_VERBS.pattern})\s*[:：]\s*$", re.IGNORECASE)
_TORN_LINES = 8
_DATED_ADDRESS = re.compile(
    r"^\s*(?:19|20)\d\d[/.-]\d{1,2}[/.-]\d{1,2}\b(?:[^\n]{0,120}<[^\s<>@]+@[^\s<>]+>| \d{1,2}:\d\d (?:GMT|UTC)[+-][\d:]{1,5} [^\n]{1,80})\s*$"
)
_OPENING = re.compile(
    r"(?<=[\s-])(?:On|Le|Am|El|Il|Op|Em|Den|Dne|Dnia)[ ](?=(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ ,.]|\d)"
)
_DASHED = re.compile(r"^[\s>]*(?:[-–—]{3,}|={3,}|\*{3,})\s*\w[^\n]{2,60}?\s*(?:[-–—]{3,}|={3,}|\*{3,})\s*$")
DIVIDER = re.compile(r"^\s*(?:_{5,}|-{5,}|={5,}|\*{5,})\s*$")
FORWARD_SUBJECT = re.compile(
    r"^\s*(?:fwd?|fw|wg|tr|rv|enc|i|vs(?=:.*fwd)|doorst|vb|vl|pd|továbbítás|iletil|ilt|转发|轉寄|轉發|转寄|전달|הועבר)\s*[:：]|\(fwd\)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HeaderBlock:
    """The headers of another mail in the text of this one."""

    end: int
    """The line after the block."""
    author: str
    date: str
    subject: str


def attribution_start(lines: Sequence[str], end: int, *, floor: int = 0, marked: bool = True) -> int | None:
    """Return the first line of the attribution that ends before line ``end``; None if there is none.

    Args:
        lines: of the whole text.
        end: the line after it; blank lines may stand between.
        floor: the first line that may belong to it.
        marked: whether the following lines are marked as quoted; otherwise more evidence is required.
    """
    last = end - 1
    while last >= floor and last >= end - _MOST_BLANK and not lines[last].strip():
        last -= 1
    if last < floor or not lines[last].strip():
        return None
    if marked and (_DASHED_WROTE.match(lines[last][:200]) or _DATED_ADDRESS.match(lines[last][:200])):
        return last
    if ends_barely(lines[last]):
        return last
    if not COLON.search(lines[last]):
        return None
    best: int | None = None
    text = ""
    for first in range(last, max(floor, last - MOST_LINES + 1) - 1, -1):
        line = lines[first]
        if not line.strip() or (first < last and _SENTENCE_END.search(line) and not _DATE.search(line[-12:])):
            break
        text = f"{line} {text}"
        if len(text) > LONGEST_ATTRIBUTION:
            break
        if _is_attribution(text, marked=marked):
            best = first
            if _OPENERS.match(line) or words_before(line):
                break
    return best


def ends_barely(line: str) -> bool:
    """Return whether a line is a whole attribution without a final colon."""
    return (
        len(line) <= LONGEST_ATTRIBUTION
        and _BARE_WROTE.match(line) is not None
        and _OPENERS.match(line) is not None
        and _DATE.search(line) is not None
    )


def torn_attribution(lines: Sequence[str], place: int, floor: int) -> int | None:
    """Return the first line of an attribution with its address on separate lines, up to ``> wrote:`` at `place`."""
    if not _TORN.match(lines[place][:80]):
        return None
    for first in range(place - 1, max(floor, place - _TORN_LINES) - 1, -1):
        if _OPENERS.match(lines[first]) and _DATE.search(lines[first][:LONGEST_ATTRIBUTION]):
            return first
    return None


def _is_attribution(text: str, *, marked: bool) -> bool:
    date = _DATE.search(text) is not None
    address = "@" in text and _ADDRESS.search(text) is not None
    if marked:
        return address or (date and len(text) < LONGEST_ATTRIBUTION // 2) or _VERBS.search(text) is not None
    if not date:
        return address and _NAMED_WROTE.match(text.rstrip()) is not None
    if address and _ENDS_WITH_ADDRESS.search(text):
        return True
    return (address or _OPENERS.match(text) is not None) and _VERBS.search(text) is not None


def words_before(line: str) -> int:
    """Return the offset of an attribution that follows the author's own text on the same line; 0 for other lines."""
    if _OPENERS.match(line):
        return 0
    match = _OPENING.search(line)
    if match is None or not line[: match.start()].strip(" -"):
        return 0
    place = match.start()
    while line[place - 1] in " -":
        place -= 1
    return place


def forward_mark(line: str) -> str | None:
    """Return ``forward`` or ``quote`` for a line that announces a whole mail; None for other lines."""
    if len(line) > 200:
        return None
    match = _MARK.match(line)
    if match is not None:
        return "forward" if match["forwarded"] else "quote"
    if _DASHED_WROTE.match(line) or (PROCESSED in line and _PROCESSED.match(line)):
        return "quote"
    return "forward" if _APPLE_MARK.match(line) else None


def is_dashed(line: str) -> bool:
    """Return whether a line is text between dashes, as programs write before a mail in languages unknown here."""
    return len(line) <= 200 and _DASHED.match(line) is not None


def header_block(lines: Sequence[str], start: int, least: int = 3) -> HeaderBlock | None:
    """Return another mail's headers at a line: at least ``least``, with a sender, in any order and language."""
    seen: dict[str, str] = {}
    place = start
    folded = 0
    while place < min(len(lines), start + _MOST_HEADER_LINES):
        line = lines[place]
        label = _labelled(line)
        if label is None:
            # long lists of recipients continue on further lines
            plain = line.strip("> \t")
            if (
                not seen
                or not plain
                or folded >= 4
                or not ("@" in plain or line[:1] in " \t" or plain.endswith((";", ",")))
            ):
                break
            folded += 1
            place += 1
            continue
        seen.setdefault(*label)
        place += 1
    labelled = len(seen)
    if "from" not in seen or labelled < least or not seen["from"]:
        return None
    if not ("sent" in seen or "subject" in seen):
        return None
    return HeaderBlock(place, seen["from"], seen.get("sent", ""), seen.get("subject", ""))
