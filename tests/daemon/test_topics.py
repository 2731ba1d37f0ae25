"""What somebody writes about, without the small words of the languages they write."""

from __future__ import annotations

from datetime import UTC, datetime

from memd.daemon.service.knowledge import topics_of
from memd.memory.records import PersonStats


def of(*texts: str) -> list[str]:
    """The topics of somebody who wrote this."""
    now = datetime(2024, 1, 15, tzinfo=UTC)
    return topics_of(PersonStats(("Ann",), len(texts), now, now, (), (), texts))


def test_topics_are_words_that_come_again_in_their_most_frequent_form() -> None:
    """Whatever its ending; what came once is none."""
    told = of("We should play some tennis there", "I played tennis with them", "They were playing the violin")
    assert told == ["play", "tennis"]


def test_small_words_of_the_languages_that_somebody_writes_are_no_topics() -> None:
    """German beside English."""
    german = (
        "Wir haben heute nicht genug Farbe für den Keller", "Ich habe noch nicht im Keller gestrichen",
        "Dann werden wir den Keller noch einmal streichen", "Dann haben wir heute doch noch Zeit für den Keller",
    )  # fmt: skip
    told = of(*german, "And the paint is still with them", "Still waiting for them")
    assert "keller" in told
    assert not {"haben", "nicht", "noch", "dann", "werden", "them"} & set(told)
