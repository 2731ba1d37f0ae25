"""WeChat: exports made by third-party tools."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "wechat",
        rank=120,
        connector=f"{__name__}.connector:WeChatConnector",
        reads="WeChat: what WeFlow, EchoTrace, chatlog (JSON), PyWxDump, WeChatMsg, WeFlow, chatlog (CSV) export",
        leaves_out="the app's encrypted databases, HTML and documents of these tools, pictures and files",
        each_file_alone=True,
    ),
)
