"""IRC: logs of clients, bouncers and bots."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "irc",
        rank=150,
        connector=f"{__name__}.connector:IrcConnector",
        reads="IRC: logs of WeeChat, irssi, ZNC, HexChat and XChat, mIRC, dircproxy, energymech and others like them",
        leaves_out="logs whose days neither the log nor its name tells, databases of bouncers",
        each_file_alone=True,
    ),
)
