"""WhatsApp: chat exports of Android and iOS become one conversation document for each chat and local day."""

from .connector import WhatsAppConnector

__all__ = ["WhatsAppConnector"]
