"""Exports of Slack workspaces, by Slack itself and by slackdump: what is read of them is told in docs/formats.md."""

from .connector import SlackConnector

__all__ = ["SlackConnector"]
