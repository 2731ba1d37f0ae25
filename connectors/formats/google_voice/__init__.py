"""Google Voice: texts, calls and voicemails of Google Takeout, a page for each conversation and each call."""

from __future__ import annotations

from ...connector import Format
from ...opening.member_names import TAKEOUT_PIECES

FORMATS = (
    Format(
        "google_voice",
        rank=97,
        connector=f"{__name__}.connector:GoogleVoiceConnector",
        reads="Google Voice: texts, calls and voicemails of Google Takeout (Voice/Calls/*.html)",
        leaves_out="greetings and bills, pictures and recordings beyond their names",
        receipts="counted",
        unmistakable=1.0,
        pieces=TAKEOUT_PIECES,
    ),
)
