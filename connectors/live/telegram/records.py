"""A message of the Bot API as the record that ``result.json`` has of it, so that one reader makes messages of both.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...formats.telegram.values import Object, integer_of, list_of, object_of, text_of
from .peers import author_of, named
from .rich_text import text_parts

_PLAIN = frozenset({
    "message_id", "from", "sender_chat", "date", "chat", "edit_date", "text", "entities", "caption", "caption_entities",
    "message_thread_id", "is_topic_message", "reply_to_message", "forward_origin", "via_bot", "author_signature",
    "media_group_id", "is_automatic_forward", "has_protected_content", "link_preview_options", "has_media_spoiler",
    "show_caption_above_media", "reply_markup", "sender_boost_count", "sender_business_bot", "business_connection_id",
    "is_from_offline", "effect_id", "external_reply", "quote", "paid_star_count", "sender_tag", "direct_messages_topic",
    "is_paid_post", "reply_to_checklist_task_id", "reply_to_story", "chat_owner_left", "chat_owner_changed",
})  # fmt: skip
"""The fields that are read here, or that describe only how a message is displayed or was paid for."""


def record_of(message: Object) -> Object:
    """Return the record of a message."""
    name, peer = author_of(message)
    record: Object = {
        "id": message.get("message_id"),
        "type": "message",
        "date_unixtime": message.get("date"),
        "from": name,
        "from_id": peer,
    }
    service = _service(message)
    if service is not None:
        record |= {"type": "service", "actor": name, "actor_id": peer, **service}
        return record
    media = next(((key, read) for key, read in _MEDIA.items() if _has(message, key)), None)
    if media is not None:
        record |= media[1](message[media[0]])
    text, marks = ("text", "entities") if "text" in message else ("caption", "caption_entities")
    record.setdefault("text", text_parts(text_of(message.get(text)), message.get(marks)))
    if (edited := integer_of(message.get("edit_date"))) is not None:
        record["edited_unixtime"] = edited
    _references(message, record)
    # A venue also has a location, and an animation also a document with the same content.
    unread = message.keys() - _PLAIN - (_MEDIA.keys() if media is not None else set[str]())
    record |= {key: message[key] for key in unread if message[key] not in (None, False, [], {})}
    return record


def _has(message: Object, key: str) -> bool:
    """Return whether a field is present: an empty object is the sign of an event."""
    return message.get(key) is not None and message[key] is not False


def _references(message: Object, record: Object) -> None:
    replied = integer_of(object_of(message.get("reply_to_message")).get("message_id"))
    topic = integer_of(message.get("message_thread_id")) if message.get("is_topic_message") else None
    if replied is not None or topic is not None:
        record["reply_to_message_id"] = topic if replied is None else replied
    origin = object_of(message.get("forward_origin"))
    if origin:
        name, peer = named(origin.get("sender_user") or origin.get("sender_chat") or origin.get("chat"))
        record["forwarded_from"] = name or text_of(origin.get("sender_user_name"))
        if peer:
            record["forwarded_from_id"] = peer
    if bot := text_of(object_of(message.get("via_bot")).get("username")):
        record["via_bot"] = f"@{bot}"
    if author := text_of(message.get("author_signature")):
        record["author"] = author
    if quoted := text_of(object_of(message.get("quote")).get("text")):
        record["quoted"] = quoted


def _file(kind: str) -> Callable[[Any], Object]:
    def read(value: Any) -> Object:  # noqa: ANN401
        raw = object_of(value)
        record: Object = {"file": "", "media_type": kind} if kind else {"file": ""}
        for key, target in (
            ("file_name", "file_name"), ("file_size", "file_size"), ("mime_type", "mime_type"), ("duration", "duration_seconds"),
            ("performer", "performer"), ("title", "title"), ("emoji", "sticker_emoji"), ("width", "width"), ("height", "height"),
        ):  # fmt: skip
            if raw.get(key) is not None:
                record[target] = raw[key]
        return record

    return read


def _photo(value: Any) -> Object:  # noqa: ANN401
    sizes = [object_of(each) for each in list_of(value)]
    return {"photo": "", **({"photo_file_size": size} if sizes and (size := sizes[-1].get("file_size")) else {})}


def _contact(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {
        "contact_information": {key: text_of(raw.get(key)) for key in ("first_name", "last_name", "phone_number")},
        "contact_vcard": text_of(raw.get("vcard")) and "contact.vcf",
    }


def _location(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {"location_information": raw, "live_location_period_seconds": raw.get("live_period")}


def _venue(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {"place_name": raw.get("title"), "address": raw.get("address"), "location_information": raw.get("location")}


def _poll(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    answers = [
        {"text": text_of(each.get("text")), "voters": each.get("voter_count")}
        for each in map(object_of, list_of(raw.get("options")))
    ]
    return {
        "poll": {
            "question": raw.get("question"),
            "closed": raw.get("is_closed"),
            "total_voters": raw.get("total_voter_count"),
            "answers": answers,
        }
    }


def _dice(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {"text": f"{text_of(raw.get('emoji'))} {raw.get('value', '')}".strip()}


def _game(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {"game_title": raw.get("title"), "game_description": raw.get("description")}


def _invoice(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {
        "invoice_information": {
            "title": raw.get("title"),
            "description": raw.get("description"),
            "amount": raw.get("total_amount"),
            "currency": raw.get("currency"),
        }
    }


def _checklist(value: Any) -> Object:  # noqa: ANN401
    raw = object_of(value)
    return {"todo_list": {"title": raw.get("title"), "answers": raw.get("tasks")}}


def _giveaway(value: Any) -> Object:  # noqa: ANN401
    return {"giveaway_information": {key: each for key, each in object_of(value).items() if key != "chats"}}


def _story(value: Any) -> Object:  # noqa: ANN401
    name, _ = named(object_of(value).get("chat"))
    return {"text": f"[story of {name}]" if name else "[story]"}


_MEDIA: dict[str, Callable[[Any], Object]] = {
    "poll": _poll,
    "contact": _contact,
    "venue": _venue,  # has a location, too
    "location": _location,
    "photo": _photo,
    "animation": _file("animation"),  # has a document, too
    "video": _file("video_file"),
    "video_note": _file("video_message"),
    "voice": _file("voice_message"),
    "audio": _file("audio_file"),
    "sticker": _file("sticker"),
    "document": _file(""),
    "dice": _dice,
    "game": _game,
    "invoice": _invoice,
    "checklist": _checklist,
    "giveaway": _giveaway,
    "giveaway_winners": _giveaway,
    "story": _story,
}


def _names(value: object) -> list[str]:
    return [named(each)[0] for each in list_of(value)]


_SERVICE: dict[str, Callable[[Any], Object]] = {
    "new_chat_members": lambda value: {"action": "invite_members", "members": _names(value)},
    "left_chat_member": lambda value: {"action": "remove_members", "members": [named(value)[0]]},
    "new_chat_title": lambda value: {"action": "edit_group_title", "title": value},
    "new_chat_photo": lambda _: {"action": "edit_group_photo"},
    "delete_chat_photo": lambda _: {"action": "delete_group_photo"},
    "group_chat_created": lambda _: {"action": "create_group"},
    "supergroup_chat_created": lambda _: {"action": "create_group"},
    "channel_chat_created": lambda _: {"action": "create_channel"},
    "migrate_to_chat_id": lambda _: {"action": "migrate_to_supergroup"},
    "migrate_from_chat_id": lambda _: {"action": "migrate_from_group"},
    "pinned_message": lambda value: {"action": "pin_message", "message_id": object_of(value).get("message_id")},
    "forum_topic_created": lambda value: {"action": "topic_created", "title": object_of(value).get("name")},
    "forum_topic_edited": lambda value: {"action": "topic_edit", "new_title": object_of(value).get("name")},
    "video_chat_started": lambda _: {"action": "group_call"},
    "video_chat_ended": lambda value: {"action": "group_call", "duration": object_of(value).get("duration")},
    "video_chat_scheduled": lambda value: {
        "action": "group_call_scheduled",
        "schedule_date": object_of(value).get("start_date"),
    },
    "video_chat_participants_invited": lambda value: {
        "action": "invite_to_group_call",
        "members": _names(object_of(value).get("users")),
    },
    "proximity_alert_triggered": lambda value: {
        "action": "proximity_reached",
        "from": named(object_of(value).get("traveler"))[0],
        "to": named(object_of(value).get("watcher"))[0],
        "distance": object_of(value).get("distance"),
    },
    "web_app_data": lambda value: {"action": "send_webview_data", "text": object_of(value).get("data")},
    "connected_website": lambda value: {"action": "allow_sending_messages", "site": value},
}
_WORDLESS = frozenset({
    "forum_topic_closed", "forum_topic_reopened", "general_forum_topic_hidden", "general_forum_topic_unhidden",
    "message_auto_delete_timer_changed", "chat_background_set", "boost_added", "write_access_allowed", "users_shared",
    "chat_shared", "successful_payment", "refunded_payment", "giveaway_created", "giveaway_completed", "passport_data",
    "checklist_tasks_done", "checklist_tasks_added", "direct_message_price_changed", "paid_message_price_changed", "gift",
    "unique_gift",
})  # fmt: skip
"""The events without text: the name of the field describes the event."""


def _service(message: Object) -> Object | None:
    """Return the event as an export writes it; None for a message that somebody wrote."""
    for key, read in _SERVICE.items():
        if _has(message, key):
            return read(message[key])
    kind = next((key for key in message if key in _WORDLESS and _has(message, key)), None)
    return {"action": kind} if kind is not None else None
