"""The API by its own description: whatever fits it or not is sent over a real socket, and each answer must fit it too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import given
from hypothesis import strategies as st
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi

from memd.daemon import operations
from memd.daemon.operations import BACKUP, PROGRESS
from memd.daemon.service.requests import LONGEST_QUESTION
from memd.memory.text.analyzer import fold
from memd.tests.cases import check_all
from memd.tests.e2e.conftest import Memd
from memd.tests.fuzz.mutation import examples, mutated
from memd.tests.fuzz.test_sources import DOCUMENTS
from memd.tests.fuzz.unixsession import BASE, session_at

LINES = b"".join(json.dumps(document).encode() + b"\n" for document in DOCUMENTS)
# Their types have parameters that nobody gives.
NEGATIVE: list[Any] = [openapi.negative_data_rejection]  # pyright: ignore[reportUnknownMemberType]
CHECKS: list[Any] = [
    checks.not_a_server_error,  # pyright: ignore[reportUnknownMemberType]
    openapi.status_code_conformance,  # pyright: ignore[reportUnknownMemberType]
    openapi.content_type_conformance,  # pyright: ignore[reportUnknownMemberType]
    openapi.response_schema_conformance,  # pyright: ignore[reportUnknownMemberType]
]

ELSEWHERE = [PROGRESS, BACKUP]
"""One has no end, the other writes wherever it is told to: these have tests of their own."""
OPERATIONS = [(each.method, each.path) for each in operations.OPERATIONS if each not in ELSEWHERE]


@schemathesis.serializer("application/jsonl")
def lines_serializer(_: Any, value: Any) -> bytes:
    """What is sent as it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


schemathesis.openapi.media_type("application/jsonl", mutated([LINES]))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memd]:
    """A daemon with two documents."""
    command = Memd(tmp_path_factory.mktemp("f"))
    command.until_served(command.start("serve"))
    command.json("ingest", "-", stdin=LINES)
    yield command
    command.end()


@pytest.fixture(scope="module")
def session(daemon: Memd) -> Iterator[requests.Session]:
    """Requests to it."""
    with session_at(str(daemon.socket)) as session:
        yield session


@pytest.fixture(scope="module")
def schema(session: requests.Session) -> Any:
    """What it says about itself."""
    return schemathesis.openapi.from_dict(session.get(f"{BASE}/openapi.json").json())


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=[f"{method} {path}" for method, path in OPERATIONS])
def test_every_path_keeps_to_its_description(
    session: requests.Session, schema: Any, daemon: Memd, method: str, path: str
) -> None:
    """Good and bad values: an answer that is described, never an unexpected error, and bad values are refused."""
    operation = schema[path][method]
    wrong = schemathesis.GenerationMode.NEGATIVE

    def sent(case: Any, *more: Any) -> None:
        response = case.call(base_url=BASE, session=session)
        case.validate_response(response, checks=[*CHECKS, *more])
        if response.status_code >= 400:
            assert response.json()["code"] != "UNEXPECTED"

    @examples(8)
    @given(operation.as_strategy())
    def good(case: Any) -> None:
        sent(case)

    @examples(8)
    @given(operation.as_strategy(generation_mode=wrong))
    def bad(case: Any) -> None:
        sent(case, *(NEGATIVE if path == "/v1/query" else []))

    good()
    if operation.body or list(operation.query):
        bad()
    assert session.get(f"{BASE}/v1/health").status_code == 200
    assert daemon.running[0].poll() is None


QUESTIONS = [
    "'; DROP TABLE messages; --",
    '" OR 1=1 --',
    "%' UNION SELECT * FROM documents",
    "a AND (b OR",
    'content:"x" +y -z ^2 ~3 [a TO b] {c} *:* /re.*ge[x]/',
    "\\",
    "*",
    "?" * 1000,
    "(" * 10_000,
    "a* " * 5_000,
    "\x00",
    "\u202e\ufeff\u200b",
    "word " * 40_000,
    "x" * 1_000_000,
    "\u6771" * 50_000,
    "e" + "\u0301" * 50_000,
    "\U0001f468\u200d\U0001f469\u200d" * 10_000,
]


def test_questions_that_mean_something_elsewhere(session: requests.Session) -> None:
    """SQL, the syntax of search engines, and a million characters are words like others."""

    def check(number: int) -> None:
        text = QUESTIONS[number]
        answer = session.post(f"{BASE}/v1/query", json={"text": text, "explain": True}, timeout=60)
        assert answer.status_code == (200 if len(text) <= LONGEST_QUESTION else 400), answer.text[:200]
        for name in ("speakers", "people", "sources", "tags"):
            asked = text[:100_000]
            answer = session.post(f"{BASE}/v1/query", json={"text": "hi", name: [asked]}, timeout=60)
            if len(fold(asked)) < 3 and answer.status_code == 200:
                continue  # without its marks it is a letter or two: part of a name that another test stored
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
            assert len(answer.content) < 2_000  # what was asked for is not repeated at length

    check_all(range(len(QUESTIONS)), check)


@examples(15)
@given(st.data())
def test_backups_go_only_where_they_may(session: requests.Session, data: st.DataObject) -> None:
    """What is no absolute folder is refused before anything is written."""
    odd = (
        st.sampled_from(["", ".", "relative", "../up", "~", "\x00", "C:\\x"])
        | st.integers()
        | st.none()
        | st.booleans()
    )
    body: dict[str, Any] = {"directory": data.draw(odd), "keep": data.draw(st.integers(-1, 1) | odd)}
    answer = session.post(f"{BASE}/v1/backup", json=body, timeout=60)
    last = json.loads(answer.content.splitlines()[-1])
    assert last.get("error", last)["code"] == "VAL"


def test_many_filters_at_once(session: requests.Session) -> None:
    """Ten thousand values of one filter are more than a statement of SQL takes, and still one question."""
    values = [f"person {number}" for number in range(10_000)]
    for name in ("speakers", "people", "sources", "tags"):
        answer = session.post(f"{BASE}/v1/query", json={"text": "hi", name: values}, timeout=60)
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
