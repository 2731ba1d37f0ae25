"""Detectors of secrets: keys by their prefix or randomness, cards and accounts by their check digits. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass


def _always(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Detector:
    """Finds one kind of secret: the text that the pattern (its group ``hide``, if it has one) matches and the check
    confirms.
    """

    kind: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] = _always
    grouped: bool = False
    """True if the value is written in groups, so that following words or numbers may look like another group: shorter
    matches are tried too.
    """

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the secrets in a text, none of them empty."""
        group = "hide" if "hide" in self.pattern.groupindex else 0
        at = 0
        while at <= len(text) and (match := self.pattern.search(text, at)) is not None:
            start, end = match.span(group)
            last = self._confirmed(text, start, end)
            if last is not None:
                yield start, last
            at = match.start() + 1 if last is None else last

    def _confirmed(self, text: str, start: int, end: int) -> int | None:
        """Return the confirmed end of a match; None if it is no secret."""
        if start < end and self.check(text[start:end]):
            return end
        for last in range(end - 1, start, -1) if self.grouped else ():
            within = text[last - 1].isalnum() and text[last].isalnum()
            if not within and self.pattern.fullmatch(text, start, last) and self.check(text[start:last]):
                return last
        return None


def luhn(text: str) -> bool:
    """Return whether the digits end with their check digit (ISO/IEC 7812-1, annex B), as card numbers do."""
    digits = [int(character) for character in text if character.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def iban(text: str) -> bool:
    """Return whether the check digits are right: the rearranged number modulo 97 is 1 (ISO 13616-1, 5)."""
    plain = re.sub(r"[\s-]", "", text).upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1


LEAST_ENTROPY = 3.5
"""The least bits of entropy per character; a random key of twenty letters and digits has about four, a word or a path
below 3.5.
"""


def entropy(text: str) -> float:
    """Return the Shannon entropy in bits per character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def looks_random(text: str) -> bool:
    """Return whether a text looks random: a mix of capitals, small letters and digits, or many hexadecimal digits."""
    letters = text.strip("=")
    if re.fullmatch(r"[0-9a-f]{32,}|[0-9A-F]{32,}", letters):
        return bool(re.search(r"\d", letters)) and bool(re.search(r"[a-fA-F]", letters)) and entropy(letters) >= 3.0
    mixed = all(re.search(kind, letters) for kind in (r"[a-z]", r"[A-Z]", r"\d"))
    return mixed and len(letters) >= 20 and entropy(letters) >= LEAST_ENTROPY


_KEYS = (
    r"sk-[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic
    r"(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}",  # Stripe
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"glpat-[A-Za-z0-9_-]{16,}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}",  # AWS
    r"AIza[A-Za-z0-9_-]{30,}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{30,}",
    r"hf_[A-Za-z0-9]{20,}",
    r"do[opr]_v1_[a-f0-9]{40,}",  # DigitalOcean
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",  # JSON Web Token
    r"\d{8,10}:[A-Za-z0-9_-]{35}",  # Telegram bots
)
# The look-ahead is limited: unlimited, it would scan to the end of a long text from every name in it.
_DIGIT_AHEAD = r"(?=[^\s\d]{0,256}+\d)"
_NAMED = (
    r"(?:pass(?:word|wort|code|phrase)?|passwd|pwd|kennwort|contraseña|mot de passe|senha|"
    r"api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|token|pin)"
)

DETECTORS = (
    Detector("key", re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL)),
    Detector("key", re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_KEYS)})")),
    Detector("password", re.compile(r"://[^\s/:@]+:(?P<hide>[^\s/@]+)@")),
    Detector("password", re.compile(rf"(?i)(?<![^\W_]){_NAMED}[\"']?\s*(?:[:=]|\bis\b|\bist\b|\bes\b)\s*[\"']?(?P<hide>{_DIGIT_AHEAD}[^\s\"'\[\]]{{4,}})")),
    Detector("iban", re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])"), iban, grouped=True),
    Detector("card", re.compile(r"(?<!\d)\d(?:[ .-]?\d){12,18}(?!\d)"), luhn, grouped=True),
    Detector("key", re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}"), looks_random),
)  # fmt: skip
"""The detectors that are always used, the most certain first: if two match the same span, the earlier one names it."""

OPTIONAL = (
    Detector("email", re.compile(r"(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[^\W\d_]{2,}")),
    Detector("phone", re.compile(r"(?<![\w.])(?:\+|00)?\(?\d(?:[ ()/.-]{0,2}\d){6,14}(?!\w)"), lambda text: not _OTHER_NUMBER.search(text)),
)  # fmt: skip
"""Detectors used only on request: addresses and phone numbers are often worth remembering."""
_OTHER_NUMBER = re.compile(
    r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?!\d)|^\d{1,3}(?:[. ]\d{3})+$"
)
"""Matches a date, or a number in groups of three digits."""
