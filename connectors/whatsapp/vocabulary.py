"""The words that WhatsApp itself writes into an export, by language. Data only; how they are used is in message_body.py.

All are compared folded (see ``bodies.fold``): without direction marks, case, and the full stop at the end.
"""

from __future__ import annotations

# A body that is nothing but one of these stands for a file that the export leaves out. iOS wordings name the kind of
# file, Android ones do not.
MEDIA_OMITTED: tuple[str, ...] = (
    *("<Media omitted>", "<Media weggelaat>", "<تم استبعاد الوسائط>", "<Без файл>", "<Mitjans omesos>"),
    *("<Média vynechána>", "<Medier udeladt>", "<Medien ausgeschlossen>", "<Medien weggelassen>"),
    *("<Εξαίρεση πολυμέσων>", "<Multimedia omitido>", "<Archivo omitido>", "<رسانه حذف شد>", "<Media jätettiin pois>"),
    *("<Médias omis>", "<Fichier omis>", "<המדיה לא נכללה>", "<मीडिया के बिना>", "<Hiányzó médiafájl>"),
    *("<Media tidak disertakan>", "<Media omessi>", "<メディアなし>", "<미디어 파일 제외됨>", "<Media weggelaten>"),
    *("<Uten vedlegg>", "<pominięto multimedia>", "<Mídia oculta>", "<Mídia omitida>", "<Ficheiro não revelado>"),
    *("<conținut media omis>", "<Без медиафайлов>", "<Файл пропущен>", "<Médiá vynechané>", "<Media har utelämnats>"),
    *("<สื่อถูกลบ>", "<Medya dahil edilmedi>", "<Медіа пропущено>", "<Bỏ qua Media>", "<省略多媒体文件>"),
    *("<忽略多媒體檔>", "<View once voice message omitted>", "<Video message omitted>", "<image omitted>"),
    *("image omitted", "video omitted", "audio omitted", "sticker omitted", "GIF omitted", "document omitted"),
    *("Contact card omitted", "video note omitted", "video message omitted", "voice message omitted"),
    *("Bild weggelassen", "Audio weggelassen", "Video weggelassen", "GIF weggelassen", "Sticker weggelassen"),
    *("Dokument weggelassen", "Videonachricht weggelassen", "Kontaktkarte ausgelassen", "Kontaktkarte weggelassen"),
    *("imagen omitida", "audio omitido", "video omitido", "Video omitido", "sticker omitido", "GIF omitido"),
    *("documento omitido", "Tarjeta de contacto omitida"),
    *("image absente", "vidéo absente", "audio omis", "sticker omis", "GIF retiré", "document manquant"),
    *("immagine omessa", "video omesso", "audio omesso", "sticker non incluso", "GIF esclusa", "documento omesso"),
    *("afbeelding weggelaten", "video weggelaten", "audio weggelaten", "sticker weggelaten", "GIF weggelaten"),
    *("document weggelaten", "imagem ocultada", "vídeo omitido", "áudio ocultado", "figurinha omitida"),
    *("GIF omitido", "documento omitido", "görüntü dahil edilmedi", "video dahil edilmedi", "ses dahil edilmedi"),
    *("Çıkartma dahil edilmedi", "GIF dahil edilmedi", "belge dahil edilmedi", "изображение отсутствует"),
    *("видео отсутствует", "аудиофайл отсутствует", "стикер отсутствует", "GIF отсутствует", "документ отсутствует"),
)

# The iOS wordings that follow a file's name and page count: "Name.pdf • 12 pages document omitted".
DOCUMENT_OMITTED: tuple[str, ...] = (
    *("document omitted", "Dokument weggelassen", "documento omitido", "document manquant", "documento omesso"),
    *("document weggelaten", "belge dahil edilmedi", "документ отсутствует"),
)

# What Android appends in brackets to the name of an attached file.
ATTACHED_AFTER: tuple[str, ...] = (
    *("file attached", "fichier joint", "Datei angehängt", "archivo adjunto", "arquivo anexado", "ficheiro anexado"),
    *("file allegato", "bestand bijgevoegd", "файл добавлен", "添付ファイル", "ファイル添付", "dosya ekli", "attached"),
    *("fil vedlagt", "bifogad fil", "plik załączony", "tệp đính kèm", "附件", "文件附件", "檔案已附加", "파일 첨부됨"),
)

# What iOS writes in front of the name: <attached: NAME>.
ATTACHED_BEFORE: tuple[str, ...] = (
    *("attached", "Anhang", "adjunto", "pièce jointe", "allegato", "bijgevoegd", "anexado", "прикреплено", "eklendi"),
    *("załączono", "bifogad", "vedlagt", "添付ファイル", "附件", "첨부됨"),
)

EDITED: tuple[str, ...] = (
    *("<This message was edited>", "<Se editó este mensaje>", "<Se editó este mensaje.>"),
    *("<Este mensaje fue editado>", "<Diese Nachricht wurde bearbeitet.>", "<Diese Nachricht wurde bearbeitet>"),
    *("<Ce message a été modifié>", "<Questo messaggio è stato modificato>", "<Mensagem editada>"),
    *("<Esta mensagem foi editada>", "<Это сообщение изменено>", "<ההודעה נערכה>", "<Dit bericht is bewerkt>"),
    *("<Bu mesaj düzenlendi>", "<Ta wiadomość została edytowana>"),
)

DELETED: tuple[str, ...] = (
    *("This message was deleted", "This message was deleted by admin", "null", "Diese Nachricht wurde gelöscht"),
    *("Se eliminó este mensaje", "Este mensaje fue eliminado", "Ce message a été supprimé"),
    *("Questo messaggio è stato eliminato", "Mensagem apagada", "Esta mensagem foi apagada"),
    *("Данное сообщение удалено", "Это сообщение удалено", "Dit bericht is verwijderd", "Bu mesaj silindi"),
    *("Ta wiadomość została usunięta", "ההודעה נמחקה", "تم حذف هذه الرسالة", "此消息已删除", "此訊息已刪除"),
    *("このメッセージは削除されました", "삭제된 메시지입니다"),
)

# Only the exporter's own deletions read so, which tells who that is.
DELETED_BY_ME: tuple[str, ...] = (
    *("You deleted this message", "You deleted this message as admin", "Du hast diese Nachricht gelöscht"),
    *("Eliminaste este mensaje", "Vous avez supprimé ce message", "Hai eliminato questo messaggio"),
    *("Você apagou esta mensagem", "Apagou esta mensagem", "Вы удалили данное сообщение", "Вы удалили это сообщение"),
    *("Je hebt dit bericht verwijderd", "U heeft dit bericht verwijderd", "Bu mesajı sildiniz"),
    *("Usunięto tę wiadomość", "מחקת הודעה זו", "您已删除此消息", "您已刪除此訊息"),
    *("あなたはこのメッセージを削除しました", "삭제한 메시지입니다"),
)

# First words of a system line that is about the exporter.
YOU: tuple[str, ...] = (
    *(
        "You created ",
        "You added ",
        "You removed ",
        "You changed ",
        "You left",
        "You joined ",
        "You're now ",
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
)

POLL: tuple[str, ...] = (
    "POLL:",
    "UMFRAGE:",
    "ENCUESTA:",
    "SONDAGE :",
    "SONDAGE:",
    "SONDAGGIO:",
    "ENQUETE:",
    "ОПРОС:",
    "ANKET:",
)

LOCATION: tuple[str, ...] = (
    *(
        "Location:",
        "Standort:",
        "Ubicación:",
        "Localisation :",
        "Localisation:",
        "Posizione:",
        "Localização:",
        "Locatie:",
    ),
    *("Геопозиция:", "Местоположение:", "Konum:", "live location shared", "Live-Standort wird geteilt"),
    *("ubicación en tiempo real compartida", "localisation en direct partagée", "posizione in tempo reale condivisa"),
    *("localização em tempo real compartilhada", "live locatie gedeeld"),
)

CALL: tuple[str, ...] = (
    *("Missed voice call", "Missed video call", "Missed group voice call", "Missed group video call", "Voice call"),
    *(
        "Video call",
        "Voice call, No answer",
        "Video call, No answer",
        "Verpasster Sprachanruf",
        "Verpasster Videoanruf",
    ),
    *("Verpasster Gruppen-Sprachanruf", "Sprachanruf", "Videoanruf", "Llamada perdida", "Videollamada perdida"),
    *("Llamada de voz perdida", "Llamada de voz", "Videollamada", "Appel vocal manqué", "Appel vidéo manqué"),
    *("Appel vocal", "Appel vidéo", "Chiamata vocale persa", "Videochiamata persa", "Chiamata vocale", "Videochiamata"),
    *("Chamada de voz perdida", "Chamada de vídeo perdida", "Ligação de voz perdida", "Ligação de vídeo perdida"),
    *("Ligação de voz", "Ligação de vídeo", "Gemiste spraakoproep", "Gemiste video-oproep", "Spraakoproep"),
    *("Пропущенный аудиозвонок", "Пропущенный видеозвонок", "Аудиозвонок", "Видеозвонок", "Cevapsız sesli arama"),
    *("Cevapsız görüntülü arama",),
)

# Pieces of system lines; a line without an author is one anyway. They tell a system line that iOS labels with the
# group's or somebody's name, or whose text holds ": ", from what a person wrote.
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
}
"""The notice that opens nearly every export, and the language it shows."""

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
"""Pieces of system lines that only groups have."""
