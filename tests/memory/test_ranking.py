"""The ranking: one order out of many arms, and the reasons it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from memd.memory.question.people import MOST_NAMESAKES, SpeakerMatcher
from memd.memory.retrieval.ranking import rank
from memd.memory.retrieval.weights import DEFAULT, alone
from memd.memory.search_types import ChunkRef, Column
from memd.schemas import Arm


def place(
    number: int, *, document: int = 1, ordinal: int | None = None, owner: int | None = None, by: str = "Ann"
) -> ChunkRef:
    """A chunk's place; of a text where nobody said it."""
    position = number if ordinal is None else ordinal
    return ChunkRef(number, number.to_bytes(16), document, (owner or number) if by else None, position, by)


def columns(places: Sequence[ChunkRef], raw: Mapping[Arm, Mapping[bytes, float]]) -> dict[Arm, Column]:
    """Scores by key as the columns of a candidate set."""
    return {arm: np.array([scores.get(place.key, np.nan) for place in places]) for arm, scores in raw.items()}


def test_no_candidates_is_an_empty_order() -> None:
    """Nothing found is an answer."""
    assert rank([], {}, DEFAULT) == []


def test_shares_sum_to_the_score() -> None:
    """`explain` explains all of it."""
    places = [place(1), place(2, by="Bob"), place(3, document=2)]
    raw: dict[Arm, dict[bytes, float]] = {
        "near": {places[0].key: 3.0, places[1].key: 1.0},
        "vector": {p.key: 0.1 * n for n, p in enumerate(places)},
    }
    for item in rank(places, columns(places, raw), DEFAULT, frozenset({"Bob"})):
        assert item.score == pytest.approx(sum(item.shares.values()), abs=1e-4)


def test_cosines_of_two_spaces_count_by_their_lead_in_their_space() -> None:
    """A cosine that is high for its model stands before a higher one that is usual for its own."""
    places = [place(number, document=number, ordinal=1) for number in range(1, 13)]
    cosines = np.array([0.6, *[0.1 + 0.01 * n for n in range(5)], 0.77, *[0.75 + 0.01 * n for n in range(5)]])
    spaces = np.array([0] * 6 + [1] * 6, np.int8)
    of_both = rank(places, {"vector": cosines}, alone(("vector",)), spaces=spaces)
    assert of_both[0].place.row == 1
    assert rank(places, {"vector": cosines}, alone(("vector",)))[0].place.row != 1
    few = rank(places[:7], {"vector": cosines[:7]}, alone(("vector",)), spaces=spaces[:7])
    assert few[0].place.row == 1


def test_the_named_speaker_comes_first_among_equals() -> None:
    """A person in the question is a hint at who spoke."""
    places = [place(1, by="Ann"), place(5, by="Bob")]
    ranked = rank(places, {"vector": np.array([0.5, 0.5])}, DEFAULT, frozenset({"Bob"}))
    assert [item.place.speaker for item in ranked] == ["Bob", "Ann"]


def test_a_message_of_several_chunks_is_one_hit() -> None:
    """Its best chunk stands for it; chunks of a text are hits of their own."""
    both = [place(1, ordinal=1, owner=9), place(2, ordinal=1, owner=9)]
    raw: dict[Arm, dict[bytes, float]] = {"vector": {both[0].key: 0.1, both[1].key: 0.9}}
    assert [both[1].key] == [item.place.key for item in rank(both, columns(both, raw), DEFAULT)]
    text = [place(1, ordinal=1, owner=9, by=""), place(2, ordinal=2, owner=9, by="")]
    assert len(rank(text, {"vector": np.array([0.1, 0.9])}, DEFAULT)) == 2


def test_a_fact_that_says_what_its_message_says_changes_no_score() -> None:
    """It makes vectors weigh no more for the messages without facts."""
    places = [place(1), place(5), place(9)]
    fact = place(20, ordinal=1, owner=1)._replace(readers=1)
    plain = rank(places, {"lexical": np.array([1.0, 3.0, 2.0]), "vector": np.array([0.7, 0.9, 0.8])}, DEFAULT)
    raw: dict[Arm, Column] = {"lexical": np.array([1.0, 3.0, 2.0, 1.0]), "vector": np.array([0.7, 0.9, 0.8, 0.7])}
    known = rank([*places, fact], raw, DEFAULT)
    assert [(item.place.key, item.shares) for item in known] == [(item.place.key, item.shares) for item in plain]


def test_an_arm_alone_ranks_by_its_raw_score() -> None:
    """For measurements nothing is added."""
    places = [place(n) for n in range(1, 5)]
    raw: dict[Arm, dict[bytes, float]] = {"vector": {p.key: 1.0 / p.ordinal for p in places}}
    assert [item.place.ordinal for item in rank(places, columns(places, raw), alone(["vector"]))] == [1, 2, 3, 4]


def test_a_statement_comes_before_a_question_and_more_words_before_fewer() -> None:
    """Among equals: who asks does not tell, and who says more says something; a page is no better than a long message."""
    asks, tells, greets, long = (place(n)._replace(tokens=t, ending=a) for n, t, a in _SAID)
    raw: dict[Arm, Column] = {"vector": np.full(4, 0.5)}
    order = [item.place.key for item in rank([asks, tells, greets, long], raw, DEFAULT)]
    assert [long.key, tells.key, greets.key, asks.key] == order
    pages = [place(n)._replace(tokens=n * 100) for n in (1, 2)]
    assert len({item.score for item in rank(pages, {}, DEFAULT)}) == 1


_SAID = ((1, 20, "it? "), (2, 20, "it! "), (3, 2, "hi"), (4, 64, "end."))


def test_a_reply_has_a_share_of_the_question_before_it() -> None:
    """Of what somebody else says next, and of no other message; a question that has nothing to do with it gives nothing good."""
    asks, reply, goes_on = place(1, by="Ann")._replace(ending="it? "), place(2, by="Bob"), place(3, by="Bob")
    far = [place(n, document=2, ordinal=2 * n) for n in (4, 5)]
    raw: dict[Arm, Column] = {"vector": np.array([0.9, 0.5, 0.5, 0.5, 0.1])}
    shares = {item.place.row: item.shares["reply"] for item in rank([asks, reply, goes_on, *far], raw, DEFAULT)}
    assert shares[2] > 0
    assert [shares[row] for row in (1, 3, 4, 5)] == [0, 0, 0, 0]
    own = [asks, place(2, by="Ann"), goes_on, *far]
    assert {item.shares["reply"] for item in rank(own, raw, DEFAULT)} == {0}


def test_what_holds_a_number_comes_first_where_one_is_asked_for() -> None:
    """Among equals; elsewhere numbers say nothing."""
    places = [place(1), place(5)]
    raw: dict[Arm, Column] = {"vector": np.array([0.5, 0.5])}
    assert rank(places, raw, DEFAULT, numeric={5})[0].place.row == 5
    assert rank(places, raw, DEFAULT)[0].place.row == 1


def test_what_all_have_in_common_counts_less() -> None:
    """Of two that are as near to the question, that comes first which is less like all the others."""
    places = [place(1), place(5)]
    raw: dict[Arm, Column] = {"vector": np.array([0.5, 0.5])}
    assert rank(places, raw, DEFAULT, typical=np.array([0.9, 0.7]))[0].place.row == 5
    assert rank(places, raw, DEFAULT, typical=np.array([0.9, np.nan]))[0].place.row in (1, 5)


def test_documents_have_row_ids_of_any_size() -> None:
    """They are never used again, so they grow with every document that ever was stored."""
    small = [place(n, document=document, ordinal=n) for n, document in ((1, 1), (2, 1), (3, 2))]
    large = [each._replace(document=each.document + (1 << 40)) for each in small]
    raw: dict[Arm, Column] = {"vector": np.array([0.1, 0.5, 0.9])}
    assert [item.score for item in rank(small, raw, DEFAULT)] == [item.score for item in rank(large, raw, DEFAULT)]


class TestNames:
    """Whom a question names."""

    @pytest.mark.parametrize(
        ("question", "expected"),
        [
            ("where does Bob live?", {"Bob Smith"}),
            ("where does bob smith live?", {"Bob Smith"}),
            ("what did ZOE say?", {"Zoë"}),
            ("do Bob and Zoë know each other?", set[str]()),
            ("which Smith is it?", set[str]()),
            ("what will happen?", set[str]()),
            ("what does Will think?", {"Will"}),
            ("where does Mallory live?", set[str]()),
            ("", set[str]()),
        ],
    )
    def test_only_one_person_counts(self, question: str, expected: set[str]) -> None:
        """One person, in any spelling of case and accents; never two, never a mere word."""
        names = SpeakerMatcher(["Bob Smith", "Ann Smith", "Zoë", "Will"])
        assert expected == names.mention(question).speakers

    @pytest.mark.parametrize(
        ("question", "one", "preferred"),
        [
            ("where does Lena work?", {"Lena"}, {"Lena", "Lena Brandt", "live:lena"}),
            ("where does Lena live?", {"Lena"}, {"Lena", "Lena Brandt", "live:lena"}),
            ("where does Lena Brandt live?", {"Lena Brandt"}, {"Lena Brandt"}),
            ("where does Ann Lee live?", {"Ann Lee"}, {"Ann Lee"}),
            ("which Brandt is it?", set[str](), {"Lena Brandt", "Olaf Brandt"}),
            ("where does Bob live?", {"Bob"}, {"Bob"}),
        ],
    )
    def test_a_first_name_prefers_all_who_have_it(self, question: str, one: set[str], preferred: set[str]) -> None:
        """As long as those are few; a whole name of several words means whom it is the name of."""
        many = [f"Bob {chr(65 + number)}x" for number in range(MOST_NAMESAKES)]
        others = ["Lena", "Lena Brandt", "live:lena", "Olaf Brandt", "Ann Lee", "Ann Lee Jr", "Bob", *many]
        mention = SpeakerMatcher(others).mention(question)
        assert (one, preferred) == (mention.speakers, mention.preferred)

    def test_names_of_one_person_are_one_namesake(self) -> None:
        """A merged person is few, whatever the number of names."""
        names = [f"Bob {chr(65 + number)}x" for number in range(MOST_NAMESAKES)]
        assert SpeakerMatcher(["Bob Lee", *names], [names]).mention("what of Bob?").preferred == {"Bob Lee", *names}


def test_a_message_without_a_vector_yet_is_judged_by_its_words() -> None:
    """While vectors are made, the only message with a word of the question stands before what is merely near in meaning."""
    places = [place(number, document=number) for number in range(1, 31)]
    lexical = np.zeros(30)
    lexical[7] = 8.0
    vector = np.linspace(0.75, 0.9, 30)
    vector[7] = np.nan
    ranked = rank(places, {"lexical": lexical, "near": lexical, "wide": lexical, "vector": vector}, DEFAULT)
    assert ranked[0].place.row == 8
    assert ranked[0].shares["vector"] > 0
