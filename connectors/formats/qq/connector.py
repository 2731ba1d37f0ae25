"""Reads QQ's text exports, of one contact or of the whole account, and QQChatExporter's JSON and text."""

from __future__ import annotations

from functools import partial
from itertools import islice

from ...chats.text_chat_connector import TextChatConnector, stem_of
from ...chats.text_chats import ChatFile, TextChats
from ...connector import Member, Source
from ...files.whole_files import head_text
from ...opening.member_names import folder_of
from ...opening.member_subset import held_names
from ...opening.tracked_member import note_role
from ...text.chat_lines import legacy_encoding
from ...text.json_beginnings import is_of_objects
from . import json_export, labelled_text
from .text_export import HEADER, SECTION, items

_LINES = 400
_OLD_CHINESE = "gb18030"
_LEAST = 3
_PIECES = (".jsonl", ".ndjson", ".jsonl.gz")
_MARKS = "\ufeff\u200e\u200f"


class QQConnector(TextChatConnector):
    """Reads chats of QQ: the client's text exports, and the files of QQChatExporter."""

    name = "qq"
    version = 3
    program = "QQ"

    def _chats(self, source: Source) -> TextChats:
        """Join the pieces of a chat: those in a folder, or in the folder below that of their list."""
        chats = super()._chats(source)
        held = held_names(source)
        lists = {
            folder_of(member): (member, manifest)
            for member in chats.others
            if member.name.endswith(".json") and (manifest := json_export.manifest_of(member)) is not None
        }
        files: list[ChatFile] = []
        pieces: dict[str, list[Member]] = {}
        for file in chats.files:
            if file.member.name.endswith(_PIECES):
                pieces.setdefault(folder_of(file.member), []).append(file.member)
            else:
                files.append(file)
        for folder, members in pieces.items():
            place = folder if folder in lists else folder.rpartition("/")[0]
            member, manifest = lists.get(place, (None, None))
            if member is not None:
                note_role(member, "the list of a chat's pieces", used=True)
            files.append(json_export.pieces_file(members, manifest, stem_of(members[0]), held))
        locators = {member.locator for member, _ in lists.values()} if pieces else set[str]()
        return TextChats(
            self.name, self.program, files, [each for each in chats.others if each.locator not in locators]
        )

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Recognise a file by its beginning."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and json_export.is_export(head):
            if detect or json_export.manifest_of(member) is not None:
                return True
            return json_export.chat_file(member, stem_of(member), held)
        if is_of_objects(head):
            is_piece = json_export.is_piece(head)
            return json_export.pieces_file((member,), None, stem_of(member), held) if is_piece else None
        text = head_text(member, self.head_bytes)
        if not text:
            return None
        encoding = legacy_encoding(head, _OLD_CHINESE)
        text = head.decode(encoding, "replace") if encoding else text
        lines = [line.strip(_MARKS).rstrip() for line in islice(iter(text.splitlines()), _LINES)]
        if labelled_text.is_export(text):
            return labelled_text.chat_file(member, text, stem_of(member), encoding, held)
        if _is_export(lines):
            titles = [match["title"].strip() for line in lines if (match := SECTION.fullmatch(line))]
            return ChatFile(
                member, titles[0] if titles and titles[0] else stem_of(member), partial(items, encoding=encoding)
            )
        return None


def _is_export(lines: list[str]) -> bool:
    headers = [
        header for line in lines if line[:1].isdigit() and len(line) <= 320 and (header := HEADER.fullmatch(line))
    ]
    has_title = any(
        line.startswith("消息记录") or SECTION.fullmatch(line) for line in [line for line in lines if line][:8]
    )
    named = sum(1 for header in headers if header["number"] or header["mail"])
    # Without QQ's preamble, only the accounts after the names distinguish it from other logs.
    return bool(headers) and (has_title or (named >= _LEAST and named * 2 > len(headers)))
