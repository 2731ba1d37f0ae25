"""Media of ``messages.html``, converted to the keys of ``result.json``. Pure."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from .html_nodes import own_text, words
from .values import Object

_WRAPS = {"sticker_wrap": "sticker", "animated_wrap": "animation", "video_file_wrap": "video_file"}
_KINDS = {"media_voice_message": "voice_message", "media_audio_file": "audio_file"}
_VIDEOS = {"Video message": "video_message", "Animation": "animation"}
_NOT_INCLUDED = "(File not included)"
_CHECKLIST = "To-do List"
"""The text below the title of a checklist, which otherwise looks like a poll."""
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})", re.ASCII)
_SECONDS = re.compile(r"\((\d{1,9}) seconds\)", re.ASCII)
_VOTES = re.compile(r"(\d{1,9}) votes?", re.ASCII)
_POINT = re.compile(r"(-?\d{1,3}(?:\.\d{1,20})?),\s*(-?\d{1,3}(?:\.\d{1,20})?)", re.ASCII)


def media_fields(wrap: LexborNode) -> Object:
    """Return the keys for the media in a ``div.media_wrap``."""
    if (poll := wrap.css_first(".media_poll")) is not None:
        return _poll(poll)
    if (photo := wrap.css_first("a.photo_wrap")) is not None:
        return {"photo": photo.attributes.get("href") or _NOT_INCLUDED}
    for name, kind in _WRAPS.items():
        if (node := wrap.css_first(f"a.{name}")) is not None:
            length = node.css_first(".video_duration")
            return {
                "file": node.attributes.get("href") or _NOT_INCLUDED,
                "media_type": kind,
                **_duration(words(length) if length else ""),
            }
    media = wrap.css_first(".media")
    return _generic(media) if media is not None else {}


def _generic(media: LexborNode) -> Object:
    names = (media.attributes.get("class") or "").split()
    kind = next((name for name in names if name.startswith("media_")), "")
    href = media.attributes.get("href") or ""
    title, description, status = (_part(media, name) for name in ("title", "description", "status"))
    if kind in _OTHERS:
        return _OTHERS[kind](title, description, status, href)
    file = href or _NOT_INCLUDED
    if kind == "media_photo" and title != "Sticker":
        return {"photo": file}
    if kind == "media_photo":
        return {"file": file, "media_type": "sticker", "sticker_emoji": "" if href else status.partition(",")[0]}
    if kind == "media_video":
        return {"file": file, "media_type": _VIDEOS.get(title, "video_file"), **_duration(status)}
    if kind == "media_audio_file":
        performer, dash, name = title.partition(" \N{EN DASH} ")
        tags = {"performer": performer, "title": name} if dash else {}
        return {"file": file, "media_type": "audio_file", **tags, **_duration(status)}
    if kind in _KINDS:
        return {"file": file, "media_type": _KINDS[kind], **_duration(status)}
    if kind == "media_file":
        return {"file": file, "file_name": "" if title == "File" else title}
    # A newer kind of media: its own text describes it.
    text = ", ".join(filter(None, (title, description, status)))
    return {"file": file, "media_type": kind.removeprefix("media_") or "file", "title": text}


def _contact(title: str, description: str, status: str, href: str) -> Object:
    del description, href
    return {"contact_information": {"first_name": title, "phone_number": status.removesuffix(" - vCard")}}


def _location(title: str, description: str, status: str, href: str) -> Object:
    del description
    live = {"live_location_period_seconds": "unknown"} if title == "Live location" else {}
    return {"location_information": _point(status) or _point(href), **live}


def _venue(title: str, description: str, status: str, href: str) -> Object:
    del status
    return {"place_name": title, "address": description, "location_information": _point(href)}


def _game(title: str, description: str, status: str, href: str) -> Object:
    return {"game_title": title, "game_description": description, "game_link": status or href}


def _invoice(title: str, description: str, status: str, href: str) -> Object:
    del href
    return {"invoice_information": {"title": title, "description": description, "amount": status}}


def _call(title: str, description: str, status: str, href: str) -> Object:
    del title, description, href
    seconds = _SECONDS.search(status)
    fields: Object = {"type": "service", "action": "phone_call", "status": _SECONDS.sub("", status).strip().lower()}
    return {**fields, "duration_seconds": int(seconds[1])} if seconds else fields


def _poll(poll: LexborNode) -> Object:
    question = poll.css_first(".question")
    answers: list[Object] = []
    for each in poll.css(".answer"):
        details = each.css_first(".details")
        shown = words(details) if details else ""
        votes = _VOTES.search(shown)
        text = " ".join(own_text(each).split()).removeprefix("- ")
        answers.append({"text": text, "voters": int(votes[1]) if votes else 0, "chosen": "chosen vote" in shown})
    total = poll.css_first(".total")
    votes = _VOTES.search(words(total)) if total else None
    state = _part(poll, "details")
    title = words(question) if question else ""
    if state == _CHECKLIST:
        return {"todo_list": {"title": title, "answers": answers}}
    fields: Object = {"question": title, "answers": answers}
    fields["closed"] = state == "Final results"
    fields["total_voters"] = int(votes[1]) if votes else 0
    return {"poll": fields}


def _part(media: LexborNode, name: str) -> str:
    node = media.css_first(f".{name}")
    return words(node) if node is not None else ""


def _duration(status: str) -> Object:
    match = _CLOCK.match(status)
    if match is None:
        return {}
    return {"duration_seconds": int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3])}


def _point(text: str) -> Object | None:
    match = _POINT.search(text)
    return {"latitude": match[1], "longitude": match[2]} if match else None


_OTHERS = {
    "media_contact": _contact,
    "media_location": _location,
    "media_live_location": _location,
    "media_venue": _venue,
    "media_game": _game,
    "media_invoice": _invoice,
    "media_call": _call,
}
