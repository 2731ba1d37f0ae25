"""The kinds of WeChat messages, by the tools' words for a type and by WeChat's own numbers. Pure."""

from __future__ import annotations

from typing import Any

from .app_xml import words_of_xml

Message = dict[str, Any]
SYSTEM_ACCOUNT = "系统消息"
"""The account under which chatlog lists WeChat's own notes."""
_WORDS = {
    "text": ["文本消息", "文本", "text", "引用消息", "引用", "引用文本", "quote", "消息"],
    "media": [
        "图片消息", "图片", "image", "语音消息", "语音", "voice", "视频消息", "视频", "video", "动画表情", "表情", "表情包", "sticker", "emoji",
        "文件消息", "文件", "file", "卡片式链接", "图文消息", "链接", "链接消息", "分享链接", "link", "小程序分享", "小程序", "视频号直播卡片", "视频号", "音乐",
        "音乐分享", "card",
    ],
    "contact": ["名片消息", "名片", "contact", "公众号名片"],
    "location": ["位置消息", "位置", "location", "位置共享", "实时位置"],
    "call": ["通话消息", "语音通话", "视频通话", "通话", "音视频通话", "call", "voip"],
    "system": ["系统消息", "系统通知", "系统", "system", "拍一拍", "群公告"],
    "deleted": ["撤回消息", "撤回", "revoke", "recall"],
    "event": ["红包卡片", "红包", "红包消息", "转账卡片", "转账", "转账消息", "接龙", "transfer", "redpacket"],
    "forward": ["聊天记录合并转发", "合并转发", "聊天记录", "合并转发的聊天记录", "forward"],
}  # fmt: skip
_BY_WORD = {word: kind for kind, words in _WORDS.items() for word in words}
_BY_NUMBER = {
    1: "text",
    3: "media",
    34: "media",
    37: "system",
    42: "contact",
    43: "media",
    47: "media",
    48: "location",
    49: "media",
    50: "call",
    10000: "system",
    10002: "deleted",
    244813135921: "text",
}
_APPS = {57: "text", 6: "media", 5: "media", 19: "forward", 62: "system", 2000: "event", 2001: "event"}
"""The kinds by the second number, for messages of type 49."""
_PLACEHOLDERS = {3: "图片", 34: "语音", 42: "名片", 43: "视频", 47: "动画表情", 48: "位置", 49: "分享", 50: "通话"}


def kind_of_word(word: str, number: object = None) -> str:
    """Return the kind by a tool's word, else by WeChat's number; empty if neither is known."""
    kind = _BY_WORD.get(word.strip().casefold())
    if kind is None and "(" in word:
        kind = _BY_WORD.get(word.partition("(")[0].strip())
    return kind or (kind_of_number(number, None) if not word.strip() else "")


def kind_of_number(number: object, second: object) -> str:
    """Return the kind by WeChat's numbers; empty if they are unknown."""
    main = _number(number)
    if main == 49 and (app := _APPS.get(_number(second))):
        return app
    return _BY_NUMBER.get(main, "")


def message_of(content: str, kind: str, called: str) -> Message:
    """Return the fields of a message.

    Args:
        content: its text; may be empty, or WeChat's XML for anything but text.
        kind: as the functions above return it; empty for an unknown one.
        called: the placeholder for a missing text, to be put in brackets.
    """
    words = content
    if not words.strip() or (kind not in ("text", "system", "forward") and words.lstrip()[:1] == "<"):
        words = "\n".join(words_of_xml(words)) or f"[{called or 'message without text'}]"
    message: Message = {"content": words}
    if kind == "forward":
        message["segments"] = [{"kind": "forward", "start": 0, "end": len(words)}]
    elif kind != "text":
        message["kind"] = kind or "unknown"
    elif words is not content:
        message["kind"] = "unknown"
    if kind == "deleted":
        message["deleted"] = True
    return message


def called(number: object) -> str:
    """Return WeChat's word for the number of a type."""
    return _PLACEHOLDERS.get(_number(number), "")


def _number(value: object) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 16:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
