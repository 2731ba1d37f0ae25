"""Rendering of Slack's markup: mentions with names, links with addresses, ``&amp;`` as ``&``. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# One expression for both, so that a literal `&lt;@U1&gt;` stays text and does not become a mention.
_MARKUP = re.compile(r"<([^<>]*)>|&(amp|lt|gt);")
_ESCAPED = {"amp": "&", "lt": "<", "gt": ">"}
_SCHEME = re.compile(r"(?:mailto|tel|sip):", re.IGNORECASE)
_USER = re.compile(r"[UW][A-Z0-9]+")
_TOKEN = re.compile(r"[?&]t=xox[a-z]-[\w-]+")
"""Matches the token that opens an export's file addresses for everybody."""
_FENCE = re.compile(r"```(?:(?!```).)+```", re.DOTALL)
_QUOTED = re.compile(r"^>.*(?:\n>.*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Names:
    """Lookups of the names behind ids; each takes an id and the label of the mention."""

    user: Callable[[str, str], str]
    channel: Callable[[str, str], str]


def rendered(text: str, names: Names) -> str:
    """Render mentions, links and escapes as Slack shows them; everything else stays as it is."""
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
    if label.startswith("@") and _USER.fullmatch(target):  # the form of the first exports
        return "@" + names.user(target, label[1:])
    if not target:
        return f"<{unescaped(inside)}>"
    return link(unescaped(target), label if bar else "")


def _command(command: str, label: str) -> str:
    """Render a command behind ``!``: ``here``, ``subteam^S1|@group``, ``date^1392734382^{date}|18 February 2014``."""
    name, _, rest = command.partition("^")
    if name in ("here", "channel", "everyone"):
        return f"@{name}"
    if label:
        return label
    if name == "subteam":
        return f"@{rest}"
    return f"<!{unescaped(command)}>"


def link(address: str, label: str) -> str:
    """Render a link: its label, and its address unless the label repeats it."""
    bare = _SCHEME.sub("", _TOKEN.sub("", address))
    if not label.strip() or label in (address, bare) or bare.partition("://")[2].rstrip("/") == label.rstrip("/"):
        return bare
    return f"{label} ({bare})"


def unescaped(text: str) -> str:
    """Undo the three escapes, each once."""
    return _MARKUP.sub(lambda match: _ESCAPED[match[2]] if match[2] else match[0], text) if "&" in text else text


def marked_parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind (``code``, ``quote``), start and end of the code and quotations in a rendered text."""
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
