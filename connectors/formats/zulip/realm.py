"""The tables of an organisation: people, channels, members of chats, reactions, uploaded files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ....schemas.errors import SourceError
from ...chats.accounts import Accounts
from ...chats.json_messages import parsed_message
from ...connector import Member
from ...text.json_fields import id_of, object_of, size_of, words_of
from ...text.json_stream import Element, JSONStream
from ...text.unicode import as_utf8

PERSONAL, CHANNEL, GROUP = 1, 2, 3
"""The types of recipients, as Zulip numbers them."""
_USERS = ("zerver_userprofile", "zerver_userprofile_mirrordummy", "zerver_userprofile_crossrealm")
_TABLES = (*_USERS, "zerver_stream", "zerver_recipient", "zerver_subscription", "zerver_reaction", "zerver_attachment")
_PATHS = tuple((table,) for table in _TABLES)
_REACTIONS = 1_000_000
"""The maximum number of messages whose reactions are kept; further reactions are counted."""
_HELD = 5_000_000


@dataclass(slots=True)
class Realm:
    """The contents of the tables, by id."""

    people: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The full name, then other names unique to the account, by id."""
    programs: set[str] = field(default_factory=set[str])
    channels: dict[str, str] = field(default_factory=dict[str, str])
    recipients: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    """The type, and the id of the person, channel or group, by recipient id."""
    members: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The ids of the people, by recipient id."""
    reactions: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    """The emoji and the ids of the people, by message id."""
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    """The sizes of uploaded files in bytes, by path."""
    left_out: int = 0
    _count: int = 0

    def learn(self, member: Member) -> None:
        """Add the rows of a file of tables; of a damaged file those that can be read."""
        takers: dict[str, Callable[[dict[str, Any]], None]] = {
            "zerver_stream": self._channel,
            "zerver_recipient": self._recipient,
            "zerver_subscription": self._subscription,
            "zerver_reaction": self._reaction,
            "zerver_attachment": self._attachment,
            **dict.fromkeys(_USERS, self._person),
        }
        with suppress(SourceError), member.open() as stream:
            for event in JSONStream(as_utf8(stream).stream.read1, _PATHS, parsed_message).events():
                if isinstance(event, Element):
                    takers[event.array.removeprefix("/")](object_of(event.value))

    def tell(self, accounts: Accounts) -> None:
        """Add the names of all people."""
        for account, names in self.people.items():
            accounts.name_of(account, *names)

    def chat_of(self, recipient: str, sender: str, topic: str) -> tuple[str, dict[str, str], list[str]] | None:
        """Return a chat's key, its metadata, and the ids of its people if it is private; None for an unknown recipient.

        The key of a channel's topic ignores case and the mark of resolved topics.
        """
        kind, account = self.recipients.get(recipient, (0, ""))
        if kind == CHANNEL:
            name = self.channels.get(account, account)
            plain = topic.removeprefix("✔ ")
            key = f"{account}:{plain.casefold() or 'general'}"
            return key, {"title": f"#{name} > {plain}" if plain else f"#{name}", "channel_type": "channel"}, []
        if kind == PERSONAL:
            people = sorted({sender, account}, key=lambda each: (len(each), each))
        elif kind == GROUP:
            people = sorted(set(self.members.get(recipient, [])), key=lambda each: (len(each), each))
            if not people:
                return f"group-{account}", {"title": f"group {account}", "channel_type": "group"}, []
        else:
            return None
        return "dm-" + "-".join(people), {"channel_type": "group" if len(people) > 2 else "dm"}, people

    def _person(self, row: dict[str, Any]) -> None:
        account = id_of(row.get("id"))
        email = words_of(row.get("delivery_email")) or words_of(row.get("email"))
        name = words_of(row.get("full_name")) or email.partition("@")[0].replace("-", " ")
        if account:
            self.people.setdefault(account, (name, email, words_of(row.get("email"))))
        if row.get("is_bot") is True or email.partition("@")[0].endswith("-bot"):
            self.programs.add(account)

    def _channel(self, row: dict[str, Any]) -> None:
        self.channels[id_of(row.get("id"))] = words_of(row.get("name"))

    def _recipient(self, row: dict[str, Any]) -> None:
        kind = row.get("type")
        if isinstance(kind, int):
            self.recipients[id_of(row.get("id"))] = (kind, id_of(row.get("type_id")))

    def _subscription(self, row: dict[str, Any]) -> None:
        if self._room():
            self.members.setdefault(id_of(row.get("recipient")), []).append(id_of(row.get("user_profile")))

    def _reaction(self, row: dict[str, Any]) -> None:
        if len(self.reactions) >= _REACTIONS or not self._room():
            self.left_out += 1
            return
        emoji = _emoji(words_of(row.get("emoji_name")), words_of(row.get("emoji_code")), row.get("reaction_type"))
        if emoji:
            self.reactions.setdefault(id_of(row.get("message")), []).append((emoji, id_of(row.get("user_profile"))))

    def _attachment(self, row: dict[str, Any]) -> None:
        size = size_of(row.get("size"))
        if size is not None and self._room():
            self.sizes[words_of(row.get("path_id"))] = size

    def _room(self) -> bool:
        self._count += 1
        return self._count <= _HELD


def _emoji(name: str, code: str, kind: object) -> str:
    """Return the character of a Unicode emoji; the name of any other."""
    if kind == "unicode_emoji" and code and len(code) < 80:
        with suppress(ValueError, OverflowError):
            return "".join(chr(int(part, 16)) for part in code.split("-"))
    return f":{name}:" if name else ""
