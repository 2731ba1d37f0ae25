"""Recognises messages without text of their own by the words that KakaoTalk writes for them, in Korean, English and
Japanese. Pure.
"""

from __future__ import annotations

import re
from typing import Any

from ...opening.media_names import mime_of

Message = dict[str, Any]
_MEDIA = re.compile(
    r"사진(?: \d{1,3}장)?|동영상|이모티콘|음성메시지|카카오톡 프로필|선물 메시지가 도착하였습니다\.|음성 메시지"
    r"|(?:\d{1,3} )?[Pp]hotos?|[Vv]ideos?|[Ee]moticons?|Voice (?:Note|Message)|Audio"
    r"|写真(?:\d{1,3}枚)?|動画|スタンプ|絵文字|ボイスメッセージ|<(?:사진|동영상|Photo|Video) ?(?:읽지 않음|omitted)?>"
)
_FILE = re.compile(
    r"(?:파일|File|ファイル) ?: ?([^\n]{1,255})|([^\n/\\:*?\"<>|]{1,200}\.(?:jpg|jpeg|png|gif|mp4|m4a|mov|webp))"
)
_DELETED = frozenset(
    {
        "삭제된 메시지입니다.",
        "삭제된 메시지입니다",
        "메시지가 삭제되었습니다.",
        "This message was deleted.",
        "This message was deleted",
        "Deleted message.",
        "削除されたメッセージです。",
        "(삭제된 메시지입니다.)",
    }
)
_CALL = re.compile(
    r"(?:보이스톡|페이스톡|라이브톡|그룹콜|Voice ?(?:Call|Talk)|Video Call|Face ?Talk|Live Talk|ボイストーク|通話)"
    r"(?: ?(?:해요|종료|부재중|취소|응답 없음|거절|시작|ended|started|canceled|cancelled|missed|no answer|Missed|Canceled))?[.!]?"
    r"(?: ?\d{1,2}:\d\d(?::\d\d)?)?"
)
_POLL = re.compile(r"(?:투표|Poll|アンケート) ?: ?[^\n]{1,300}(?:\n.*)?", re.DOTALL)
_PLACE = re.compile(r"(?:지도|위치|Map|Location|地図) ?: ?[^\n]{1,300}(?:\n.*)?", re.DOTALL)
_CONTACT = re.compile(r"(?:연락처|Contact|連絡先) ?: ?[^\n]{1,200}")
_LONGEST = 600
SYSTEM = re.compile(
    r"[^\n]{1,100}님이 (?:들어왔습니다|나갔습니다|들어오셨습니다|나가셨습니다|[^\n]{1,200}님을 (?:초대|내보냈|가렸)[^\n]{0,20})\.?"
    r"|[^\n]{1,100}님을 (?:내보냈습니다|초대하였습니다|초대했습니다)\.?"
    r"|(?:채팅방 관리자가 메시지를 가렸습니다|관리자가 메시지를 가렸습니다|메시지가 삭제되었습니다|톡게시판|운영정책)[^\n]{0,80}"
    r"|[^\n]{1,100} (?:joined|left|has joined|has left)(?: (?:this|the) (?:chatroom|chat room|chat))?\."
    r"|[^\n]{1,100} (?:invited|removed) [^\n]{1,300}\.|The administrator hid a message\.|[^\n]{1,100}님에서 [^\n]{1,100}님으로 [^\n]{1,40}"
    r"|[^\n]{1,100}さんが[^\n]{1,100}さんを招待しました。?|[^\n]{1,100}さんが(?:参加|退室)しました。?"
)
"""Matches whole lines about the chat, which KakaoTalk on Windows writes without a time."""


def recognise(body: str, held: frozenset[str]) -> Message:
    """Return a message with its content, and its kind and attachments if the app's words show them.

    Args:
        body: the text of the message.
        held: the names of the files beside the chat; others are missing.
    """
    message: Message = {"content": body}
    if not body.strip():
        return {"content": "[message without text]", "kind": "unknown"}
    if len(body) > _LONGEST:
        return message
    if body in _DELETED:
        return message | {"kind": "deleted", "deleted": True}
    if _MEDIA.fullmatch(body):
        return message | {"kind": "media"}
    if match := _FILE.fullmatch(body):
        name = (match[1] or match[2]).strip()
        file = {"name": name, "mime": mime_of(name), "missing": name not in held}
        return message | {"kind": "media", "attachments": [file]}
    for kind, wording in (("call", _CALL), ("poll", _POLL), ("location", _PLACE), ("contact", _CONTACT)):
        if wording.fullmatch(body):
            return message | {"kind": kind}
    return message
