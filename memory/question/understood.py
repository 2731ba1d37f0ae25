"""Says a plan in plain words: in the answer's field, and in the notices about what could not be followed. Pure."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ...schemas.query import TimeSpan, Understood
from ..text.analyzer import fold
from .people import spoken
from .plan import QuestionPlan
from .times import NamedTime, is_estimated
from .written_dates import day_or_month_first

NAMES_SAID = 3
"""The most names in a sentence; further ones are counted."""


def understood_of(plan: QuestionPlan) -> Understood:
    """Return the plan in the form of the answer."""
    mention = plan.mention
    return Understood(
        words=words_of(plan),
        speakers=tuple(sorted(mention.preferred)),
        about=tuple(sorted(mention.about)),
        chats=tuple(plan.chats),
        times=tuple(TimeSpan(words=each.words, start=each.start, end=each.end) for each in plan.times),
        unread=tuple(plan.unread),
        order=plan.order,
        counts=plan.counts,
        kinds=tuple(plan.kinds),
        phrases=tuple(plan.phrases),
        anonymous=plan.anonymous,
    )


def words_of(plan: QuestionPlan) -> str:
    """Return the plan in plain words: ``from Bert · 2026-11-26 · newest first · about: pump``."""
    mention = plan.mention
    order = {"best": "", "newest": "newest first", "oldest": "oldest first", "next": "the next one"}[plan.order]
    parts = [
        "about you" if mention.asker else f"from {_names(mention.preferred)}" if mention.preferred else "",
        f"to {_who(plan, mention.addressed)}" if mention.addressed else "",
        f"about {_names(mention.about)}" if mention.about and not (mention.preferred or mention.addressed) else "",
        _in(plan).lstrip(),
        *map(day_words, plan.times),
        order,
        "how often" if plan.counts else "",
        *(f"{kind} first" for kind in plan.kinds),
        *(f"“{phrase}” together" for phrase in plan.phrases),
        f"about: {_topic(plan)}" if plan.subject else "",
    ]
    return " · ".join(filter(None, parts))


def _as_written(folded: Iterable[str], text: str) -> list[str]:
    """Return folded words as they stand in a text, those that stand in it otherwise as they are."""
    written = {fold(word): word for word in re.findall(r"[^\W_]+", text)}
    return [written.get(word, word) for word in folded]


def day_words(time: NamedTime) -> str:
    """Return a span in days, as ``2026-11-26`` or ``2026-11-01 to 2026-11-30``; with hours if it is shorter than a day,
    and with "about" if it may be a day off.
    """
    return f"about {_days(time)}" if is_estimated(time) else _days(time)


def _days(time: NamedTime) -> str:
    start, end = time.start, time.end
    if end - start < timedelta(hours=20):
        return f"{start:%Y-%m-%d %H:%M} to {end:%H:%M}"
    last = end - timedelta(microseconds=1)
    if start.year <= FIRST_SAID:
        return f"until {last:%Y-%m-%d}"
    return f"{start:%Y-%m-%d}" if start.date() == last.date() else f"{start:%Y-%m-%d} to {last:%Y-%m-%d}"


FIRST_SAID = 1900
"""A span that begins in this year or earlier is one without a beginning."""


def phrase_words(phrases: Sequence[str]) -> str:
    """Return quoted phrases as in a sentence: ``“blue door” and “red boat”``."""
    return " and ".join(f"“{phrase}”" for phrase in phrases)


def nothing_of(plan: QuestionPlan, *, named: bool = False) -> str:
    """Return the notice that nothing is there from the named person at the named time.

    Args:
        plan: the plan of the question.
        named: messages of other times follow that name this one, rather than the nearest ones.
    """
    names = f" from {_names(plan.mention.preferred)}" if plan.mention.preferred else ""
    times = f" {_on(plan.times[0], plan.now)}" if len(plan.times) == 1 else ""
    return f"nothing{names}{times}; {'what names it' if named and not names else 'the nearest'}:"


_SHORT_YEAR = re.compile(r"in ([^\W\d_]+\.? (\d\d))")


def either_days(plan: QuestionPlan) -> tuple[str, ...]:
    """Return the notices on dates that have another reading, as day and month or as month and year."""
    return tuple(
        f"{written} is read as {day} {month_name[month]}, not as {month} {month_name[day]}"
        for time in plan.times
        for written, day, month in day_or_month_first(time.words)
    ) + tuple(
        f"{match[1]} is read as {time.start:%B %Y}, not as {time.start.year % 100} {time.start:%B}"
        for time in plan.times
        if (match := _SHORT_YEAR.fullmatch(time.words)) and time.start.year % 100 == int(match[2])
    )


def _on(time: NamedTime, now: datetime | None) -> str:
    """Return a span in words: "on Thursday 26 November", with the year if it is not the present one."""
    last = time.end - timedelta(microseconds=1)
    if time.start.date() != last.date():
        return f"({day_words(time)})"
    year = "" if now is not None and time.start.year == now.year else f" {time.start.year}"
    return f"on {time.start:%A} {time.start.day} {time.start:%B}{year}"


class First(NamedTuple):
    """The message that is certainly the newest or the first of those that a question asks for."""

    at: datetime
    speaker: str = ""
    """Empty for a text."""
    in_group: bool = False
    """True if others read it besides those to whom the question asks that it was written."""


def summary_of(
    plan: QuestionPlan, count: int | None, first: datetime | None, last: datetime | None, *, never: bool = False
) -> str | None:
    """Return an answer in words to a question for a number, or for what certainly was never said; else None.

    Args:
        plan: the plan of the question.
        count: the number of messages, if it is certain.
        first: the time of the earliest of them.
        last: the time of the latest of them.
        never: no message has any word of the topic.
    """
    if never:
        people = plan.mention.preferred or plan.mention.several
        by = f" from {_who(plan, people)}" if people and not plan.mention.asker else ""
        to = f" to {_who(plan, plan.mention.addressed)}" if plan.mention.addressed else ""
        then = " of then" if plan.times else ""
        return f"never: no message{by}{to}{_in(plan)}{then} has “{_topic(plan)}”"
    if not plan.counts or count is None:
        return None
    times = f"{count} {'message' if count == 1 else 'messages'}" if plan.counts_things else _times(count)
    span = "" if not count or first is None or last is None else f": {_moment(first)}"
    return f"{times}{span}" + (f" to {_moment(last)}" if span and count > 1 and last is not None else "")


def first_said(plan: QuestionPlan, first: First, *, filtered: bool) -> str:
    """Return an answer in words to a question for the newest or the first message; ``filtered``: a filter leaves others
    out, so that nothing is said of all messages of a person.
    """
    mention, newest = plan.mention, plan.order == "newest"
    speaker = _who(plan, [first.speaker]) if first.speaker else ""
    if plan.subject or plan.kinds or plan.chats or filtered or not (mention.preferred or mention.addressed):
        about = f" about {_topic(plan)}" if plan.subject else ""
        kind = f" {plan.kinds[0]}" if len(plan.kinds) == 1 else ""
        which = f"the {'newest' if newest else 'first'}{kind}{about}{_in(plan)}"
        return f"{which}: {', '.join(filter(None, (speaker, _moment(first.at))))}"
    to = f" to {_who(plan, mention.addressed)}" if mention.addressed else ""
    if mention.addressed & mention.preferred:
        speaker, to = f"you and {_names(mention.addressed)}", ""
    group = " in a group" if first.in_group else ""
    return f"{speaker} {'last' if newest else 'first'} wrote{to}{group} on {_moment(first.at)}"


def _topic(plan: QuestionPlan) -> str:
    return " ".join(_as_written(plan.subject, plan.text))


def _in(plan: QuestionPlan) -> str:
    return f" in {', '.join(plan.chats)}" if plan.chats else ""


def _who(plan: QuestionPlan, names: Collection[str]) -> str:
    """Return these names in words, the user's as "you"."""
    return "you" if plan.me.issuperset(names) else _names(names)


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def _moment(at: datetime) -> str:
    return f"{at.day} {at:%B %Y, %H:%M}"


def _names(names: Iterable[str]) -> str:
    spoken_names = sorted(dict.fromkeys(map(spoken, names)))
    more = len(spoken_names) - NAMES_SAID
    return ", ".join(spoken_names[:NAMES_SAID]) + (f" and {more} more" if more > 0 else "")
