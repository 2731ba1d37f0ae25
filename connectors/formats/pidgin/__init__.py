"""Pidgin: conversations that Pidgin and other programs with libpurple (Finch, Adium) log as text, HTML and XML."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "pidgin",
        rank=140,
        connector=f"{__name__}.connector:PidginConnector",
        reads="Pidgin and Adium: logs of conversations as text, HTML or XML (.chatlog), of any of their protocols",
        leaves_out="logs of the system (who came online), logs of before 2.0 in one file",
        each_file_alone=True,
    ),
)
