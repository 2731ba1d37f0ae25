"""A fact that a program states with a message, in the message's metadata. Pure."""

from __future__ import annotations

from pydantic import ValidationError

from .model import Metadata, Model, Text, Words
from .wording import wrong_value

FACT = "fact"
"""The key of a message's metadata whose value is the JSON of a `StatedFact`."""


class StatedFact(Model):
    """A fact about somebody or something; the message that carries it must say so."""

    subject: Words
    """A person, or a thing as the message calls it; `I` is the speaker."""
    attribute: Words
    """`home`, `employer`, …, or another word."""
    value: Words
    """Stands in the message."""
    negated: bool = False
    """The message says that this is not, or no longer, so."""
    valid_from: Text | None = None
    """The day, month or year since when it holds, as the message tells it: 2024-03-01."""


def fact_to_text(value: object) -> str:
    """Return the metadata for a stated fact, from an object or its JSON.

    Raises:
        ValueError: it is none; all problems are in the text.
    """
    try:
        fact = StatedFact.model_validate_json(value) if isinstance(value, str) else StatedFact.model_validate(value)
    except ValidationError as error:
        problems = (
            f"{'.'.join(map(str, (FACT, *detail['loc'])))}: {wrong_value(detail)}"
            for detail in error.errors(include_url=False, include_input=False)
        )
        raise ValueError("; ".join(problems)) from None
    return fact.to_json().decode()


def stated_fact(metadata: Metadata) -> StatedFact | None:
    """Return the fact that a message carries; None without one, or if its metadata has something else under that key."""
    try:
        return StatedFact.model_validate_json(metadata[FACT]) if FACT in metadata else None
    except ValidationError:
        return None


def words_of(fact: StatedFact) -> str:
    """Return the line that states a fact, ``SUBJECT ATTRIBUTE: VALUE``."""
    # In small letters, for two words with capitals before a colon are taken for the name of a speaker.
    attribute = " ".join(fact.attribute.replace("_", " ").lower().split())
    since = f" since {fact.valid_from}" if fact.valid_from else ""
    return f"{fact.subject} {attribute}: {'not ' if fact.negated else ''}{fact.value}{since}"
