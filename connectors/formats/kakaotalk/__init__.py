"""KakaoTalk: chats that the app exports as text or CSV."""

from .connector import KakaoTalkConnector

__all__ = ["KakaoTalkConnector"]
