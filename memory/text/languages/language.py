"""The words of one language, as one frozen value: calendar, numbers, and what relates a time to now or to another time.

Words are written as people write them, in small letters; alternatives are separated by commas. A reader of several
languages takes `LANGUAGES` of this package; a further language is one more module and its name there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Unit = Literal["day", "week", "month", "year"]
CountedUnit = Unit | Literal["minute", "hour", "weekend", "quarter"]
DayPart = Literal["morning", "noon", "afternoon", "evening", "night"]
Role = Literal[
    "last", "past", "previous_but_one", "next_but_one", "next", "this", "ago", "within", "before", "after", "since",
    "until", "from", "to", "and", "in", "article", "of", "the", "beginning", "middle", "end", "half", "few", "every", "age", "lasting",
    "future", "past_tense", "title", "when",
]  # fmt: skip
"""The effect of a word on the time beside it.

last, this, next: "last week"; past: "the past week", the seven days up to now; previous_but_one: "vorletzte Woche";
within: "in three days"; in: a preposition that makes the next word a time ("in May"); article: an
article that does so ("el lunes"); the: a word without meaning
between two parts of a time; few: "the last few days"; every: "every Monday" is no time; age: "7 years old" is no time; lasting:
"for 3 days" is none;
future, past_tense: words that tell whether a question asks about what is ahead; title: "Mr. Friday"; when: "wann ist Ostern?" names no time.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingWords:
    """The words by which a question asks for something besides its topic: patterns for folded text (no capitals, no
    accents), which match whole words in languages with blanks between words.

    A pattern may name the group ``words`` for the part that is no word of the topic.
    """

    first_person: tuple[str, ...]
    """Words for the asker: I, my, we."""
    subject: tuple[str, ...]
    """Words for the asker as the one who does something: I."""
    own_words: tuple[str, ...]
    """Asks for what the asker said; ``{saying}`` stands for all words of ``saying``."""
    between_us: tuple[str, ...]
    """Asks for the talk of the asker with somebody: "between me and Ann"."""
    to_somebody: tuple[str, ...]
    """A word directly before or behind a name that makes it the one to whom was written: "the mail to"."""
    before_chat: tuple[str, ...]
    """Words directly before the title of a chat that name it as one: "in the"."""
    behind_chat: tuple[str, ...]
    """Words directly behind it: "group"."""
    to_asker: tuple[str, ...]
    """Asks for what was written to the asker: "to me"."""
    saying: tuple[str, ...]
    """Verbs and nouns for saying, asking, sending and the like by somebody else than the asker."""
    newest: tuple[str, ...]
    oldest: tuple[str, ...]
    soonest: tuple[str, ...]
    """Asks for the first event from now on."""
    counting: tuple[str, ...]
    """Asks how often."""
    counting_messages: tuple[str, ...]
    """Asks how many messages there are."""
    many: tuple[str, ...]
    """Asks for a number of things."""
    mail: tuple[str, ...]
    note: tuple[str, ...]
    event: tuple[str, ...]
    picture: tuple[str, ...]
    file: tuple[str, ...]
    acts: tuple[str, ...]
    """The verbs of `saying` that ask for words of a kind that cannot be counted without understanding them: "complain"."""
    about: tuple[str, ...]
    """Words beside which surely stands a topic: "about", "mentioned"."""
    silent: tuple[str, ...]
    """Titles and words such as "date" and "time", which are no topic of a question for an order or a number."""
    planning: tuple[str, ...] = ()
    """Asks for what is ahead, whatever other words tell: "what's on Monday?", "Was habe ich am Montag vor?"."""
    of_person: tuple[str, ...] = ()
    """A name where the question speaks of a person, as the group ``words``: "did Ann say", "mail from Ann"."""
    number: tuple[str, ...] = ()
    """Asks for a number: "how much", "welche Nummer"."""
    now: tuple[str, ...] = ()
    """Words for the present: "nowadays"."""
    whether_known: tuple[str, ...] = ()
    """Asks whether something is known, which says nothing about the time asked for: "do you know where Ann lived?"."""
    present: tuple[str, ...] = ()
    """Verbs that ask about the present, whatever else the question contains."""
    maybe_present: tuple[str, ...] = ()
    """Verbs that ask about the present without one of ``past`` beside them: "what did Ann do", "what is the town where Ann
    lived"."""
    past: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    """Asks for a state that is over: "where did Ann live before?"."""
    particles: tuple[str, ...] = ()
    """In a language without blanks the words that ask for something said, with particles; longer ones come first."""
    begins_question: tuple[str, ...] = ()
    """Begins a message that asks, also without a question mark; not "what a day" and "when I was young"."""
    ends_question: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The words of a language; a field without a comment is a row of alternatives or a table of such rows."""

    code: str
    """The ISO 639-1 code."""
    asking: AskingWords
    months: tuple[str, ...] = ()
    """The twelve months, January first; none where months are numbers, as in Japanese."""
    weekdays: tuple[str, ...]
    """The seven days, Monday first."""
    short_weekdays: tuple[str, ...] = ()
    """The short forms of the seven days, which count only behind a preposition ("on Sat")."""
    seasons: Mapping[int, str] = field(default_factory=dict[int, str])
    """The words of a season by the month in which it begins, by meteorology, in the northern hemisphere."""
    units: Mapping[CountedUnit, str]
    plurals: str = ""
    """The forms of units that name several: "the last weeks"."""
    durations: Mapping[str, tuple[int, CountedUnit]] = field(default_factory=dict[str, tuple[int, CountedUnit]])
    """The words for a whole length of time: a fortnight is 14 days."""
    numbers: tuple[str, ...]
    """The numbers from one on."""
    about_two: str = ""
    """Words for two or so: "a couple of weeks"."""
    ordinals: tuple[str, ...] = ()
    """The ordinals from first on."""
    final: str = ""
    """The words for the last of a span where these are none for the one before the present: 最後の."""
    days: Mapping[int, str]
    """Words for a day by its distance from today: -1 is yesterday."""
    units_from_now: Mapping[tuple[CountedUnit, int], str] = field(default_factory=dict[tuple[CountedUnit, int], str])
    """Words for a whole unit by its distance from the present one: 先週 is ("week", -1)."""
    day_parts: Mapping[DayPart, str]
    parts_from_now: Mapping[tuple[int, DayPart], str] = field(default_factory=dict[tuple[int, DayPart], str])
    """Words for a part of a day by the distance of the day from today: "anoche" is (-1, "night")."""
    unit_parts: Mapping[tuple[CountedUnit, Literal["beginning", "middle", "end"]], str] = field(
        default_factory=dict[tuple[CountedUnit, Literal["beginning", "middle", "end"]], str]
    )
    """Words for a part of the present unit: "Jahresanfang" is ("year", "beginning")."""
    calendar_week: str = ""
    """Words beside the number of a week of the year: KW 14."""
    decades: tuple[str, ...] = ()
    """The decades from the 1920s to the 1990s in words, as far as there are some."""
    feasts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The words for a feast by its name in `question.feasts`."""
    roles: Mapping[Role, str]
    doubtful: str = ""
    """The months, weekdays and seasons that are other words or names, too: they count only beside a word of time."""
    given_names: str = ""
    """The months, weekdays and seasons that people are called: "from June" is no time, "in June" is one."""
    bare: frozenset[Literal["month", "weekday", "year", "feast"]] = frozenset()
    """The kinds of words that count as a time without a preposition, unless `doubtful`."""
    ago_first: bool = False
    """Set if "ago" stands before the number ("vor drei Tagen")."""
    adjective_last: bool = False
    """Set if "last" may stand behind its noun ("la semana pasada")."""
    relation_last: bool = False
    """Set if "since" and the like stand behind the time ("pazartesiden beri")."""
    irregular: tuple[str, ...] = ()
    """Forms of one word that share no stem: "drink, drank, drunk". A question with one of them asks for all. Without verbs
    that are in every chat (go, come, take): these find too much, and cost recall.
    """
    capital_nouns: bool = False
    """Set if nouns begin with a capital: elsewhere a weekday or month with one may be a name."""
    capital_days: bool = True
    """Set if weekdays and months are written with a capital."""
    month_first: bool = False
    """Set if 3/18/2025 is written; elsewhere the day comes first always."""
    endings: str = ""
    """A pattern of what may be joined to a word of time, in folded letters; its groups are named by a role."""


def words_of(rows: str | Iterable[str]) -> list[str]:
    """Return the single words of rows of alternatives."""
    return [word for row in ([rows] if isinstance(rows, str) else rows) for word in row.split(", ") if word]
