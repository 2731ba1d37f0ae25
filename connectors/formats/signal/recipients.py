"""Names and stable ids of the recipients and chats that an export numbers: people, groups, chats."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ....schemas.identity_links import account_link, phone_link
from ...text.json_fields import id_of, list_of, object_of, words_of

SELF = "self"
_NOTE_TO_SELF = "note-to-self"
_RELEASE_NOTES = "Signal"
_UNKNOWN = "unknown"
_REMEMBERED = 10_000
"""The maximum size of the caches of authors and of chats."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """A person, a group, or the user."""

    key: str
    """An id that is the same in every export of the account: a service id, a phone number, a hash of a group's key."""
    name: str
    group: bool = False


class Recipients:
    """Learns recipients and chats from their frames, which precede the messages that refer to them."""

    def __init__(self, me: str | None) -> None:
        self._me = me
        self.user = me or UNKNOWN_USER
        self._known: dict[str, Recipient] = {}
        self._chats: dict[str, str] = {}
        self._services: dict[str, str] = {}
        """The names of contacts, by service id."""
        self._links: dict[str, list[str | None]] = {}
        """The links to the account and to the phone number, by the contact's name."""
        self._owners: dict[str, str] = {self.user: SELF, SYSTEM_SPEAKER: ""}
        # Caches of `author` and `chat`, emptied when a frame changes them: there are millions of messages.
        self._authors: dict[str, tuple[str, str]] = {}
        self._told_chats: dict[str, tuple[str, dict[str, str]]] = {}

    def learn_account(self, account: Mapping[str, Any]) -> None:
        """Take the user's name from the account, if none was configured."""
        self._forget_told()
        name = " ".join(filter(None, (words_of(account.get("givenName")), words_of(account.get("familyName")))))
        name = name or words_of(account.get("username"))
        if name and self._me is None and name != SYSTEM_SPEAKER:
            self.user = name
            self._owners[name] = SELF

    def learn_recipient(self, recipient: Mapping[str, Any]) -> bool:
        """Learn a recipient; return False if it has no number."""
        number = id_of(recipient.get("id"))
        if not number:
            return False
        self._forget_told()
        if "self" in recipient:
            self._known[number] = Recipient(SELF, self.user)
        elif "group" in recipient:
            self._known[number] = _group(object_of(recipient.get("group")), number)
        elif "contact" in recipient:
            self._known[number] = self._contact(object_of(recipient.get("contact")), number)
        elif "releaseNotes" in recipient:
            self._known[number] = Recipient("release-notes", _RELEASE_NOTES)
        else:
            item = object_of(object_of(recipient.get("distributionList")).get("distributionList"))
            link = object_of(recipient.get("callLink"))
            name = words_of(item.get("name")) or words_of(link.get("name"))
            self._known[number] = Recipient(f"recipient-{number}", name or f"recipient {number}", group=True)
        return True

    def learn_chat(self, chat: Mapping[str, Any]) -> None:
        """Learn a chat's recipient."""
        self._forget_told()
        self._chats[id_of(chat.get("id"))] = id_of(chat.get("recipientId"))

    def chat(self, number: object) -> tuple[str, dict[str, str]]:
        """Return the key of a chat, and the metadata of its documents."""
        if type(number) is not str:
            return self._chat(number)
        if number not in self._told_chats:
            if len(self._told_chats) >= _REMEMBERED:
                self._told_chats.clear()
            self._told_chats[number] = self._chat(number)
        return self._told_chats[number]

    def author(self, number: object) -> tuple[str, str]:
        """Return the `name` and the `key` of an author."""
        if type(number) is not str:
            return self.name(number), self.key(number)
        name = self._authors.get(number)
        if name is None:
            if len(self._authors) >= _REMEMBERED:
                self._authors.clear()
            name = self._authors[number] = self.name(number), self.key(number)
        return name

    def _forget_told(self) -> None:
        self._authors.clear()
        self._told_chats.clear()

    def _chat(self, number: object) -> tuple[str, dict[str, str]]:
        account = id_of(number)
        recipient = self._known.get(self._chats.get(account, ""))
        if recipient is None:
            return (f"chat-{account}", {"title": f"chat {account}"}) if account else (_UNKNOWN, {"title": _UNKNOWN})
        if recipient.key == SELF:
            return _NOTE_TO_SELF, {"title": "Note to Self"}
        return recipient.key, {"title": recipient.name, "group": "true"} if recipient.group else {
            "title": recipient.name
        }

    def key(self, number: object) -> str:
        """Return the stable id of an author."""
        text = self._known.get(id_of(number))
        return text.key if text is not None else id_of(number) or _UNKNOWN

    def name(self, number: object) -> str:
        """Return the name of an author."""
        text = self._known.get(id_of(number))
        if text is None:
            return f"recipient {id_of(number)}".strip()
        return self.user if text.key == SELF else text.name

    def service_name(self, encoded: object) -> str:
        """Return the name behind a service id, as mentions and group events have it; empty if unknown."""
        return self._services.get(service_id(encoded), "")

    def links(self, name: str) -> list[str | None]:
        """Return the identity links of a contact, whose name is unique."""
        return self._links.get(name, [])

    def _contact(self, contact: dict[str, Any], number: str) -> Recipient:
        aci, pni = service_id(contact.get("aci")), service_id(contact.get("pni"))
        phone = id_of(contact.get("e164"))
        phone = phone if not phone or phone.startswith("+") else f"+{phone}"
        key = aci or pni or phone or f"recipient-{number}"
        username = words_of(contact.get("username"))
        shown = _name(contact) or phone or username or key
        name = shown
        for candidate in (shown, f"{shown} ({phone})" if phone else "", f"{shown} ({username})" if username else ""):
            if candidate and self._owners.get(candidate, key) == key:
                name = candidate
                break
        else:
            name = f"{shown} ({key})"
        self._owners.setdefault(name, key)
        for service in filter(None, (aci, pni)):
            self._services[service] = name
        self._links[name] = [account_link(aci), phone_link(phone)]
        return Recipient(key, name)


def service_id(encoded: object) -> str:
    """Decode a service id, which is sixteen bytes in base 64; empty for anything else."""
    raw = decoded(encoded)
    return str(UUID(bytes=raw[-16:])) if len(raw) in (16, 17) else ""


def decoded(encoded: object) -> bytes:
    """Decode base 64, standard or URL-safe; empty for anything else."""
    text = words_of(encoded)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if "-" in text or "_" in text else None)
    except (ValueError, binascii.Error):
        return b""


def _name(contact: dict[str, Any]) -> str:
    """Return the name that Signal shows: the nickname given by the user, the address book's name, or the contact's
    own.
    """
    nickname = object_of(contact.get("nickname"))
    pairs = (
        (nickname.get("given"), nickname.get("family")),
        (contact.get("systemNickname"), ""),
        (contact.get("systemGivenName"), contact.get("systemFamilyName")),
        (contact.get("profileGivenName"), contact.get("profileFamilyName")),
    )
    for first, family in pairs:
        if name := " ".join(filter(None, (words_of(first), words_of(family)))):
            return name
    return ""


def _group(group: dict[str, Any], number: str) -> Recipient:
    """Describe a group. Its id is a hash of its master key: the key opens the group at Signal, so no document may hold
    it.
    """
    secret = decoded(group.get("masterKey"))
    key = f"group-{sha256(secret).hexdigest()[:24]}" if secret else f"group-{number}"
    snapshot = object_of(group.get("snapshot"))
    title = words_of(object_of(snapshot.get("title")).get("title"))
    members = len(list_of(snapshot.get("members")))
    return Recipient(key, title or (f"group of {members}" if members else "group"), group=True)
