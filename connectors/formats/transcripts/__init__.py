"""Transcripts and captions of video calls: WebVTT, SubRip, SBV, and the text forms of Google Meet, Otter and Zoom."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "transcripts",
        rank=260,
        connector=f"{__name__}.connector:TranscriptsConnector",
        reads=(
            "video calls: transcripts and captions of Zoom, Google Meet, Teams (also .docx), Webex and others (.vtt, .srt, .sbv, "
            "text), and JSON of Whisper and its kin"
        ),
        leaves_out="recordings",
        takes_any_file=True,
        sent_in_chats=True,
    ),
)
