"""Decides whether the quoted words are about the proposed subject: "I" is the speaker, "my sister" is not. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..text.analyzer import fold

RELATIONS = frozenset(
    {
        "partner", "child", "parent", "sibling", "relative", "friend", "pet", "family", "colleague", "event", "mood",
        "belief",
    }
)  # fmt: skip
"""Attributes of the speaker that a sentence about somebody else states: "my sister is called Mia"."""

_KIN = (
    "sister|brother|mother|mom|mum|dad|father|son|daughter|wife|husband|girlfriend|boyfriend|partner|fiancee?|cousin|aunt|uncle|niece|nephew"
    "|grand\\w+|gran|nan|friend|bestie|mate|boss|manager|neighbou?rs?|colleague|coworker|roommate|flatmate|landlord|teacher|doctor|therapist|ex|parents|kids?|children|in-laws?"
    "|schwester|bruder|mutter|mama|vater|papa|sohn|tochter|frau|mann|freund|freundin|oma|opa|tante|onkel|cousine?|chef|chefin|nachbar|nachbarin|kolleg\\w+|eltern|kinder"
    "|hermana|hermano|madre|mama|padre|hijo|hija|mujer|esposa|marido|esposo|novia|novio|amiga|amigo|abuela|abuelo|tia|tio|prima|primo|jefe|jefa|vecin\\w|padres|hijos"
)
_LEAD = r"^(?:[\W_]|(?:and|but|so|well|yes|yeah|no|oh|btw|also|because|that|und|aber|weil|dass|ja|y|pero|porque|que)(?![^\W_]))*"
_OF_KIN = re.compile(
    rf"{_LEAD}(?:my|our|mein\w*|unser\w*|mis?|nuestr\w+)\s+(?:[^\W\d_]+\s+){{0,2}}?(?:{_KIN})(?![^\W_])(?!\s+and\s+i(?![^\W_]))"
)
_OF_OTHERS = re.compile(
    rf"{_LEAD}(?:he(?! \w+(?:ado|ido|to|cho)(?![^\W_]))|she|they|his|her|their|you|your|he's|she's|they're|you're|er|du(?! (?:die|das|der|den|ich|wir)(?![^\W_]))|dein\w*|ihr|el(?! (?:mio|[0-9]|viaje|vuelo|crucero|curso|piso|coche|perro|examen|trabajo|primer|ultimo|fin|numero|telefono|correo))|ella|ellos|tu|usted)(?![^\W_'])"
)
_FIRST = re.compile(
    r"(?<![^\W_])(?:i|i'm|i've|i'll|i'd|im|ive|we|we're|we've|my|mine|me|our|us|myself|ich|wir|mein\w*|mir|mich|unser\w*|uns|yo|mi|mis|me|nos|nosotr\w+|soy|estoy|vivo|trabajo|tengo|je|j'\w+|io|eu|ik)(?![^\W_])"
)
_STARTS_FIRST = re.compile(
    rf"{_LEAD}(?:[^\W\d_]+ly\s+|now\s+|today\s+)?(?:i|i'm|i've|im|ive|we|we're|we've|ich|wir|yo|je|ik)(?![^\W_'])"
)
_OTHERS = re.compile(
    r"(?<![^\W_])(?:you|your|yours|you're|he|she|they|him|her|them|his|their|du|dich|dir|dein\w*|er|sie|ihn|ihm|el|ella|te|tu|le|lo|la)(?![^\W_])"
)
_WORD = re.compile(r"[^\W_]+")


def is_about_another(clause: str, subject: str, speaker: str, people: Collection[str], attribute: str) -> bool:
    """Return whether a clause is clearly about somebody else than the subject.

    Args:
        clause: the clause that contains the value.
        subject: the subject that the proposal names.
        speaker: the author of the message.
        people: the participants of the conversation.
        attribute: the claimed attribute.
    """
    plain = fold(clause)
    if subject == speaker:
        if attribute in RELATIONS:
            return False
        return bool(_OF_KIN.match(plain)) or (bool(_OF_OTHERS.match(plain)) and not _FIRST.search(plain))
    if subject not in people or not _STARTS_FIRST.match(plain):
        return False
    named = {word for word in _WORD.findall(fold(subject)) if len(word) > 1}
    return named.isdisjoint(_WORD.findall(plain)) and not _OTHERS.search(plain)
