"""Mattermost: bulk exports."""

from .connector import MattermostConnector

__all__ = ["MattermostConnector"]
