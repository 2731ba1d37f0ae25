"""Readable texts for service messages. Pure."""

from __future__ import annotations

from ....schemas.message import MessageKind
from .media import money
from .rich_text import plain_text
from .values import Object, list_of, number_of, object_of, text_of

_CALLS = frozenset({"phone_call", "conference_call", "group_call", "group_call_scheduled", "invite_to_group_call"})
REFERENCES = ("message_id", "game_message_id", "invoice_message_id", "reply_to_message_id", "giveaway_message_id")
"""The keys by which a service message refers to another message."""

_LINES = {
    "create_group": "{actor} created the group «{title}» with {members}",
    "create_channel": "{actor} created the channel «{title}»",
    "edit_group_title": "{actor} changed the title to «{title}»",
    "edit_group_photo": "{actor} changed the group photo",
    "delete_group_photo": "{actor} removed the group photo",
    "invite_members": "{actor} invited {members}",
    "remove_members": "{actor} removed {members}",
    "join_group_by_link": "{actor} joined by a link from {inviter}",
    "join_group_by_request": "{actor} joined by request",
    "pin_message": "{actor} pinned a message",
    "clear_history": "The history was cleared",
    "migrate_to_supergroup": "{actor} converted this group to a supergroup",
    "migrate_from_group": "{actor} converted a group to this supergroup: «{title}»",
    "score_in_game": "{actor} scored {score} in a game",
    "phone_call": "Call by {actor}",
    "conference_call": "Conference call by {actor}",
    "group_call": "Group call by {actor}",
    "group_call_scheduled": "{actor} scheduled a group call",
    "invite_to_group_call": "{actor} invited {members} to the group call",
    "take_screenshot": "{actor} took a screenshot",
    "joined_telegram": "{actor} joined Telegram",
    "requested_phone_number": "{actor} requested the phone number",
    "topic_created": "{actor} created the topic «{title}»",
    "topic_edit": "{actor} changed the topic to «{new_title}»",
    "set_chat_wallpaper": "{actor} set a wallpaper for this chat",
    "set_same_chat_wallpaper": "{actor} set the same wallpaper for this chat",
    "edit_chat_theme": "{actor} changed the theme of the chat to {emoticon}",
    "suggest_profile_photo": "{actor} suggested a profile photo",
    "allow_sending_messages": "Messages of this bot were allowed",
    "attach_menu_bot_allowed": "This bot was added to the attachment menu",
    "proximity_reached": "{from} is within {distance} meters of {to}",
    "send_webview_data": "Data was sent to the bot: {text}",
}
_NAMED = ("title", "new_title", "score", "emoticon", "distance", "inviter", "to", "from")
_DETAILS = {
    "action", "actor", "actor_id", "id", "type", "date", "date_unixtime", "text", "text_entities", "edited",
    "edited_unixtime", "reactions", "from", "from_id", "photo", "width", "height", "photo_file_size", "title",
    "members", "inviter", "new_title", "score", "emoticon", "to", "to_id", "distance", "reply_to_peer_id",
    "new_icon_emoji_id", "amount", "currency", "schedule_date", *REFERENCES,
}  # fmt: skip
"""The keys that `_details` omits: a line already contains them, or they are of no use to a reader."""


def service_line(message: Object) -> tuple[str, MessageKind]:
    """Return the text of the event, and its kind: a call, or another event of the system."""
    action = text_of(message.get("action"))
    kind: MessageKind = "call" if action in _CALLS else "system"
    parts = _parts(message)
    template = _LINES.get(action)
    if not action:
        line = plain_text(message.get("information_text")) or plain_text(message.get("text")) or "[service message]"
        return line, kind
    if template is None:
        # An action of a newer app: its name describes it.
        line = f"{parts['actor']}: {action.replace('_', ' ')}" if message.get("actor") else action.replace("_", " ")
        title = parts["title"]
        line += f" «{title}»" if title else ""
        line += f" with {parts['members']}" if message.get("members") else ""
    else:
        line = template.format_map(parts).replace(" «»", "").removesuffix(" with nobody").removesuffix(" from ")
    if price := money(message.get("amount"), message.get("currency")):
        line += f", {price}"
    if when := number_of(message.get("schedule_date")):
        line += f", for {when}"
    words = _details(message)
    body = plain_text(message.get("text"))
    if body.strip() and action != "send_webview_data":
        words.append(body)
    return (f"{line} ({', '.join(words)})" if words else line), kind


def _parts(message: Object) -> dict[str, str]:
    names = [name if isinstance(name, str) and name.strip() else "Deleted Account" for name in _members(message)]
    parts = {key: number_of(message.get(key)) for key in _NAMED}
    parts["text"] = plain_text(message.get("text"))
    actor = text_of(message.get("actor")).strip() or text_of(message.get("from")).strip()
    parts["actor"] = actor or "Somebody"
    parts["members"] = ", ".join(names) or "nobody"
    return parts


def _members(message: Object) -> list[object]:
    return [object_of(each).get("name", each) for each in list_of(message.get("members"))]


def _details(message: Object) -> list[str]:
    """Return the other fields in words: ``duration seconds 12``, ``discard reason missed``."""
    result: list[str] = []
    for key, value in message.items():
        if key in _DETAILS:
            continue
        if isinstance(value, list):
            texts = [plain_text(each.get("text")) if isinstance(each, dict) else number_of(each) for each in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
            words = ", ".join(filter(None, texts))
        else:
            words = number_of(value) if not isinstance(value, bool) else str(value).lower()
        if words:
            result.append(f"{key.replace('_', ' ')} {words}")
    return result
