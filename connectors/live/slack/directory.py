"""The people and the conversations of a workspace, as Slack lists them; which of these are read, and why others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...formats.slack.channels import Channel, Channels
from ...formats.slack.people import People
from ...formats.slack.values import JSONObject, text_of

KINDS = {
    "public_channel": "public channels",
    "private_channel": "private channels",
    "mpim": "group messages",
    "im": "direct messages",
}
"""The kinds of conversations that may be listed; each needs a scope of its own."""
NOT_A_MEMBER = "not a member"
ARCHIVED = "archived"
NOT_CHOSEN = "not chosen"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A channel, a group message or a direct message."""

    channel: Channel
    left_out: str = ""
    """The reason why the conversation is not read; empty if it is read."""


@dataclass(slots=True)
class Directory:
    """Filled from the lists of a workspace, page by page; then ``settle`` it.

    Args:
        user: the id of the person whose token it is.
        chosen: titles or ids of conversations that alone are read; none: all that the person is a member of.
    """

    user: str
    chosen: Sequence[str] = ()
    people: People = field(default_factory=People)
    channels: Channels = field(default_factory=Channels)
    conversations: list[Conversation] = field(default_factory=list[Conversation])
    refused: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The kinds that could not be listed, each with the reason."""
    _handles: dict[str, str] = field(default_factory=dict[str, str])
    _listed: list[JSONObject] = field(default_factory=list[JSONObject])

    def add_people(self, records: Sequence[JSONObject]) -> None:
        """Add a page of the list of people."""
        for record in records:
            self.people.add(record)
            if handle := text_of(record, "name"):
                self._handles.setdefault(handle, text_of(record, "id"))

    def add_conversations(self, records: Sequence[JSONObject]) -> None:
        """Add a page of a list of conversations."""
        self._listed += [record for record in records if text_of(record, "id")]

    def settle(self) -> None:
        """Make people and conversations of the complete lists."""
        self.people.settle()
        records: dict[str, JSONObject] = {}
        for record in self._listed:
            if records.setdefault(text_of(record, "id"), record) is record:
                self.channels.add(record | {"members": self._members(record)})
        self.conversations = [self._conversation(identifier, record) for identifier, record in records.items()]

    @property
    def user_name(self) -> str:
        """Return the name of the token's owner."""
        return self.people.name(self.user)

    def missing(self) -> tuple[str, ...]:
        """Chosen conversations that the workspace does not show."""
        shown = {name for each in self.conversations for name in _names(each.channel)}
        return tuple(each for each in self.chosen if _bare(each) not in shown)

    def _members(self, record: JSONObject) -> list[str]:
        """Return the members of a direct or group message; channels have none here. Exports list them, the Web API only
        gives hints.
        """
        if record.get("is_im") is True:
            return [self.user, text_of(record, "user") or self.user]
        name = text_of(record, "name")
        if record.get("is_mpim") is not True or not name.startswith("mpdm-"):
            return []
        handles = name.removeprefix("mpdm-").rpartition("-")[0].split("--")
        return [self._handles.get(handle, handle) for handle in handles if handle]

    def _conversation(self, identifier: str, record: JSONObject) -> Conversation:
        channel = self.channels.of_folder(identifier, self.people, self.user_name)
        if self.chosen:
            is_chosen = not _names(channel).isdisjoint(map(_bare, self.chosen))
            return Conversation(channel, "" if is_chosen else NOT_CHOSEN)
        if record.get("is_member") is False and channel.type in ("public", "private"):
            return Conversation(channel, ARCHIVED if record.get("is_archived") is True else NOT_A_MEMBER)
        return Conversation(channel)


def _names(channel: Channel) -> set[str]:
    return {_bare(channel.id), _bare(channel.title)}


def _bare(name: str) -> str:
    return name.strip().removeprefix("#").casefold()
