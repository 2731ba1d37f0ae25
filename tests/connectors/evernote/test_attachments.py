"""Names of what is attached to notes."""

from __future__ import annotations

import io

from memd.connectors.formats.evernote.notes import enex_notes
from memd.connectors.text.xml_stream import xml_events


def test_an_attachment_without_a_name_is_called_by_its_type() -> None:
    """And not by the name of the attachment before it; one without a type is a file."""
    named = "<mime>image/png</mime><resource-attributes><file-name>boat.png</file-name></resource-attributes>"
    resources = "".join(f"<resource>{inner}</resource>" for inner in (named, "<mime>image/gif</mime>", "", named))
    data = f"<en-export><note><title>Boats</title>{resources}</note></en-export>".encode()
    (note,) = enex_notes(xml_events(io.BytesIO(data)))
    assert note.attachments == ["boat.png", "image/gif", "file", "boat.png"]
