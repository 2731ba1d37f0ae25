"""Recognises messages without text of their own by the words that LINE writes for them, in its languages. Pure."""

from __future__ import annotations

import re
from typing import Any

from ...opening.media_names import mime_of

Message = dict[str, Any]
_MEDIA = frozenset(
    [
        "photo", "photos", "video", "videos", "sticker", "stickers", "audio", "album", "gift", "voice|message",
        "gif", "emoji", "image", "写真", "動画", "スタンプ", "ボイスメッセージ", "アルバム", "プレゼント", "画像", "絵文字", "照片", "影片", "视频",
        "影像", "貼圖", "贴图", "語音訊息", "语音信息", "语音消息", "相簿", "相册", "禮物", "礼物", "圖片", "图片", "사진", "동영상", "스티커", "음성메시지",
        "음성|메시지", "앨범", "선물", "รูป", "รูปภาพ", "วิดีโอ", "สติกเกอร์", "ข้อความเสียง", "อัลบั้ม", "ของขวัญ", "foto",
        "stiker", "pesan|suara", "album", "hình|ảnh", "nhãn|dán", "video",
    ]
)  # fmt: skip
_FILES = frozenset(["file", "ファイル", "檔案", "文件", "파일", "ไฟล์", "berkas", "tệp"])
_PLACES = frozenset(["location", "位置情報", "位置", "위치", "위치정보", "ตำแหน่งที่ตั้ง", "ตำแหน่ง", "lokasi"])
_CONTACTS = frozenset(
    ["contact", "contacts", "連絡先", "聯絡資訊", "联系信息", "名片", "연락처", "รายชื่อ", "รายชื่อผู้ติดต่อ", "kontak"]
)
_POLLS = frozenset(["poll", "polls", "投票", "アンケート", "투표", "โพล"])
_KINDS = {
    **dict.fromkeys((word.replace("|", " ") for word in _MEDIA), "media"),
    **dict.fromkeys(_FILES, "media"),
    **dict.fromkeys(_PLACES, "location"),
    **dict.fromkeys(_CONTACTS, "contact"),
    **dict.fromkeys(_POLLS, "poll"),
}
_BRACKETS = re.compile(r"\[([^\[\]\n]{1,24})\](?: ([^\n]{1,200}))?")
_ENGLISH = frozenset({"Photos", "Videos", "Stickers", "Audio", "Photo", "Video", "Sticker", "File"})
_BARE = _ENGLISH.union(word for word, kind in _KINDS.items() if kind == "media" and not word.isascii())
"""The words that LINE on a computer writes without brackets: in English capitalised, in other languages as on phones."""
_CALL = ("☎", "📞")
_UNSENT = re.compile(
    r"(?P<name>[^\n]{1,100}?)(?: unsent a message\.?|(?:が|は)?メッセージの送信を取り消しました。?|已收回訊息。?|收回了訊息。?"
    r"|撤回了一条消息。?|已撤回消息。?|님이 메시지를 (?:취소|삭제)했습니다\.?|ยกเลิกข้อความ)"
)
_NAMELESS_UNSENT = frozenset(
    {
        "Message unsent.",
        "メッセージの送信を取り消しました",
        "已收回訊息",
        "撤回了一条消息",
        "メッセージの送信を取り消しました。",
    }
)
_YOU = frozenset({"You", "you", "あなた", "您", "你", "나", "คุณ"})
SYSTEM = re.compile(
    r" (?:joined|left) the (?:group|chat)\.?$|^[^\n]{1,80} (?:invited|added|removed) [^\n]{1,80}(?: (?:to|from) the (?:group|chat))?\.?$"
    r"| changed the (?:group'?s? )?(?:name|photo|profile|icon)|^Auto-reply|made an announcement|created (?:an album|a note)"
    r"|が(?:グループ|トークルーム)?に?(?:参加|退会)しました|をグループに(?:追加|招待)しました|がグループを退会しました|を招待しました"
    r"|を退会させました|がアナウンスしました|のアイコンを変更しました|グループ名を"
    r"|已?加入(?:群組|该群|聊天)|(?:已)?(?:退群|離開群組|退出群組)|已(?:新增|邀請|将)|添加[至到]群|已設定公告|发布了通告"
    r"|님이 (?:들어왔습니다|나갔습니다|초대했습니다)"
)
"""Matches lines about the chat that only their words distinguish from a message."""


def recognise(body: str) -> Message:
    """Return a message with its content, and its kind and attachments if the app's words show them."""
    message: Message = {"content": body}
    if body.startswith(_CALL) and "\n" not in body:
        message["kind"] = "call"
    elif body[:1] == "[" and (match := _BRACKETS.fullmatch(body)):
        kind = _KINDS.get(match[1].casefold())
        if kind is not None and (match[2] is None or match[1].casefold() in _FILES or kind == "location"):
            message["kind"] = kind
            if match[2] is not None and kind == "media":
                message["attachments"] = [{"name": match[2], "mime": mime_of(match[2]), "missing": True}]
        elif match[1] == "null" and match[2] is not None and "maps" in match[2]:
            message["kind"] = "location"
    if not body.strip():
        message["content"], message["kind"] = "[message without text]", "unknown"
    return message


def without_brackets(body: str) -> Message:
    """Return `recognise` for LINE on a computer, which writes ``Photos`` without brackets."""
    message = recognise(body)
    if body in _BARE:
        message["kind"] = "media"
    return message


def is_placeholder(body: str, *, tabs: bool = False) -> bool:
    """Return whether a text is a placeholder of the app. With ``tabs`` only English words count
    without brackets, since a time sheet may have a plain 写真.
    """
    return "kind" in recognise(body) or body in (_ENGLISH if tabs else _BARE)


def taken_back(body: str) -> tuple[str, bool, Message] | None:
    """Return who retracted a message, whether that is the user, and the message; None for any other line."""
    if len(body) > 200:
        return None
    name = ""
    if body not in _NAMELESS_UNSENT:
        match = _UNSENT.fullmatch(body)
        if match is None:
            return None
        name = match["name"].strip()
    is_own = name in _YOU
    return "" if is_own else name, is_own, {"content": body, "kind": "deleted", "deleted": True}
