"""Mattermost: bulk exports."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "mattermost",
        rank=200,
        connector=f"{__name__}.connector:MattermostConnector",
        reads="Mattermost: bulk exports (import.jsonl), alone or in their archive; posts saved from the server",
        leaves_out="files beyond their names, settings, deleted posts (no export has them)",
        receipts="counted",
    ),
)
