"""The common parts of connectors of text, table and JSON chat files by many programs: each file is one chat, or none."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from unicodedata import normalize

from ...schemas.errors import SourceError
from ..connector import Member, Preview, ReadOptions, Record, Source
from ..opening.member_subset import held_names
from .chat_connector import ChatConnector
from .text_chats import ChatFile, TextChats


class TextChatConnector(ChatConnector):
    """Reads the chats among the files of a source; subclasses recognise them."""

    program: str
    """The program's name, for people."""
    certain = 1.0
    """The score of a source with such a file: by default more than WhatsApp's, some of whose headers look like those of others."""
    head_bytes = 64 * 1024
    """A file is recognised by so much of it."""

    @abstractmethod
    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Return the chat of a file; with ``detect``, True is enough for one. None for any other file.

        Args:
            member: the file.
            head: its beginning.
            held: the names of all files beside it.
            detect: nothing but whether the file is a chat is needed.

        Raises:
            SourceError: it cannot be read, and counts as any other file.
        """

    def score(self, member: Member) -> float:
        """Return `certain` if the file's beginning is a chat, otherwise 0."""
        return self.certain if self._recognised(member, frozenset(), detect=True) is not None else 0.0

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Count who writes in the chats."""
        return self._chats(source).preview(source, options)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Read every chat, one local day after the other."""
        yield from self._chats(source).read(source, options)

    def _recognised(self, member: Member, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        with suppress(SourceError):
            with member.open() as stream:
                head = stream.read(self.head_bytes)
            return self.chat_in(member, head, held, detect=detect)
        return None

    def _chats(self, source: Source) -> TextChats:
        files: list[ChatFile] = []
        others: list[Member] = []
        held = held_names(source)
        for member in source.members():
            file = self._recognised(member, held, detect=False)
            if isinstance(file, ChatFile):
                files.append(file)
            else:
                others.append(member)
        return TextChats(self.name, self.program, files, others)


def stem_of(member: Member) -> str:
    """Return the file's name without its folders and ending, as the title of its chat."""
    name = normalize("NFC", member.name.rpartition("/")[2])
    return name.rpartition(".")[0] or name or "chat"
