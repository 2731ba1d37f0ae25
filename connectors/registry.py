"""The registered connectors: every format that memd reads."""

from __future__ import annotations

from collections.abc import Sequence

from ..schemas.errors import InvalidError
from .calendar import CalendarConnector
from .connector import Connector
from .discord import DiscordConnector
from .docx import DocxConnector
from .epub import EpubConnector
from .evernote import EvernoteConnector
from .google_chat import GoogleChatConnector
from .html import HtmlConnector
from .imessage import IMessageConnector
from .irc import IrcConnector
from .jsondocs.connector import DocumentsConnector
from .kakaotalk import KakaoTalkConnector
from .line import LineConnector
from .llm_chats import ChatGPTConnector, ClaudeConnector, GeminiConnector
from .mail import MailConnector
from .matrix import MatrixConnector
from .mattermost import MattermostConnector
from .messenger import InstagramConnector, MessengerConnector
from .notes import NotesConnector
from .notion import NotionConnector
from .pdf import PdfConnector
from .pidgin import PidginConnector
from .qq import QQConnector
from .rocketchat import RocketChatConnector
from .signal import SignalConnector
from .slack import SlackConnector
from .source_code import SourceCodeConnector
from .teams import TeamsConnector
from .telegram import TelegramConnector
from .transcripts import TranscriptsConnector
from .wechat import WeChatConnector
from .whatsapp import WhatsAppConnector
from .x import XConnector
from .zulip import ZulipConnector


def default_connectors() -> tuple[Connector, ...]:
    """Every format that memd reads. The first that recognises something also gets what nobody recognises, and the
    earlier of two that are barely sure reads it.
    """
    return (
        WhatsAppConnector(),
        TelegramConnector(),
        SlackConnector(),
        DiscordConnector(),
        MessengerConnector(),
        InstagramConnector(),
        GoogleChatConnector(),
        IMessageConnector(),
        SignalConnector(),
        LineConnector(),
        KakaoTalkConnector(),
        WeChatConnector(),
        QQConnector(),
        PidginConnector(),
        IrcConnector(),
        MatrixConnector(),
        TeamsConnector(),
        XConnector(),
        ZulipConnector(),
        MattermostConnector(),
        RocketChatConnector(),
        ChatGPTConnector(),
        ClaudeConnector(),
        GeminiConnector(),
        MailConnector(),
        TranscriptsConnector(),
        CalendarConnector(),
        PdfConnector(),
        DocxConnector(),
        EpubConnector(),
        HtmlConnector(),
        NotionConnector(),
        EvernoteConnector(),
        SourceCodeConnector(),
        NotesConnector(),
        DocumentsConnector(),
    )


def connector_named(name: str, connectors: Sequence[Connector]) -> Connector:
    """The connector of a format.

    Raises:
        InvalidError: there is none.
    """
    for connector in connectors:
        if connector.name == name:
            return connector
    names = ", ".join(connector.name for connector in connectors)
    raise InvalidError(f"no format is called {name!r}", hint=f"formats: {names}")
