"""The speakers of cues: voices of WebVTT, and names before a colon. Pure."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .cues import Cue

_VOICE = re.compile(r"<v(?:\.[^\s>]*)?(?:[ \t\n]([^<>]*))?>")
_TAG = re.compile(
    r"</?(?:c|i|b|u|v|lang|ruby|rt|font)(?:[.\s][^<>]*)?>|<\d{1,4}:\d{2}[\d:.]*>|\{\\an?\d+\}", re.IGNORECASE | re.ASCII
)
_NAME = r"(?P<name>[^\W\d_a-z][^\n:<>?!;\"“”]{0,59}?|[A-Za-z][\w.-]{0,30}\d)"  # Ann Smith, JOHN, 田中; speaker_1
_PREFIX = re.compile(rf"(?P<mark>(?:&gt;|>){{2}}[ \t]*|-[ \t]+)?{_NAME}(?:[ \t]*:|：)(?:[ \t]+|\n|$)")
_LABELLED = re.compile(r"\[(?P<name>[^\[\]\n]{1,60})\]:[ \t]+")
"""Matches ``[SPEAKER_00]: words``, as WhisperX writes subtitles."""
_BRACKETED = re.compile(r"[(\[](?P<name>[^()\[\]\n]{1,60})[)\]][ \t]*\n")
_CUE_NAME = re.compile(r'(?:\d{1,9}[ \t]+)?"(?P<name>[^"\n]{1,80})"[ \t]*(?:\(\d{0,20}\))?')
"""Matches the name of a cue in which Webex tells who speaks: ``1 "Ann Smith" (2547625472)``."""
_MOST_WORDS = 6
_ROLLS_AT_LEAST = 2


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance: the text of one speaker."""

    cue: Cue
    speaker: str
    """The speaker's name; empty if unknown."""
    text: str
    to: str = ""
    """The recipient of a private chat message; empty for everybody."""


def said_in(cues: Sequence[Cue]) -> list[Said]:
    """Return the utterances in the order of the cues. Names before a colon are taken for speakers only if the file
    uses them consistently.
    """
    if any("<v" in cue.text for cue in cues):
        return [said for cue in cues for said in _voices(cue)]
    if any(cue.id.endswith(('"', ")")) and _CUE_NAME.fullmatch(cue.id) for cue in cues):
        names = [_CUE_NAME.fullmatch(cue.id) for cue in cues]
        return [
            Said(cue, name["name"].strip() if name else "", _plain(cue.text))
            for cue, name in zip(cues, names, strict=True)
        ]
    plain = [Said(cue, "", words) for cue, words in zip(cues, _unrolled([_plain(c.text) for c in cues]), strict=True)]
    for pattern in (_PREFIX, _LABELLED, _BRACKETED):
        names = [_name_before(pattern, said.text) for said in plain]
        if _are_speakers([name for name, _, _ in names if name], len([said for said in plain if said.text.strip()])):
            return list(_named(plain, names))
    return plain


def _unrolled(texts: Sequence[str]) -> Sequence[str]:
    """Remove the lines that roll up: automatic captions repeat each line above the next one."""
    parts = [[line for line in text.split("\n") if line.strip()] for text in texts]
    rolls = [bool(above and below) and above[-1] == below[0] for above, below in pairwise(parts)]
    new = any(rolled and len(below) > 1 for rolled, below in zip(rolls, parts[1:], strict=True))
    if not new or sum(rolls) < _ROLLS_AT_LEAST or sum(rolls) * 3 < len(texts) * 2:
        return texts
    return [
        texts[0],
        *("\n".join(p[1:]) if rolled else t for t, p, rolled in zip(texts[1:], parts[1:], rolls, strict=True)),
    ]


def _named(plain: Sequence[Said], names: Sequence[tuple[str, int, bool]]) -> Iterator[Said]:
    """Yield utterances with their speakers. If marks announce new speakers, text without a mark continues the last
    speaker's.
    """
    marked = any(mark for _, _, mark in names)
    current = ""
    for said, (name, length, _) in zip(plain, names, strict=True):
        current = name or (current if marked else "")
        yield Said(said.cue, current, said.text[length:])


def _name_before(pattern: re.Pattern[str], text: str) -> tuple[str, int, bool]:
    """Return a name, the length of the prefix with it, and whether it is marked as a new speaker."""
    match = pattern.match(text)
    if match is None or len(match["name"].split()) > _MOST_WORDS:
        return "", 0, False
    return match["name"].strip(), match.end(), pattern is _PREFIX and match["mark"] is not None


def _are_speakers(names: Sequence[str], cues: int) -> bool:
    """Return whether the names are speakers: they begin half of the cues without too much variety, or are few and
    often repeated.
    """
    if not names:
        return False
    counts = Counter(names)
    if len(names) * 2 >= cues:
        return len(counts) <= 2 + len(names) // 3 or len(names) * 5 >= cues * 4
    return len(names) >= 4 and len(names) * 8 >= cues and len(counts) * 2 <= len(names)


def _voices(cue: Cue) -> Iterator[Said]:
    """Yield the utterances of a cue, split at its voice tags."""
    at, speaker = 0, ""
    for match in _VOICE.finditer(cue.text):
        before = _plain(cue.text[at : match.start()])
        if before.strip():
            yield Said(cue, speaker, before.strip())
        speaker, at = html.unescape(match[1] or "").strip(), match.end()
    rest = _plain(cue.text[at:])
    if rest.strip() or at == 0:
        yield Said(cue, speaker, rest.strip())


def _plain(text: str) -> str:
    """Remove the markup and decode entities."""
    if "<" in text or "{" in text:
        text = _TAG.sub("", text)
    return html.unescape(text) if "&" in text else text
