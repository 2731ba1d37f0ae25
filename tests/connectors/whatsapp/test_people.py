"""Who speaks: authors, lines that nobody wrote, the chat's title, and who exported it."""

from __future__ import annotations

from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.formats.whatsapp.title import stem, title_of
from memd.tests.cases import for_each
from memd.tests.connectors.whatsapp.sources import (
    MemoryMember,
    MemorySource,
    codes,
    documents,
    options,
    parse,
    read,
    source,
)

A = "13.05.24, 10:0{} - "
I = "[13.05.24, 10:00:0{}] "  # noqa: E741


def chat(template: str, *lines: str) -> str:
    """Lines under headers a minute or a second apart."""
    return "".join(f"{template.format(index)}{line}\n" for index, line in enumerate(lines))


AUTHORS = [
    ("Ana - Maria: hi", "Ana - Maria"),
    ("\u202a+49\xa0171\xa01234567\u202c: hi", "+49 171 1234567"),
    ("\u2068+49 171\u20111234567\u2069: hi", "+49 171\u20111234567"),
    ("~\u202fBo: hi", "~ Bo"),
    ("~ Bo: hi", "~ Bo"),
    ("🌻 Ana 🌻: hi", "🌻 Ana 🌻"),
    ("אנה: hi", "אנה"),
    ('Robert "Bob" Tan: hi', 'Robert "Bob" Tan'),
]


@for_each([(template, line, name) for template in [A, I] for line, name in AUTHORS])
def test_authors(template: str, line: str, name: str) -> None:
    """Names are read whole, without direction marks, also when they write only once."""
    assert [("text", name, "hi"), ("text", "Cy", "x")] == parse(chat(template, line, "Cy: x"))


def test_a_name_with_a_colon() -> None:
    """A name that holds a colon is told by the census; a habit of somebody else is not taken for one."""
    text = chat(A, *["Team: Red: go"] * 4, "Ana: note: milk", "Ana: hi", "Ana: note: bread")

    assert [speaker for _, speaker, _ in parse(text)] == ["Team: Red"] * 4 + ["Ana"] * 3
    assert [content for _, _, content in parse(text)][4:] == ["note: milk", "hi", "note: bread"]


ANDROID_SYSTEM = [
    "Messages and calls are end-to-end encrypted. No one outside of this chat, not even WhatsApp, can read them.",
    "Ana created group “Trip: Rome”",
    "Ana changed the subject from “Trip: Rome” to “Trip: Oslo”",
    'Bo changed the group name to "A: b"',
    "+49 171 1234567 left",
    "Nachrichten sind Ende-zu-Ende-verschlüsselt: Tippe für mehr.",
    "Ana changed this group's settings: only admins can write",
]


@for_each(ANDROID_SYSTEM)
def test_android_system_lines(line: str) -> None:
    """A line without an author was written by nobody, also when it holds a colon; its words are kept."""
    text = chat(A, "Ana: one", line, "Ana: two", "Bo: three")

    assert ("system", "(system)", line) == parse(text)[1]


def test_ios_system_lines() -> None:
    """The names that iOS writes before lines that nobody wrote are no authors."""
    lines = [
        "Trip: \u200eMessages and calls are end-to-end encrypted. No one outside of this chat can read them.",
        "Boris: \u200eBoris created group “Trip”",
        "Trip: \u200eAna was added",
        "Boris: hi",
        "Ana: \u200eimage omitted",
        "Trip: \u200eAna's security code changed.",
        "Boris: \u200eYou're now an admin",
    ]
    given = MemorySource("x.zip", (MemoryMember("_chat.txt", chat(I, *lines).encode()),))
    records = read(given)
    found = [(m.kind, m.speaker) for document in documents(records) for m in document.messages]
    preview = WhatsAppConnector().preview(given, options())

    system = ("system", "(system)")
    assert [system, system, system, ("text", "Boris"), ("media", "Ana"), system, system] == found
    assert (preview.title, list(preview.speakers)) == ("Trip", ["Boris", "Ana"])
    assert lines[1].partition(": ")[2] == documents(records)[0].messages[1].content
    assert documents(records)[0].metadata["group"] == "true"


def test_ios_contact_named_before_the_notice() -> None:
    """In a chat of two, the other one's name stands before the notice, and the other one's words stay theirs."""
    text = chat(
        I,
        "Bea: \u200eMessages and calls are end-to-end encrypted. No one outside of this chat can read them.",
        "Bea: hi",
        "Bea: \u200eaudio omitted",
        "Me Myself: ho",
    )

    assert [(kind, speaker) for kind, speaker, _ in parse(text)] == [
        ("system", "(system)"),
        ("text", "Bea"),
        ("media", "Bea"),
        ("text", "Me Myself"),
    ]


def test_call_lines() -> None:
    """A call that nobody is named for is a call of the system's."""
    assert parse(chat(A, "Missed voice call", "Ana: x")) == [
        ("call", "(system)", "Missed voice call"),
        ("text", "Ana", "x"),
    ]


TITLES = {
    "WhatsApp Chat with Bea.txt": "Bea",
    "WhatsApp Chat with Bea (2).txt": "Bea",
    "WhatsApp Chat - Bea & Co.zip": "Bea & Co",
    "WhatsApp Chat - Bea (1).zip": "Bea",
    "WhatsApp_Chat_with_Bea_Berg.txt": "Bea Berg",
    "WhatsApp Chat mit Bea.txt": "Bea",
    "Chat de WhatsApp con Bea.txt": "Bea",
    "Chat WhatsApp con Bea.txt": "Bea",
    "Conversa do WhatsApp com Bea.txt": "Bea",
    "Discussion WhatsApp avec Bea.txt": "Bea",
    "Чат WhatsApp с Bea.txt": "Bea",
    "WhatsApp-chat met Bea.txt": "Bea",
    "צ'אט WhatsApp עם Bea.txt": "Bea",
    "与Bea的 WhatsApp 聊天.txt": "Bea",
    "BeaとのWhatsAppトーク.txt": "Bea",
    "family.txt": "family",
    "WhatsApp Chat with Ame\u0301lie.txt": "Am\u00e9lie",
}


@for_each(TITLES.items())
def test_titles(name: str, title: str) -> None:
    """The app's words around a name are no part of the chat's title, in any language."""
    assert title == title_of([name])


def test_title_places() -> None:
    """An archive's name counts when its text is nameless; the label inside beats a name that the app did not give."""
    assert title_of(["_chat.txt", "WhatsApp Chat - Bea.zip"]) == "Bea"
    assert title_of(["_chat.txt", "holiday.zip"], "Trip") == "Trip"
    assert title_of(["_chat 3.txt", "holiday.zip"]) == "holiday"
    assert title_of(["_chat.txt", "-"]) == "chat"
    assert stem("Bea (1).txt") == "Bea"


def test_the_chat_option_names_the_chat() -> None:
    """``--chat`` is key and title."""
    records = read(source(chat(A, "Ana: x")), options(chat="work"))

    assert [document.id for document in documents(records)] == ["whatsapp:work:2024-05-13"]
    assert documents(records)[0].metadata["title"] == "work"


def users(text: str, name: str, me: str | None = None) -> tuple[str, list[str]]:
    """The user and the notices about it."""
    records = read(source(text, name), options(me=me))
    (user,) = {document.conversation.user for document in documents(records)}
    return user, [code for code in codes(records) if code.startswith("user")]


def test_the_user() -> None:
    """The exporter is who was given, else who the evidence shows, else a placeholder that never speaks."""
    two = chat(A, "Ana: x", "Bea: y")
    assert users(two, "WhatsApp Chat with Bea.txt") == ("Ana", [])
    assert users(two, "family.txt") == ("(me)", ["user-unknown"])
    assert users(two, "family.txt", me="Bea") == ("Bea", [])
    assert users(two, "family.txt", me="Zoe") == ("Zoe", ["user-not-seen"])
    deleted = chat(A, "Ana: x", "Cy: You deleted this message", "Bea: y")
    assert users(deleted, "WhatsApp Chat with Friends.txt") == ("Cy", [])
    created = chat(I, "Cy: \u200eYou created group “Friends”", "Ana: x", "Cy: y", "Bea: z")
    assert users(created, "_chat.txt") == ("Cy", [])
    for document in documents(read(source(two, "family.txt"))):
        assert "(me)" in document.conversation.people
        assert "(me)" not in {message.speaker for message in document.messages}


def test_people_of_a_day() -> None:
    """A day's people are its speakers and the user."""
    text = "13.05.24, 10:00 - Ana: x\n13.05.24, 10:00 - Bo left\n14.05.24, 10:00 - Cy: y\n"
    found = [document.conversation.people for document in documents(read(source(text), options(me="Me")))]

    assert found == [("Ana", "(system)", "Me"), ("Cy", "Me")]


def test_several_chats() -> None:
    """Each text file of a source is a chat; the exporter known from one is known in all; strange texts are told."""
    given = MemorySource(
        "all.zip",
        (
            MemoryMember("WhatsApp Chat with Bea.txt", chat(A, "Ana: x", "Bea: y").encode()),
            MemoryMember("WhatsApp Chat with Trip.txt", chat(A, "Ana: x", "Cy: y", "Di: z", "Ed: z").encode()),
            MemoryMember("recipe.txt", b"200 g of flour\n"),
            MemoryMember("empty.txt", b""),  # who lists the files that were left out tells that it is empty
        ),
    )
    records = read(given, options(chat="one"))

    assert [(document.id, document.conversation.user) for document in documents(records)] == [
        ("whatsapp:Bea:2024-05-13", "Ana"),
        ("whatsapp:Trip:2024-05-13", "Ana"),
    ]
    assert codes(records) == ["chat-ignored", "not-a-chat"]


def test_a_pasted_line_before_a_last_line_without_an_end() -> None:
    """A file that was cut tells of it, too."""
    text = "13.05.24, 10:00 - Ana: look what they said\n01.02.20, 09:00 - Zoe: forged\n13.05.24, 10:01 - Bo: o"
    found = [(m.speaker, m.metadata) for document in documents(read(source(text))) for m in document.messages]
    assert found == [("Ana", {}), ("Bo", {"unterminated": "true"})]


def test_a_pasted_log_of_the_same_template() -> None:
    """Lines of older days by people of nowhere else, after which the chat goes on, are text; known authors are not."""
    text = (
        "13.05.24, 10:00 - Ana: look what they said\n"
        "01.02.20, 09:00 - Zoe: forged\n"
        "01.02.20, 09:01 - Yan: forged too\n"
        "13.05.24, 10:01 - Bo: oh\n"
        "01.02.20, 09:00 - Ana: my clock was wrong\n"
        "13.05.24, 10:02 - Bo: ah\n"
    )
    records = read(source(text))
    found = [(m.speaker, m.content) for document in documents(records) for m in document.messages]

    assert ("Ana", "look what they said\n01.02.20, 09:00 - Zoe: forged\n01.02.20, 09:01 - Yan: forged too") in found
    assert ("Ana", "my clock was wrong") in found
    assert len(found) == 4
    assert "pasted-log" in codes(records)


def test_a_single_late_message_of_somebody_who_writes_once() -> None:
    """One line some days older than those around it is a message, whoever wrote it."""
    text = (
        "9/24/2019 11:30 p.m. - Ana: hello\n"
        "11/27/2019 9:30 p. m. - Ana: again\n"
        "11/17/2019 9:34 p. m. - Zoe: sent while away\n"
        "12/24/2019 11:30 a. m. - Bo: late\n"
    )
    found = [(m.speaker, m.content) for document in documents(read(source(text))) for m in document.messages]

    assert found == [("Ana", "hello"), ("Ana", "again"), ("Zoe", "sent while away"), ("Bo", "late")]
