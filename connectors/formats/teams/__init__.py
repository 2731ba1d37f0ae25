"""Microsoft Teams and Skype: chat histories of personal accounts, and organisations' exports in the JSON of Microsoft
Graph.
"""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "teams",
        rank=170,
        connector=f"{__name__}.connector:TeamsConnector",
        reads=(
            "Teams and Skype: messages.json of a personal account's export, exports of organisations in the "
            "shape of Graph"
        ),
        leaves_out="files beyond their names, meetings and their recordings, mailboxes of Purview",
        receipts="counted",
    ),
)
