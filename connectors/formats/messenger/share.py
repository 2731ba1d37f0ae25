"""Adds shared content to a message: a link, a post with its text, a profile. Pure."""

from __future__ import annotations

from typing import Any

from .mojibake import repaired_name, repaired_text

_OWNERS = ("original_content_owner", "profile_share_username", "profile_share_name")


def shared_part(share: dict[str, Any], message: dict[str, Any], details: dict[str, str], *, below: bool) -> None:
    """Add shared content to the message.

    If the sender wrote text, it stays the content, and link and text go into `details`. Otherwise, or `below` a line of
    the app such as ``You sent an attachment.``, link and text become the content; the text is marked as a quote.
    """
    link, text = repaired_name(share.get("link")), repaired_text(share.get("share_text"))
    owner = next((name for key in _OWNERS if (name := repaired_name(share.get(key)))), "")
    if owner:
        details["shared_from"] = owner
    content: str = message["content"]
    if content.strip() and not below:
        if link and link not in content:
            details["link"] = link
        if text.strip() and text not in content:
            details["shared_text"] = text
        return
    above = [part for part in (content, link) if part.strip()]
    if text.strip():
        start = sum(len(part) + 1 for part in above)
        message["segments"] = [{"kind": "quote", "start": start, "end": start + len(text)}]
        above.append(text)
    message["content"] = "\n".join(above) or (owner and f"[shared: {owner}]")
