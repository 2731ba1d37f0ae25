"""Slack by a user's own token: what that person sees of a workspace, as the documents that exports of Slack become."""

from .connector import SlackAccount
from .web_api import SlackServer

__all__ = ["SlackAccount", "SlackServer"]
