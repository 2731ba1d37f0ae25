"""Which facts `memd query` shows above the hits."""

from __future__ import annotations

from typing import Any

from memd.daemon.cli.commands.query import telling_facts


def hit(number: int, **more: Any) -> dict[str, Any]:
    """A hit that is worse than those before it."""
    return {"id": f"m{number}", "score": 10.0 - number, **more}


def fact(message: str) -> dict[str, Any]:
    """A fact that rests on one message."""
    return {"content": message, "evidence": [{"message_id": message}]}


FACTS = [fact(f"m{number}") for number in range(6)] + [fact("beside"), fact("elsewhere")]
HITS = [
    hit(5),
    *(hit(number) for number in range(3)),
    hit(3, highlights=[{"start": 0, "end": 1}]),
    hit(4, context=[{"id": "beside", "matches": True}, {"id": "elsewhere"}], highlights=[{"start": 0, "end": 1}]),
]


def test_facts_of_hits_that_may_answer_are_known() -> None:
    """Of the three best, whatever their order, and of hits and lines beside them that hold words of the question."""
    shown = [each["content"] for each in telling_facts({"hits": HITS, "facts": FACTS})]
    assert shown == ["m0", "m1", "m2", "m3", "m4", "beside"]


def test_evidence_may_name_a_message_as_its_source_does() -> None:
    """Mails and chats of Telegram have ids of their own, which are no keys."""
    named = hit(0, message_ids=["a1@example.org"])
    shown = [each["content"] for each in telling_facts({"hits": [named], "facts": [fact("a1@example.org")]})]
    assert shown == ["a1@example.org"]


def test_nothing_is_known_where_nothing_matches_well() -> None:
    """The facts of the nearest messages would look like the answer."""
    assert telling_facts({"hits": HITS, "facts": FACTS, "weak": True}) == []
