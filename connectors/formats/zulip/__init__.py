"""Zulip: exports of organisations."""

from .connector import ZulipConnector

__all__ = ["ZulipConnector"]
