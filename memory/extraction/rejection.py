"""Why a proposal becomes no statement: the closed list that reports count by."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class Reason(StrEnum):
    """Why a proposal became no statement. The list is closed: reports count by it."""

    NO_LINES = "no-lines"
    UNKNOWN_LINE = "unknown-line"
    CONTEXT_LINE = "context-line"
    RESERVED_SPEAKER = "reserved-speaker"
    WRONG_SPEAKER = "wrong-speaker"
    NOT_A_PERSON = "not-a-person"
    """An assistant, a tool or a system said it."""
    FORWARDED = "forwarded"
    UNKNOWN_AUTHOR = "unknown-author"
    """A text by nobody known says "I"."""
    UNKNOWN_SUBJECT = "unknown-subject"
    SUBJECT_IS_USER = "subject-is-user"
    """Somebody else's text claims something of the user."""
    NO_QUOTE = "no-quote"
    QUOTE_NOT_FOUND = "quote-not-found"
    SHORT_QUOTE = "short-quote"
    """One word, which is no short answer to a question."""
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    """It is wished, supposed, or only thought."""
    JOKE = "joke"
    REPORTED = "reported"
    """The words of somebody else: quoted, pasted, or told."""
    NEGATION_DROPPED = "negation-dropped"
    NEGATION_NOT_SAID = "negation-not-said"
    ABOUT_ANOTHER = "about-another"
    """The words are about somebody else than the subject."""
    ANOTHER_ATTRIBUTE = "another-attribute"
    """The words say something else of the value: "I work in Leeds" is no home."""
    INSTRUCTION = "instruction"
    """The message tells a program what to store."""
    UNGROUNDED_VALUE = "ungrounded-value"
    """Words of the value do not stand in the cited lines."""
    BAD_ATTRIBUTE = "bad-attribute"
    BLANK_VALUE = "blank-value"
    LONG_VALUE = "long-value"
    BLANK_CONTENT = "blank-content"
    LONG_CONTENT = "long-content"
    MANY_SENTENCES = "many-sentences"
    IMPOSSIBLE_DATE = "impossible-date"
    DATES_REVERSED = "dates-reversed"
    LOW_CONFIDENCE = "low-confidence"
    NOT_CONFIRMED = "not-confirmed"
    """The model was shown it again with its message alone, and does not find it there."""


MISCITED = frozenset(
    {
        Reason.NO_LINES,
        Reason.UNKNOWN_LINE,
        Reason.CONTEXT_LINE,
        Reason.RESERVED_SPEAKER,
        Reason.WRONG_SPEAKER,
        Reason.NO_QUOTE,
        Reason.QUOTE_NOT_FOUND,
        Reason.INSTRUCTION,
        Reason.LOW_CONFIDENCE,
        Reason.NOT_CONFIRMED,
    }
)
"""With these it is in doubt whether the cited lines speak of what was proposed at all."""

UNUSABLE = frozenset(
    {
        Reason.NO_LINES,
        Reason.UNKNOWN_LINE,
        Reason.CONTEXT_LINE,
        Reason.RESERVED_SPEAKER,
        Reason.WRONG_SPEAKER,
        Reason.UNKNOWN_SUBJECT,
        Reason.NO_QUOTE,
        Reason.QUOTE_NOT_FOUND,
    }
)
"""An answer that holds only such proposals was not read off the lines."""
