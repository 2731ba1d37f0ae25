"""WeChat: exports made by third-party tools."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "wechat",
        rank=120,
        connector=f"{__name__}.connector:WeChatConnector",
        reads="WeChat: JSON of WeFlow, EchoTrace, CipherTalk and chatlog, CSV of PyWxDump, WeChatMsg, WeFlow and chatlog",
        leaves_out="the app's encrypted databases, HTML and documents of these tools, pictures and files",
        each_file_alone=True,
    ),
)
