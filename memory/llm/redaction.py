"""What must not leave the machine is replaced before anything is sent, and put back into what comes back. Pure.

Each value has one placeholder within a request, ``[card-1]``, wherever it stands. A placeholder that stands in the
texts themselves is never used, so that putting back gives the original to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, cast

from .secrets import DETECTORS, OPTIONAL, Detector

SHORTEST = 6
"""Characters of a secret that is hidden also where nothing else shows that it is one."""
_EVERYWHERE = frozenset({"key", "password", "card", "iban", "own"})


@dataclass(frozen=True, slots=True)
class RedactionSettings:
    """What is hidden beside keys, tokens, cards and accounts."""

    enabled: bool = True
    emails: bool = False
    phones: bool = False
    patterns: tuple[str, ...] = ()
    """Regular expressions of the user's own; what a group named ``hide`` matches, else the whole match."""


class Redactor:
    """Finds what must be hidden.

    Raises:
        re.error: one of the patterns is no regular expression.
    """

    def __init__(self, settings: RedactionSettings) -> None:
        self.settings = settings
        own = [Detector("own", re.compile(pattern)) for pattern in settings.patterns]
        wanted = [each for each in OPTIONAL if getattr(settings, f"{each.kind}s")]
        self._detectors = (*own, *DETECTORS, *wanted) if settings.enabled else ()

    @cached_property
    def fingerprint(self) -> str:
        """Changes with what is hidden, and so with what is sent."""
        shown = [(each.kind, each.pattern.pattern) for each in self._detectors]
        return sha256(repr(shown).encode()).hexdigest()[:12]

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """What is found in a text: (start, end, kind), in order, none over another."""
        found: list[tuple[int, int, str]] = []
        for detector in self._detectors:
            for start, end in detector.find(text):
                if not any(start < other[1] and other[0] < end for other in found):
                    found.append((start, end, detector.kind))
        return sorted(found)

    def begin(self, texts: Iterable[str]) -> Redaction:
        """The redaction of one request.

        Args:
            texts: all that will be hidden in it. What is a secret in one of them is one wherever it stands, and
                placeholders that stand in them are not used.
        """
        given = list(texts)
        redaction = Redaction(self, "\n".join(given))
        for text in given:
            redaction.learn(text)
        return redaction


class Redaction:
    """What was hidden in one request, and under which placeholder."""

    def __init__(self, redactor: Redactor, taken: str) -> None:
        self._redactor = redactor
        self._taken = taken
        self._placeholders: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._last: dict[str, int] = {}
        self._secrets: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many values were hidden."""
        return len(self._values)

    def learn(self, text: str) -> None:
        """Note the secrets of a text, so that they are hidden where nothing but their letters tells what they are."""
        for start, end, kind in self._redactor.spans(text):
            secret = text[start:end].rstrip(".,;:!?)")
            if len(secret) >= SHORTEST and kind in _EVERYWHERE:
                self._secrets[secret] = kind

    def hide(self, text: str) -> str:
        """The text with placeholders. What is left between them is looked at again until nothing is found."""
        return "".join(self._hidden(text))

    def restore(self, text: str) -> str:
        """The text with the values in the place of their placeholders."""
        if not self._values:
            return text
        pattern = "|".join(re.escape(placeholder) for placeholder in self._values)
        return re.sub(pattern, lambda found: self._values[found[0]], text)

    def restored(self, answer: object) -> Any:  # noqa: ANN401 - JSON
        """JSON with the values in all of its strings."""
        if isinstance(answer, str):
            return self.restore(answer)
        if isinstance(answer, list):
            return [self.restored(each) for each in cast("list[object]", answer)]
        if isinstance(answer, dict):
            return {
                self.restore(str(key)): self.restored(each) for key, each in cast("dict[str, object]", answer).items()
            }
        return answer

    def _hidden(self, text: str) -> Iterator[str]:
        spans = self._redactor.spans(text) or self._repeated(text)
        if not spans:
            yield text
            return
        at = 0
        for start, end, kind in spans:
            yield from self._hidden(text[at:start])
            yield self._placeholder(text[start:end], kind)
            at = end
        yield from self._hidden(text[at:])

    def _repeated(self, text: str) -> list[tuple[int, int, str]]:
        for secret, kind in self._secrets.items():
            at = text.find(secret)
            if at >= 0:
                return [(at, at + len(secret), kind)]
        return []

    def _placeholder(self, value: str, kind: str) -> str:
        known = self._placeholders.get(value)
        if known is not None:
            return known
        while True:
            self._last[kind] = self._last.get(kind, 0) + 1
            placeholder = f"[{kind}-{self._last[kind]}]"
            if placeholder not in self._taken:
                break
        self._placeholders[value] = placeholder
        self._values[placeholder] = value
        return placeholder
