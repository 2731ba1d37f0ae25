"""Names the people of one Google chat; people of the same name are told apart by their addresses. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import repeat
from typing import Any, cast

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...text.json_fields import list_of, object_of, words_of

_KNOWN = 100_000


class Names:
    """The names by address, from the list of members and from the messages."""

    def __init__(self, group: dict[str, Any]) -> None:
        members = [object_of(entry) for entry in list_of(group.get("members"))]
        pairs = {words_of(member.get("email")): words_of(member.get("name")) for member in members}
        pairs.pop("", None)
        counts = Counter(pairs.values())
        self._twins = {name for name, count in counts.items() if count > 1 and name}
        self._owners: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for email, name in pairs.items():
            self.name_of({"email": email, "name": name})

    @property
    def listed(self) -> list[str]:
        """The names of everybody known so far."""
        return list(self._names.values())

    def known(self, emails: Iterable[object]) -> list[str]:
        """Return the names of these addresses; empty for an address that is not known yet.

        Raises:
            TypeError: an address is not hashable, as lists and objects of JSON are not.
        """
        names = cast("dict[object, str]", self._names)
        return [*map(names.get, emails, repeat(""))]

    def name_of(self, person: dict[str, Any]) -> str:
        """Return the name of a message's author and remember it; the system's name if there is no author."""
        email, name = words_of(person.get("email")), words_of(person.get("name"))
        if not email:
            return self._safe(name) if name else SYSTEM_SPEAKER
        if (settled_name := self._names.get(email)) is not None:
            return settled_name
        shown = self._safe(name or email)
        if shown in self._twins or self._owners.get(shown, email) != email:
            shown = f"{shown} ({email})"
        if len(self._names) < _KNOWN:
            self._owners[shown] = email
            self._names[email] = shown
        return shown

    def by_email(self, email: str) -> str:
        """Return the name of an address, else the address itself. Unlike `name_of`, it remembers nothing."""
        return self._names.get(email, email)

    def given(self, me: str) -> str:
        """Return the name of the user, who is given by name or address."""
        return self._names.get(me, me)

    @staticmethod
    def _safe(name: str) -> str:
        return f"{name} (name)" if name in (SYSTEM_SPEAKER, UNKNOWN_USER) else name
