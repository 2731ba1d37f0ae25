"""Classifies mail as personal, list, bulk or automatic, and reads its labels. Pure."""

from __future__ import annotations

import csv
import re
from typing import Literal

from .headers import Address, Headers
from .parameters import parameters

MailKind = Literal["personal", "list", "bulk", "automatic"]
"""``list``: a person wrote to a mailing list; ``bulk``: newsletters; ``automatic``: programs, absence notices."""

_ROBOT = re.compile(
    r"^(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|noreply.*|.*[-_.+]noreply|mailer-daemon|postmaster|bounces?(?:[-_+.].*)?|"
    r"notifications?(?:[-_+.].*)?|newsletters?|news|alerts?|automailer|auto-confirm|account-update|nepasrepondre|ne-pas-repondre|nicht-antworten|"
    r"keine-?antwort|noresponder|no-responder|naoresponda|nao-responda)$",
    re.IGNORECASE,
)
_BULK_FIELDS = frozenset(
    {
        "list-unsubscribe",
        "list-unsubscribe-post",
        "feedback-id",
        "x-campaign",
        "x-campaignid",
        "x-mailchimp-campaign-id",
        "x-csa-complaints",
        "x-mc-user",
    }
)


def mail_kind(headers: Headers, sender: Address | None) -> MailKind:
    """Return the kind of a mail by its headers."""
    fields = headers.fields
    submitted = headers.raw("auto-submitted").partition(";")[0].strip().lower()
    precedence = headers.raw("precedence").strip().lower()
    if (
        submitted not in ("", "no")
        or precedence == "auto_reply"
        or "x-autoreply" in fields
        or "x-autorespond" in fields
    ):
        return "automatic"
    mime, mime_fields = parameters(headers.raw("content-type"))
    if mime == "multipart/report" and mime_fields.get("report-type", "").lower() != "":
        return "automatic"
    local = sender.address.partition("@")[0] if sender is not None else ""
    if local and _ROBOT.match(local):
        return "bulk" if not _BULK_FIELDS.isdisjoint(fields) else "automatic"
    posted = headers.raw("list-post").strip()
    if (posted and posted.upper() != "NO" and precedence != "bulk") or precedence == "list":
        return "list"
    if precedence in ("bulk", "junk") or not _BULK_FIELDS.isdisjoint(fields):
        return "bulk"
    if "list-id" in fields:
        return "list"
    return (
        "automatic"
        if "x-auto-response-suppress" in fields and headers.raw("x-auto-response-suppress").lower() == "all"
        else "personal"
    )


def labels_of(headers: Headers) -> tuple[str, ...]:
    """Return the labels that mail programs wrote into the headers: Gmail's, Thunderbird's, and ``X-Keywords``."""
    labels: dict[str, None] = {}
    gmail = headers.text("x-gmail-labels")
    if gmail:
        # A comma inside a label is quoted. Takeout folds the field, which leaves a blank at each fold.
        labels.update(dict.fromkeys(_split_labels(gmail)))
    for name in ("x-mozilla-keys", "x-keywords"):
        if name in headers.fields:
            words = headers.text(name).replace(",", " ").split()
            labels.update(dict.fromkeys(word for word in words if not word.startswith("$label")))
    return tuple(labels)


def _split_labels(text: str) -> list[str]:
    if '"' not in text:
        return [label for each in text.split(",") if (label := " ".join(each.split()))]
    try:
        rows = list(csv.reader([text.replace("\0", "")], skipinitialspace=True))
    except csv.Error:
        rows = [text.split(",")]
    return [label for row in rows for each in row if (label := " ".join(each.split()))]
