"""What connectors of chats in files of text, tables and JSON by many hands have in common: each file is a chat, or none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from ..connector import Member, Preview, ReadOptions, Record, Source
from ..opening.member_subset import held_files
from .text_chats import ChatFile, TextChats

_SNIFFED_MEMBERS = 200
"""A source of more files is recognised by the first of them."""


class TextChatConnector(ABC):
    """Reads the chats among the files of a source; subclasses recognise them."""

    source: str
    program: str
    """The program's name, for people."""
    sure = 1.0
    """What it scores a source with such a file: by default more than WhatsApp, some of whose headers look like those of others."""
    version = 1
    """Of what is read: told in receipts."""

    @property
    def name(self) -> str:
        """The format's."""
        return self.source

    def sniff(self, source: Source) -> float:
        """Sure when a file is a chat by its beginning."""
        members = source.members()[:_SNIFFED_MEMBERS]
        found = any(self.recognised(member, frozenset(), known=True) is not None for member in members)
        return self.sure if found else 0.0

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Who writes in the chats."""
        return self._chats(source).preview(source, options)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Every chat, one local day after the other."""
        yield from self._chats(source).read(source, options)

    @abstractmethod
    def recognised(self, member: Member, held: frozenset[str], *, known: bool) -> ChatFile | bool | None:
        """The chat of a file; with ``known`` only whether it is one may be told. None for any other file.

        Args:
            member: the file.
            held: the names of all files beside it.
            known: whether no more is asked.
        """

    def _chats(self, source: Source) -> TextChats:
        files: list[ChatFile] = []
        others: list[Member] = []
        held = frozenset(member.name.rpartition("/")[2] for member in held_files(source))
        for member in source.members():
            file = self.recognised(member, held, known=False)
            if isinstance(file, ChatFile):
                files.append(file)
            else:
                others.append(member)
        return TextChats(self.source, self.program, files, others)
