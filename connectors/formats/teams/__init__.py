"""Microsoft Teams and Skype: chat histories of personal accounts, and exports of organisations in the shape of Graph."""

from .connector import TeamsConnector

__all__ = ["TeamsConnector"]
