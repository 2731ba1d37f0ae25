"""The registered connectors: every format that memd reads."""

from __future__ import annotations

from collections.abc import Sequence

from ...schemas.errors import InvalidError
from ..connector import Connector
from ..formats.calendar import CalendarConnector
from ..formats.discord import DiscordConnector
from ..formats.docx import DocxConnector
from ..formats.epub import EpubConnector
from ..formats.evernote import EvernoteConnector
from ..formats.google_chat import GoogleChatConnector
from ..formats.html import HtmlConnector
from ..formats.imessage import IMessageConnector
from ..formats.irc import IrcConnector
from ..formats.jsondocs.connector import DocumentsConnector
from ..formats.kakaotalk import KakaoTalkConnector
from ..formats.line import LineConnector
from ..formats.llm_chats import ChatGPTConnector, ClaudeConnector, GeminiConnector
from ..formats.mail import MailConnector
from ..formats.matrix import MatrixConnector
from ..formats.mattermost import MattermostConnector
from ..formats.messenger import InstagramConnector, MessengerConnector
from ..formats.notes import NotesConnector
from ..formats.notion import NotionConnector
from ..formats.pdf import PdfConnector
from ..formats.pidgin import PidginConnector
from ..formats.qq import QQConnector
from ..formats.rocketchat import RocketChatConnector
from ..formats.signal import SignalConnector
from ..formats.slack import SlackConnector
from ..formats.source_code import SourceCodeConnector
from ..formats.teams import TeamsConnector
from ..formats.telegram import TelegramConnector
from ..formats.transcripts import TranscriptsConnector
from ..formats.wechat import WeChatConnector
from ..formats.whatsapp import WhatsAppConnector
from ..formats.x import XConnector
from ..formats.zulip import ZulipConnector


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
