"""Replaces secrets by placeholders before anything is sent, and restores them in the answer.

Each value has one placeholder within a request, ``[card-1]``, at all of its occurrences. A placeholder that occurs in
the texts themselves is never used, so that restoring gives the original exactly.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, cast

from ...schemas.errors import ExtractionError
from .own_patterns import own_matches
from .secret_detectors import DETECTORS, OPTIONAL

SHORTEST = 6
"""The least characters of a secret that is also hidden where only its letters identify it."""
_MERGING = 2
"""The number of the rule by which overlapping matches become one placeholder; the rule changes the text that is sent.
"""
_PLACEHOLDER = re.compile(r"\[[a-z]+-[0-9]+\]")
_EVERYWHERE = frozenset({"key", "password", "card", "iban", "own"})


@dataclass(frozen=True, slots=True)
class RedactionSettings:
    """The values to hide in addition to keys, passwords, cards and accounts."""

    enabled: bool = True
    emails: bool = False
    phones: bool = False
    patterns: tuple[str, ...] = ()
    """The user's own regular expressions; the group named ``hide`` is replaced, else the whole match."""


class Redactor:
    """Finds secrets in texts.

    Raises:
        re.error: one of the patterns is no regular expression.
    """

    def __init__(self, settings: RedactionSettings) -> None:
        self.settings = settings
        for pattern in settings.patterns:
            try:
                re.compile(pattern)
            except (OverflowError, RecursionError) as error:
                raise re.error(str(error), pattern) from None
        wanted = [each for each in OPTIONAL if getattr(settings, f"{each.kind}s")]
        self._detectors = (*DETECTORS, *wanted) if settings.enabled else ()
        self._own = settings.patterns if settings.enabled else ()

    @cached_property
    def fingerprint(self) -> str:
        """The hash of the redaction settings, which changes with the text that is sent."""
        shown = [(each.kind, each.pattern.pattern) for each in self._detectors]
        shown += [("own", pattern) for pattern in self._own]
        return sha256(repr((_MERGING, shown)).encode()).hexdigest()[:12]

    def matches(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
        """Return all matches in each text as (start, end, kind), by detector, the most certain first; they may overlap.

        Raises:
            ExtractionError: the user's own patterns take too long.
        """
        try:
            own_spans = own_matches(self._own, texts)
        except (subprocess.SubprocessError, OSError):  # not chained: the error holds the texts
            raise ExtractionError(
                "the patterns of llm.redact_patterns cannot be searched for in time", hint="simplify them"
            ) from None
        return [
            [(start, end, each.kind) for each in self._detectors for start, end in each.find(text)]
            + [(start, end, "own") for start, end in spans]
            for text, spans in zip(texts, own_spans, strict=True)
        ]

    def begin(self, texts: Iterable[str]) -> Redaction:
        """Return the redaction of one request.

        Args:
            texts: all texts of the request. A secret in one of them is hidden wherever it occurs, and placeholders that
                occur in them are not used.

        Raises:
            ExtractionError: the user's own patterns take too long.
        """
        return Redaction(self, list(texts))


class Redaction:
    """The hidden values of one request, with their placeholders."""

    def __init__(self, redactor: Redactor, texts: Sequence[str]) -> None:
        self._redactor = redactor
        self._matches = dict(zip(texts, redactor.matches(texts), strict=True))
        self._taken = frozenset(_PLACEHOLDER.findall("\n".join(texts)))
        self._placeholders: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._last: dict[str, int] = {}
        self._secrets: dict[str, tuple[int, str]] = {}
        """The secrets with their order of discovery and their kind."""
        self._by_opening: dict[str, dict[int, set[str]]] = {}
        """The secrets by their first characters and their lengths, so that a text is scanned once for all of them."""
        for text in texts:
            self._learn(text)

    @property
    def count(self) -> int:
        """Return the number of hidden values."""
        return len(self._values)

    def _learn(self, text: str) -> None:
        """Record the secrets of a text, so that they are also hidden where only their letters identify them."""
        for start, end, kind in self._matches[text]:
            secret = text[start:end].rstrip(".,;:!?)")
            if len(secret) >= SHORTEST and kind in _EVERYWHERE:
                self._secrets[secret] = (self._secrets.get(secret, (len(self._secrets), ""))[0], kind)
                self._by_opening.setdefault(secret[:SHORTEST], {}).setdefault(len(secret), set()).add(secret)

    def hide(self, text: str) -> str:
        """Return the text with placeholders. All matches are found in the original text, and each span is replaced
        once.
        """
        pieces: list[str] = []
        at = 0
        matches = self._matches[text] if text in self._matches else self._redactor.matches([text])[0]
        for start, end, kind in merged([*matches, *self._repeated(text)]):
            pieces += (text[at:start], self._placeholder(text[start:end], kind))
            at = end
        return "".join([*pieces, text[at:]])

    def restore(self, text: str) -> str:
        """Return the text with the original values in place of their placeholders."""
        return _PLACEHOLDER.sub(lambda match: self._values.get(match[0], match[0]), text)

    def restored(self, answer: object) -> Any:  # noqa: ANN401 - JSON
        """Return JSON with the original values in all of its strings."""
        if isinstance(answer, str):
            return self.restore(answer)
        if isinstance(answer, list):
            return [self.restored(each) for each in cast("list[object]", answer)]
        if isinstance(answer, dict):
            return {
                self.restore(str(key)): self.restored(each) for key, each in cast("dict[str, object]", answer).items()
            }
        return answer

    def _repeated(self, text: str) -> list[tuple[int, int, str]]:
        """Return the spans of known secrets, sorted by their order of discovery; they may overlap."""
        if not self._by_opening:
            return []
        places: list[tuple[int, int, int, str]] = []
        for at in range(len(text) - SHORTEST + 1):
            for length, secrets in self._by_opening.get(text[at : at + SHORTEST], {}).items():
                if (secret := text[at : at + length]) in secrets:
                    learned, kind = self._secrets[secret]
                    places.append((learned, at, at + length, kind))
        return [(start, end, kind) for _, start, end, kind in sorted(places)]

    def _placeholder(self, value: str, kind: str) -> str:
        earlier = self._placeholders.get(value)
        if earlier is not None:
            return earlier
        while True:
            self._last[kind] = self._last.get(kind, 0) + 1
            placeholder = f"[{kind}-{self._last[kind]}]"
            if placeholder not in self._taken:
                break
        self._placeholders[value] = placeholder
        self._values[placeholder] = value
        return placeholder


def merged(spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the unions of overlapping spans, in order; a union has the kind of its span that comes first in ``spans``."""
    unions: list[tuple[int, int, int]] = []
    for start, end, rank in sorted((start, end, rank) for rank, (start, end, _) in enumerate(spans)):
        if unions and start < unions[-1][1]:
            first, last, surest = unions.pop()
            unions.append((first, max(last, end), min(surest, rank)))
        else:
            unions.append((start, end, rank))
    return [(start, end, spans[rank][2]) for start, end, rank in unions]
