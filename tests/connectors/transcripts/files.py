"""Transcripts as speech recognition and Teams write them, made up for tests."""

from __future__ import annotations

import json
from typing import Any

from memd.tests.connectors.office_files import docx


def paragraph(*lines: str) -> str:
    """A paragraph of Word with breaks between its lines."""
    runs = "<w:r><w:br/></w:r>".join(f'<w:r><w:t xml:space="preserve">{line}</w:t></w:r>' for line in lines)
    return f"<w:p>{runs}</w:p>"


def document(*paragraphs: tuple[str, ...] | str) -> bytes:
    """A document of Word."""
    return docx("".join(paragraph(*([each] if isinstance(each, str) else each)) for each in paragraphs))


def spoken(start: float, end: float, text: str, **more: Any) -> dict[str, Any]:
    """A segment of Whisper."""
    return {"start": start, "end": end, "text": f" {text}", **more}


def written(value: object) -> bytes:
    """As these programs write it."""
    return json.dumps(value, ensure_ascii=False).encode()


SPEECH = written(
    {
        "segments": [
            spoken(
                0.031, 2.5, "Cast off.", words=[{"word": "Cast", "start": 0.031, "end": 0.4, "speaker": "SPEAKER_00"}]
            ),
            spoken(2.9, 4.1, "Aye.", speaker="SPEAKER_01"),
        ],
        "language": "en",
    }
)
TEAMS_DOCUMENT = document("Crew", "32m 10s", ("Ann Smith   0:03", "Hello."), ("Bob   0:09", "Hi."))
