"""A person: one human being (or bot) under all the names that sources give."""

from __future__ import annotations

from pydantic import Field

from .model import Model, Text


class Person(Model):
    """``names`` by source, the newest first. ``is_user``: the owner of this memory."""

    id: Text
    names: dict[Text, tuple[Text, ...]] = Field(default_factory=dict)
    is_user: bool = False
