"""The reasons for refusing a proposal: a closed list, by which reports count."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class Reason(StrEnum):
    """The reason for refusing a proposal. The list is closed: reports count by it."""

    NO_LINES = "no-lines"
    UNKNOWN_LINE = "unknown-line"
    CONTEXT_LINE = "context-line"
    RESERVED_SPEAKER = "reserved-speaker"
    WRONG_SPEAKER = "wrong-speaker"
    NOT_A_PERSON = "not-a-person"
    """The speaker is an assistant, a tool or a system."""
    FORWARDED = "forwarded"
    UNKNOWN_AUTHOR = "unknown-author"
    """A text of unknown author says "I"."""
    UNKNOWN_SUBJECT = "unknown-subject"
    SUBJECT_IS_USER = "subject-is-user"
    """A text by somebody else makes a claim about the user."""
    NO_QUOTE = "no-quote"
    QUOTE_NOT_FOUND = "quote-not-found"
    SHORT_QUOTE = "short-quote"
    """The quote is a single word, and no short answer to a question."""
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    """The words express a wish, supposition or mere thought."""
    JOKE = "joke"
    REPORTED = "reported"
    """The words are somebody else's: quoted, pasted or reported."""
    NEGATION_DROPPED = "negation-dropped"
    NEGATION_NOT_SAID = "negation-not-said"
    ABOUT_ANOTHER = "about-another"
    """The words are about another person than the subject."""
    ANOTHER_ATTRIBUTE = "another-attribute"
    """The words state another attribute of the value: "I work in Leeds" is no home."""
    INSTRUCTION = "instruction"
    """The message tells a program what to store."""
    UNGROUNDED_VALUE = "ungrounded-value"
    """Some words of the value do not occur in the cited lines."""
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
    """The model was shown the statement again with its message alone, and did not confirm it."""


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
"""Reasons that leave in doubt whether the cited lines have anything to do with the proposal."""

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
"""Reasons for which a proposal was not taken from the lines: an answer with no other proposals is useless."""
