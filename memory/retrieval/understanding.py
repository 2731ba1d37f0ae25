"""What a question names besides its words: people, times, a chat; and whether it asks for nothing else. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ...schemas import Query
from ..text.analyzer import query_terms
from .chat_titles import ChatTitles
from .people import Mention, SpeakerMatcher
from .time_words import NamedTime, asks_for_times_alone, times_in, without_relative_times


class Understood(NamedTuple):
    """What a question names, and what is asked for."""

    asked: str
    """Its words without times that are relative to now, and without the chat."""
    times: Sequence[NamedTime]
    mention: Mention
    of_time: Query | None
    """The question among the messages of its time, or its chat, where it asks for nothing else."""
    wider: Query
    """What is asked where it does, or where nothing is found so."""


def as_it_stands(query: Query) -> Understood:
    """For measurements of arms: what they find by the words of the question, and nothing added."""
    return Understood(query.text, (), Mention(rest=query.text), None, query)


def understood(query: Query, names: SpeakerMatcher, titles: ChatTitles, now: datetime) -> Understood:
    """What a question names: a chat only where it asks for nothing else, or for a time in it.

    Args:
        query: what is asked.
        names: of everybody who wrote.
        titles: of all chats.
        now: see `times_in`.
    """
    found = _read(query, query.text, names, now)
    if found.of_time is None and not query.chats and (named := titles.named_in(query.text)):
        in_chat = _read(query.model_copy(update={"chats": (named.title,)}), named.rest, names, now)
        found = found if in_chat.of_time is None else in_chat
    return found


def _read(query: Query, text: str, names: SpeakerMatcher, now: datetime) -> Understood:
    times = times_in(text, now)
    asked = _meant(text, times)
    mention = names.mention(asked)
    in_chat = text != query.text
    return Understood(asked, times, mention, _of_time(query, mention, times, in_chat=in_chat), query)


def _meant(question: str, times: Sequence[NamedTime]) -> str:
    """The question without relative times, unless nothing else is in it."""
    rest = without_relative_times(question, times)
    return rest if rest == question or query_terms(rest) else question


def past_moment(times: Sequence[NamedTime], now: datetime) -> datetime | None:
    """The last moment of the one time that a question names, if it is over: "where did Ann live in 2022?" asks for what held
    then. Where it names several, none is meant for sure.
    """
    return times[0].end - timedelta(microseconds=1) if len(times) == 1 and times[0].end <= now else None


def _of_time(query: Query, mention: Mention, times: Sequence[NamedTime], *, in_chat: bool) -> Query | None:
    """The question among the messages of the time, or of the chat, or both, that it names, where it asks for nothing else.

    Beside nothing else a preference is too little: what is near to the words of a date are other dates.
    """
    if len(times) > 1 or not (times or in_chat) or query.since or query.until:
        return None
    if not asks_for_times_alone(mention.rest, times, mention.speakers):
        return None
    spans = {"since": times[0].start, "until": times[0].end} if times else {}
    return query.model_copy(update=spans)
