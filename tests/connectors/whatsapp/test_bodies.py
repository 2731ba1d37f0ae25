"""Bodies: what WhatsApp writes in place of things, in several languages, and words that only look so."""

from __future__ import annotations

import pytest

from memd.tests.cases import for_each
from memd.tests.connectors.whatsapp.sources import MemoryMember, messages, parse, read, source

HEAD = "13.05.24, 10:00 - Bea: "
IOS = "[13.05.24, 10:00:00] Bea: "

KINDS = {
    "<Media omitted>": "media",
    "<Medien ausgeschlossen>": "media",
    "<メディアなし>": "media",
    "\u200eimage omitted": "media",
    "\u200eimagen omitida": "media",
    "Plan.pdf • \u200e12 pages \u200edocument omitted": "media",
    "<Medien ausgeschlossen>\nthe plan, as promised": "media",
    "<Arquivo de mídia oculto>": "media",
    "\u200eBild weggelassen": "media",
    "\u200e圖片已略去": "media",
    "the cake \u200eimage omitted": "media",
    "\u200eView once voice message omitted": "media",
    "the cake \u200e<attached: 00000042-PHOTO-2024-05-13-10-00-00.jpg>": "media",
    "Plan B.pdf • \u200e2 pages \u200e<attached: 00000043-Plan B.pdf>": "media",
    "IMG-20240513-WA0001.jpg (file attached)": "media",
    "\u200eIMG-20240513-WA0001.jpg (datei wer weiß)": "media",
    "IMG-20240513-WA0001.jpg (file attached)\nwhat a day (really)": "media",
    "\u200e<attached: 00000042-PHOTO-2024-05-13-10-00-00.jpg>": "media",
    "\u200e<pièce jointe : 00000042-PHOTO-2024-05-13-10-00-00.jpg>": "media",
    "Zoe Example.vcf (file attached)": "contact",
    "This message was deleted": "deleted",
    "\u200eThis message was deleted.": "deleted",
    "\u200eYou deleted this message.": "deleted",
    "Diese Nachricht wurde gelöscht.": "deleted",
    "null": "deleted",
    "\u200ePOLL:\nLunch?\n\u200eOPTION: Yes (\u200e3 votes)\n": "poll",
    "\u200eUMFRAGE:\nMittag?\n\u200eOPTION: Ja (\u200e3 Stimmen)": "poll",
    "Location: https://maps.google.com/?q=1.5,-2.5": "location",
    "\u200eStandort: https://maps.google.com/?q=1.5,-2.5": "location",
    "Café Blau: https://foursquare.com/v/4b0": "location",
    "live location shared": "location",
    "\u200eEVENT:\nPicnic\n\u200eSTARTS AT: Jun 1, 2024, 2:00 PM": "event",
    "\u200eMissed voice call": "call",
    "Пропущений аудіодзвінок": "call",
    "Denne meldingen ble slettet.": "deleted",
    "\u200eVoice call. \u200e5 min": "call",
    "\u200eVideo call, \u200eNo answer": "call",
    "": "unknown",
}


@pytest.mark.slow
@for_each([(head, body, kind) for head in [HEAD, IOS] for body, kind in KINDS.items()])
def test_kinds(head: str, body: str, kind: str) -> None:
    """Each placeholder is known for what it is, said by who wrote it, and kept as it stands."""
    found = parse(f"{head}before\n{head}{body}\n{head}after\n")

    assert [("text", "Bea", "before"), (kind, "Bea", body or "[empty]"), ("text", "Bea", "after")] == found


WORDS = [
    "I said: This message was deleted, remember?",
    "the image omitted my face",
    "null and void",
    "Location, location, location",
    "see https://example.org/maps (attached)",
    "f(x) = (x > 1)",
    "<3",
    "<html>",
    "Voice calls are the worst",
    "Missed you",
    "POLLUTION: bad",
    " leading and trailing spaces ",
    "tab\tand\u2028line separator\x0bvertical\x0c",
    "👨\u200d👩\u200d👧\u200d👦 می\u200cخواهم",
    "\ufb01 is no fi, Å is no Å",
    "notes.txt (see also the rest of my mail which is long and has nothing to do with it)",
]


@for_each(WORDS)
def test_words_stay_words(body: str) -> None:
    """Text that only resembles a placeholder is text, and no character of any text is changed."""
    assert [("text", "Bea", body)] == parse(f"{HEAD}{body}\n")


def test_unknown_language() -> None:
    """A bracketed body that comes three times is a placeholder in a language that is not listed."""
    text = f"{HEAD}<Midia hepana>\n{HEAD}hi\n" * 3

    assert [kind for kind, _, _ in parse(text)] == ["media", "text"] * 3


def test_attachments() -> None:
    """A file that is in the export has its size, another is missing."""
    beside = MemoryMember("odd name.bin", b"12345")
    text = f"{HEAD}odd name.bin (irgendwas)\n{HEAD}IMG-20240513-WA0001.jpg (file attached)\n"
    found = messages(read(source(text, "WhatsApp Chat with Bea.txt", beside)))

    assert [(m.attachments[0].name, m.attachments[0].size, m.attachments[0].missing) for m in found] == [
        ("odd name.bin", 5, False),
        ("IMG-20240513-WA0001.jpg", None, True),
    ]


@for_each(
    ["look:\nour boat \u200e<attached: 00000002-PHOTO-2024-05-13-12-00-00.jpg>", "our boat\n\u200e<Anhang: boat.jpg>"]
)
def test_an_iphone_writes_a_file_behind_its_caption(body: str) -> None:
    """Also behind a caption of several lines; without its mark, such an end is somebody's own."""
    path = f"[13.05.24, 12:00:00] Ann: {body}\r\n"
    (found,) = messages(read(source(path)))
    assert (found.content, found.kind, len(found.attachments)) == (body, "media", 1)
    (found,) = messages(read(source(path.replace("\u200e", ""))))
    assert (found.kind, found.attachments) == ("text", ())


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("fixed it <This message was edited>", "fixed it"),
        ("fixed it \u200e<This message was edited>", "fixed it"),
        ("fixed\nit\u200e <Diese Nachricht wurde bearbeitet.>", "fixed\nit\u200e"),
    ],
)
def test_edited(body: str, content: str) -> None:
    """The mark of an edit is not among the words, but known."""
    (message,) = messages(read(source(f"{IOS}{body}\n")))

    assert (content, True, "text") == (message.content, message.edited, message.kind)


def test_deleted_is_marked() -> None:
    """A deletion says so and keeps the export's own words."""
    (message,) = messages(read(source(f"{HEAD}This message was deleted\n")))

    assert (message.content, message.deleted) == ("This message was deleted", True)


def test_lines() -> None:
    """Blank lines stay, CRLF and LF end lines, marks in front of a header mean nothing, the last newline is not text."""
    text = f"\ufeff{HEAD}one\r\n\r\n two \n\ufeff\u200e{HEAD}three\n\n"

    assert [content for _, _, content in parse(text)] == ["one\n\n two ", "three\n"]


@for_each(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding: str) -> None:
    """UTF-8 and UTF-16 read equal, with and without a byte order mark."""
    text = f"{HEAD}grüße 😀\n{HEAD}two\n"

    assert [content for _, _, content in parse(text.encode(encoding))] == ["grüße 😀", "two"]


MARKED = {
    "\u200ezdjęcie pominięte": "media",
    "\u200ePołączenie głosowe, \u200e3 min": "call",
    "\u200eANKIETA:\nKiedy?\n\u200eOPCJA: sob (\u200e2 głosy)\n\u200eOPCJA: nd (\u200e0 głosów)": "poll",
    "\u200eTUKIO: Mbio\n\u200eINAANZA: \u200eOktoba 30, 2025, 13:00": "event",
    "\u200eInasubiri ujumbe huu. Inaweza kuchukua muda.": "unknown",
    "maneno yangu \u200e<Ujumbe umehaririwa>": "text",
}


@for_each(list(MARKED.items()))
def test_the_marks_of_an_iphone_tell_what_the_app_wrote(body: str, kind: str) -> None:
    """In languages without a list, and where people's own words have no mark; else such words are a person's."""
    found = parse(f"[13.05.24, 10:00:00] Ana: hi\n[13.05.24, 10:01:00] Bo: {body}\n[13.05.24, 10:02:00] Ana: ok\n")
    assert found[1][:2] == (kind, "Bo")
    if kind == "text":
        assert found[1][2] == "maneno yangu"
    if kind in ("unknown", "event", "poll"):
        assert parse(f"13.05.24, 10:00 - Ana: hi\n13.05.24, 10:01 - Bo: {body[1:]}\n")[1][0] == "text"


def test_the_name_before_a_notice_in_an_unlisted_language_is_the_group() -> None:
    """It labels lines that nobody wrote."""
    notice = "\u200eUjumbe na simu zimefumbwa mwisho hadi mwisho."
    head = "[13.05.24, 10:0{}:00] "
    lines = [f"Mbio: {notice}", "Ana: hi", "Bo: hey", "Mbio: \u200eAna alimwongeza Cy kwenye kundi"]
    found = parse("".join(f"{head.format(place)}{line}\n" for place, line in enumerate(lines)))
    assert [speaker for _, speaker, _ in found] == ["(system)", "Ana", "Bo", "(system)"]


@for_each(
    ["تم تعديل هذه الرسالة", "此訊息已編輯", "このメッセージは編集されました", "Mensagem editada", "הודעה זו נערכה"]
)
def test_a_note_of_an_edit_differs_in_one_place_from_that_of_a_deletion(note: str) -> None:
    """It is no word of the person; other words in angle brackets are."""
    text = f"13.05.24, 10:00 - Ana: five <{note}>\n13.05.24, 10:01 - Bo: so <this was it>\n"
    assert [content for _, _, content in parse(text)] == ["five", "so <this was it>"]


def test_a_left_out_file_in_an_unlisted_language() -> None:
    """Words in brackets alone are a file where they recur, or are in letters of their own; in a known language they are a
    person's.
    """
    assert parse("13.05.24, 10:00 - Ana: <رسانه گنجانده نشد>\n13.05.24, 10:01 - Bo: ok\n")[0][0] == "media"
    assert parse("13.05.24, 10:00 - Ana: <insert joke here>\n13.05.24, 10:01 - Bo: ok\n")[0][0] == "text"


NOTICES = {
    "en": (
        "Messages and calls are end-to-end encrypted. Only people in this chat can read, listen to, or share them.",
        "This business works with other companies to manage this chat. Learn more.",
        "Acme Boats is registered as a business account but may not have been verified by WhatsApp.",
        "Tap to learn how Acme Boats uses a secure service from Meta to manage this chat",
    ),
    "de": (
        "Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt. Niemand außerhalb dieses Chats kann sie lesen.",
        "Dieses Unternehmen arbeitet mit anderen Unternehmen zusammen, um diesen Chat zu verwalten.",
        "Du chattest mit einem Unternehmenskonto.",
        "Acme Boats verwendet einen sicheren Service von Meta zur Verwaltung dieses Chats.",
    ),
    "sw": (
        "Biashara hii hutumia huduma salama kutoka Meta kudhibiti soga hii.",
        "Akaunti hii ya biashara imesajiliwa lakini huenda haijathibitishwa na WhatsApp kwa sasa",
        "Unapiga soga na akaunti ya biashara.",
    ),
    "ja": (
        "このビジネスはMetaの安全なサービスを使用してこのチャットを管理しています。",
        "ビジネスアカウントとチャットしています。",
    ),
}


@for_each(list(NOTICES.items()))
def test_notices_about_a_business_are_not_what_it_says(language: str, notices: tuple[str, ...]) -> None:
    """An iPhone writes them behind the business's name; its words, pictures and calls stay its own, and so do equal words
    that it says itself.
    """
    del language
    said = [
        "Hello, how can we help?",
        notices[1],
        "\u200eimage omitted",
        "\u200eMissed voice call. \u200eTap to call back",
    ]
    lines = [*(f"\u200e{each}" for each in notices), *said, f"\u200e{notices[-1]}"]
    head = "[13.05.24, 10:{:02d}:00] "
    text = "".join(f"{head.format(place)}Acme Boats: {line}\n" for place, line in enumerate(lines))
    text += f"{head.format(50)}Ann: hi\n"
    for name in ("WhatsApp Chat - Acme Boats.zip", "chat.zip"):
        found = [(m.kind, m.speaker) for m in messages(read(source(text, name)))]
        notice = ("system", "(system)")
        kept = [("text", "Acme Boats"), ("text", "Acme Boats"), ("media", "Acme Boats"), ("call", "Acme Boats")]
        assert found == [*[notice] * len(notices), *kept, notice, ("text", "Ann")], name


def test_what_a_person_waits_for_is_no_notice() -> None:
    """Short placeholders, links and lists behind the mark are of whoever sent them, though the chat has that name."""
    bodies = [
        "\u200eWaiting for this message. This may take a while.",
        "\u200eslika izostavljena",
        "\u200ehttps://example.org/a.",
        "\u200eone.\ntwo.",
    ]
    text = "[13.05.24, 10:00:00] Bo: hi\n" + "".join(
        f"[13.05.24, 10:0{n}:00] Bo: {each}\n" for n, each in enumerate(bodies)
    )
    found = [m.speaker for m in messages(read(source(text, "WhatsApp Chat - Bo.zip")))]
    assert found == ["Bo"] * 5
