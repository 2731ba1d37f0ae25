"""Gemini out of Takeout: activity as JSON and HTML, dates in many languages, conversations of Workspace accounts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.llm_chats.activity_dates import activity_date
from memd.connectors.formats.llm_chats.activity_html import MARK
from memd.connectors.formats.llm_chats.gemini import GeminiConnector
from memd.connectors.formats.llm_chats.gemini_activity import ATTACHED, attached
from memd.connectors.text.html.records import html_records
from memd.connectors.text.html.text import plain_text
from memd.schemas import UNKNOWN_USER, ConversationDocument, Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
START = datetime(2026, 1, 5, 22, 0, tzinfo=UTC)


def record(title: str, minute: int, answer: str | None = None, **more: Any) -> dict[str, Any]:
    """A record of MyActivity.json."""
    time = (START + timedelta(minutes=minute)).isoformat().replace("+00:00", ".773Z")
    html = {} if answer is None else {"safeHtmlItem": [{"html": answer}]}
    return {
        "header": "Gemini Apps",
        "title": title,
        "titleUrl": "https://gemini.google.com/",
        "time": time,
        "products": ["Gemini Apps"],
        "activityControls": ["Gemini Apps Activity"],
        **html,
        **more,
    }


ACTIVITY = [
    record("Prompted And tomorrow?", 90, "<p>It snows.</p>"),
    record("Prompted Where is <b>Kiel</b>?", 5, "<p>In the north.</p><ul><li>Port</li><li>Town</li></ul>"),
    record("Prompted Hello\n", 0),
]


def page(*cells: str) -> bytes:
    """MyActivity.html: one line, styles first."""
    head = "<html><head><title>My Activity History</title><style>" + "x{y:z}" * 40 + "</style></head><body>"
    return (head + '<div class="mdl-grid">' + "".join(cells) + "</div></body></html>").encode()


def cell(body: str, product: str = "Gemini Apps") -> str:
    """One record of the page."""
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">{product}<br></p></div>'
        f'<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">{body}</div>'
        '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div>'
        '<div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>'
        f"&emsp;{product}<br></div></div></div>"
    )


PAGE = page(
    cell("Prompted&nbsp;And tomorrow?<br>Jan 5, 2026, 11:30:00\u202fPM UTC<br><p>It snows.</p>"),
    cell(
        "Prompted&nbsp;Where is &lt;b&gt;Kiel&lt;/b&gt;?<br>Jan 5, 2026, 10:05:00\u202fPM UTC<br><p>In the north.</p>"
    ),
    cell("Watched a film<br>Jan 5, 2026, 10:01:00\u202fPM UTC<br>", "YouTube"),
    cell("Prompted&nbsp;Hello<br>Jan 5, 2026, 10:00:00\u202fPM UTC<br>"),
)
TURNS = {
    "title": "Boats",
    "creation_time": "2026-01-05T22:00:00Z",
    "conversation_turns": [
        {"user_turn": {"prompt": "Where is Kiel?", "turn_index": 0}},
        {"system_turn": {"text": [{"data": "In the north."}], "model_thoughts": "A map.", "turn_index": 0}},
    ],
}


class TestGeminiConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = (
        "llm_chats.gemini_activity:activity_of",
        "llm_chats.gemini_turns:turns_chat",
    )
    download = Download(
        "Why do flamingos stand on one leg?",
        {
            "Takeout/My Activity/Gemini Apps/MyActivity.json": json.dumps(
                [record("Prompted Why do flamingos stand on one leg?", 0, "<p>To keep warm.</p>")]
            ).encode()
        },
        "takeout-20240202.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return GeminiConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """JSON, a page, and a conversation of a Workspace account."""
        return {
            "MyActivity.json": {"MyActivity.json": json.dumps(ACTIVITY).encode()},
            "MyActivity.html": {"MyActivity.html": PAGE},
            "conversation_1.txt": {"conversation_1.txt": json.dumps(TURNS).encode()},
            "Birds": {"Birds": json.dumps(STUDIO).encode()},
        }


def read(data: bytes | Any, options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that one file holds."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return list(GeminiConnector().read(Shelf("export", {"a": raw}), options))


def documents(records: Iterable[Record]) -> list[ConversationDocument]:
    """The conversations among the records."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def said(found: ConversationDocument) -> list[tuple[str | None, str, str | None, str]]:
    """Ids, speakers, roles and words."""
    return [(m.id, m.speaker, m.role, m.content) for m in found.messages]


def test_prompts_without_a_long_pause_are_one_conversation() -> None:
    """The newest record comes first in the file; in a document the oldest does."""
    records = read(ACTIVITY)
    later, first = documents(records)
    assert first.id == "gemini:2026-01-05T22:00:00Z"
    assert first.metadata == {"title": "Hello", "chat": "2026-01-05T22:00:00Z"}
    assert said(first) == [
        ("2026-01-05T22:00:00Z/prompt", UNKNOWN_USER, "user", "Hello\n"),
        ("2026-01-05T22:05:00Z/prompt", UNKNOWN_USER, "user", "Where is <b>Kiel</b>?"),
        ("2026-01-05T22:05:00Z/answer", "Gemini", "assistant", "In the north.\n\n- Port\n- Town"),
    ]
    assert first.messages[2].reply_to == "2026-01-05T22:05:00Z/prompt"
    assert first.messages[0].time == START + timedelta(milliseconds=773)
    assert [content for _, _, _, content in said(later)] == ["And tomorrow?", "It snows."]
    assert [r.code for r in records if isinstance(r, Notice)] == ["user-unknown"]


def test_the_page_names_the_same_messages() -> None:
    """An export in the other form changes nothing that is stored."""
    options = ReadOptions(zone=UTC, me="Ann")
    later, first = documents(read(PAGE, options))
    assert [first.id, later.id] == ["gemini:2026-01-05T22:00:00Z", "gemini:2026-01-05T23:30:00Z"]
    assert said(first) == [
        ("2026-01-05T22:00:00Z/prompt", "Ann", "user", "Hello"),
        ("2026-01-05T22:05:00Z/prompt", "Ann", "user", "Where is <b>Kiel</b>?"),
        ("2026-01-05T22:05:00Z/answer", "Gemini", "assistant", "In the north."),
    ]
    assert {r.code: r.hint for r in read(PAGE, options) if isinstance(r, Notice)}["activity-left-out"].startswith("1 ")


def test_what_is_no_prompt_is_told() -> None:
    """Feedback is left out; a verb of another language keeps the whole title, and is a prompt where it was answered."""
    records = read(
        [
            record("Gave feedback: Good response", 3),
            record("Requête : Bonjour", 2, "<p>Salut</p>"),
            record("Nachricht", 1),
            record("Used YouTube", 0, header="YouTube", products=["YouTube"]),
        ]
    )
    (found,) = documents(records)
    assert [(m.content, m.kind) for m in found.messages] == [
        ("Nachricht", "unknown"),
        ("Requête : Bonjour", "text"),
        ("Salut", "text"),
    ]
    assert {r.code: r.hint for r in records if isinstance(r, Notice)}["activity-left-out"].startswith("2 ")


def test_files_are_attachments() -> None:
    """By name where there is one; in the page they are links to files of the export."""
    with_names = record("Prompted See\n\nAttached 1 file.", 0, attachedFiles=["boat-1.jpg"])
    (found,) = documents(read([with_names]))
    assert (found.messages[0].content, [a.name for a in found.messages[0].attachments]) == ("See", ["boat-1.jpg"])
    body = 'Prompted&nbsp;See<br>Attached 1 file.<br>-&nbsp;<a href="boat-1.jpg">boat.jpg</a><br>Jan 5, 2026, 10:00:00 PM UTC<br>'
    (found,) = documents(read(page(cell(body))))
    assert (found.messages[0].content, [a.name for a in found.messages[0].attachments]) == ("See", ["boat-1.jpg"])


def test_german_activity() -> None:
    """The words before a prompt and behind it are the app's; a file that is named twice is one."""
    named = record("Eingegebener Prompt: Was ist das?", 0, attachedFiles=["boot.jpg"], imageFile="boot.jpg")
    (found,) = documents(read([named]))
    assert (found.messages[0].content, [a.name for a in found.messages[0].attachments]) == (
        "Was ist das?",
        ["boot.jpg"],
    )
    body = (
        'Eingegebener Prompt:&nbsp;Was ist das?<br>1 Datei(en) angehängt.<br>-&nbsp;<a href="boot.jpg">boot.jpg</a><br>'
        "26.04.2026, 14:03:05 MESZ<br><p>Ein Boot.</p>"
    )
    (found,) = documents(read(page(cell(body, "Gemini-Apps"))))
    assert [m.content for m in found.messages] == ["Was ist das?", "Ein Boot."]
    assert [a.name for a in found.messages[0].attachments] == ["boot.jpg"]
    assert found.messages[0].time == datetime(2026, 4, 26, 12, 3, 5, tzinfo=UTC)


def test_records_of_one_second_are_two() -> None:
    """Each has an id of its own."""
    (found,) = documents(read([record("Prompted b", 0), record("Prompted a", 0)]))
    assert [m.id for m in found.messages] == ["2026-01-05T22:00:00Z/prompt", "2026-01-05T22:00:00Z-2/prompt"]


@for_each(
    [
        ("Jan 5, 2026, 10:00:00\u202fPM PST", "2026-01-06T06:00:00+00:00"),
        ("Jan 5, 2026, 12:00:00 AM UTC", "2026-01-05T00:00:00+00:00"),
        ("5 Jan 2026, 22:00:00 GMT", "2026-01-05T22:00:00+00:00"),
        ("05.01.2026, 22:00:00 MEZ", "2026-01-05T21:00:00+00:00"),
        ("5 janv. 2026, 22:00:00 CET", "2026-01-05T21:00:00+00:00"),
        ("5 juil. 2026, 22:00:00 CEST", "2026-07-05T20:00:00+00:00"),
        ("5 de ago. de 2026, 22:00:00 BRT", "2026-08-06T01:00:00+00:00"),
        ("5 янв. 2026 г., 22:00:00 MSK", "2026-01-05T19:00:00+00:00"),
        ("5 Oca 2026 22:00:00 TRT", "2026-01-05T19:00:00+00:00"),
        ("2026/01/05 22:00:00 JST", "2026-01-05T13:00:00+00:00"),
        ("2026年1月5日 22:00:00 JST", "2026-01-05T13:00:00+00:00"),
        ("2026. 1. 5. 오후 10:00:00 KST", "2026-01-05T13:00:00+00:00"),
        ("Jan 5, 2026, 10:00:00 PM GMT+01:00", "2026-01-05T21:00:00+00:00"),
        ("Jan 5, 2026, 10:00:00 PM GMT-3", "2026-01-06T01:00:00+00:00"),
    ]
)
def test_dates_are_read_in_many_languages(text: str, expected: str) -> None:
    """With the zone that they name."""
    found = activity_date(text, UTC)
    assert found is not None
    assert (found[0].isoformat(), found[1]) == (expected, True)


def test_an_abbreviation_means_what_it_means_where_the_reader_is() -> None:
    """CST is Chicago's, and Shanghai's in Shanghai; an unknown one is the zone of the reader, which is told."""
    chicago, shanghai = activity_date("Jan 5, 2026, 10:00:00 PM CST", UTC), ZoneInfo("Asia/Shanghai")
    assert chicago is not None
    assert chicago[0] == datetime(2026, 1, 6, 4, tzinfo=UTC)
    there = activity_date("Jan 5, 2026, 10:00:00 PM CST", shanghai)
    assert there is not None
    assert there[0] == datetime(2026, 1, 5, 14, tzinfo=UTC)
    assert activity_date("Jan 5, 2026, 10:00:00 PM XYZ", UTC) == (START, False)
    records = read(page(cell("Prompted&nbsp;Hi<br>Jan 5, 2026, 10:00:00 PM XYZ<br>")))
    assert "zone-assumed" in [r.code for r in records if isinstance(r, Notice)]
    assert documents(records)[0].messages[0].zone_origin == "option"


@for_each(["", "10:00:00", "Jan 45, 2026, 10:00:00 PM", "In 2026 at 10:00:00 we met", "x" * 9999])
def test_other_lines_are_no_dates(text: str) -> None:
    """A prompt may hold numbers."""
    assert activity_date(text, UTC) is None


def test_a_record_without_a_date_is_rejected() -> None:
    """Those beside it are read."""
    records = read(
        page(cell("Prompted&nbsp;Hi<br>some day<br>"), cell("Prompted&nbsp;Ho<br>Jan 5, 2026, 10:00:00 PM UTC<br>"))
    )
    assert [m.content for m in documents(records)[0].messages] == ["Ho"]
    assert [(r.locator, r.reason) for r in records if isinstance(r, Rejected)] == [
        ("export!a#/0", "a record without a date that can be read")
    ]


def test_a_conversation_of_a_workspace_account_has_its_turns() -> None:
    """Thoughts are told apart."""
    (found,) = documents(read(TURNS))
    assert found.id == "gemini:conversation-2026-01-05T22:00:00Z"
    assert found.metadata["title"] == "Boats"
    assert said(found) == [
        ("0/prompt", UNKNOWN_USER, "user", "Where is Kiel?"),
        ("0/thoughts", "Gemini", "assistant", "A map."),
        ("0/answer", "Gemini", "assistant", "In the north."),
    ]


@pytest.mark.parametrize("chunk", [1, 7, 100_000])
def test_a_page_is_cut_at_its_records_however_it_is_read(chunk: int) -> None:
    """A record over the cap comes empty; the next is whole."""
    data = b"head" + MARK + b"one" + MARK + b"x" * 500 + MARK + b"three"
    position = 0

    def take(_: int) -> bytes:
        nonlocal position
        position += chunk
        return data[position - chunk : position]

    found = list(html_records(take, MARK, 100))
    assert found == [b"head", MARK + b"one", b"", MARK + b"three"]


def test_html_becomes_text_as_a_reader_sees_it() -> None:
    """Paragraphs, lists, code and tables; what is not shown is left out."""
    html = (
        "<h2>Kiel</h2><p>A  port\n on the <b>sea</b>.<br>Yes</p><ol><li>one</li><li>two</li></ol>"
        "<pre><code>a = 1\n  b</code></pre><script>x()</script><table><tr><td>a</td><td>b</td></tr></table>"
    )
    assert plain_text(html) == "Kiel\n\nA port on the sea.\nYes\n\n- one\n- two\n\na = 1\n  b\n\na | b"
    assert plain_text("<div>" * 20_000 + "deep") == "deep"


HOSTILE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1e300,
    "",
    "x\0y",
    "\ud800",
    [],
    [[]],
    {},
    {"html": {}},
    [None],
    [{}],
    "9" * 400,
]


@for_each(HOSTILE)
def test_fields_of_wrong_types_are_no_exception(value: Any) -> None:
    """Each field in turn holds something that nobody expects; the records beside it are read."""
    for key in ("title", "time", "header", "products", "safeHtmlItem", "attachedFiles", "imageFile"):
        records = read([record("Prompted good", 0), {**record("Prompted Hi", 0, "<p>x</p>"), key: value}])
        assert "good" in [m.content for d in documents(records) for m in d.messages]
    for key in TURNS:
        read({**TURNS, key: value})


@given(
    st.lists(
        st.sampled_from(
            ["Attached 2 files.", "1 Datei angehängt.", " ", "\n", "\x1f", "a", ".", "attached 1 fıle", "."]
        )
    ).map("".join)
)
@example("Look. Attached 3 files. \n")
def test_files_are_told_of_at_the_end_alone(prompt: str) -> None:
    """The look at the end of a prompt passes over none that the whole would find."""
    found, whole = attached(prompt), ATTACHED.search(prompt)
    assert (found and found.span()) == (whole and whole.span())


STUDIO: dict[str, Any] = {
    "runSettings": {"model": "models/gemini-2.5-pro"},
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "chunkedPrompt": {
        "chunks": [
            {"role": "user", "text": "Where do flamingos sleep?", "createTime": "2026-01-05T22:00:00.500Z"},
            {"role": "user", "driveDocument": {"id": "1abc"}},
            {"role": "model", "text": "Search memory", "isThought": True},
            {"role": "model", "parts": [{"text": "In "}, {"text": "water."}]},
        ],
        "pendingInputs": [{"role": "user", "text": "And wh"}],
    },
}


def test_a_file_of_ai_studio_is_a_conversation() -> None:
    """Its name is the title; thoughts are told from answers, and what was never sent is counted."""
    records = list(GeminiConnector().read(Shelf("export", {"AI Studio/Birds": json.dumps(STUDIO).encode()}), OPTIONS))
    (found,) = documents(records)
    assert found.id == "gemini:prompt-2026-01-05T22:00:00.500Z"
    assert (found.metadata["title"], found.metadata["model"]) == ("Birds", "gemini-2.5-pro")
    assert [row[1:] for row in said(found)] == [
        (UNKNOWN_USER, "user", "Be brief."),
        (UNKNOWN_USER, "user", "Where do flamingos sleep?"),
        (UNKNOWN_USER, "user", "[file]"),
        ("Gemini", "assistant", "Search memory"),
        ("Gemini", "assistant", "In water."),
    ]
    assert found.messages[3].metadata == {"content_type": "thinking"}
    assert "hidden-messages" in [record.code for record in records if isinstance(record, Notice)]
