"""The accounts that an export describes beside its chats: the owner's number and handle, and
contacts' numbers. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....schemas.identity_links import account_link, mail_link, phone_link
from .chats import Chat
from .values import Object, integer_of, list_of, object_of, text_of


class Accounts:
    """The numbers and handles of accounts, by id (``user42``)."""

    def __init__(self) -> None:
        self._links: dict[str, list[str | None]] = {}
        self._nameless: dict[str, set[str]] = {}
        """The numbers of contacts without an account in the export, by the contact's name."""

    def learn(self, fields: Object) -> None:
        """Learn from the fields beside the chats: ``personal_information`` and ``contacts``, if they are there."""
        personal = object_of(fields.get("personal_information"))
        self._add(integer_of(personal.get("user_id")), told_of(_words(personal, "phone_number", "username")))
        for each in list_of(object_of(fields.get("contacts")).get("list")):
            contact = object_of(each)
            number = integer_of(contact.get("user_id"))
            phone = text_of(contact.get("phone_number"))
            if number:
                self._add(number, told_of([phone]))
            elif name := full_name(contact):
                self._nameless.setdefault(name, set()).add(phone)

    def meet(self, chat: Chat) -> None:
        """Link the numbers of a contact without an account to the account of a private chat with the contact's name."""
        numbers = self._nameless.get(chat.title, set())
        if chat.type == "personal_chat" and chat.key.startswith("user") and len(numbers) == 1:
            self._links.setdefault(chat.key, []).extend(told_of(numbers))

    def links(self, peer: str) -> list[str | None]:
        """Return the identity links of an account; empty for an unknown one."""
        return [account_link(peer), *self._links.get(peer, ())]

    def _add(self, number: int | None, labels: list[str | None]) -> None:
        if number:
            self._links.setdefault(f"user{number}", []).extend(labels)


def told_of(values: Iterable[str]) -> list[str | None]:
    """Return links for the values that are numbers, mail addresses or handles (``@ann``)."""
    return [
        account_link(value) if value.startswith("@") else phone_link(value) or mail_link(value)
        for value in map(str.strip, values)
    ]


def full_name(person: Object) -> str:
    """Return the first and last name, as the app shows them."""
    return " ".join(name for each in _words(person, "first_name", "last_name") if (name := each.strip()))


def _words(person: Object, *keys: str) -> list[str]:
    return [text_of(person.get(key)) for key in keys]
