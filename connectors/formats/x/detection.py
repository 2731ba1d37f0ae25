"""Detection of the files in archives of X, by the variable that their JSON is assigned to, or by the first objects."""

from __future__ import annotations

import io
import re

from ...connector import Member
from ...files.whole_files import head_of

DIRECT, POSTS, DELETED, NOTES = "direct", "posts", "deleted", "notes"
ACCOUNT, GROK, OLD_USER, HEADERS, OTHER = "account", "grok", "old-user", "headers", "other"
SCORES = {DIRECT: 0.97, POSTS: 0.97, DELETED: 0.97, NOTES: 0.97, GROK: 0.97, ACCOUNT: 0.7, OLD_USER: 0.7, OTHER: 0.55,
          HEADERS: 0.55}  # fmt: skip
_VARIABLE = re.compile(rb"\s{0,16}window\.YTD\.([a-z_0-9]{1,80}?)\.part(\d{1,5})\s{0,16}=", re.IGNORECASE)
_GRAILBIRD = re.compile(rb"\s{0,16}Grailbird\.data\.([a-z_0-9]{1,80})\s{0,16}=")
_OLD_USER = re.compile(rb"\s{0,16}var\s{1,16}user_details\s{0,16}=")
_PREFIX = 400
"""The number of bytes in which the assignment is looked for."""
_NAMES = {
    "direct_message": DIRECT,
    "direct_messages": DIRECT,
    "direct_message_group": DIRECT,
    "direct_messages_group": DIRECT,
    "direct_message_headers": HEADERS,
    "direct_message_group_headers": HEADERS,
    "tweet": POSTS,
    "tweets": POSTS,
    "community_tweet": POSTS,
    "deleted_tweets": DELETED,
    "deleted_tweet": DELETED,
    "note_tweet": NOTES,
    "account": ACCOUNT,
    "grok_chat_item": GROK,
}
_DIRECT = re.compile(rb'\[\s{0,64}\{\s{0,64}"dmConversation"\s{0,64}:')
_WORDS = re.compile(rb'"messageCreate"\s*:\s*\{|"messages"\s*:\s*\[\s*\]')
_POST = re.compile(rb'\[\s{0,64}\{\s{0,64}(?:"tweet"\s{0,64}:\s{0,64}\{|"(?:edit_info|retweeted|source|entities)"\s*:)')
_POST_KEYS = (b'"full_text"', b'"id_str"', b'"created_at"')


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other."""
    head = head_of(member)
    if named := _VARIABLE.match(head):
        return _NAMES.get(named[1].decode().lower(), OTHER)
    if named := _GRAILBIRD.match(head):
        return POSTS if named[1].startswith(b"tweets") else OTHER
    if _OLD_USER.match(head):
        return OLD_USER
    text = head.lstrip()
    if _DIRECT.match(text) and _WORDS.search(text):
        return DIRECT if b'"text"' in text else HEADERS
    if _POST.match(text) and all(key in text for key in _POST_KEYS):
        return POSTS
    return ""


def without_assignment(stream: io.BufferedReader) -> None:
    """Skip the assignment, to the beginning of the JSON."""
    head = stream.peek(_PREFIX)[:_PREFIX]
    match = re.match(rb"[^\[{=]{0,300}=\s{0,64}", head)
    if match is not None:
        stream.read(match.end())
