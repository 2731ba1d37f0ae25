"""The words of each language, one module a language; a further one is a module and its name in `LANGUAGES`."""

from __future__ import annotations

from collections.abc import Mapping

from . import de, en, es, fr, ja, tr
from .language import Language

LANGUAGES: Mapping[str, Language] = {each.LANGUAGE.code: each.LANGUAGE for each in (en, de, es, fr, tr, ja)}
"""By their ISO 639-1 codes."""
