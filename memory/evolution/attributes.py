"""What can be said of somebody: the attributes that extractors use, and which of them can hold one value at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...schemas.fact import Sensitivity


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute.

    ``functional``: it has one value at a time, so that a later one supersedes; the values of others coexist.
    """

    name: str
    meaning: str
    functional: bool
    category: str
    sensitivity: Sensitivity = "low"
    importance: int = 2


_TABLE = (
    Attribute("home", "where they live: the place alone", True, "context", "medium", 3),
    Attribute("origin", "where they come from or grew up", True, "profile"),
    Attribute("employer", "for whom they work", True, "work", "low", 3),
    Attribute("occupation", "what they do for a living", True, "work", "low", 3),
    Attribute("study", "what or where they study", True, "work"),
    Attribute("name", "what they are called", True, "profile", "low", 3),
    Attribute("age", "how old they are, in years", True, "profile", "medium"),
    Attribute("birthday", "their day of birth, YYYY-MM-DD or --MM-DD", True, "profile", "medium", 3),
    Attribute("phone", "their telephone number", True, "contact", "high"),
    Attribute("email", "their e-mail address", True, "contact", "high"),
    Attribute("marital_status", "single, married, divorced …", True, "relationship", "medium"),
    Attribute("partner", "the name of their partner", True, "relationship", "medium", 3),
    Attribute("diet", "vegetarian, vegan, …", True, "health"),
    Attribute("mood", "how they feel now", True, "state", "medium", 1),
    Attribute("location", "where they are at the moment", True, "state", "medium", 1),
    Attribute("car", "the car they drive", True, "possession", "low", 1),
    Attribute("favourite", "the one they like best: what of, a colon, which", True, "preference"),
    Attribute("likes", "what they like or love", False, "preference"),
    Attribute("dislikes", "what they do not like", False, "preference"),
    Attribute("allergy", "what they are allergic to", False, "health", "high", 3),
    Attribute("health", "an illness, injury or treatment", False, "health", "high", 3),
    Attribute("child", "the name or age of a child of theirs", False, "relationship", "medium", 3),
    Attribute("parent", "the name of a parent of theirs", False, "relationship", "medium"),
    Attribute("sibling", "the name of a brother or sister of theirs", False, "relationship", "medium"),
    Attribute("relative", "another relative", False, "relationship", "medium"),
    Attribute("friend", "the name of a friend of theirs", False, "relationship"),
    Attribute("pet", "an animal of theirs: what it is, its name", False, "possession"),
    Attribute("possession", "something that they own or bought", False, "possession", "low", 1),
    Attribute("plan", "what they intend to do, with when", False, "plan"),
    Attribute("event", "something that happened to them or that they did", False, "event", "low", 1),
    Attribute("skill", "what they can do", False, "profile"),
    Attribute("language", "a language they speak or learn", False, "profile"),
    Attribute("habit", "what they do regularly", False, "routine"),
    Attribute("hobby", "what they do for pleasure", False, "preference"),
    Attribute("belief", "what they think or believe", False, "profile", "high", 1),
    Attribute("goal", "what they want to reach", False, "plan"),
    Attribute("need", "what they need or look for", False, "plan", "low", 1),
)
ATTRIBUTES: Mapping[str, Attribute] = {attribute.name: attribute for attribute in _TABLE}
"""By name. An attribute that is not here is taken for one whose values coexist: a wrong retirement is worse than a
fact too many."""


def functional(attribute: str) -> bool:
    """Whether it has one value at a time."""
    known = ATTRIBUTES.get(attribute)
    return known is not None and known.functional


OPPOSITES: Mapping[str, str] = {"likes": "dislikes", "dislikes": "likes"}
"""Saying the one of a thing denies the other of that thing."""
