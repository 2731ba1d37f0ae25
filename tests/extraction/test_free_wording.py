"""Sentences that a model words freely: true ones pass the gates, and lies in the same form are refused."""

from __future__ import annotations

import pytest

from memd.memory.extraction.rejection import Reason
from memd.memory.extraction.statement import Statement

from .test_gates import ANN, checked

TRUE = [
    # quotes how the message begins, which says nothing of it
    ("Hey Bo! Long time no talk! I adopted a puppy called Rex two weeks ago", "Hey Bo! Long time no talk!", "Ann adopted a puppy called Rex two weeks ago"),
    ("I haven't had much time lately. Last year I renovated a community center", "I haven't had much time lately", "Ann renovated a community center last year"),
    ("I haven't read that yet. Just finished a great novel on sailing", "I haven't read that yet. Just finished", "Ann finished a great novel on sailing"),
    ("Nice! I signed up for a pottery course. How is your yoga going?", "Nice! I signed up for a pottery course. How", "Ann signed up for a pottery course"),
    ("Great for you! I posted dance videos on my page, let me know what you think", "Great for you!", "Ann posted dance videos on her page"),
    # words that deny nothing
    ("Long time no see, I joined a writers group", "Long time no see, I joined", "Ann joined a writers group"),
    ("I can't wait to surprise my family with cake", "I can't wait to surprise", "Ann plans to surprise her family with cake"),
    ("You really like writing sad songs, don't you!", "You really like writing sad songs", "Bo likes writing sad songs"),
    ("You won't believe it - a local baker mentored me", "You won't believe it", "Ann was mentored by a local baker"),
    # words that stand for others
    ("I still have the stuffed rabbit that you gave me", "I still have the stuffed rabbit", "Ann still has the stuffed rabbit that Bo gave her"),
    ("That roadtrip with my fam was wild, my biz can wait", "That roadtrip with my fam", "Ann finds the road trip with her family wild"),
    ("I love icecream with pics on top", "I love icecream with pics", "Ann enjoys ice cream with pictures on top"),
    ("Family dinners make life awesome", "Family dinners make life awesome", "Ann appreciates family dinners and believes they make life awesome"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "quote", "value"), TRUE)
def test_a_true_sentence_passes(text: str, quote: str, value: str) -> None:
    """As a whole, with its wording."""
    made = checked(text, quote, "event", value, content=f"{value}.")
    assert isinstance(made, Statement), made
    assert made.content == f"{value}."


def test_a_sentence_that_adds_nothing_to_a_value_stays_as_it_is() -> None:
    """A part of the value is free wording; the same words in the sentence are no reason to word it anew."""
    text, value = (
        "I organized a meal for shelter residents",
        "Ann organized a meal that brought shelter residents comfort",
    )
    made = checked(text, text, "event", value, content=f"{value}.")
    assert isinstance(made, Statement), made
    assert made.content == f"{value}."
    more = checked(text, text, "event", value, content=f"{value}, joy, cake, wine and songs.")
    assert isinstance(more, Statement), more
    assert more.content == f"{ANN} — event: {value}"


LIES = [
    # the words stand in another sentence than the quote, which does not assert them
    (Reason.QUESTION, "Hey Bo, nice day! Should I adopt a puppy called Rex this week?", "Hey Bo, nice day!", "event", "Ann should adopt a puppy called Rex this week"),
    (Reason.HYPOTHETICAL, "Hey Bo, nice day! If I win I adopt a puppy called Rex", "Hey Bo, nice day!", "event", "Ann will win and adopt a puppy called Rex"),
    (Reason.REPORTED, "Nice day! Tom said he renovated the community center alone", "Nice day!", "event", "Ann renovated the community center alone"),
    (Reason.NEGATION_DROPPED, "Nice day! I never renovated the community center with friends", "Nice day!", "event", "Ann renovated the community center with friends"),
    (Reason.REPORTED, 'Look at that! "I adopted a puppy called Rex today" stands on her card', "Look at that!", "event", "Ann adopted a puppy called Rex today"),
    (Reason.JOKE, "Nice day! I adopted a puppy called Rex today. Just kidding!", "Nice day!", "event", "Ann adopted a puppy called Rex today"),
    # a denial beside words that deny nothing
    (Reason.NEGATION_DROPPED, "Long time no see and I didn't join the writers group", "Long time no see and I didn't join", "event", "Ann did join the writers group"),
    (Reason.NEGATION_DROPPED, "I can't wait here and won't surprise my family", "I can't wait here and won't surprise", "event", "Ann plans to surprise family"),
    (Reason.NEGATION_DROPPED, "I don't like writing sad songs, do you!", "I don't like writing sad songs", "likes", "writing sad songs"),
    (Reason.REPORTED, "My brother can't believe it, Tom thinks I joined a cult", "Tom thinks I joined a cult", "event", "joined a cult"),
    (Reason.REPORTED, "I can't believe in ghosts", "can't believe in ghosts", "belief", "ghosts"),
    (Reason.NEGATION_DROPPED, "My dog is nothing like a poodle", "My dog is nothing like a poodle", "pet", "poodle"),
    (Reason.REPORTED, "They've thought about working at Aldi", "thought about working at Aldi", "employer", "Aldi"),
    # another name, or a name for nobody's "you"
    (Reason.UNGROUNDED_VALUE, "I still have the rabbit that you gave me", "I still have the rabbit", "event", "Ann still has the rabbit that Carl gave her"),
    (Reason.UNGROUNDED_VALUE, "I still have the rabbit that he gave me", "I still have the rabbit", "event", "Ann still has the rabbit that Bo gave her"),
    (Reason.UNGROUNDED_VALUE, "You know that I married in May", "I married in May", "partner", "Bo"),
    (Reason.UNGROUNDED_VALUE, "I told you that I share my flat with a nurse", "I share my flat with a nurse", "employer", "Bo the nurse flat"),
    # framing carries nothing by itself
    (Reason.UNGROUNDED_VALUE, "Dinners make life awesome", "Dinners make life awesome", "event", "Ann recently believes in herself and values prayer"),
    (Reason.UNGROUNDED_VALUE, "I walk on the road, no trip", "I walk on the road", "likes", "roadtrips with friends"),
    (Reason.UNGROUNDED_VALUE, "The ice is thick and the cream is sour", "The ice is thick", "event", "Ann sells icecream and vodka there"),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "text", "quote", "attribute", "value"), LIES)
def test_a_lie_in_free_words_is_refused(reason: Reason, text: str, quote: str, attribute: str, value: str) -> None:
    """Each with its reason."""
    assert checked(text, quote, attribute, value, content=f"{value}.") is reason
