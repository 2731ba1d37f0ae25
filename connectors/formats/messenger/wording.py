"""Recognises lines that the apps write in a person's name, in English: group events, reactions, attachments. Pure."""

from __future__ import annotations

import re

_EVENTS = re.compile(
    r"(?:added .+ to (?:the|this) group"
    r"|removed .+ from (?:the|this) group"
    r"|left the (?:group|chat)"
    r"|joined (?:the (?:group|call|video chat|audio call)|using a link|via .+)"
    r"|created (?:the|this) group"
    r"|(?:named|renamed) the group .+"
    r"|removed the group name"
    r"|changed the (?:group|chat) (?:photo|name|theme|colors|colours|emoji).*"
    r"|changed the (?:theme|quick reaction|chat theme).*"
    r"|(?:set|cleared) (?:the|your|his own|her own|their own|his|her|their) (?:nickname|emoji|quick reaction).*"
    r"|turned (?:on|off) .+"
    r"|(?:pinned|unpinned) a message"
    r"|unsent a message"
    r"|made .+ an admin"
    r"|removed .+ as an? (?:group )?admin)"
    r"[.!]?",
    re.DOTALL,
)
_POLLS = re.compile(
    r"(?:created a poll: .+|voted for .+ in the poll: .+|changed (?:their|his|her) vote to .+)", re.DOTALL
)
_GREETINGS = re.compile(
    r"You are now connected on Messenger[.!]?"
    r"|You can now (?:message and call|call) each other.*"
    r"|Say hi to your new Facebook friend, .+"
    r"|The video (?:call|chat) ended[.]?|Video chat ended[.]?"
)
_REACTIONS = re.compile(r"(?:Reacted .{1,40} to your (?:message|photo|video|story)|Liked (?:a|your) message)\s*")
_CALLS = re.compile(
    r"(?:started|missed) (?:an audio|a video|a voice) (?:call|chat)[.]?"
    r"|called you[.]|missed your (?:audio |video |voice )?(?:call|chat)[.]"
)
_MISSED = re.compile(r"You missed an? (?:audio |video |voice )?(?:call|chat) from .{1,200}[.]")
_CALL_ENDED = re.compile(r"(?:Audio|Video|Voice) call ended[.]?")
_ATTACHMENTS = re.compile(
    r"sent (?:an attachment|a photo|a video|a GIF|a sticker|a voice message|a link|a live location|a location"
    r"|\d+ photos|\d+ videos|\d+ attachments)\."
)

_OF_SOMEBODY = {"system": _EVENTS, "call": _CALLS, "poll": _POLLS, "attachment": _ATTACHMENTS}
"""The expressions for the text after the actor's name, by kind."""

BEGINNINGS = ("You", "Say hi", "The video", "Video c", "Audio call", "Voice call", "Reacted", "Liked")
"""The beginnings of everything these expressions match, apart from the sender's name."""
_LONGEST = 1000


def wording_kind(content: str, sender: str) -> str:
    """Return ``system``, ``call``, ``poll``, ``reaction`` or ``attachment``; empty for a person's own text."""
    if len(content) > _LONGEST or not content.startswith((*BEGINNINGS, sender or "You")):
        return ""
    if _GREETINGS.fullmatch(content):
        return "system"
    if _REACTIONS.fullmatch(content):
        return "reaction"
    if _CALL_ENDED.fullmatch(content) or _MISSED.fullmatch(content):
        return "call"
    for subject in (sender, "You"):
        if subject and content.startswith(f"{subject} "):
            rest = content[len(subject) + 1 :]
            if kind := next((kind for kind, wording in _OF_SOMEBODY.items() if wording.fullmatch(rest)), ""):
                return kind
    return ""
