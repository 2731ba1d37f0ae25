"""The registered connectors: every format that memd reads."""

from __future__ import annotations

from collections.abc import Sequence

from ..schemas.errors import InvalidError
from .connector import Connector
from .discord import DiscordConnector
from .google_chat import GoogleChatConnector
from .imessage import IMessageConnector
from .jsondocs.connector import DocumentsConnector
from .llm_chats import ChatGPTConnector, ClaudeConnector, GeminiConnector
from .mail import MailConnector
from .messenger import InstagramConnector, MessengerConnector
from .notes import NotesConnector
from .signal import SignalConnector
from .slack import SlackConnector
from .telegram import TelegramConnector
from .whatsapp import WhatsAppConnector


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
        ChatGPTConnector(),
        ClaudeConnector(),
        GeminiConnector(),
        MailConnector(),
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
