"""The people behind an export's ids, from lists of users, profiles in messages, and bots; each has a unique name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ....schemas.identity_links import account_link, mail_link, phone_link
from .values import JSONObject, object_of, text_of

SLACKBOT = "USLACKBOT"
"""The id of Slack's own bot, which lists of users leave out."""
_LEARNED = 100_000
"""The maximum number of people learned from messages; further ones keep their ids."""


class People:
    """Names by id. Two ids never share a name: where profiles do, the handle or the id is appended to each.

    ``add`` the list of users first, then ``settle``; after that names are only added, so that they do not depend on
    how far a reading has come, but for people whom no list names.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = dict.fromkeys((SYSTEM_SPEAKER, UNKNOWN_USER), "")
        self._handles: dict[str, str] = {}
        self._links: dict[str, list[str | None]] = {}
        self._called: dict[str, set[str]] = {}
        self._bots: set[str] = set()
        self._teams: Counter[str] = Counter()
        self._learned = 0

    @property
    def team(self) -> str:
        """The workspace that most users belong to; empty if there is none."""
        return self._teams.most_common(1)[0][0] if self._teams else ""

    def add(self, user: JSONObject) -> bool:
        """Add a user of the workspace's list; return False if it has no id."""
        if team := text_of(user, "team_id"):
            self._teams[team] += 1
        return self.add_from_above(user)

    def add_from_above(self, user: JSONObject) -> bool:
        """Add a user of an organisation's list, whose people belong to many workspaces; return False if it
        has no id.
        """
        identifier = text_of(user, "id")
        if not identifier.strip():
            return False
        profile = object_of(user, "profile")
        handle = text_of(user, "name")
        names = [name for name in (*_wordings(profile), text_of(user, "real_name"), handle) if name.strip()]
        self._names[identifier] = names[0] if names else identifier
        self._handles[identifier] = handle
        mail, phone = text_of(profile, "email"), text_of(profile, "phone")
        self._links[identifier] = [account_link(identifier), mail_link(mail), phone_link(phone)]
        for name in (identifier, *names, text_of(profile, "email")):
            if name:
                self._called.setdefault(name.casefold(), set()).add(identifier)
        if user.get("is_bot") is True:
            self._bots.add(identifier)
        return True

    def settle(self) -> None:
        """Make the names unique, once the lists are complete."""
        self._names.setdefault(SLACKBOT, "Slackbot")
        self._bots.add(SLACKBOT)
        shared = Counter(self._names.values())
        handles = Counter(handle for handle in self._handles.values() if handle)
        for identifier, name in sorted(self._names.items()):
            settled_name = name
            if shared[name] > 1 or name in self._owners:
                handle = self._handles.get(identifier, "")
                unique = handle and handles[handle] == 1 and handle != name
                settled_name = f"{name} ({handle if unique else identifier})"
            if settled_name in self._owners:
                settled_name = f"{name} ({identifier})"
            self._names[identifier] = settled_name
            self._owners[settled_name] = identifier

    def knows(self, identifier: str) -> bool:
        """Return whether there is a name for this id."""
        return identifier in self._names

    def is_person(self, identifier: str) -> bool:
        """Return whether there is a name for this id and the lists do not mark it as a program."""
        return identifier in self._names and identifier not in self._bots

    def is_bot(self, identifier: str) -> bool:
        """Return whether the lists mark this user as a program."""
        return identifier in self._bots

    def name(self, identifier: str) -> str:
        """Return the name of a user; an unknown one's id."""
        return self._names.get(identifier) or self.own_name(identifier, identifier)

    def names(self, identifiers: Iterable[str]) -> tuple[str, ...]:
        """Return the names of several people, without duplicates."""
        return tuple(dict.fromkeys(self.name(identifier) for identifier in identifiers))

    def learn(self, identifier: str, profile: JSONObject) -> None:
        """Learn a name from the profile in a message, the only source for people of other workspaces."""
        if identifier in self._names or not identifier or self._learned >= _LEARNED:
            return
        names = chain(_wordings(profile), (text_of(profile, "name"),))
        name = next((name for name in names if name.strip()), "")
        if name:
            self._learned += 1
            self._names[identifier] = self.own_name(identifier, name)
            self._called.setdefault(name.casefold(), set()).add(identifier)

    def links(self, name: str) -> list[str | None]:
        """Return the identity links of the person with this name: id, mail address, phone number."""
        return self._links.get(self._owners.get(name, ""), [])

    def own_name(self, identifier: str, name: str) -> str:
        """Return ``name``, with the id appended if somebody else has that name."""
        owner = self._owners.get(name)
        if owner is None and len(self._owners) < 2 * _LEARNED + len(self._names):
            self._owners[name] = identifier
            return name
        return name if owner == identifier else f"{name} ({identifier})"

    def called(self, name: str) -> tuple[str, ...]:
        """Return the names of the users who have this id, handle, name or mail address; a single one is unambiguous."""
        wanted = name.strip().removeprefix("@")
        exact = {identifier for identifier, handle in self._handles.items() if wanted in (identifier, handle)}
        people = exact if len(exact) == 1 else self._called.get(wanted.casefold(), set())
        return tuple(sorted(self.name(identifier) for identifier in people))


def _wordings(profile: JSONObject) -> tuple[str, ...]:
    return text_of(profile, "display_name"), text_of(profile, "real_name")
