"""Slack's markup of text as people read it: mentions with names, links with addresses, ``&amp;`` as ``&``. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# One expression for both, so that what was written as `&lt;@U1&gt;` stays text and is no mention.
_MARKUP = re.compile(r"<([^<>]*)>|&(amp|lt|gt);")
_ESCAPED = {"amp": "&", "lt": "<", "gt": ">"}
_SCHEME = re.compile(r"(?:mailto|tel|sip):", re.IGNORECASE)
_USER = re.compile(r"[UW][A-Z0-9]+")
_TOKEN = re.compile(r"[?&]t=xox[a-z]-[\w-]+")
"""The key with which an export's addresses of files open for whoever has them."""
_FENCE = re.compile(r"```(?:(?!```).)+```", re.DOTALL)
_QUOTED = re.compile(r"^>.*(?:\n>.*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Names:
    """Where the names behind ids come from: each function takes an id and the label of the mention."""

    user: Callable[[str, str], str]
    channel: Callable[[str, str], str]


def rendered(text: str, names: Names) -> str:
    """The text with its mentions, links and escapes as Slack shows them; everything else stays as it is."""
    if "<" not in text and "&" not in text:
        return text

    def shown(match: re.Match[str]) -> str:
        escaped = match[2]
        return _ESCAPED[escaped] if escaped else _entity(match[1], names)

    return _MARKUP.sub(shown, text)


def _entity(inside: str, names: Names) -> str:
    target, bar, label = inside.partition("|")
    kind, rest = target[:1], target[1:]
    label = unescaped(label)
    if kind == "@" and rest:
        return "@" + names.user(rest, label.removeprefix("@"))
    if kind == "#" and rest:
        return "#" + names.channel(rest, label.removeprefix("#"))
    if kind == "!":
        return _command(rest, label)
    if label.startswith("@") and _USER.fullmatch(target):  # as the first exports had it
        return "@" + names.user(target, label[1:])
    if not target:
        return f"<{unescaped(inside)}>"
    return link(unescaped(target), label if bar else "")


def _command(command: str, label: str) -> str:
    """What follows a ``!``: ``here``, ``subteam^S1|@group``, ``date^1392734382^{date}|18 February 2014``."""
    name, _, rest = command.partition("^")
    if name in ("here", "channel", "everyone"):
        return f"@{name}"
    if label:
        return label
    if name == "subteam":
        return f"@{rest}"
    return f"<!{unescaped(command)}>"


def link(address: str, label: str) -> str:
    """What stands for a link: its words, and its address where they do not tell it already."""
    bare = _SCHEME.sub("", _TOKEN.sub("", address))
    if not label.strip() or label in (address, bare) or bare.partition("://")[2].rstrip("/") == label.rstrip("/"):
        return bare
    return f"{label} ({bare})"


def unescaped(text: str) -> str:
    """The three escapes undone, each once."""
    return _MARKUP.sub(lambda match: _ESCAPED[match[2]] if match[2] else match[0], text) if "&" in text else text


def marked_parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind (``code``, ``quote``), start and end of what a text sets off; as rendered."""
    fences = [match.span() for match in _FENCE.finditer(text)] if "```" in text else []
    yield from (("code", start, end) for start, end in fences)
    if ">" not in text:
        return
    passed = 0  # fences that end before the quotation
    for match in _QUOTED.finditer(text):
        while passed < len(fences) and fences[passed][1] <= match.start():
            passed += 1
        if passed == len(fences) or fences[passed][0] >= match.end():
            yield "quote", *match.span()
