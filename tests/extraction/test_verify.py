"""Every check that stands between a proposal and a statement, each seen to refuse and to let pass."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.extraction.proposal import Proposal
from memd.memory.extraction.refusal import refusal_from_json, refusal_to_json
from memd.memory.extraction.rejection import Reason
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.verify import NOT_OWN_WORDS, verify, verify_all
from memd.memory.extraction.window import Line, Window
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.schemas.fact import ExtractorInfo
from memd.schemas.message import Role
from memd.tests.cases import for_each
from memd.tests.extraction.test_gates import FALSE

SAID = datetime(2024, 7, 10, 12, tzinfo=UTC)
MODEL = ExtractorInfo(name="llm", model="made-up")


def line(number: int, speaker: str, text: str, role: Role | None = None, *, forwarded: bool = False) -> Line:
    """A line with a key of its own."""
    return Line(number, UUID(int=100 + number), f"m{number}", speaker, text, SAID, role, forwarded)


WINDOW = Window(
    document=UUID(int=1),
    document_id="chat:1",
    source="chat",
    title="",
    user="Ann Vale",
    people=("Ann Vale", "Bo Lind", "Helper"),
    lines=(
        line(1, "Ann Vale", "I live in   Lisbon,\nsince “March”"),
        line(2, "Bo Lind", "My sister lives in Oslo. Ann Vale lives in Lisbon"),
        line(3, "Helper", "I live in Lisbon", "assistant"),
        line(4, "Bo Lind", "I live in Lisbon", forwarded=True),
        line(5, SYSTEM_SPEAKER, "I live in Lisbon"),
        line(6, UNKNOWN_USER, "I live in Lisbon"),
        line(7, "Ann Vale", "really, the Tower of Belém is near"),
    ),
    context=(line(-1, "Ann Vale", "I live in Lisbon"),),
)
GOOD = Proposal("I", "home", "Lisbon", "Ann Vale lives in Lisbon.", (1,), "i live in lisbon", "Ann Vale")
REFUSED: list[tuple[Reason, dict[str, Any]]] = [
    (Reason.NO_LINES, {"lines": ()}),
    (Reason.UNKNOWN_LINE, {"lines": (1, 99)}),
    (Reason.UNKNOWN_LINE, {"lines": (0,)}),
    (Reason.CONTEXT_LINE, {"lines": (-1,)}),
    (Reason.WRONG_SPEAKER, {"speaker": "Bo Lind"}),
    (Reason.WRONG_SPEAKER, {"speaker": "ann vale"}),
    (Reason.WRONG_SPEAKER, {"lines": (1, 2)}),
    (Reason.NOT_A_PERSON, {"lines": (3,), "speaker": "Helper"}),
    (Reason.FORWARDED, {"lines": (4,), "speaker": "Bo Lind"}),
    (Reason.RESERVED_SPEAKER, {"lines": (5,), "speaker": SYSTEM_SPEAKER}),
    (Reason.RESERVED_SPEAKER, {"lines": (6,), "speaker": ""}),
    (Reason.UNKNOWN_SUBJECT, {"subject": ""}),
    (Reason.UNKNOWN_SUBJECT, {"subject": "Zed"}),
    (Reason.UNKNOWN_SUBJECT, {"subject": UNKNOWN_USER}),
    (Reason.UNKNOWN_SUBJECT, {"subject": "primaryUser", "lines": (2,), "speaker": "Bo Lind", "quote": "lives in Oslo"}),
    (Reason.NO_QUOTE, {"quote": " … "}),
    (Reason.QUOTE_NOT_FOUND, {"quote": "I live in Porto"}),
    (Reason.QUOTE_NOT_FOUND, {"quote": "live in Lis"}),
    (Reason.BAD_ATTRIBUTE, {"attribute": "?!"}),
    (Reason.BLANK_VALUE, {"value": " – "}),
    (Reason.LONG_VALUE, {"value": "x" * 201}),
    (Reason.BLANK_CONTENT, {"content": "\n"}),
    (Reason.LONG_CONTENT, {"content": "x" * 401}),
    (Reason.MANY_SENTENCES, {"content": "She lives in Lisbon. He lives in Porto."}),
    (Reason.IMPOSSIBLE_DATE, {"valid_from": "2024-02-30"}),
    (Reason.IMPOSSIBLE_DATE, {"valid_to": "31 April"}),
    (Reason.IMPOSSIBLE_DATE, {"valid_from": "1066-10-14"}),
    (Reason.DATES_REVERSED, {"valid_from": "2024-03-01", "valid_to": "2023-03-01"}),
    (Reason.LOW_CONFIDENCE, {"confidence": 0.49}),
    (Reason.LOW_CONFIDENCE, {"confidence": float("nan")}),
    (Reason.LOW_CONFIDENCE, {"confidence": 1.5}),
]


def passed(proposal: Proposal, window: Window = WINDOW) -> Statement:
    """The statement, which it must be."""
    result = verify(proposal, window, MODEL)
    assert isinstance(result, Statement), result
    return result


@for_each(REFUSED)
def test_what_is_refused(reason: Reason, changes: dict[str, Any]) -> None:
    """A good proposal with one thing wrong falls for that reason."""
    passed(GOOD)
    assert verify(replace(GOOD, **changes), WINDOW, MODEL) is reason


@for_each(
    [
        ("wooden Lisbon in March", True),
        ("purple wooden castle Lisbon", False),
        ("March Lisbon Porto", False),
        ("March Lisbon 1755", False),
    ]
)
def test_a_long_value_has_its_names_and_most_of_its_words_from_the_lines(value: str, is_grounded: bool) -> None:
    """A third of the words may be the model's, but no name and no number."""
    result = verify(replace(GOOD, value=value), WINDOW, MODEL)
    assert isinstance(result, Statement) if is_grounded else result is Reason.UNGROUNDED_VALUE


def test_every_reason_is_seen() -> None:
    """No reason of the list is without a test."""
    elsewhere = {Reason.UNKNOWN_AUTHOR, Reason.SUBJECT_IS_USER, Reason.NOT_CONFIRMED}
    assert {reason for reason, _ in REFUSED} | {reason for reason, *_ in FALSE} | elsewhere == set(Reason)


def test_the_quote_is_verbatim() -> None:
    """Case, white space and the shape of quotation marks do not matter; what is kept is what was written."""
    assert passed(GOOD).evidence[0].quote == "I live in   Lisbon"
    across = passed(replace(GOOD, quote='lisbon,\\nsince "march"'))
    assert across.evidence[0].quote in WINDOW.lines[0].text
    both = passed(replace(GOOD, lines=(7, 1)))
    assert [cited.message_id for cited in both.evidence] == ["m1", "m7"]
    assert all(cited.quote in WINDOW.lines[cited.message.int - 101].text for cited in both.evidence)


def test_whom_it_is_about() -> None:
    """People by their names, the speaker by "I", the user only in the user's own words, things as they are called."""
    assert passed(GOOD).subject == "Ann Vale"
    assert passed(replace(GOOD, subject="primaryUser")).subject == "Ann Vale"
    named = replace(GOOD, subject="ann vale", speaker="", lines=(2,), quote="Ann Vale lives in Lisbon")
    assert (passed(named).speaker, passed(named).subject) == ("Bo Lind", "Ann Vale")
    tower = replace(GOOD, subject="tower of belém", lines=(7,), quote="is near", attribute="place", value="near")
    assert passed(tower).subject == "tower of belém"
    sister = replace(GOOD, subject="I's sister", speaker="", lines=(2,), quote="my sister lives", value="Oslo")
    assert passed(sister).subject == "Bo Lind's sister"
    assert verify(replace(sister, subject="Ann Vale's sister"), WINDOW, MODEL) is Reason.UNKNOWN_SUBJECT


def test_what_is_put_right() -> None:
    """Unknown categories go, numbers out of range become the attribute's own, sensitivity is never lowered."""
    odd = passed(
        replace(
            GOOD, category="gossip", importance=9, sensitivity="low", sentiment=3.0, keywords=("a", "", "a", "x" * 90)
        )
    )
    assert (odd.category, odd.importance, odd.sensitivity, odd.sentiment, odd.keywords) == (
        "context",
        3,
        "medium",
        None,
        ("a",),
    )
    told = passed(
        replace(GOOD, category="work", importance=1, sensitivity="high", sentiment=-0.5, tags=(NOT_OWN_WORDS,))
    )
    assert (told.category, told.importance, told.sensitivity, told.sentiment, told.tags) == (
        "work",
        1,
        "high",
        -0.5,
        (),
    )
    assert passed(replace(GOOD, attribute="Home Town!")).attribute == "home_town"
    assert passed(replace(GOOD, valid_from="since March")).valid_from == datetime(2024, 3, 1, tzinfo=UTC)
    assert passed(GOOD).audience == ("Bo Lind", "Helper")


def test_texts_of_others_are_not_the_users_words() -> None:
    """An author speaks for himself, with a tag; nobody known speaks for nobody; neither for the user."""
    words = (line(1, "Pierre Blanc", "I live in Lyon. The user lives in Paris."),)
    article = replace(WINDOW, lines=words, context=(), people=("Pierre Blanc",), user="", written_by_user=False)
    proposal = replace(GOOD, speaker="Pierre Blanc", value="Lyon", quote="I live in Lyon")
    assert passed(proposal, article).tags == (NOT_OWN_WORDS,)
    assert verify(replace(proposal, subject="user"), article, MODEL) is Reason.SUBJECT_IS_USER
    known = replace(article, user="Ann Vale", people=("Pierre Blanc", "Ann Vale"))
    assert verify(replace(proposal, subject="Ann Vale"), known, MODEL) is Reason.SUBJECT_IS_USER
    nobody = replace(article, lines=(replace(words[0], speaker="chat"),), people=("chat",))
    assert verify(replace(proposal, speaker="chat"), nobody, MODEL) is Reason.UNKNOWN_AUTHOR


def test_rejections_are_counted_and_repetitions_made_once() -> None:
    """What did not pass is told by reason; the same statement twice is one."""
    wrong = [replace(GOOD, lines=()), replace(GOOD, lines=(99,))]
    statements, rejected, refusals = verify_all([GOOD, GOOD, *wrong], WINDOW, MODEL)
    assert len(statements) == 1
    assert rejected == {"no-lines": 1, "unknown-line": 1}
    assert [(each.reason, each.value) for each in refusals] == [("no-lines", GOOD.value), ("unknown-line", GOOD.value)]
    assert [refusal_from_json(each.reason, refusal_to_json(each)) for each in refusals] == list(refusals)


@given(
    st.builds(
        Proposal,
        subject=st.text(max_size=10),
        attribute=st.text(max_size=10),
        value=st.text(max_size=10),
        content=st.text(max_size=10),
        lines=st.lists(st.integers(-3, 9), max_size=3).map(tuple),
        quote=st.sampled_from(["lisbon", "lives in", "the", "", "(((", "\\n", "\\"]),
        speaker=st.sampled_from(["", "Ann Vale", "Bo Lind", "x"]),
        valid_from=st.text(max_size=8),
        valid_to=st.text(max_size=8),
        confidence=st.floats(),
        importance=st.none() | st.floats(),
        sentiment=st.none() | st.floats(),
    )
)
def test_no_proposal_breaks_the_checks(proposal: Proposal) -> None:
    """Whatever a model answers, the result is a statement or a reason."""
    assert isinstance(verify(proposal, WINDOW, MODEL), Statement | Reason)
