"""Exports of Slack workspaces, by Slack itself and by slackdump. See docs/documents.md for the
documents made of them.
"""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "slack",
        rank=30,
        connector=f"{__name__}.connector:SlackConnector",
        reads="Slack: export archives, unpacked or not, single channels, and what slackdump saves (export, dump, archive, slackdump.sqlite)",
        leaves_out="canvases, lists, logs of integrations, files",
        unmistakable=0.95,
        receipts="counted",
    ),
)
