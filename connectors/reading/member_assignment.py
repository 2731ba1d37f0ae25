"""The assignment of the members of one source to the connectors that read them: what belongs to an export, and what is
attached to its chats.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ..connector import Connector, Member
from ..opening.media_names import mime_of
from ..opening.member_names import folder_of
from ..opening.recognised_member import HEAD_BYTES
from .detection import RECOGNISED
from .reading_log import NOT_RECOGNISED
from .registry import format_named

SURE = 0.9
"""The score from which on a file's connector owns the folder: in an archive, files there with a barely sure connector
belong to it.
"""
EMPTY, MEDIA, ATTACHED = ("empty", "picture, sound or film", "text attached to a chat")
"""The reasons why a file beside an export is not read; `NOT_RECOGNISED` is a further one."""


class MemberAssignment:
    """The assignment of the members of one source. Call `add` for each member, then `resolve`, then read the rest."""

    def __init__(self, connectors: tuple[Connector, ...]) -> None:
        self._connectors = connectors
        self.assigned: dict[str, list[Member]] = {connector.name: [] for connector in connectors}
        self.unassigned: list[Member] = []
        self._barely: list[tuple[Connector, Member]] = []
        self._owners: dict[str, list[Connector]] = {}
        """By folder, who is sure of something in it."""
        self._empty: set[int] = set()
        self._attached: dict[int, list[Connector]] = {}
        """The texts that are attached to chats, each with the connectors of these chats."""

    def reason(self, member: Member) -> str:
        """Return the reason why a member that no connector recognises is not read."""
        if id(member) in self._empty:
            return EMPTY
        if id(member) in self._attached:
            return ATTACHED
        return NOT_RECOGNISED if mime_of(member.name) is None else MEDIA

    def add(self, member: Member, claim: tuple[Connector, float] | None, head: bytes) -> None:
        """Note a claim. An archive in which nothing is recognised is a file like any other: documents of offices are
        archives, too.
        """
        if len(head) < HEAD_BYTES and not head.strip():
            self._empty.add(id(member))
        if claim is None:
            self.unassigned.append(member)
        elif claim[1] <= RECOGNISED:
            self._barely.append((claim[0], member))
        else:
            self.assigned[claim[0].name].append(member)
            if claim[1] >= SURE:
                self._owners.setdefault(folder_of(member), []).append(claim[0])

    def _whose_files(self, member: Member) -> list[Connector]:
        """Return the connectors of the exports to whose messages a member belongs, because it lies in their `files_in`
        folder.
        """
        parts = member.name.split("/")
        above = [("/".join(parts[:number]), parts[number]) for number in range(len(parts) - 1)]
        return [
            owner
            for folder, name in above
            for owner in self._owners.get(folder, ())
            if format_named(owner.name).files_in == name
        ]

    def beside(self, connector: Connector, files: Sequence[Member]) -> list[Member]:
        """Return the members of no format that may belong to an export of these files: lists, long texts, a database's
        log, pictures. They lie below the common folder of the export; a file attached to a chat belongs to that chat
        alone.
        """
        root = root_of(files)
        below = [member for member in self.unassigned if member.name.startswith(root)]
        return [member for member in below if connector in self._attached.get(id(member), (connector,))]

    def reach(self, connector: Connector) -> str:
        """Return the highest folder around an export that contains no chat of another format, in the form of
        `root_of`: some programs write the files of messages into a folder beside that of the messages.
        """
        root = root_of(self.assigned[connector.name])
        others = {
            f"{folder_of(member)}/"
            for name, members in self.assigned.items()
            if name != connector.name and not format_named(name).sent_in_chats
            for member in members
        }
        while root:
            above = root[: root.rfind("/", 0, -1) + 1]
            if any(folder.startswith(above) for folder in others):
                break
            root = above
        return root

    def resolve(self, *, packed: bool) -> None:
        """Decide about members with barely sure connectors: beside a chat in its own archive a text is an attachment;
        in a folder it may be anything but a file of that export.
        """
        for connector, member in self._barely:
            owners = self._owners.get(folder_of(member), ())
            before = self._connectors[: self._connectors.index(connector)] if packed else ()
            file = member.name.rpartition("/")[2]
            attached = [owner for owner in owners if owner in before or file in format_named(owner.name).own_files]
            attached += self._whose_files(member)
            (self.unassigned if attached else self.assigned[connector.name]).append(member)
            if attached:
                self._attached[id(member)] = attached
        self._barely.clear()
        self._take_back_files()
        self._take_back_texts()

    def _take_back_files(self) -> None:
        """Remove the files of an export that it names as its own from the other formats that recognised them."""
        files: dict[str, list[Connector]] = {}
        for folder, connectors in self._owners.items():
            for owner in {each.name: each for each in connectors}.values():
                for file in format_named(owner.name).own_files:
                    files.setdefault(folder + "/" + file, []).append(owner)
        for connector in self._connectors:
            endings = [file[1:] for file in format_named(connector.name).own_files if file.startswith("*")]
            for member in self.assigned[connector.name] if endings else ():
                stem = f"{folder_of(member)}/{member.name.rpartition('/')[2].rpartition('.')[0]}"
                for ending in endings:
                    files.setdefault(stem + ending, []).append(connector)
        if not files:
            return
        for name, members in self.assigned.items():
            for member in list(members):
                place = folder_of(member) + "/" + member.name.rpartition("/")[2]
                owners = [owner for owner in files.get(place, ()) if owner.name != name]
                if owners:
                    members.remove(member)
                    self.unassigned.append(member)
                    self._attached[id(member)] = owners

    def _take_back_texts(self) -> None:
        """Remove texts that are parts of messages from other formats: they may quote text that these formats would
        recognise.
        """
        for name, members in self.assigned.items():
            texts = [member for member in members if member.name.endswith(".txt")]
            for member in texts:
                owners = self._whose_files(member)
                if owners and name not in {owner.name for owner in owners}:
                    members.remove(member)
                    self.unassigned.append(member)
                    self._attached[id(member)] = owners


def root_of(files: Sequence[Member]) -> str:
    """Return the common folder of all these files, with ``/`` at its end; empty if it is the source itself."""
    parts = [member.name.split("/")[:-1] for member in files]
    common = [names[0] for names in takewhile(lambda names: len({*names}) == 1, zip(*parts, strict=False))]
    return "".join(f"{name}/" for name in common)
