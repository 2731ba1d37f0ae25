"""Data sets: each form is known by its files and read as its publisher means it, with the traps of the published files."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon.evaluation.datasets.dataset import Question, Scope
from memd.daemon.evaluation.datasets.dialogues import turns_of
from memd.daemon.evaluation.datasets.opening import OWN, digest_of, open_dataset
from memd.schemas.errors import ConfigError, SourceError
from memd.tests.evaluation.forms import BATCHES, BELIEFS, CASES, CHAT, ENTRIES, HISTORY, PROBES, TALK, write

CHATS = Path(__file__).parent.parent / "retrieval" / "chats"


def one_scope(path: Path, form: str) -> tuple[Scope, dict[str, int]]:
    """The only scope of a data set whose form is recognised, and what was left out."""
    dataset = open_dataset(path)
    assert dataset.form == form
    (scope,) = dataset.scopes()
    return scope, dataset.left_out


def messages(scope: Scope) -> dict[str, str]:
    """The texts of a scope's messages by id."""
    talks = [talk for document in scope.documents if (talk := document.as_conversation())]
    return {str(message.id): message.content for talk in talks for message in talk.messages}


def test_locomo_is_read_with_its_traps(tmp_path: Path) -> None:
    """Bundled and padded ids are turns, a session without turns is none, answers may be numbers, and an adversarial
    answer is nowhere.
    """
    scope, left_out = one_scope(write(tmp_path / "conv.json", [CHAT]), "locomo")
    assert [document.id for document in scope.documents] == ["session_1", "session_2"]
    assert messages(scope)["D1:2"] == "Look at my boat [photo: a red boat]"
    assert [(each.category, sorted(each.evidence), each.answer) for each in scope.questions] == [
        ("single-hop", ["D1:1"], "Malmö"),
        ("multi-hop", ["D1:2", "D2:1"], "1"),
        ("adversarial", ["D1:3"], ""),
    ]
    assert [each.unanswerable for each in scope.questions] == [False, False, True]
    assert sum(left_out.values()) == 2


def test_corrected_evidence_takes_the_place_of_the_cited_one(tmp_path: Path) -> None:
    """Of LoCoMo; for another form there is none."""
    file = write(tmp_path / "conv.json", CHAT)
    corrections = write(tmp_path / "corrections.json", {"conv-1": {"Where is the kiln?": ["D2:1"], "When?": ["D1:3"]}})
    (scope,) = open_dataset(file, "locomo", corrections).scopes()
    evidence = {each.text: each.evidence for each in scope.questions}
    assert evidence["Where is the kiln?"] == {"D2:1"}
    assert evidence["When?"] == {"D1:3"}
    with pytest.raises(ConfigError):
        open_dataset(OWN, corrections=corrections)


def test_realtalk_is_read(tmp_path: Path) -> None:
    """Evidence may be a range, with blanks and full stops; that of another chat is left out."""
    scope, left_out = one_scope(write(tmp_path / "Chat_1.json", TALK), "realtalk")
    (question,) = scope.questions
    assert question.evidence == {"D1:1", "D1:2", "D1:3", "D1:4", "D1:7"}
    assert (question.category, sum(left_out.values())) == ("multi-hop", 1)


def test_a_range_is_of_one_session() -> None:
    """Two ids of different sessions are two turns; of a reversed range its ends remain."""
    assert turns_of(["D1:2-D2:4"]) == {"D1:2", "D2:4"}
    assert turns_of("D1:9 - D1:7") == {"D1:9", "D1:7"}
    assert turns_of(None) == set()


def test_longmemeval_is_read(tmp_path: Path) -> None:
    """Each question has a history of its own; a session that stands in it twice is there twice; blank turns are none."""
    refused = {**HISTORY, "question_id": "q2_abs"}
    unmarked = {**HISTORY, "question_id": "q3", "haystack_sessions": [[], [{"role": "user", "content": "Hi"}], []]}
    dataset = open_dataset(write(tmp_path / "longmemeval.json", [HISTORY, refused, unmarked]))
    marked, abstention, by_session = dataset.scopes()
    assert dataset.form == "longmemeval"
    assert messages(marked) == {
        "s1:0": "I bought a lamp.",
        "s1:1": "Nice.",
        "s2:0": "Hello.",
        "s1/2:1": "Again.",
    }
    (question,) = marked.questions
    assert (question.evidence, question.answer, str(question.asked_at)) == ({"s1:0"}, "7", "2023-05-30 23:40:00+00:00")
    (question,) = abstention.questions
    assert (question.category, question.evidence, question.unanswerable) == ("abstention", frozenset(), True)
    assert by_session.questions[0].evidence == {"s1"}
    assert sum(dataset.left_out.values()) == 1


def test_beam_is_read(tmp_path: Path) -> None:
    """From its folders; evidence lies in lists by name, too, and an id that is no message is none."""
    write(tmp_path / "100K" / "1" / "chat.json", BATCHES)
    write(tmp_path / "100K" / "1" / "probing_questions" / "probing_questions.json", PROBES)
    write(tmp_path / "100K" / "2" / "probing_questions" / "probing_questions.json", PROBES)
    scope, left_out = one_scope(tmp_path, "beam")
    assert messages(scope)["0"] == "It takes 400 ms."
    assert {each.category: sorted(each.evidence) for each in scope.questions} == {
        "abstention": [],
        "knowledge_update": ["0", "2"],
        "summarization": ["1"],
    }
    assert [each.answer for each in scope.questions] == ["", "250 ms", "All of it"]
    assert left_out == {"folders without a chat": 1}


def test_precisionmembench_is_read(tmp_path: Path) -> None:
    """A belief is a text with its aliases, asked within its scope; pinned ones count neither way and take room; a relation
    brings its participants.
    """
    write(tmp_path / "beliefs.seed.json", BELIEFS)
    write(tmp_path / "retrieval.cases.json", CASES)
    scope, left_out = one_scope(tmp_path, "precisionmembench")
    oven = next(document for document in scope.documents if document.id == "b-oven")
    assert (oven.content, list(oven.tags)) == ("b-oven stove Bakes with steam.", ["test-user/domain:home"])
    alias, nothing, leak, pair = scope.questions
    assert (alias.evidence, alias.alone, alias.ignored) == ({"b-oven"}, True, {"b-rule"})
    assert (nothing.evidence, nothing.alone) == (frozenset(), True)
    assert (leak.evidence, leak.alone, leak.forbidden) == (frozenset(), False, {"b-other"})
    assert pair.companions == {"b-pair": {"b-bike"}}
    assert sum(left_out.values()) == 2


def test_entries_are_read(tmp_path: Path) -> None:
    """Texts and messages; a piece, words or a message may be the evidence, and an adversarial answer is nowhere."""
    scope, _ = one_scope(write(tmp_path / "own.json", ENTRIES), "memd")
    assert [document.id for document in scope.documents] == ["a.md", "b.md", "chat"]
    assert [(each.category, each.evidence, each.quotes) for each in scope.questions] == [
        ("single-hop", {"a.md"}, ()),
        ("temporal", frozenset(), ("twelve hens",)),
        ("single-hop", {"m1"}, ()),
        ("adversarial", frozenset(), ()),
    ]
    assert "leaks" not in [each.answer for each in scope.questions]


def test_evidence_that_names_nothing_is_told(tmp_path: Path) -> None:
    """An entry, a message, and a piece of an entry by its path are evidence; what is misspelt is left out and counted."""
    asked = [{"question": "?", "expected_chunk": each} for each in (["a.md", "x.md"], "m1", "b.md#top#chunk_2", "m1x")]
    scope, left_out = one_scope(write(tmp_path / "own.json", ENTRIES | {"qa": asked}), "memd")
    assert [set(each.evidence) for each in scope.questions] == [{"a.md"}, {"m1"}, {"b.md#top#chunk_2"}, set()]
    assert left_out["evidence that names no entry or message"] == 2


def test_the_own_data_set_keeps_its_rules() -> None:
    """At most 40 KB; every message and every quotation that is evidence is there, and all five categories are asked."""
    assert OWN.stat().st_size <= 40_000
    (scope,) = open_dataset().scopes()
    ids = set(messages(scope))
    texts = [document.content for document in scope.documents if document.as_text()]

    def is_there(question: Question) -> bool:
        return question.evidence <= ids and all(any(each in text for text in texts) for each in question.quotes)

    assert all(is_there(question) for question in scope.questions)
    assert all(question.wanted or question.unanswerable for question in scope.questions)
    assert {each.category for each in scope.questions} == {
        "multi-hop", "temporal", "open-domain", "single-hop", "adversarial",
    }  # fmt: skip


def test_the_labelled_chats_are_a_data_set() -> None:
    """A scope for each language and one for all, whose questions count once."""
    dataset = open_dataset(CHATS)
    scopes = list(dataset.scopes())
    assert (dataset.form, dataset.hits) == ("chats", 10)
    assert [scope.repeats for scope in scopes] == [False] * 5 + [True]
    assert len(scopes[-1].questions) == sum(len(scope.questions) for scope in scopes[:-1]) == 300


def test_the_digest_is_of_all_files(tmp_path: Path) -> None:
    """What lies beside the cases changes it as well."""
    write(tmp_path / "beliefs.seed.json", BELIEFS)
    cases = write(tmp_path / "retrieval.cases.json", CASES)
    before = digest_of(open_dataset(tmp_path))
    assert digest_of(open_dataset(tmp_path)) == before
    write(tmp_path / "beliefs.seed.json", BELIEFS[:2])
    changed = digest_of(open_dataset(tmp_path))
    write(cases, CASES[:1])
    assert len({before, changed, digest_of(open_dataset(tmp_path))}) == 3


@pytest.mark.parametrize("content", ["{", "3", "[1]", '{"other": 1}', '{"entries": [{"path": "a"}], "qa": []}'])
def test_what_is_no_data_set_is_told(content: str, tmp_path: Path) -> None:
    """As an error with a sentence, no matter what is wrong."""
    file = tmp_path / "file.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SourceError):
        list(open_dataset(file).scopes())
    with pytest.raises(SourceError):
        open_dataset(tmp_path / "missing")


MALFORMED: dict[str, tuple[str, list[tuple[str, object]]]] = {
    "locomo": ("conv.json", [("", [{"sample_id": "a"}]), ("", [CHAT | {"conversation": 5}]), ("", [CHAT | {"qa": 7}])]),
    "realtalk": ("chat.json", [("", {"name": "x", "qa": [], "session_1": []})]),
    "longmemeval": (
        "histories.json",
        [
            ("", [{"haystack_sessions": [[]]}]),
            ("", [HISTORY | {"haystack_session_ids": ["too", "many", "ids", "of", "few"]}]),
            ("", [HISTORY | {"question_date": "2023/99/99"}]),
        ],
    ),
    "beam": ("chat.json", [("probing_questions.json", []), ("probing_questions.json", {"abstention": [{}]})]),
    "precisionmembench": ("retrieval.cases.json", [("", CASES), ("beliefs.seed.json", [{"_id": 1}])]),
    "memd": ("own.json", [("", {"entries": [{"path": "a", "messages": []}], "qa": []}), ("", ENTRIES | {"qa": 5})]),
    "chats": ("en.questions", [("", "no label")]),
}


@pytest.mark.parametrize("form", MALFORMED)
def test_a_record_that_lacks_something_is_told_with_its_file(form: str, tmp_path: Path) -> None:
    """In every form, as an error with a sentence that quotes no text of the data set."""
    name, files = MALFORMED[form]
    for number, (beside, content) in enumerate(files):
        folder = tmp_path / str(number)
        folder.mkdir()
        whole = {"beam": BATCHES, "precisionmembench": CASES}.get(form, content)
        write(folder / name, whole)
        if beside:
            write(folder / beside, content)
        with pytest.raises(SourceError) as error:
            list(open_dataset(folder, form).scopes())
        assert str(folder) in error.value.message
        assert "input_value" not in error.value.message
