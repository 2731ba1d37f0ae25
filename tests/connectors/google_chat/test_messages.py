"""What becomes of each message of Google Chat and Hangouts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from memd.connectors.formats.google_chat.dates import chat_date
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.tests.cases import for_each
from memd.tests.connectors.google_chat.exports import (
    ANN,
    BO,
    BOT,
    FOLDER,
    OPTIONS,
    SPACE,
    codes,
    documents,
    event,
    hangouts,
    messages,
    read,
    rejected,
    said,
    space,
)


@for_each(
    [
        ("Friday, May 29, 2026 at 3:00:29\u202fPM UTC", (2026, 5, 29, 15, 0, 29)),
        ("Friday, May 29, 2026 at 12:00:29 AM UTC", (2026, 5, 29, 0, 0, 29)),
        ("2026年5月29日星期五 UTC 03:00:29", (2026, 5, 29, 3, 0, 29)),
        ("2026年5月29日金曜日 15時00分29秒 UTC", (2026, 5, 29, 15, 0, 29)),
        ("2026년 5월 29일 금요일 오후 3시 0분 29초 UTC", (2026, 5, 29, 15, 0, 29)),
        ("Freitag, 29. Mai 2026 um 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("mardi 26 mai 2026 à 15:00:29 UTC", (2026, 5, 26, 15, 0, 29)),
        ("martes, 26 de mayo de 2026, 15:00:29 UTC", (2026, 5, 26, 15, 0, 29)),
        ("martedì 26 maggio 2026 alle ore 15:00:29 UTC", (2026, 5, 26, 15, 0, 29)),
        ("sexta-feira, 29 de maio de 2026 às 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("vrijdag 29 mei 2026 om 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("piątek, 29 maja 2026 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("пятница, 29 мая 2026 г. в 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("середа, 27 травня 2026 р. о 15:00:29 UTC", (2026, 5, 27, 15, 0, 29)),
        ("29 Mayıs 2026 Cuma 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("fredag 29 maj 2026 kl. 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("15:00:29 UTC Thứ Sáu, 29 tháng 5, 2026", (2026, 5, 29, 15, 0, 29)),
        ("pátek 29. května 2026 v 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("2026. május 29., péntek 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("Παρασκευή 29 Μαΐου 2026 στις 3:00:29 μ.μ. UTC", (2026, 5, 29, 15, 0, 29)),
        ("vineri, 29 mai 2026 la 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("יום שישי, 29 במאי 2026 בשעה 15:00:29 UTC", (2026, 5, 29, 15, 0, 29)),
        ("2026-05-29T15:00:29Z", (2026, 5, 29, 15, 0, 29)),
    ]
)
def test_dates_of_every_language(text: str, expected: tuple[int, int, int, int, int, int]) -> None:
    """The full form of a date, which is the account's."""
    assert chat_date(text, UTC) == datetime(*expected, tzinfo=UTC)


@for_each(["", "yesterday", "Friday, May 99, 2026 at 3:00:29 PM UTC", "12:00:00", "May 2026"])
def test_what_is_no_date(text: str) -> None:
    """Is none."""
    assert chat_date(text, UTC) is None


def test_a_space_is_one_document_for_each_local_day() -> None:
    """Named and described by what lies beside its messages; the account's owner is the user."""
    records = read(space(said(1, ANN, "one"), said(2, BO, "two")), replace(OPTIONS, zone=ZoneInfo("Pacific/Auckland")))
    (day,) = documents(records)
    assert day.id == f"google_chat:{SPACE}:2024-01-16"
    assert [(m.speaker, m.content, m.id) for m in day.messages] == [
        ("Ann Archer", "one", f"{SPACE}/m1/m1"),
        ("Bo Baker", "two", f"{SPACE}/m2/m2"),
    ]
    assert day.messages[0].time.isoformat() == "2024-01-16T01:01:05+13:00"
    assert day.messages[0].zone_origin == "explicit"
    assert day.conversation.user == "Ann Archer"
    assert day.metadata == {"chat": SPACE, "title": "Harbour", "channel_type": "group"}
    assert codes(records) == []


def test_a_direct_chat_is_named_after_the_other() -> None:
    """Its folder says that it is one, and has the key where ids do not."""
    folder = "Google Chat/Groups/DM zz9/"
    message = {**said(1, BO, "hi"), "message_id": "t/1"}
    (day,) = documents(read(space(message, folder=folder, name=None)))
    assert day.id == "google_chat:zz9:2024-01-15"
    assert (day.metadata["title"], day.metadata["channel_type"]) == ("Bo Baker", "dm")


def test_threads_answers_and_edits() -> None:
    """A message whose topic another began belongs to that one's thread."""
    quoted = {"creator": ANN, "text": "root", "message_id": f"{SPACE}/m1/m1"}
    changed = "Monday, January 15, 2024 at 1:00:00\u202fPM UTC"
    root, reply, edited = messages(
        said(1, ANN, "root"),
        said(2, BO, "below", topic="m1", quoted_message_metadata=quoted),
        said(3, BO, "better", updated_date=changed, previous_message_versions=[said(3, BO, "good")]),
    )
    assert (root.thread, root.reply_to, root.edited) == (None, None, False)
    assert (reply.thread, reply.reply_to) == (f"{SPACE}/m1/m1", f"{SPACE}/m1/m1")
    assert edited.edited
    assert edited.edited_at == datetime(2024, 1, 15, 13, tzinfo=UTC)
    assert [each.content for each in edited.edits] == ["good"]


def test_a_deleted_message() -> None:
    """Keeps its place."""
    (found,) = messages(said(1, ANN, None, message_state="DELETED", deletion_metadata={"deletion_type": "CREATOR"}))
    assert (found.kind, found.deleted, found.content, found.speaker) == (
        "deleted",
        True,
        "[deleted message]",
        "Ann Archer",
    )


def test_files_and_reactions() -> None:
    """The original name; people by their addresses."""
    long = f"File-{'plan ' * 12}.pdf"
    files = [{"original_name": "plan.jpg", "export_name": "File-plan(1).jpg"}, {"original_name": "b.pdf"},
             {"original_name": "long.pdf", "export_name": long}, {"original_name": "gone", "export_name": "File-gone"}]  # fmt: skip
    reactions: list[Any] = [{"emoji": {"unicode": "👍"}, "reactor_emails": ["bo@example.org", "cy@example.org"]},
                 {"emoji": {"custom_emoji": {"shortcode": ":parrot:"}}, "reactor_emails": []}]  # fmt: skip
    beside = ["File-plan(1).jpg", f"{long[:47]}.pdf"]
    (found,) = messages(said(1, ANN, None, attached_files=files, reactions=reactions), beside=beside)
    assert (found.kind, found.content) == ("media", "[photo]")
    assert [(each.name, each.mime, each.missing) for each in found.attachments] == [
        ("plan.jpg", "image/jpeg", False),
        ("b.pdf", None, True),
        ("long.pdf", None, False),
        ("gone", None, True),
    ]
    assert [(each.emoji, each.people) for each in found.reactions] == [
        ("👍", ("Bo Baker", "cy@example.org")),
        (":parrot:", ()),
    ]


def test_annotations() -> None:
    """Code by its place in UTF-16; previews and documents beside the words."""
    text = "😀 run make now"
    notes: list[dict[str, Any]] = [
        {"start_index": 7, "length": 4, "format_metadata": {"format_type": "MONOSPACE"}},
        {"start_index": 0, "length": 2, "format_metadata": {"format_type": "BOLD"}},
        {"url_metadata": {"title": "A page", "snippet": "About", "url": {"x": "https://example.org/a"}}},
        {"drive_metadata": {"id": "1", "title": "Budget"}},
    ]
    (found,) = messages(said(1, ANN, text, annotations=notes))
    assert found.content == text
    assert [(each.kind, text[each.start : each.end]) for each in found.segments] == [("code", "make")]
    assert found.metadata == {"embeds": "A page\nAbout", "link": "https://example.org/a"}
    assert [(each.name, each.missing) for each in found.attachments] == [("Budget", True)]


def test_what_has_no_words() -> None:
    """A meeting, a change of members, a preview alone, nothing."""
    meeting = {"video_call_metadata": {"meeting_space": {"meeting_code": "a", "meeting_url": "https://meet.example/a"}}}
    page = {"url_metadata": {"title": "A page", "url": "https://example.org/a"}}
    records = read(
        space(
            said(1, ANN, None, annotations=[meeting]),
            said(2, ANN, None, annotations=[{"membership_changed_metadata": {"type": "JOINED"}}]),
            said(3, ANN, None, annotations=[page]),
            said(4, ANN),
        )
    )
    (day,) = documents(records)
    assert [(m.kind, m.content) for m in day.messages] == [
        ("call", "[video call]"),
        ("system", "[JOINED]"),
        ("text", "https://example.org/a\nA page"),
        ("unknown", "[message without text]"),
    ]
    assert [each.kind for each in day.messages[2].segments] == ["quote"]
    assert codes(records) == ["content-unknown"]


def test_what_other_apps_put_into_a_chat() -> None:
    """Tasks and events of a calendar are shown as quotes: their words are the app's; calls are calls."""
    task = {"tasks_data": {"task_properties": {"title": "Buy rope", "description": "2 m"}, "creation": {}}}
    event = {
        "calendar_event_data": {"calendar_event": {"title": "Lunch", "start_time": {"timed": "2024-01-16T12:00:00Z"}}}
    }
    notes: list[dict[str, Any]] = [task, event, {"call_data": {"call_status": "CALL_MISSED"}}]
    given = [
        said(number, ANN, annotations=[{"start_index": 0, "length": 0, "gsuite_integration_metadata": note}])
        for number, note in enumerate(notes, 1)
    ]
    found = [(m.content, m.kind, len(m.segments)) for m in messages(*given)]
    assert found == [
        ("Buy rope\n2 m", "text", 1),
        ("Lunch\n2024-01-16T12:00:00Z", "text", 1),
        ("[video call]", "call", 0),
    ]


def test_a_deleted_message_may_have_no_other_time() -> None:
    """It is where it was deleted."""
    raw = said(1, ANN, message_state="DELETED", deletion_metadata={"deletion_type": "CREATOR"})
    raw["deleted_date"] = raw.pop("created_date")
    (message,) = messages(said(0, BO, "hi"), raw)[1:]
    assert (message.kind, message.content, message.time.minute) == ("deleted", "[deleted message]", 1)


def test_an_edited_message_may_have_no_other_time() -> None:
    """Only that of its edit."""
    raw = said(1, BO, "Later")
    raw["updated_date"] = raw.pop("created_date")
    (found,) = messages(raw)
    assert (found.content, found.edited, found.time) == ("Later", True, found.edited_at)


def test_people() -> None:
    """Two of one name have their addresses behind it; programs are tools; nobody is the system."""
    twin = {**BO, "email": "other@example.org"}
    files = space(said(1, BO, "a"), said(2, twin, "b"), said(3, BOT, "c"), said(4, {}, "d"), members=[ANN, BO, twin])
    (day,) = documents(read(files))
    assert [m.speaker for m in day.messages] == [
        "Bo Baker (bo@example.org)",
        "Bo Baker (other@example.org)",
        "Helper",
        SYSTEM_SPEAKER,
    ]
    assert (day.messages[2].role, day.messages[2].metadata) == ("tool", {"bot": "true"})


def test_who_exported() -> None:
    """As given, by name or address; else as the account's file says; else nobody."""
    alone = {f"{FOLDER}messages.json": {"messages": [said(1, BO, "x")]}}
    records = read(alone)
    assert [day.conversation.user for day in documents(records)] == [UNKNOWN_USER]
    assert codes(records) == ["user-unknown"]
    with_group = {**space(said(1, BO, "x"))}
    (day,) = documents(read(with_group, replace(OPTIONS, me="bo@example.org")))
    assert day.conversation.user == "Bo Baker"
    assert codes(read(alone, replace(OPTIONS, me="Nobody"))) == ["user-not-seen"]


def test_broken_messages_cost_themselves() -> None:
    """Without a time, of the wrong type."""
    bad: Any = [{**said(3, ANN, "x"), "created_date": "soon"}, 5, None]
    records = read(space(said(1, ANN, "a"), *bad, said(4, ANN, "b")))
    assert [m.content for d in documents(records) for m in d.messages] == ["a", "b"]
    assert [reason for _, reason in rejected(records)] == [
        "a message without a time that can be read",
        "a message without a time that can be read",
        "a message without a time that can be read",
    ]


def test_older_takeouts_have_no_ids_of_messages() -> None:
    """The folder is the chat's key; merging goes by the order of the messages."""
    older = [{key: value for key, value in said(n, ANN, "ok").items() if key != "message_id"} for n in (1, 2)]
    (day,) = documents(read(space(*older)))
    assert day.id == f"google_chat:{SPACE}:2024-01-15"
    assert [(m.id, m.content) for m in day.messages] == [(None, "ok"), (None, "ok")]


def test_hangouts() -> None:
    """One file for all conversations; lines, calls, people who came, pictures."""
    lines = [{"type": "TEXT", "text": "one"}, {"type": "LINE_BREAK"}, {"type": "LINK", "text": "http://x.example"}]
    photo = [{"embed_item": {"type": ["PLUS_PHOTO"], "plus_photo": {"url": "https://lh3.example/s0/p.jpg"}}}]
    records = read(
        {
            "Hangouts.json": hangouts(
                event(1, "11", chat_message={"message_content": {"segment": lines}}),
                event(2, "22", chat_message={"message_content": {"attachment": photo}}),
                event(3, "22", event_type="HANGOUT_EVENT", hangout_event={"event_type": "END_HANGOUT", "hangout_duration_secs": "61"}),
                event(4, "11", event_type="RENAME_CONVERSATION", conversation_rename={"new_name": "Us", "old_name": ""}),
                event(5, "11", event_type="ADD_USER", membership_change={"type": "JOIN", "participant_id": [{"gaia_id": "22"}]}),
            )
        }
    )  # fmt: skip
    (day,) = documents(records)
    assert day.id == "google_chat:Ugx1:2014-07-15"
    assert (day.conversation.user, day.metadata["title"], day.metadata["platform"]) == (
        "Ann Archer",
        "Bo Baker",
        "hangouts",
    )
    assert [(m.speaker, m.kind, m.content) for m in day.messages] == [
        ("Ann Archer", "text", "one\nhttp://x.example"),
        ("Bo Baker", "media", "[photo]"),
        ("Bo Baker", "call", "[call]"),
        (SYSTEM_SPEAKER, "system", "[rename conversation: Us]"),
        (SYSTEM_SPEAKER, "system", "[add user: Bo Baker]"),
    ]
    assert day.messages[0].time == datetime(2014, 7, 15, 12, 1, tzinfo=UTC)
    assert day.messages[2].metadata == {"duration_s": "61", "call": "END_HANGOUT"}
    assert day.messages[3].metadata == {"actor": "Ann Archer"}
    assert codes(records) == []


def test_pictures_films_and_places_of_hangouts() -> None:
    """Of the addresses the one that names the file counts; older files write the type of what is embedded in full."""
    site = "https://photos.example/albums/2/3"
    kept = {"url": site, "original_content_url": "https://lh3.example/s0/quay.jpg", "media_type": "PHOTO"}
    film = {"url": site, "thumbnail": {"image_url": "https://lh3.example/s0/tide"}, "media_type": "VIDEO"}
    place = {
        "name": "Cafe",
        "address": {"postal_address_v2": {"name": "Road 1"}},
        "geo": {"geo_coordinates_v2": {"latitude": 1.5, "longitude": 2}},
    }
    link = [{"type": "LINK", "text": "https://maps.example/?q=1.5,2"}]
    items = [
        {"type": ["PLUS_PHOTO"], "plus_photo": kept},
        {"type": ["PLUS_PHOTO"], "id": "x", "embeds.PlusPhoto.plus_photo": kept},
        {"type": ["PLUS_PHOTO"], "plus_photo": film},
        {"type": ["PLACE_V2", "THING_V2", "THING"], "place_v2": place},
    ]
    contents: list[dict[str, Any]] = [{"attachment": [{"embed_item": item}]} for item in items]
    contents[3]["segment"] = link
    contents.append({"attachment": [{"embed_item": {"id": "y", "place_v2": {"url": "https://maps.example/"}}}]})
    events = [event(number, "22", chat_message={"message_content": each}) for number, each in enumerate(contents, 1)]
    (day,) = documents(read({"Hangouts.json": hangouts(*events)}))
    assert [(m.kind, m.content, [each.name for each in m.attachments]) for m in day.messages] == [
        ("media", "[photo]", ["quay.jpg"]),
        ("media", "[photo]", ["quay.jpg"]),
        ("media", "[video]", ["3"]),
        ("location", "https://maps.example/?q=1.5,2", []),
        ("location", "[location]", []),
    ]
    assert [m.metadata.get("place") for m in day.messages[3:]] == ["Cafe, Road 1, 1.5, 2", "https://maps.example/"]


def test_older_files_of_hangouts() -> None:
    """One level deeper, with other names."""
    newer = hangouts(event(1, "11", "hi"))["conversations"][0]
    state = {
        "conversation_id": {"id": "Ugx1"},
        "conversation": newer["conversation"]["conversation"],
        "event": newer["events"],
    }
    value = {"conversation_state": [{"conversation_id": {"id": "Ugx1"}, "conversation_state": state}]}
    (day,) = documents(read({"Hangouts.json": value}))
    assert (day.id, day.messages[0].speaker) == ("google_chat:Ugx1:2014-07-15", "Ann Archer")
