"""Lines of calendars that programs do not fold as they should, and the words of which an event has several lines."""

from __future__ import annotations

import io

from memd.connectors.formats.calendar.recurrence import rule_in_words
from memd.connectors.text.calendar_lines import content_lines, text_of
from memd.tests.connectors.calendar.test_calendar import calendar, one

_START = "UID:e1\nDTSTART:20240115T100000Z\n"


def values(data: str) -> list[tuple[str, str]]:
    """The names of the lines, and their texts."""
    return [(line.name, text_of(line.value)) for line in content_lines(io.BytesIO(data.encode()))]


def test_a_text_goes_on_where_its_folding_was_forgotten() -> None:
    """In lines of words and addresses, also with a colon; behind a time such lines are damage."""
    event = f"{_START}DESCRIPTION:Bring oars\nand the map\nAgenda: sails\nhttps://example.org/a\nLOCATION:Pier\n"
    document = one(calendar(event))
    assert document.events[0].text == "Bring oars\nand the map\nAgenda: sails\nhttps://example.org/a"
    assert document.events[0].place == "Pier"
    assert values("DTSTART:20240115T100000Z\nnoise\nSUMMARY:A\n") == [("DTSTART", "20240115T100000Z"), ("SUMMARY", "A")]


def test_quoted_printable_of_the_first_version_is_decoded() -> None:
    """Also over soft line ends, whatever the next line looks like."""
    field = "SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gr=C3=BC=\n=C3=9Fe: a=\nDTSTART:b=0D=0Ac\nSEQUENCE:1\n"
    assert values(field) == [("SUMMARY", "Grüße: aDTSTART:b\nc"), ("SEQUENCE", "1")]
    assert rule_in_words("W1 MO #4") == "W1 MO #4"


def test_all_paragraphs_of_an_entry_and_words_beside_answers_are_kept() -> None:
    """A journal may have several descriptions; Google Calendar keeps what somebody wrote when answering."""
    event = (
        f"{_START}SUMMARY:Log\nDESCRIPTION:Wind\nDESCRIPTION:Rain\nDESCRIPTION:Wind\n"
        'ATTENDEE;CN=Bo;PARTSTAT=DECLINED;X-RESPONSE-COMMENT="I am ill":mailto:bo@example.org\n'
    )
    document = one(calendar(event))
    assert document.events[0].text == "Wind\nRain"
    assert document.metadata["comment"] == "Bo: I am ill"
