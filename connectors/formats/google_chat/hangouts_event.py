"""Converts an event of a Hangouts conversation to a message of a document. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import tzinfo
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...opening.media_names import mime_of, name_in, word_of
from ...record_faults import or_reason
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .people import Names

Message = dict[str, Any]
_MICROSECONDS = 1_000_000
_SYSTEM = frozenset({"ADD_USER", "REMOVE_USER", "RENAME_CONVERSATION", "OTR_MODIFICATION"})


class EventReader:
    """Reads the events of one conversation."""

    def __init__(self, names: Names, zone: tzinfo, held: Callable[[str], bool]) -> None:
        """``held``: returns whether a file of this name lies beside the conversations."""
        self._held = held
        self._names = names
        self._zone = zone
        self.speakers: Counter[str] = Counter()
        self.unknown = 0
        """The number of events without any known content."""

    @or_reason
    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why it cannot be read."""
        digits = id_of(raw.get("timestamp"))
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
            return "an event without a time that can be read"
        time = instant_of(int(digits) / _MICROSECONDS, self._zone)
        if time is None:
            return "an event without a time that can be read"
        sender = person_id(raw.get("sender_id"))
        speaker = self._names.name_of({"email": sender}) if sender else SYSTEM_SPEAKER
        message_id = words_of(raw.get("event_id"))
        message: Message = {
            "speaker": speaker,
            "content": "",
            "time": time,
            "id": message_id or digits,
            "kind": "text",
            "zone_origin": "explicit",
        }
        self._fill(raw, message)
        self.speakers[message["speaker"]] += 1
        return message

    def _fill(self, raw: dict[str, Any], message: Message) -> None:
        type_name = words_of(raw.get("event_type"))
        words = object_of(object_of(raw.get("chat_message")).get("message_content"))
        items = [object_of(object_of(entry).get("embed_item")) for entry in list_of(words.get("attachment"))]
        places = [place for item in items if (place := _place(item))]
        files = [_file(item, self._held) for item in items if not _place(item)]
        content = "".join(_segment(object_of(entry)) for entry in list_of(words.get("segment")))
        if files:
            message["attachments"] = files
        if type_name in _SYSTEM:
            if message["speaker"] != SYSTEM_SPEAKER:
                message["metadata"] = {"actor": message["speaker"]}
            message["speaker"], message["kind"] = SYSTEM_SPEAKER, "system"
            content = content or self._change(raw, type_name)
        elif type_name == "HANGOUT_EVENT" or object_of(raw.get("hangout_event")):
            message["kind"] = "call"
            self._call(object_of(raw.get("hangout_event")), message)
            content = content or "[call]"
        elif places:
            message["kind"], message["metadata"] = "location", {"place": "\n".join(places)}
            content = content if content.strip() else "[location]"
        elif files and not content.strip():
            film = _embedded(items[0], "plus_photo").get("media_type") == "VIDEO"
            message["kind"], content = "media", word_of("video/" if film else files[0]["mime"] or "image/")
        if not content.strip():
            self.unknown += 1
            message["kind"], content = "unknown", "[message without text]"
        message["content"] = content

    def _call(self, call: dict[str, Any], message: Message) -> None:
        details = {"duration_s": id_of(call.get("hangout_duration_secs")), "call": words_of(call.get("event_type"))}
        if shown := {key: value for key, value in details.items() if value}:
            message["metadata"] = shown

    def _change(self, raw: dict[str, Any], type_name: str) -> str:
        """Return the change to the conversation as text, in Google's words."""
        people = list_of(object_of(raw.get("membership_change")).get("participant_id"))
        named = [self._names.name_of({"email": account}) for entry in people if (account := person_id(entry))]
        new = words_of(object_of(raw.get("conversation_rename")).get("new_name"))
        word = type_name.casefold().replace("_", " ")
        about = ", ".join(named) or new
        return f"[{word}: {about}]" if about else f"[{word}]"


def person_id(value: object) -> str:
    """Return the id of a person; empty if there is none."""
    person = object_of(value)
    return id_of(person.get("gaia_id")) or id_of(person.get("chat_id"))


def _segment(segment: dict[str, Any]) -> str:
    text = text_of(segment.get("text"))
    return text or ("\n" if segment.get("type") == "LINE_BREAK" else "")


def _embedded(item: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the embedded object of a kind; older exports write the kind with a prefix."""
    values = (value for key, value in item.items() if key == kind or key.endswith(f".{kind}"))
    return object_of(next(values, None))


def _file(item: dict[str, Any], held: Callable[[str], bool]) -> dict[str, Any]:
    """Return a picture or video as attachment; its addresses are of Google, and the first with a known file type gives
    the name.
    """
    photo = _embedded(item, "plus_photo")
    preview = object_of(photo.get("thumbnail"))
    addresses = (photo.get("original_content_url"), photo.get("url"), preview.get("image_url"), item.get("id"))
    names = [name for address in addresses if (name := name_in(words_of(address)))]
    name = next(filter(mime_of, names), names[0] if names else "photo")
    return {"name": name, "mime": mime_of(name), "missing": not held(name)}


def _place(item: dict[str, Any]) -> str:
    """Return a place's name, address and coordinates, else its address on the web; empty for an item that is no place."""
    place = _embedded(item, "place_v2")
    address = _embedded(object_of(place.get("address")), "postal_address_v2")
    point = _embedded(object_of(place.get("geo")), "geo_coordinates_v2")
    degrees = [str(point[key]) for key in ("latitude", "longitude") if isinstance(point.get(key), int | float)]
    texts = (words_of(place.get("name")), words_of(address.get("name")), ", ".join(degrees), words_of(place.get("url")))
    return ", ".join(filter(None, texts[:3])) or texts[3]
