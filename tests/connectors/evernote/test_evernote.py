"""Evernote: notes, tags, times, tasks, attachments, bombs, damage, overlap."""

from __future__ import annotations

import base64
import io
import tracemalloc
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector, ReadOptions, Record
from memd.connectors.formats.evernote.connector import EvernoteConnector
from memd.connectors.formats.evernote.notes import enex_notes
from memd.connectors.reading.detection import choose
from memd.connectors.text.xml_stream import xml_events
from memd.schemas import Rejected, TextDocument
from memd.tests.cases import for_each
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n'
ENML = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd">'


def note(title: str, body: str, more: str = "", created: str = "20240115T103000Z") -> str:
    """A note as Evernote writes it."""
    return (
        f"<note><title>{title}</title><created>{created}</created><updated>20240116T090000Z</updated>{more}"
        f"<content>\n<![CDATA[{ENML}<en-note>{body}</en-note>]]>\n</content></note>"
    )


def enex(*notes: str) -> bytes:
    """A notebook."""
    return f'{HEAD}<en-export export-date="20240201T000000Z" application="Evernote" version="10">{"".join(notes)}</en-export>'.encode()


FILE = f'<resource><data encoding="base64">{base64.b64encode(bytes(90)).decode()}</data><mime>image/png</mime><resource-attributes><file-name>boat.png</file-name></resource-attributes></resource>'
TASK = "<task><title>Buy rope</title><created>20240115T103000Z</created><taskStatus>completed</taskStatus></task>"
SAMPLE = enex(
    note(
        "Boats &amp; oars",
        '<div>The <b>Wren</b>&nbsp;leaks.</div><div><en-todo checked="true"/>paint</div><div><en-todo/>sew</div>'
        '<en-media type="image/png" hash="aa"/><en-crypt hint="x">U2VjcmV0</en-crypt><ul><li>oar</li></ul>',
        f"<tag>sea</tag><tag>wood</tag><note-attributes><author>Ann</author><source-url>https://example.org</source-url></note-attributes>{TASK}{FILE}",
    ),
    note("Empty", ""),
)  # fmt: skip


class TestContract(ConnectorContract):
    """The suite."""

    readers = ("evernote.connector:_document",)
    download = Download(
        "the carburettor needs cleaning",
        {"Garage.enex": enex(note("Garage", "<div>The carburettor needs cleaning</div>"))},
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Evernote's."""
        return EvernoteConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A notebook."""
        return {"Harbour.enex": {"Harbour.enex": SAMPLE}}


def read(data: bytes, name: str = "Harbour.enex") -> list[Record]:
    """Everything in a notebook."""
    return list(EvernoteConnector().read(Shelf("x", {name: data}), OPTIONS))


def texts(records: Iterable[Record]) -> list[TextDocument]:
    """The notes."""
    return [record for record in records if isinstance(record, TextDocument)]


def test_a_notebook() -> None:
    """Words as they are read, times in UTC, tags, tasks, names of files."""
    records = read(SAMPLE)
    boats, empty = texts(records)
    assert len(records) == 2
    assert boats.content == (
        "# Boats & oars\n\nThe Wren\u00a0leaks.\n[x] paint\n[ ] sew\n[encrypted]\n\n- oar\n\n- [x] Buy rope\n"
    )
    assert str(boats.timestamp) == "2024-01-15 10:30:00+00:00"
    assert boats.tags == ("sea", "wood")
    assert boats.metadata == {
        "source": "evernote",
        "title": "Boats & oars",
        "path": "x/Harbour.enex",
        "notebook": "Harbour",
        "media_type": "text/markdown",
        "author": "Ann",
        "url": "https://example.org",
        "created": "2024-01-15T10:30:00Z",
        "updated": "2024-01-16T09:00:00Z",
        "attachments": '["boat.png"]',
    }
    assert empty.content == "# Empty\n"


def test_a_later_export_has_the_same_ids() -> None:
    """In another file and another order, with changed words; equal titles of one second are two notes."""
    first = texts(read(enex(note("A", "one"), note("B", "two"), note("A", "three"))))
    later = texts(read(enex(note("B", "two and more"), note("A", "one"), note("A", "three")), "Other.enex"))
    assert {each.id for each in first} == {each.id for each in later}
    assert len({each.id for each in first}) == 3


@pytest.mark.parametrize(
    "data",
    [
        HEAD.replace('evernote-export4.dtd">', 'x" [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>').encode() + b"<en-export><note><title>&c;</title></note></en-export>",
        b"<en-export>" + b"<a>" * 5_000,
        SAMPLE[: SAMPLE.index(b"Empty")],
        SAMPLE.replace(b"</note></en-export>", b"</nose></en-export>"),
    ],
    ids=["entities", "deep", "cut", "damaged"],
)  # fmt: skip
def test_what_is_no_notebook_is_rejected(data: bytes) -> None:
    """What comes before the damage is read; entities of a file's own are not taken."""
    records = read(data)
    assert isinstance(records[-1], Rejected)
    assert len(texts(records)) == (2 if data.endswith(b"</nose></en-export>") else data.startswith(SAMPLE[:200]))


def test_an_entity_bomb_inside_a_note_stays_small() -> None:
    """The mark-up of a note is read as a page, where a declaration is nothing."""
    bomb = '<!DOCTYPE en-note [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><en-note>&b;&b; words</en-note>'
    data = enex(f"<note><title>T</title><content><![CDATA[{bomb}]]></content></note>")
    (document,) = texts(read(data))
    assert "words" in document.content
    assert len(document.content) < 200


@for_each(["99999999T999999Z", "", "2024-01-15", "00010101T000000Z", "99991231T235959Z"])
def test_times_of_any_kind(created: str) -> None:
    """The note is kept; what is no time is kept as it is written."""
    (document,) = texts(read(enex(note("A", "x", created=created))))
    assert (document.metadata.get("created") is not None) == (created[:4] in ("0001", "9999") and created[4:6] != "99")


class _Endless(io.RawIOBase):
    """A notebook with a large attachment that is made while it is read."""

    def __init__(self, megabytes: int) -> None:
        super().__init__()
        self._pieces = self._made(megabytes)
        self._rest = b""

    @staticmethod
    def _made(megabytes: int) -> Iterator[bytes]:
        whole = enex(note("A", "x", FILE))
        place = whole.index(b"</data>")
        yield whole[:place]
        for _ in range(megabytes * 16):
            yield b"QUFB" * 16_384
        yield whole[place:]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int:
        self._rest = self._rest or next(self._pieces, b"")
        view = cast("bytearray", buffer)
        data, self._rest = self._rest[: len(view)], self._rest[len(view) :]
        view[: len(data)] = data
        return len(data)


@pytest.mark.slow
def test_attachments_pass_by() -> None:
    """Two hundred megabytes of a film take no memory."""
    tracemalloc.start()
    (found,) = enex_notes(xml_events(cast("BinaryIO", io.BufferedReader(_Endless(200)))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.attachments == ["boat.png"]
    assert peak < 8_000_000


def test_who_reads_it() -> None:
    """By content, under any name."""
    assert choose(Shelf("a.txt", {"a.txt": SAMPLE}), OPTIONS).name == "evernote"
    assert EvernoteConnector().sniff(Shelf("a.enex", {"a.enex": b"# Head\n"})) == 0


@settings(max_examples=examples(30), deadline=None)
@given(st.text(max_size=200), st.text(max_size=80))
def test_any_mark_up(body: str, title: str) -> None:
    """A note or a reason."""
    assert read(enex(note(title.replace("<", ""), body)).replace(b"\xed", b"?"))


def test_lists_tables_and_code_as_evernote_writes_them() -> None:
    """Every item, cell and line of code stands in a block of its own, and check lists mark their items by their style."""
    markup = (
        '<ul style="--en-todo:true;"><li style="--en-checked:false;"><div>oars</div></li><ul style="--en-todo:true;">'
        '<li style="--en-checked:true;"><div>left <b>one</b></div></li></ul></ul><ol><li><div>sail</div></li></ol>'
        "<table><tbody><tr><td><div>A</div></td><td><div>B</div></td></tr><tr><td><div>1</div></td><td><div>2</div>"
        '<div>3</div></td></tr></tbody></table><div style="x; --en-codeblock:true;"><div>if a:</div><div>    b</div></div><div>end</div>'
    )
    (found,) = texts(read(enex(note("Boat", markup))))
    assert found.content == (
        "# Boat\n\n- [ ] oars\n  - [x] left one\n\n- sail\n\nA | B\n1 | 2\n3\n\nif a:\n    b\nend\n"
    )


def test_a_reminder_and_a_place_are_kept() -> None:
    """When the note reminds, when that was ticked off, and where it was made; a time in another form as it is written."""
    extra = "<note-attributes><latitude>53.5</latitude><longitude>9.9</longitude><reminder-time>20240201T080000Z</reminder-time><reminder-done-time>soon</reminder-done-time></note-attributes>"
    (found,) = texts(read(enex(note("Boat", "<div>sail</div>", extra))))
    assert found.metadata["place"] == "53.5,9.9"
    assert (found.metadata["reminder"], found.metadata["x-reminder_done"]) == ("2024-02-01T08:00:00Z", '"soon"')


def test_damage_in_one_note_leaves_the_others() -> None:
    """An ampersand of a program, and a section of text in another: the note's words stay, and reading goes on behind."""
    attribute = "<note-attributes><application-data key='a'>Ropes & sails</application-data></note-attributes>"
    section = "<en-note>Wren<br/><![CDATA[boat.jpg]]></en-note> ]]></content></note>"
    data = (
        HEAD
        + f"<en-export><note><title>A</title><content>one</content>{attribute}</note>"
        + f"<note><title>B</title><content><![CDATA[{section}"
        + "<note><title>C</title><content>three</content></note></en-export>"
    ).encode()
    records = read(data)
    assert [text.content for text in texts(records)] == ["# A\n\none\n", "# B\n\nWren\nboat.jpg\n", "# C\n\nthree\n"]
    assert [r.locator.rpartition("/")[2] for r in records if isinstance(r, Rejected)] == ["1", "2"]


def test_each_damaged_note_has_a_place_of_its_own() -> None:
    """Also where nothing of it is left, and the notes behind it are counted on."""
    damaged = "<note><title>Ropes & sails</title></note>"
    whole = "<note><title>A</title><content>one</content></note>"
    records = read(f"{HEAD}<en-export>{whole}{damaged}{damaged}{whole}{damaged}</en-export>".encode())
    places = [r.locator.rpartition("/")[2] for r in records if isinstance(r, Rejected)]
    assert (len(texts(records)), places) == (2, ["2", "3", "5"])


def test_tasks_stand_once_and_code_keeps_its_blanks() -> None:
    """Without the words that stand in a note for programs that are too old; of code in older and newer notes."""
    group = '<div style="--en-task-group:true;--en-id:1"><div>Content not supported</div></div>'
    code = '<div style="-en-codeblock:true;"><div>if leak:</div><div>    bail()</div></div>'
    note = f"<note><title>T</title><content><![CDATA[<en-note>{group}{code}</en-note>]]></content>"
    task = "<task><title>Bail</title><taskStatus>open</taskStatus></task>"
    (found,) = texts(read(f"{HEAD}<en-export>{note}{task}</note></en-export>".encode()))
    assert found.content == "# T\n\nif leak:\n    bail()\n\n- [ ] Bail\n"


def test_addresses_behind_words_are_kept() -> None:
    """Where a link leads, once each; not what its words say themselves, nor what leads nowhere outside."""
    body = (
        '<div><a href="https://example.org/x">sail plan</a> <a href="https://example.org/x">again</a> '
        '<a href="https://example.org/">example.org</a> <a href="mailto:ann@example.org">Ann</a> <a href="#top">up</a></div>'
    )
    linked, plain = texts(read(enex(note("Boat", body), note("Other", "<div>no link</div>"))))
    assert linked.content == "# Boat\n\nsail plan again example.org Ann up\n"
    assert linked.metadata["links"] == '["https://example.org/x", "mailto:ann@example.org"]'
    assert "links" not in plain.metadata


def test_a_note_that_was_encrypted_for_its_export_is_marked() -> None:
    """What stands in its place is no word."""
    secret = "<note><title>Keel</title><content encoding='base64:aes'>RU5DMHh5\nabc=</content></note>"
    (document,) = texts(read(enex(secret)))
    assert document.content == "# Keel\n\n[encrypted]\n"
