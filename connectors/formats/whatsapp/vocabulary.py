"""The phrases that WhatsApp itself writes into an export, by language. Data only, used by message_body.py.

All are compared folded (see ``message_body.fold_body``): without direction marks, case, and the final full stop.
"""

from __future__ import annotations

from . import placeholder_words as words


def _all(*alternatives: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for text in alternatives for word in text.split("|")))


# Whole bodies that are the placeholder of a file left out of the export. iOS names the kind of file, Android does not.
MEDIA_OMITTED: tuple[str, ...] = (
    *_all(words.IMAGE_OMITTED, words.VIDEO_OMITTED, words.AUDIO_OMITTED, words.STICKER_OMITTED),
    *_all(words.GIF_OMITTED, words.CARD_OMITTED, words.DOCUMENT_OMITTED),
    *(f"<{text}>" for text in _all(words.ANDROID_OMITTED)),
)

# The iOS wordings that follow a file's name and page count: "Name.pdf • 12 pages document omitted".
DOCUMENT_OMITTED: tuple[str, ...] = _all(words.DOCUMENT_OMITTED)

# The words that Android appends in brackets to the name of an attached file.
ATTACHED_AFTER: tuple[str, ...] = _all(words.ATTACHED_AFTER)

# The words that iOS writes in front of the name: <attached: NAME>.
ATTACHED_BEFORE: tuple[str, ...] = _all(words.ATTACHED_BEFORE)

EDITED: tuple[str, ...] = (
    *("<This message was edited>", "<Se editó este mensaje>", "<Se editó este mensaje.>"),
    *("<Este mensaje fue editado>", "<Diese Nachricht wurde bearbeitet.>", "<Diese Nachricht wurde bearbeitet>"),
    *("<Ce message a été modifié>", "<Questo messaggio è stato modificato>", "<Mensagem editada>"),
    *("<Esta mensagem foi editada>", "<Это сообщение изменено>", "<ההודעה נערכה>", "<Dit bericht is bewerkt>"),
    *("<Bu mesaj düzenlendi>", "<Ta wiadomość została edytowana>"),
)

DELETED: tuple[str, ...] = _all(words.DELETED)

# Only the exporter's own deletions have this text, so it identifies the exporter.
DELETED_BY_ME: tuple[str, ...] = _all(words.DELETED_BY_ME)

# First words of a system line that is about the exporter.
YOU: tuple[str, ...] = (
    *(
        "You created ", "You added ", "You removed ", "You changed ", "You left", "You joined ", "You're now ",
        "You turned ",
    ),
    *("You’re now ", "You blocked ", "You pinned ", "You started ", "Du hast ", "Du bist ", "Creaste ", "Añadiste "),
    *(
        "Cambiaste ",
        "Eliminaste ",
        "Saliste",
        "Vous avez ",
        "Vous êtes ",
        "Hai creato ",
        "Hai aggiunto ",
        "Hai cambiato ",
    ),
    *("Você criou ", "Você adicionou ", "Você mudou ", "Você saiu", "Вы создали ", "Вы добавили ", "Вы изменили "),
    *("Je hebt ", "Grubu oluşturdunuz", "Utworzono grupę "),
)  # fmt: skip

EVENT: tuple[str, ...] = ("EVENT:", "VERANSTALTUNG:", "EVENTO:", "ÉVÉNEMENT :", "ÉVÉNEMENT:", "EVENEMENT:", "ETKİNLİK:")
"""The first words of a planned event."""

POLL: tuple[str, ...] = (
    "POLL:", "UMFRAGE:", "ENCUESTA:", "SONDAGE :", "SONDAGE:", "SONDAGGIO:", "ENQUETE:", "ОПРОС:", "ANKET:",
)  # fmt: skip

LOCATION: tuple[str, ...] = (
    *(
        "Location:", "Standort:", "Ubicación:", "Localisation :", "Localisation:", "Posizione:", "Localização:",
        "Locatie:",
    ),
    *("Геопозиция:", "Местоположение:", "Konum:", *_all(words.LIVE_LOCATION)),
)  # fmt: skip

CALL: tuple[str, ...] = (
    *_all(words.MISSED_CALL),
    *("Voice call", "Video call", "Voice call, No answer", "Video call, No answer", "Sprachanruf", "Videoanruf"),
    *("Llamada de voz", "Videollamada", "Appel vocal", "Appel vidéo", "Chiamata vocale", "Videochiamata"),
    *("Ligação de voz", "Ligação de vídeo", "Chamada de voz", "Chamada de vídeo", "Spraakoproep", "Video-oproep"),
    *("Аудиозвонок", "Видеозвонок", "Sesli arama", "Görüntülü arama"),
)

# Phrases of system lines; a line without an author is one anyway. They distinguish messages of people from system
# lines that iOS labels with the group's or somebody's name, or whose text contains ": ".
SYSTEM_PARTS: tuple[str, ...] = (
    *("end-to-end encrypted", "no one outside of this chat", "only people in this chat can read", "created group"),
    *(
        "created this group",
        "changed the subject",
        "changed the group name",
        "changed this group's",
        "changed the group",
    ),
    *(
        "changed this group’s",
        "changed the group’s",
        "security code",
        "changed their phone number",
        "changed to a new number",
    ),
    *("joined using", "was added", "were added", "added you", "removed you", "was removed", "you're now an admin"),
    *("you’re now an admin", "no longer an admin", "disappearing messages", "message timer", "pinned a message"),
    *(
        "advanced chat privacy",
        "with meta ai",
        "is a contact",
        "you blocked this contact",
        "you unblocked this contact",
    ),
    *("this chat is with", "group description", "group icon", "group settings", "community", "requested to join"),
    *(
        "ende-zu-ende-verschlüsselt",
        "gruppe erstellt",
        "die gruppe",
        "sicherheitsnummer",
        "selbstlöschende nachrichten",
    ),
    *(
        "gruppenbild",
        "gruppenbeschreibung",
        "hat den betreff",
        "den gruppennamen",
        "den namen der gruppe",
        "hinzugefügt",
    ),
    *("cifrados de extremo a extremo", "cifrado de extremo a extremo", "creó el grupo", "cambió el asunto", "se unió"),
    *("cambió el nombre", "código de seguridad", "mensajes temporales", "chiffrés de bout en bout", "a créé le groupe"),
    *("a changé", "code de sécurité", "messages éphémères", "crittografati end-to-end", "crittografia end-to-end"),
    *("ha creato il gruppo", "ha cambiato", "codice di sicurezza", "criptografia de ponta a ponta", "criou o grupo"),
    *("mudou o", "código de segurança", "сквозным шифрованием", "создал", "изменил", "код безопасности"),
    *("end-to-end versleuteld", "heeft de groep", "uçtan uca şifreli", "beveiligingscode", "adlı grubu oluşturdu"),
    *(
        "bu grubu oluşturdu",
        "sizi ekledi",
        "grubun simgesini",
        "utworzył",
        "створив",
        "skapade gruppen",
        "opprettet gruppen",
    ),
)

ENCRYPTED: dict[str, str] = {
    "end-to-end encrypted": "en",
    "ende-zu-ende-verschlüsselt": "de",
    "cifrados de extremo a extremo": "es",
    "cifrado de extremo a extremo": "es",
    "chiffrés de bout en bout": "fr",
    "crittografati end-to-end": "it",
    "crittografia end-to-end": "it",
    "criptografia de ponta a ponta": "pt",
    "сквозным шифрованием": "ru",
    "end-to-end versleuteld": "nl",
    "uçtan uca şifreli": "tr",
    "наскрізним шифруванням": "uk",
    "מוצפנות מקצה": "he",
    "κρυπτογραφούνται πλήρως": "el",
    "مشفرة تمامًا": "ar",
    "端到端加密": "zh",
    "端對端加密": "zh",
    "エンドツーエンド": "ja",
    "종단간 암호화": "ko",
    "mã hóa đầu cuối": "vi",
    "komplett krypterade": "sv",
    "w pełni zaszyfrowane": "pl",
    "criptate integral": "ro",
    "encriptadas ponto a ponto": "pt",
    "ende-til-ende-krypter": "nb",
    "end-to-end-krypter": "da",
    "एंड-टू-एंड एन्क्रिप्टेड": "hi",
    "végpontok közötti titkosítás": "hu",
    "terenkripsi secara end-to-end": "id",
    "potpunom enkripcijom": "hr",
    "salataan täysin": "fi",
    "سرتاسر رمزگذاری": "fa",
    "koncovým šifrováním": "cs",
    "xifrats d'extrem a extrem": "ca",
    "เข้ารหัสจากต้นทาง": "th",
}
"""The notice of encryption that opens nearly every export, by its language."""

GROUP_PARTS: tuple[str, ...] = (
    *(
        "created group",
        "created this group",
        "gruppe erstellt",
        "creó el grupo",
        "a créé le groupe",
        "ha creato il gruppo",
    ),
    *("criou o grupo", "this group's", "this group’s", "joined using this group", "the group name", "heeft de groep"),
    *("die gruppe", "adlı grubu"),
)
"""Phrases of system lines that only groups have."""
