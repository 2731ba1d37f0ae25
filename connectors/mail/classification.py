"""Which mails no person wrote to a person, what folder names mean, and labels. Pure."""

from __future__ import annotations

import csv
import re
from typing import Literal

from .headers import Address, Headers, parameters

MailKind = Literal["personal", "list", "bulk", "automatic"]
"""``list``: somebody wrote it to a mailing list; ``bulk``: newsletters; ``automatic``: programs, replies of absent people."""

_ROBOT = re.compile(
    r"^(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|noreply.*|.*[-_.+]noreply|mailer-daemon|postmaster|bounces?(?:[-_+.].*)?|"
    r"notifications?(?:[-_+.].*)?|newsletters?|news|alerts?|automailer|auto-confirm|account-update|nepasrepondre|ne-pas-repondre|nicht-antworten|"
    r"keine-?antwort|noresponder|no-responder|naoresponda|nao-responda)$",
    re.IGNORECASE,
)
_BULK_FIELDS = (
    "list-unsubscribe",
    "list-unsubscribe-post",
    "feedback-id",
    "x-campaign",
    "x-campaignid",
    "x-mailchimp-campaign-id",
    "x-csa-complaints",
    "x-mc-user",
)
_SENT = frozenset(
    [
        "sent",
        "sent mail",
        "sent items",
        "sent messages",
        "sent-mail",
        "outbox",
        "gesendet",
        "gesendete objekte",
        "gesendete elemente",
        "gesendete nachrichten",
        "postausgang",
        "messages envoyés",
        "éléments envoyés",
        "envoyés",
        "enviados",
        "elementos enviados",
        "mensajes enviados",
        "itens enviados",
        "e-mails enviados",
        "correio enviado",
        "posta inviata",
        "inviata",
        "inviati",
        "verzonden",
        "verzonden items",
        "verzonden berichten",
        "skickat",
        "skickade",
        "sendt",
        "sendte elementer",
        "lähetetyt",
        "wysłane",
        "elementy wysłane",
        "odeslaná pošta",
        "odeslané",
        "odoslané",
        "отправленные",
        "надіслані",
        "gönderilmiş postalar",
        "gönderilmiş öğeler",
        "gönderilenler",
        "elküldött",
        "elküldött elemek",
        "trimise",
        "απεσταλμένα",
        "已发送",
        "已发送邮件",
        "已发邮件",
        "寄件備份",
        "寄件備份匣",
        "送信済み",
        "送信済みメール",
        "送信済みアイテム",
        "보낸편지함",
        "보낸 편지함",
        "보낸 메일함",
        "דואר יוצא",
        "البريد المرسل",
        "الرسائل المرسلة",
        "enviats",
    ]
)
_SPAM = frozenset(
    [
        "spam",
        "junk",
        "junk e-mail",
        "junk email",
        "junk mail",
        "bulk mail",
        "spamverdacht",
        "unerwünscht",
        "courrier indésirable",
        "indésirables",
        "pourriel",
        "correo no deseado",
        "lixo eletrônico",
        "lixo eletrónico",
        "posta indesiderata",
        "ongewenst",
        "ongewenste e-mail",
        "skräppost",
        "søppelpost",
        "uønsket mail",
        "roskaposti",
        "wiadomości-śmieci",
        "nevyžádaná pošta",
        "спам",
        "нежелательная почта",
        "gereksiz",
        "levélszemét",
        "垃圾邮件",
        "垃圾郵件",
        "迷惑メール",
        "스팸",
        "스팸함",
        "ספאם",
        "דואר זבל",
        "الرسائل غير المرغوب فيها",
    ]
)
_TRASH = frozenset(
    [
        "trash",
        "deleted items",
        "deleted messages",
        "bin",
        "papierkorb",
        "gelöscht",
        "gelöschte elemente",
        "gelöschte objekte",
        "corbeille",
        "éléments supprimés",
        "papelera",
        "elementos eliminados",
        "lixeira",
        "lixo",
        "itens excluídos",
        "cestino",
        "posta eliminata",
        "prullenbak",
        "verwijderde items",
        "papperskorg",
        "borttaget",
        "papirkurv",
        "papirkorg",
        "slettede elementer",
        "roskakori",
        "kosz",
        "elementy usunięte",
        "koš",
        "kôš",
        "корзина",
        "удаленные",
        "кошик",
        "çöp kutusu",
        "çöp",
        "silinmiş öğeler",
        "kuka",
        "coș de gunoi",
        "κάδος απορριμμάτων",
        "回收站",
        "已删除邮件",
        "垃圾桶",
        "ゴミ箱",
        "削除済みアイテム",
        "휴지통",
        "지운 편지함",
        "אשפה",
        "المهملات",
        "سلة المهملات",
        "paperera",
    ]
)
_CHATS = frozenset({"chat", "chats"})


def mail_kind(headers: Headers, sender: Address | None) -> MailKind:
    """What kind of mail this is, by its headers."""
    fields = headers.fields
    submitted = headers.raw("auto-submitted").partition(";")[0].strip().lower()
    precedence = headers.raw("precedence").strip().lower()
    if (
        submitted not in ("", "no")
        or precedence == "auto_reply"
        or "x-autoreply" in fields
        or "x-autorespond" in fields
    ):
        return "automatic"
    mime, given = parameters(headers.raw("content-type"))
    if mime == "multipart/report" and given.get("report-type", "").lower() != "":
        return "automatic"
    local = sender.address.partition("@")[0] if sender is not None else ""
    if local and _ROBOT.match(local):
        return "bulk" if any(name in fields for name in _BULK_FIELDS) else "automatic"
    posted = headers.raw("list-post").strip()
    if (posted and posted.upper() != "NO" and precedence != "bulk") or precedence == "list":
        return "list"
    if precedence in ("bulk", "junk") or any(name in fields for name in _BULK_FIELDS):
        return "bulk"
    if "list-id" in fields:
        return "list"
    return (
        "automatic"
        if "x-auto-response-suppress" in fields and headers.raw("x-auto-response-suppress").lower() == "all"
        else "personal"
    )


def labels_of(headers: Headers) -> tuple[str, ...]:
    """Labels that mail programs wrote into the headers: Gmail's, Thunderbird's, and the older ``X-Keywords``."""
    labels: dict[str, None] = {}
    gmail = headers.text("x-gmail-labels")
    if gmail:
        # A comma inside a label is quoted. Takeout folds the field, and a blank is left where it did.
        labels.update(dict.fromkeys(_split_labels(gmail)))
    for name in ("x-mozilla-keys", "x-keywords"):
        labels.update(
            dict.fromkeys(
                word for word in headers.text(name).replace(",", " ").split() if not word.startswith("$label")
            )
        )
    return tuple(labels)


def _split_labels(text: str) -> list[str]:
    if '"' not in text:
        return [label for each in text.split(",") if (label := " ".join(each.split()))]
    try:
        rows = list(csv.reader([text.replace("\0", "")], skipinitialspace=True))
    except csv.Error:
        rows = [text.split(",")]
    return [label for row in rows for each in row if (label := " ".join(each.split()))]


def _last(folder: str) -> str:
    return folder.replace("\\", "/").rpartition("/")[2].strip().lower()


def is_sent(folder: str) -> bool:
    """Whether a folder or label holds what its owner sent."""
    return _last(folder) in _SENT


def left_out(folders: tuple[str, ...]) -> str:
    """Why mail of these folders and labels is not read: ``spam``, ``trash``, ``chat``; empty for all others."""
    for folder in folders:
        name = _last(folder)
        if name in _SPAM:
            return "spam"
        if name in _TRASH:
            return "trash"
        if name in _CHATS:
            return "chat"
    return ""
