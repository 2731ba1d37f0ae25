"""Collects people, teams and channels from the lines before the posts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...chats.accounts import Accounts
from ...text.json_fields import list_of, object_of, words_of


@dataclass(slots=True)
class Lists:
    """The people, teams and channels of an export, by the names that posts use."""

    people: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The names by user name: first the display name, then the names that are unique to the account."""
    programs: set[str] = field(default_factory=set[str])
    teams: dict[str, str] = field(default_factory=dict[str, str])
    channels: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict[tuple[str, str], tuple[str, str]])
    """The title and the visibility (public or private), by team and channel."""

    def learn(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add the rows of an export."""
        for row in rows:
            kind = words_of(row.get("type"))
            held = object_of(row.get(kind))
            if kind == "user":
                self._person(held)
            elif kind == "bot":
                account = words_of(held.get("username"))
                self.programs.add(account)
                self.people.setdefault(account, (words_of(held.get("display_name")) or account, account))
            elif kind == "team":
                self.teams[words_of(held.get("name"))] = words_of(held.get("display_name"))
            elif kind == "channel":
                key = words_of(held.get("team")), words_of(held.get("name"))
                shown = "private" if words_of(held.get("type")) == "P" else "public"
                self.channels[key] = words_of(held.get("display_name")) or key[1], shown

    def tell(self, accounts: Accounts) -> None:
        """Register the names of all people."""
        for account, names in self.people.items():
            accounts.name_of(account, *names)

    def chat(self, team: str, channel: str) -> tuple[str, dict[str, str]]:
        """Return the key and the metadata of a channel."""
        title, kind = self.channels.get((team, channel), (channel, ""))
        owner = self.teams.get(team) or team
        metadata = {"title": f"{owner} / {title}" if owner else title}
        return f"{team}:{channel}", metadata | ({"channel_type": kind} if kind else {})

    def private(self, members: list[str], accounts: Accounts) -> tuple[str, dict[str, str]]:
        """Return the key and the metadata of a chat among these people."""
        people = sorted(set(members))
        names = [accounts.name_of(account) for account in people]
        title = ", ".join(name for name in names if name != accounts.user) or accounts.user
        return "dm:" + ",".join(people), {"title": title, "channel_type": "dm" if len(people) < 3 else "group"}

    def _person(self, held: dict[str, Any]) -> None:
        account = words_of(held.get("username"))
        full = " ".join(filter(None, (words_of(held.get("first_name")), words_of(held.get("last_name")))))
        if account:
            self.people[account] = (
                words_of(held.get("nickname")) or full or account,
                account,
                f"@{account}",
                words_of(held.get("email")),
            )
        if held.get("is_bot") is True or "system_bot" in words_of(held.get("roles")):
            self.programs.add(account)


def members_of(post: dict[str, Any]) -> list[str]:
    """Return the user names of the members of a direct chat."""
    listed = list_of(post.get("channel_members")) or list_of(post.get("members"))
    return [account for each in listed if (account := words_of(each) or words_of(object_of(each).get("username")))]
