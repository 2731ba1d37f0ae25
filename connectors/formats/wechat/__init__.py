"""WeChat: what tools of other hands export of it."""

from .connector import WeChatConnector

__all__ = ["WeChatConnector"]
