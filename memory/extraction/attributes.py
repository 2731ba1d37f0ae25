"""The attributes that extractors use, and whether each can hold one value at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...schemas.fact import Sensitivity


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute.

    ``functional``: it has one value at a time, so that a later one supersedes; the values of others coexist.
    ``doubt``: the treatment of a value that is neither surely the same nor surely a change, if no model can be asked.
    ``supersede`` and ``keep`` apply to functional attributes; ``always`` means that there is never a doubt (a mood
    passes); ``ask`` marks attributes with coexisting values whose details change (a plan is put off, a child grows
    older).
    ``lasts``: False for events, which are over at once and stay true afterwards.
    """

    name: str
    meaning: str
    functional: bool
    category: str
    sensitivity: Sensitivity = "low"
    importance: int = 2
    doubt: Literal["supersede", "keep", "always", "ask"] = "keep"
    lasts: bool = True


_TABLE = (
    Attribute("home", "where they live: the place alone", True, "context", "medium", 3, doubt="supersede"),
    Attribute("origin", "where they come from or grew up", True, "profile"),
    Attribute("employer", "for whom they work", True, "work", "low", 3, doubt="supersede"),
    Attribute("occupation", "what they do for a living", True, "work", "low", 3),
    Attribute("study", "what or where they study", True, "work"),
    Attribute("name", "what they are called", True, "profile", "low", 3),
    Attribute("age", "how old they are, in years", True, "profile", "medium", doubt="supersede"),
    Attribute("birthday", "their day of birth, YYYY-MM-DD or --MM-DD", True, "profile", "medium", 3, doubt="supersede"),
    Attribute("phone", "their telephone number", True, "contact", "high", doubt="supersede"),
    Attribute("email", "their e-mail address", True, "contact", "high", doubt="supersede"),
    Attribute("marital_status", "single, married, divorced …", True, "relationship", "medium", doubt="supersede"),
    Attribute("partner", "the name of their partner", True, "relationship", "medium", 3, doubt="supersede"),
    Attribute("diet", "vegetarian, vegan, …", True, "health"),
    Attribute("mood", "how they feel now", True, "state", "medium", 1, doubt="always"),
    Attribute("location", "where they are at the moment", True, "state", "medium", 1, doubt="always"),
    Attribute("car", "the car they drive", True, "possession", "low", 1, doubt="supersede"),
    Attribute("favourite", "the one they like best: what of, a colon, which", True, "preference", doubt="supersede"),
    Attribute("likes", "what they like or love", False, "preference"),
    Attribute("dislikes", "what they do not like", False, "preference"),
    Attribute("allergy", "what they are allergic to", False, "health", "high", 3),
    Attribute("health", "an illness, injury or treatment", False, "health", "high", 3, doubt="ask"),
    Attribute("child", "the name or age of a child of theirs", False, "relationship", "medium", 3, doubt="ask"),
    Attribute("parent", "the name of a parent of theirs", False, "relationship", "medium"),
    Attribute("sibling", "the name of a brother or sister of theirs", False, "relationship", "medium"),
    Attribute("relative", "another relative", False, "relationship", "medium"),
    Attribute("friend", "the name of a friend of theirs", False, "relationship"),
    Attribute("pet", "an animal of theirs: what it is, its name", False, "possession", doubt="ask"),
    Attribute("possession", "something that they own or bought", False, "possession", "low", 1, doubt="ask"),
    Attribute("plan", "what they intend to do, with when", False, "plan", doubt="ask"),
    Attribute("event", "something that happened to them or that they did", False, "event", "low", 1, lasts=False),
    Attribute("skill", "what they can do", False, "profile"),
    Attribute("language", "a language they speak or learn", False, "profile"),
    Attribute("habit", "what they do regularly", False, "routine", doubt="ask"),
    Attribute("hobby", "what they do for pleasure", False, "preference"),
    Attribute("belief", "what they think or believe", False, "profile", "high", 1),
    Attribute("goal", "what they want to reach", False, "plan", doubt="ask"),
    Attribute("need", "what they need or look for", False, "plan", "low", 1, doubt="ask"),
)
ATTRIBUTES: Mapping[str, Attribute] = {attribute.name: attribute for attribute in _TABLE}
"""The attributes by name. The values of an attribute that is missing here coexist: a wrong retirement is worse than a
superfluous fact.
"""


def functional(attribute: str) -> bool:
    """Return whether the attribute has one value at a time."""
    entry = ATTRIBUTES.get(attribute)
    return entry is not None and entry.functional


def doubt_of(attribute: str) -> Literal["supersede", "keep", "always", "ask"]:
    """Return the treatment of a doubtful value; ``ask`` for an attribute that is not in the table."""
    entry = ATTRIBUTES.get(attribute)
    return "ask" if entry is None else entry.doubt


def lasts(attribute: str) -> bool:
    """Return whether the attribute is a state; an event is over once it happened, and stays true."""
    entry = ATTRIBUTES.get(attribute)
    return entry is None or entry.lasts


def passes(attribute: str) -> bool:
    """Return whether the attribute describes a passing state or a plan, so that it is never present knowledge."""
    entry = ATTRIBUTES.get(attribute)
    return entry is not None and entry.category in {"state", "plan"}


OPPOSITES: Mapping[str, str] = {"likes": "dislikes", "dislikes": "likes"}
"""Pairs of attributes of which one denies the other for the same value."""

AKIN: Mapping[str, frozenset[str]] = {
    "car": frozenset({"possession"}),
    "possession": frozenset({"car"}),
    "habit": frozenset({"hobby"}),
    "hobby": frozenset({"habit"}),
}
"""Pairs of attributes of which a denial of one denies the other: whoever sold the Golf no longer drives it."""

FAMILIES: Mapping[str, str] = {
    "likes": "dislikes",
    "possession": "car",
    "hobby": "habit",
    "partner": "marital_status",
    "occupation": "employer",
}
"""The common name of related attributes, which are resolved together."""
