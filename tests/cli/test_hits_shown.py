"""How many hits of an answer are shown, in how few lines, and by which number each is looked up."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli import last_answer, main, said_once
from memd.daemon.cli.commands import query as query_verb
from memd.daemon.cli.commands import show as show_verb
from memd.daemon.cli.render.hits import print_answer
from memd.daemon.config.paths import locate, state_folder
from memd.memory.retrieval.standing_out import GAP, MOST_SHOWN, before_largest_gap, standing_out
from memd.schemas.errors import NotFoundError
from memd.tests.cases import check_all
from memd.tests.pseudo_terminal import WIDTHS, columns_of

TIME = "2024-01-15T09:01:00Z"
SCORES: dict[tuple[float, ...], int] = {
    (): 0,
    (3.0,): 1,
    (9.0, 9.0 - GAP): 1,
    (9.0, 9.1 - GAP): 2,
    (9.0, 8.0, 7.9 - GAP, 2.0): 2,
    # As far from the second hit as that from the last: the scores fall step by step.
    (20.0, 10.0, 5.0, 0.0): 4,
    (20.0, 6.0, 3.0, 0.0): 1,
    (9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0): MOST_SHOWN,
    (-1.0, -1.5, -2.0 - GAP): 2,
    # In the order of their times: no gap means anything.
    (1.0, 30.0, 2.0, 8.0): 4,
    (1.0, 30.0, 2.0, 8.0, 4.0, 3.0): MOST_SHOWN,
}


class Screen(io.StringIO):
    """A terminal without colour."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def hit(rank: int, score: float, text: str = "The WLAN password is hunter22", **more: Any) -> dict[str, Any]:
    """A hit of an answer."""
    return {
        "rank": rank, "id": f"{rank:08x}-88e7-5a96-a8ff-015d8efb1797", "type": "message", "text": text, "speaker": "Bob",
        "time": TIME, "source": "whatsapp", "document_id": "whatsapp:Home:2024-01-15", "chat": "Home", "score": score,
        "context": [{"speaker": "Alice", "text": "Thanks!", "time": "2024-01-15T09:02:00Z", "matches": True}], **more,
    }  # fmt: skip


def answer(*scores: float, **more: Any) -> dict[str, Any]:
    """An answer of hits with these scores."""
    return {"query": "x", "hits": [hit(rank, score) for rank, score in enumerate(scores, 1)], **more}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's state folder, and a memory of theirs, in which nothing is."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("MEMD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MEMD_SOCKET", str(tmp_path / "s"))
    return tmp_path / "state" / "memd"


def test_hits_are_shown_up_to_the_first_gap() -> None:
    """At least one, at most five; all of these where they are not in the order of their scores."""
    assert {scores: standing_out(scores) for scores in SCORES} == SCORES


def test_the_largest_gap_ends_a_precise_answer() -> None:
    """Among the first hits; where all are as far apart the first is alone, and a gap further down cuts nothing off."""
    assert before_largest_gap(()) == 0
    assert [before_largest_gap(scores) for scores in ((1.0,), (2.0, 1.0), (9.0, 8.5, 3.0, 2.0), (3.0, 2.0, 1.0))] == [
        1,
        1,
        2,
        1,
    ]
    assert before_largest_gap((9.0, 8.0, 7.0, 6.0, 5.5, 5.0, 4.9, -90.0)) == 1


def test_in_an_order_of_times_no_gap_counts() -> None:
    """The newest may be far from the question, and those behind it nearer to each other."""
    for order, number in (("best", 1), ("newest", 3)):
        out = io.StringIO()
        shown = print_answer(answer(20, 1, 0, understood={"words": "x", "order": order}), out, most=None)
        assert len(shown) == number


def test_an_answer_of_one_message_fits_into_six_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every width, without ids and without an empty line; what is behind it is counted."""
    monkeypatch.setenv("NO_COLOR", "1")

    def check(width: int) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        screen = Screen()
        print_answer(answer(9, 1, 0.5, 0), screen, most=None)
        lines = screen.getvalue().splitlines()
        assert lines[0].startswith("  1  2024-01-15 ")
        assert lines[0].endswith("  Bob — Home · whatsapp")
        assert lines[1:] == [
            "     The WLAN password is hunter22",
            "    ┃ Alice: Thanks!",
            "look one up: memd show 1; 3 more like this: -k 4",
        ]
        assert max(map(columns_of, lines)) <= width

    check_all(WIDTHS, check)


def test_hits_are_numbered_as_they_stand() -> None:
    """Also where they are sorted by their times, so that their ranks are in no order."""
    out = io.StringIO()
    hits = [hit(3, 1.0), hit(1, 9.0), hit(2, 5.0)]
    ids = print_answer({"query": "x", "hits": hits}, out)
    assert [line[:5] for line in out.getvalue().splitlines() if "Bob" in line] == ["  1  ", "  2  ", "  3  "]
    assert out.getvalue().endswith("look one up: memd show 1\n")
    assert ids == {1: hits[0]["id"], 2: hits[1]["id"], 3: hits[2]["id"]}


def test_long_hits_are_set_apart() -> None:
    """By an empty line; a text is named by its file, once, and begins with words, not with a break between paragraphs."""
    text = "one\ntwo\n\nthree\nfour\nfive\nsix"
    chunk = {"section": "boat.md", "id": "c", "alias": "a", "index": 0, "start": 7, "end": len(text), "strategy": "s"}
    part: dict[str, Any] = {
        "chunk": chunk,
        "speaker": None,
        "chat": None,
        "context": [],
        "source": "notes",
        "document_id": "notes:boat.md",
    }
    out = io.StringIO()
    print_answer(
        {"query": "x", "hits": [hit(1, 9, text, passage={"start": 7, "end": len(text)}, **part), hit(2, 8)]}, out
    )
    lines = out.getvalue().splitlines()
    assert lines[0].endswith("  boat.md — notes")
    assert lines[1:3] == ["     … 2 lines above", "     three"]
    assert lines.count("") == 1
    assert lines[lines.index("") + 1].startswith("  2  ")


def test_ids_are_shown_where_they_are_asked_for() -> None:
    """The document's and the hit's own, whole."""
    without, within = io.StringIO(), io.StringIO()
    print_answer(answer(1), without)
    print_answer(answer(1), within, ids=True)
    assert "00000001-" not in without.getvalue()
    assert "whatsapp:Home" not in without.getvalue()
    assert "— whatsapp:Home:2024-01-15 · 00000001-88e7-5a96-a8ff-015d8efb1797" in within.getvalue()


def test_what_was_understood_stands_above_the_hits() -> None:
    """The summary, the plan where it is asked for, the notices; an answer without them has none of the lines."""
    told: dict[str, Any] = {
        "understood": {"words": "from Bert · 2026-11-26 · newest first"},
        "notices": ["nothing from Bert on Thursday 26 November; the nearest:"],
        "summary": "Bert last wrote on 26 November, 18:04",
    }
    lines = ["Bert last wrote on 26 November, 18:04", "nothing from Bert on Thursday 26 November; the nearest:"]
    cases: list[tuple[dict[str, Any], bool, list[str]]] = [
        (told, False, lines),
        (told, True, [lines[0], "understood: from Bert · 2026-11-26 · newest first", lines[1]]),
        ({"understood": None, "notices": [], "summary": None}, True, []),
        ({}, True, []),
    ]
    for more, explain, expected in cases:
        bodies: tuple[dict[str, Any], ...] = (answer(1, **more), answer(**more))
        for body in bodies:
            out = io.StringIO()
            print_answer(body, out, explain=explain)
            shown = out.getvalue().splitlines()
            assert shown[: len(expected)] == expected
            assert shown[len(expected)].startswith("  1  " if body["hits"] else "no hits")


def test_the_nearest_are_announced_once() -> None:
    """By what was not found, where that is told, else by how well they match."""
    for notices, heading in (
        (["nothing from Bob; the nearest:"], "nothing from Bob; the nearest:"),
        ([], "nothing matches well; the nearest:"),
    ):
        out = io.StringIO()
        print_answer(answer(1, weak=True, notices=notices), out)
        assert out.getvalue().splitlines()[:1] == [heading]
        assert out.getvalue().count("the nearest:") == 1


def test_a_number_shows_the_hit_of_the_last_answer(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a private file that holds numbers and ids; an id is passed on as it is."""
    asked: list[str] = []

    def show(_: object, _operation: object, body: dict[str, Any]) -> dict[str, Any]:
        asked.append(body["id"])
        return {"document": {"id": "d", "content": "text"}}

    def query(*_: object) -> dict[str, Any]:
        return answer(9, 8)

    monkeypatch.setattr(query_verb, "request", query)
    monkeypatch.setattr(show_verb, "request", show)
    assert main(["query", "x"]) == 0
    assert [main(["show", each]) for each in ("2", "01", "1234", "whatsapp:Home")] == [0, 0, 0, 0]
    assert asked == [answer(9, 8)["hits"][1]["id"], answer(9)["hits"][0]["id"], "1234", "whatsapp:Home"]
    (file,) = state.iterdir()
    assert (state.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    assert "WLAN" not in file.read_text()
    assert "Home" not in file.read_text()
    assert main(["query", "x", "--json"]) == 0  # for a program: the last answer of a person stays
    assert main(["show", "3"]) == 7
    assert "the last answer has no hit 3\nhint: it showed the hits 1 to 2" in capsys.readouterr().err


def test_who_the_user_is_is_asked_once(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For each memory, in the first answer that needs it; again only where nothing can be kept."""

    def query(*_: object) -> dict[str, Any]:
        return answer(9, understood={"words": "x", "anonymous": True}, notices=[])

    def asks() -> bool:
        assert main(["query", "where do I live?"]) == 0
        return "who are you? memd config me NAME" in capsys.readouterr().out

    monkeypatch.setattr(query_verb, "request", query)
    assert main(["query", "where do I live?", "--json"]) == 0
    assert "who are you?" not in capsys.readouterr().out
    assert [asks(), asks()] == [True, False]
    assert "data" not in (state / said_once.FILE).read_text()
    monkeypatch.setenv("MEMD_DATA_DIR", str(state / "other"))
    assert [asks(), asks()] == [True, False]
    monkeypatch.setenv("XDG_STATE_HOME", str(state / said_once.FILE))
    assert [asks(), asks()] == [True, True]


def test_an_event_is_named_by_its_calendar() -> None:
    """Not by the id of its document; its shown time is not told again below."""
    chunk = {"section": "", "id": "c", "alias": "a", "index": 0, "start": 0, "end": 4, "strategy": "s"}
    dates = {"next": TIME, "last": "2024-01-08T09:01:00Z", "others": [TIME, "2024-01-22T09:01:00Z"]}
    event = hit(
        1,
        9,
        "Yoga",
        chunk=chunk,
        speaker=None,
        chat="Home",
        source="calendar",
        document_id="calendar:4f2@x",
        context=[],
    )
    out = io.StringIO()
    print_answer({"query": "x", "hits": [event | {"occurrences": dates}]}, out)
    head, text, below, _ = out.getvalue().splitlines()
    assert head.endswith("  Home — calendar")
    assert text == "     Yoga"
    assert below.startswith("     last 2024-01-08")
    assert below.endswith(" · also 2024-01-22 " + head.split()[2])


def test_a_number_without_an_answer_is_refused(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing was asked, where another memory answered, and where the file is damaged or a link."""
    here = locate()
    assert main(["show", "1"]) == 7
    assert "there is no last answer to take hit 1 of" in capsys.readouterr().err
    last_answer.remember_hits(here, {1: "a", 4: "b"})
    assert last_answer.hit_id(here, "4") == "b"
    with pytest.raises(NotFoundError) as none:
        last_answer.hit_id(here, "2")
    assert "the hits 1, 4" in none.value.hint
    with pytest.raises(NotFoundError):
        last_answer.hit_id(locate(data_dir="/other"), "1")
    last_answer.remember_hits(here, {})
    with pytest.raises(NotFoundError):
        last_answer.hit_id(here, "1")
    path = state / last_answer.FILE
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(NotFoundError):
        last_answer.hit_id(here, "1")
    last_answer.remember_hits(here, {1: "a"})
    assert not path.is_symlink()
    monkeypatch.setenv("XDG_STATE_HOME", str(path))  # a file: nothing can be kept there
    last_answer.remember_hits(here, {1: "a"})
    assert [each.name for each in state.iterdir()] == [last_answer.FILE]


def test_the_state_folder_is_the_users(tmp_path: Path) -> None:
    """In XDG_STATE_HOME where it is absolute, else in the home."""
    home = {"HOME": str(tmp_path)}
    assert state_folder({**home, "XDG_STATE_HOME": "/x"}) == "/x/memd"
    assert state_folder({**home, "XDG_STATE_HOME": "x"}) == os.fspath(tmp_path / ".local" / "state" / "memd")


def test_the_dates_of_an_event_are_told_once() -> None:
    """Without that above the hit, whichever it is; midnight is the beginning of a day, and many dates are counted."""
    days = [f"2023-01-{day:02}T00:00:00Z" for day in range(1, 8)]
    times = {"next": "2024-01-22T09:01:00Z", "last": TIME, "others": days[:2]}
    first = "2024-01-15 09:01"
    cases: list[tuple[dict[str, Any] | None, str, list[str]]] = [
        (None, first, []),
        ({"next": None, "last": TIME, "others": []}, first, []),
        ({"next": None, "last": "2024-01-22T00:00:00Z", "others": []}, "2024-01-22", []),
        (times, "2024-01-22 09:01", ["     last 2024-01-15 09:01 · also 2023-01-01, 2023-01-02"]),
        (times | {"others": []}, "2024-01-22 09:01", ["     last 2024-01-15 09:01"]),
        ({"others": days}, first, ["     also 2023-01-04, 2023-01-05, 2023-01-06, 2023-01-07 and 3 more"]),
    ]

    def shown(case: tuple[dict[str, Any] | None, str, list[str]]) -> None:
        dates = case[0] or {}
        lines = screen_of(event(occurrences=case[0], time=dates.get("next") or dates.get("last") or TIME))
        assert lines[0] == f"  1  {case[1]}  Home — calendar"
        assert [line for line in lines if line.startswith(("     next", "     last", "     also"))] == case[2]

    check_all(cases, shown)
    assert screen_of(event(time="2024-12-24T00:00:00Z"))[0] == "  1  2024-12-24  Home — calendar"
    assert screen_of(hit(1, 9.0, time="2024-12-24T00:00:00Z"))[0].startswith("  1  2024-12-24 00:00  Bob")


def test_the_dates_of_an_event_fit_into_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken between two dates, never in one; no id of an event is a name of it."""
    many = [f"2024-02-{day:02}T09:00:00Z" for day in (5, 12, 19, 26)]
    dates = {"next": "2024-01-29T09:00:00Z", "last": "2024-01-22T09:00:00Z", "others": many}

    def check(width: int) -> None:
        monkeypatch.setenv("COLUMNS", str(width))
        lines = screen_of(event(occurrences=dates, time=dates["next"]), Screen())
        assert max(map(columns_of, lines)) <= width
        told = [line for line in lines if line.startswith(("     last", "       "))]
        assert " ".join(line.strip() for line in told) == (
            "last 2024-01-22 09:00 · also 2024-02-05 09:00, 2024-02-12 09:00, 2024-02-19 09:00, 2024-02-26 09:00"
        )
        assert all(line.rstrip(" ,·").endswith("09:00") for line in told)
        assert "2@x" not in "".join(lines)
        assert "2@x" in "".join(screen_of(event(), ids=True))

    monkeypatch.setenv("NO_COLOR", "1")
    check_all(WIDTHS, check)


def test_a_hit_of_another_memory_is_not_looked_up_here() -> None:
    """Its number leads nowhere, and the last line names one that does, or tells where to ask."""
    there = hit(1, 9.0, memory="work")
    out = io.StringIO()
    assert print_answer({"query": "x", "hits": [there, hit(2, 8.0)]}, out) == {2: hit(2, 8.0)["id"]}
    assert out.getvalue().endswith("look one up: memd show 2\n")
    assert screen_of(there)[-1].startswith("look one up: memd --data-dir DIR show ID")


def event(**more: Any) -> dict[str, Any]:
    """A hit in an event of a calendar."""
    chunk = {"section": "", "id": "c", "alias": "a", "index": 0, "start": 0, "end": 9, "strategy": "s"}
    part: dict[str, Any] = {
        "chunk": chunk,
        "speaker": None,
        "context": [],
        "source": "calendar",
        "document_id": "calendar:2@x",
    }
    return hit(1, 9.0, "Rehearsal", **part) | more


def screen_of(shown: dict[str, Any], out: io.StringIO | None = None, **more: Any) -> list[str]:
    """The lines of an answer of one hit."""
    screen = out or io.StringIO()
    print_answer({"query": "x", "hits": [shown]}, screen, **more)
    return screen.getvalue().splitlines()
