"""Results of reading beside documents: records that could not be read, and notices. Values, not exceptions."""

from __future__ import annotations

from .model import Model, Text


class Rejected(Model):
    """A record that could not be read. ``reason`` names no private text."""

    locator: Text
    """The place: ``chat.zip!_chat.txt:120`` (line), ``docs.jsonl:3``, ``docs.json#/2``."""
    reason: Text
    """The reason in words."""


class Notice(Model):
    """Something a reader of the result should know; the record itself was kept."""

    code: Text
    """``date-order-ambiguous``, ``user-unknown``, ``zone-assumed``, ``unknown-key``, …: listed in docs/documents.md."""
    locator: Text
    hint: Text
    """One sentence: what was assumed, and the flag or setting that decides it."""
