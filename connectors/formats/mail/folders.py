"""Recognises folders and labels for sent mail, spam, trash and chats, in many languages. Pure."""

from __future__ import annotations

from functools import lru_cache

_SENT = frozenset(
    [
        "sent", "sent mail", "sent items", "sent messages", "sent-mail", "outbox", "gesendet", "gesendete objekte",
        "gesendete elemente", "gesendete nachrichten", "postausgang", "messages envoyés", "éléments envoyés",
        "envoyés", "enviados", "elementos enviados", "mensajes enviados", "itens enviados", "e-mails enviados",
        "correio enviado", "posta inviata", "inviata", "inviati", "verzonden", "verzonden items",
        "verzonden berichten", "skickat", "skickade", "sendt", "sendte elementer", "lähetetyt", "wysłane",
        "elementy wysłane", "odeslaná pošta", "odeslané", "odoslané", "отправленные", "надіслані",
        "gönderilmiş postalar", "gönderilmiş öğeler", "gönderilenler", "elküldött", "elküldött elemek", "trimise",
        "απεσταλμένα", "已发送", "已发送邮件", "已发邮件", "寄件備份", "寄件備份匣", "送信済み", "送信済みメール", "送信済みアイテム", "보낸편지함", "보낸 편지함",
        "보낸 메일함", "דואר יוצא", "البريد المرسل", "الرسائل المرسلة", "enviats",
    ]
)  # fmt: skip
_SPAM = frozenset(
    [
        "spam", "junk", "junk e-mail", "junk email", "junk mail", "bulk mail", "spamverdacht", "unerwünscht",
        "courrier indésirable", "indésirables", "pourriel", "correo no deseado", "lixo eletrônico",
        "lixo eletrónico", "posta indesiderata", "ongewenst", "ongewenste e-mail", "skräppost", "søppelpost",
        "uønsket mail", "roskaposti", "wiadomości-śmieci", "nevyžádaná pošta", "спам", "нежелательная почта",
        "gereksiz", "levélszemét", "垃圾邮件", "垃圾郵件", "迷惑メール", "스팸", "스팸함", "ספאם", "דואר זבל",
        "الرسائل غير المرغوب فيها",
    ]
)  # fmt: skip
_TRASH = frozenset(
    [
        "trash", "deleted items", "deleted messages", "bin", "papierkorb", "gelöscht", "gelöschte elemente",
        "gelöschte objekte", "corbeille", "éléments supprimés", "papelera", "elementos eliminados", "lixeira",
        "lixo", "itens excluídos", "cestino", "posta eliminata", "prullenbak", "verwijderde items", "papperskorg",
        "borttaget", "papirkurv", "papirkorg", "slettede elementer", "roskakori", "kosz", "elementy usunięte", "koš",
        "kôš", "корзина", "удаленные", "кошик", "çöp kutusu", "çöp", "silinmiş öğeler", "kuka", "coș de gunoi",
        "κάδος απορριμμάτων", "回收站", "已删除邮件", "垃圾桶", "ゴミ箱", "削除済みアイテム", "휴지통", "지운 편지함", "אשפה", "المهملات",
        "سلة المهملات", "paperera",
    ]
)  # fmt: skip
_CHATS = frozenset({"chat", "chats"})


def _last(folder: str) -> str:
    return folder.replace("\\", "/").rpartition("/")[2].strip().lower()


@lru_cache(maxsize=4096)
def is_sent(folder: str) -> bool:
    """Return whether a folder or label contains mail that its owner sent."""
    return _last(folder) in _SENT


@lru_cache(maxsize=4096)
def left_out(folders: tuple[str, ...]) -> str:
    """Return why mail with these folders and labels is omitted: ``spam``, ``trash``, ``chat``; empty for others."""
    for folder in folders:
        name = _last(folder)
        if name in _SPAM:
            return "spam"
        if name in _TRASH:
            return "trash"
        if name in _CHATS:
            return "chat"
    return ""
