"""JSON is found in whatever a model writes around it, and never made up."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.llm.json_repair import json_in
from memd.tests.cases import for_each

ANSWER = {"facts": [{"quote": 'she said "{no}" [really]'}]}
TEXT = json.dumps(ANSWER)


@for_each(
    [
        TEXT,
        f"\ufeff {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}",
        f"Sure! Here it is:\n\n{TEXT}\n\nAnything else?",
        f"<think>It could be {{}} or [].</think>\n{TEXT}",
        f"I thought of {{this}} first. {TEXT}",
        TEXT[:-2] + ",]}",
        f"As lines [1] and [2, 3] say: {TEXT}",
    ]
)
def test_it_is_found(written: str) -> None:
    """Fences, preambles, thoughts, a comma too many."""
    assert json_in(written) == ANSWER


@for_each(["", "no", "42", '"text"', "null", "{", "[1, 2", "<think>{}", "}{", "[}"])
def test_it_is_not_made_up(written: str) -> None:
    """Nothing, scalars, and what is only begun."""
    assert json_in(written) is None


def test_a_list_that_was_cut_is_not_taken_for_its_part() -> None:
    """Half a list of facts would look like all of them, and the list of lines within a fact like a list of facts."""
    text = json.dumps({"facts": [{"lines": [1], "quote": "a"}, {"lines": [2], "quote": "b"}], "summary": "s"})
    for end in range(len(text)):
        assert json_in(text[:end]) is None
        assert json_in("Sure:\n```json\n" + text[:end]) is None


def test_what_is_nested_without_end_is_none() -> None:
    """It would exhaust whoever walks through it."""
    assert json_in("[" * 900 + "]" * 900) is None


@given(st.text(alphabet='{}[]",:\\ab1 \n`', max_size=80))
def test_no_text_breaks_it(written: str) -> None:
    """Whatever comes, an object, a list or nothing."""
    assert json_in(written) is None or isinstance(json_in(written), dict | list)
