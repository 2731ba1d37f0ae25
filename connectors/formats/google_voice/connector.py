"""Connector for Google Voice: the pages of a Takeout, of which a large account has tens of thousands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from html import unescape
from typing import BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...chats.phone_contacts import Contacts
from ...connector import Member, ReadOptions, Source
from ...files.whole_files import FILE_CAP, head_of
from ...opening.member_subset import held_files
from ...opening.tracked_member import note_role
from ...record_faults import Failure, attempt
from ...text.html.tree import TOO_COSTLY, html_tree
from ...text.unicode import as_utf8
from .message import PageReader
from .pages import contacts_in, is_page, name_in_path, page_of

_OWNER = "Me"
"""The name of the account's owner in every page."""
_NUMBERS = re.compile(rb"^(?:\w+\.)?TEL[^:\r\n]{0,80}:([+\d().\- ]{3,40})\r?$", re.MULTILINE)
_DEEPEST = 100
"""The largest nesting depth of a page; those of Takeout have a dozen, and each message is searched for its parts."""
_CARD = b"BEGIN:VCARD"
_CARDS = "Phones.vcf"


class GoogleVoiceConnector(ExportConnector):
    """Reads Google Voice."""

    name = "google_voice"
    program = "Google Voice"

    def score(self, member: Member) -> float:
        """Return 1 for a page of a conversation or a call."""
        return 1.0 if is_page(head_of(member)) else 0.0

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Learn the people of all pages, and prepare the pages."""
        accounts = Accounts(options.me, _OWNER)
        contacts = Contacts(accounts)
        reader = PageReader(contacts, accounts.user, options.zone)
        pages: list[Member] = []
        others: list[Member] = []
        for member in source.members():
            head = head_of(member)
            if is_page(head):
                pages.append(member)
                for number, name in contacts_in(head.decode("utf-8", "replace")):
                    reader.learn(number, unescape(name))
            elif member.name.rpartition("/")[2] == _CARDS and head.startswith(_CARD):
                note_role(member, "your numbers in Google Voice", used=True)
                for number in _NUMBERS.findall(head):
                    reader.learn_own(number.decode())
            else:
                others.append(member)
        if not pages:
            return None
        read = partial(_read, reader, _files_beside(source))
        messages = partial(read_members, pages, read, alone=len(source.members()) == 1)
        return ChatExport(accounts, messages, {}, others, reader.counts, contacts.links)


def _files_beside(source: Source) -> dict[str, str]:
    """Return the names of files by their folders and stems: pages name them without their endings."""
    names = (file.name for file in held_files(source))
    return {key: name.rpartition("/")[2] for name in names for key in (name, name.rpartition(".")[0]) if key}


def _read(
    reader: PageReader, beside: dict[str, str], member: Member, stream: BinaryIO
) -> Iterator[Said | Rejected | Notice]:
    text = as_utf8(stream)
    data = text.stream.read(FILE_CAP + 1)
    tree = html_tree(data.decode("utf-8", "replace"), deepest=_DEEPEST) if len(data) <= FILE_CAP else None
    page = None if tree is None else attempt(page_of, tree)
    if page is None or isinstance(page, Failure):
        reason = TOO_COSTLY if len(data) <= FILE_CAP else f"more than {FILE_CAP} bytes in one page"
        yield Rejected(locator=member.locator, reason=page if isinstance(page, Failure) else reason)
        return
    folder, slash, _ = member.name.rpartition("/")

    def find_file(name: str) -> str:
        return beside.get(folder + slash + name, "")

    for number, (chat, metadata, message) in enumerate(reader.messages(page, name_in_path(member.name), find_file)):
        yield Said(chat, metadata, message, f"{member.locator}#/{number}")
    if text.replaced:
        yield replaced_text(member.locator)
