"""The speaker, reactions and metadata of a message. No I/O."""

from __future__ import annotations

from typing import Any

from ....schemas import SYSTEM_SPEAKER
from .people import SLACKBOT, People
from .subtypes import SubtypeKind
from .values import JSONObject, number_of, object_of, objects_of, text_of, texts_of

_COUNTED = 10_000


class Details:
    """Reads details with the names of one export. ``people_unknown``: the ids of authors without a name, up to a
    limit.
    """

    def __init__(self, people: People) -> None:
        self.people_unknown: set[str] = set()
        self._people = people

    def reactions(self, record: JSONObject) -> list[dict[str, Any]]:
        """Return the emoji, each with the people who chose it."""
        return [
            {"emoji": f":{text_of(each, 'name')}:", "people": self._people.names(texts_of(each, "users"))}
            for each in objects_of(record, "reactions")
            if text_of(each, "name")
        ]

    def speaker(self, record: JSONObject, kind: SubtypeKind) -> tuple[str, str]:
        """Return the speaker's name, and a program's id; the system for events without an author."""
        user, bot = text_of(record, "user").strip(), text_of(record, "bot_id").strip()
        if kind in ("system", "call") or (kind == "deleted" and user in ("", SLACKBOT)):
            return SYSTEM_SPEAKER, ""
        people = self._people
        if user and not bot:
            if not people.knows(user) and len(self.people_unknown) < _COUNTED:
                self.people_unknown.add(user[:32])
            return people.name(user), user if people.is_bot(user) else ""
        if user and people.knows(user) and not people.is_bot(user):
            return people.name(user), ""  # a person, by means of an app
        shown = text_of(record, "username")
        shown = shown if shown.strip() else ""
        name = shown or text_of(object_of(record, "bot_profile"), "name")
        identifier = user or bot or shown
        if name.strip():
            if user and people.knows(user) and people.name(user) == name:
                return name, identifier
            return people.own_name(identifier, name), identifier
        return (people.name(identifier), identifier) if identifier else (SYSTEM_SPEAKER, "")

    def metadata(self, record: JSONObject, kind: SubtypeKind, bot: str) -> dict[str, str]:
        """Return the metadata of a message, for which it has no fields; ``bot`` as ``speaker`` returns it."""
        metadata: dict[str, str] = {}
        if subtype := text_of(record, "subtype"):
            metadata["subtype"] = subtype
        if bot:
            metadata["bot"] = bot
        if kind in ("system", "call") and (user := text_of(record, "user")) and user != SLACKBOT:
            metadata["actor"] = self._people.name(user)
        if record.get("pinned_to"):
            metadata["pinned"] = "true"
        if kind == "call":
            metadata |= self._call(object_of(record, "room"))
        if record.get("reactions"):
            counts = [
                f":{text_of(each, 'name')}: {number_of(each, 'count')}"
                for each in objects_of(record, "reactions")
                if number_of(each, "count") > len(texts_of(each, "users"))
            ]
            if counts:  # an export names only the first of many people
                metadata["reaction_counts"] = ", ".join(counts)
        return metadata

    def _call(self, room: JSONObject) -> dict[str, str]:
        result: dict[str, str] = {}
        names = self._people.names(texts_of(room, "participant_history") or texts_of(room, "participants"))
        if names:
            result["participants"] = ", ".join(names)
        if creator := text_of(room, "created_by"):
            result["actor"] = self._people.name(creator)
        start, end = number_of(room, "date_start"), number_of(room, "date_end")
        if 0 < start < end:
            result["duration_s"] = str(end - start)
        return result
