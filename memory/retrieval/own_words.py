"""Puts the user's own words before an assistant's reply that repeats them, unless the question asks for the reply. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from ..search_types import ChunkRef, Column
from ..text.analyzer import fold

AHEAD = 1e-5
"""The lead of the user's words over the reply."""
SHORT_QUESTION = 25
"""The most tokens of a message that only asks the assistant something; a longer one also tells something."""
FARTHER = 2.0
"""The distance by which the user's words may be farther from the question than the reply, in standard deviations.
A reply repeats much of the question, so that it is nearer than the words that it answers.
"""
STEPS_BACK = 4
"""The most messages between the user's words and the reply; tools may have been called in between."""

_ASKING = re.compile(
    r"\b(?:can|could|would|will|do|did) you (?:please )?(?:tell|remind|show|find|give|know|remember|help)\b"
    r"|\b(?:kannst|konntest|weisst|wurdest) du\b|\berinnerst du dich\b|\b(?:puedes|podrias|sabes)\b"
)
"""Matches, in folded text, words that address memd itself."""
_OF_ASSISTANT = re.compile(
    r"\b(?:you|your|yours|du|dir|dich|dein(?:e[mnrs]?)?|tu|vous|usted|sen|sana|senin)\b"
    r"|\b(?:assistants?|assistent\w*|asistent\w*|asistan\w*|chatgpt|gpt|claude|gemini|copilot)\b"
    r"|\b(?:dijiste|recomendaste|sugeriste|diste|mencionaste|propusiste|contaste|escribiste|explicaste|aconsejaste)\b"
    r"|\b(?:soyledin|onerdin|verdin|dedin|anlattin|yazdin|ettin|bahsettin)(?:iz)?\b"
    r"|あなた|アシスタント|教えてくれ|教えてもら|勧めてくれ|すすめてくれ|言ってくれ|書いてくれ|提案し"
)
"""Matches, in folded text, an assistant or the person addressed."""


def asks_for_reply(question: str) -> bool:
    """Return whether a question asks for what an assistant said: "which lock did you tell me to get?"."""
    return _OF_ASSISTANT.search(_ASKING.sub(" ", fold(question))) is not None


def lifts(places: Sequence[ChunkRef], scores: Column, cosines: Column | None, answers: Collection[int]) -> Column:
    """Return the score that each place lacks to stand before the assistant's reply to it; zero where it stands before it, or is
    much farther from the question.

    Args:
        places: distinct chunks.
        scores: the score of each place.
        cosines: how near each place is to the question; None without vectors.
        answers: row ids of places that certainly are answers, also if an assistant wrote them.
    """
    gaps = np.zeros(len(places))
    at: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        if place.message is not None:
            at[place.document, place.ordinal].append(number)
    near = np.zeros(len(places))
    if cosines is not None and not np.isnan(cosines).all():
        near = np.nan_to_num(cosines, nan=float(np.nanmean(cosines)))
    spread = float(near.std())
    for (document, ordinal), replies in at.items():
        if not places[replies[0]].machine or any(places[number].row in answers for number in replies):
            continue
        words = _words_before(places, at, document, ordinal)
        if words and near[words].max() >= near[replies].max() - FARTHER * spread:
            best = words[int(np.argmax(scores[words]))]
            gaps[best] = max(gaps[best], scores[replies].max() + AHEAD - scores[best])
    return gaps


def _words_before(
    places: Sequence[ChunkRef], at: dict[tuple[int, int], list[int]], document: int, ordinal: int
) -> list[int]:
    """Return the places of the user's message that the reply answers; none if it only asks something."""
    for before in range(ordinal - 1, ordinal - 1 - STEPS_BACK, -1):
        numbers = at.get((document, before), [])
        if not numbers:
            break
        if not places[numbers[0]].machine:
            only_asks = places[numbers[0]].asks and sum(places[number].tokens for number in numbers) <= SHORT_QUESTION
            return [] if only_asks else numbers
    return []
