"""What stands on a terminal: 60, 80 and 120 columns wide, with and without colour, and where only ASCII can be shown."""

from __future__ import annotations

import json
import re

import pytest

from memd.memory.retrieval.standing_out import MOST_SHOWN
from memd.tests import processes
from memd.tests.cli.conftest import Home
from memd.tests.cli.moments import MOMENTS
from memd.tests.cli.terminal_session import Screens, Step, Terminal, on_each, run_steps
from memd.tests.command import memd_command
from memd.tests.pseudo_terminal import (
    COLOUR,
    LOOKS,
    PYTHON,
    WIDTHS,
    columns_of,
    environment_of,
    lines_of,
    run_on_terminal,
    text_of,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TERMINALS = [Terminal(look, columns) for look in LOOKS for columns in WIDTHS]


@pytest.fixture(scope="module")
def screens(home: Home) -> Screens:
    """Every command on every terminal."""
    message = home.ask("where does Zoë live? library")["hits"][0]["id"]
    piece = home.ask("Teil 4 Absatz Ruder", sources=["notes"])["hits"][0]["id"]
    home.run("backup", f"{home.path}/backup")
    (home.path / "broken.toml").write_text("[query]\nlimit = 7\nlimmit = 3\n")
    chat = next((home.path / "exports").glob("*.txt"))
    alone = ["--data-dir", f"{home.path}/{{terminal}}/data", "--socket", f"{home.path}/{{terminal}}/s"]
    commands: dict[str, list[str]] = {
        "query": ["query", "who lives in Berlin near the library?"],
        "long": ["query", "Ruder und Segel", "--explain", "-k", "2"],
        "nothing": ["query", '"no such words anywhere"'],
        "show": ["show", message, "--context", "2"],
        "around": ["show", message],
        "text": ["show", piece],
        "status": ["status"],
        "stats": ["stats"],
        "people": ["people"],
        "person": ["people", "Zoë Müller"],
        "chats": ["chats"],
        "facts": ["facts"],
        "documents": ["documents"],
        "runs": ["runs"],
        "sources": ["sources"],
        "forget": ["forget", "--chat", "Zoë Müller", "--dry-run"],
        "in part": ["forget", "--speaker", "Bob", "--since", "2024-01-15", "--dry-run"],
        "missing": ["show", "no-such-id"],
        "json": ["query", "library", "--json", "-k", "1"],
        "config": ["config"],
        "audit": ["audit"],
        "mistyped": ["qurey", "x"],
        "wrong flag": ["query", "x", "--sinse=2024"],
        "wrong name": ["query", "garden", "--speaker", "Zoe Muler"],
        "empty": ["query", " "],
        "help": ["help", "query"],
        "version": ["version"],
        "broken": ["config", "--config", f"{home.path}/broken.toml"],
        "template": ["config", "--init", "--config", f"{home.path}/{{terminal}}.toml"],
        "fresh": ["query", "garden", *alone],
        "restored": ["restore", f"{home.path}/backup", *alone],
        "ingested": ["ingest", str(chat), "--me", "Bob", "--zone", "UTC", "--date-order", "dmy"],
    }
    steps = {name: Step(tuple(words)) for name, words in commands.items()}
    steps["no format"] = Step(("ingest", "-"), "a thought about the boat\n")
    for moment in MOMENTS:
        steps[moment] = Step(moment=moment)
    return run_steps(steps, TERMINALS, home.variables)


@on_each(TERMINALS)
def test_no_line_is_wider_than_the_terminal(screens: Screens, terminal: Terminal) -> None:
    """Whatever is printed, in whatever script it was written; JSON is one line."""
    for (look, columns, name), shown in screens.items():
        if (look, columns) == terminal and name != "json":
            wide = [line for line in lines_of(shown.screen) if columns_of(line) > columns]
            assert not wide, (name, wide)


@on_each(TERMINALS)
def test_nothing_is_printed_as_python_would(screens: Screens, terminal: Terminal) -> None:
    """No value and no error in the form that the language itself gives it."""
    for (look, columns, name), shown in screens.items():
        if (look, columns) == terminal and name != "json":
            assert not PYTHON.search(shown.screen), (name, PYTHON.search(shown.screen))


@on_each(TERMINALS)
def test_colour_only_where_it_is_wanted(screens: Screens, terminal: Terminal) -> None:
    """``NO_COLOR`` and a dumb terminal get none, the latter no escape code at all."""
    look, columns = terminal
    written = "".join(shown.screen for key, shown in screens.items() if key[:2] == terminal)
    assert bool(COLOUR.search(written)) == (look in ("colour", "ascii"))
    assert ("\x1b" in written) == (look != "dumb")
    assert columns in WIDTHS


@on_each(TERMINALS)
def test_a_terminal_of_ascii_gets_ascii(screens: Screens, terminal: Terminal) -> None:
    """Letters without their accents, signs for signs; where there is more than that, all is as it was written."""
    look, columns = terminal
    for (other, width, name), shown in screens.items():
        if (other, width) == terminal:
            assert shown.screen.isascii() or not look.startswith("ascii"), (name, shown.screen)
    person = screens[look, columns, "person"].screen
    assert ("Zoe Muller" if look.startswith("ascii") else "Zoë Müller") in person
    answer = json.loads(screens[look, columns, "json"].screen)
    assert answer["hits"][0]["chat"] == "Zoë Müller"


@on_each(TERMINALS)
def test_what_is_known_comes_before_the_hits_that_stand_out(screens: Screens, terminal: Terminal) -> None:
    """The fact, then the messages; what is left out is told."""
    shown = text_of(screens[*terminal, "query"].screen)
    assert shown.startswith("said: ")
    assert shown.index("lives in Berlin") < shown.index("messages:") < shown.index("1 2024-01-14 13:30")
    ranks = re.findall(r"(?m)^ +(\d+)  2024", "\n".join(lines_of(screens[*terminal, "query"].screen)))
    assert [str(number) for number in range(1, len(ranks) + 1)] == ranks
    assert 1 <= len(ranks) <= MOST_SHOWN
    assert re.search(rf"look one up: memd show 1; {10 - len(ranks)} more like (this|these): -k 10$", shown)


@on_each(TERMINALS)
def test_a_message_is_shown_in_its_place(screens: Screens, terminal: Terminal) -> None:
    """Two messages before and after it, or twenty; how many are left out, and how to see them."""
    look, columns = terminal
    shown = text_of(screens[look, columns, "show"].screen)
    times = re.findall(r"2024-01-14 (\d\d:\d\d)", shown)
    assert times == ["13:28", "13:29", "13:30", "13:31", "13:32"]
    assert "> 2024-01-14 13:30" in shown
    dots = "..." if look.startswith("ascii") else "…"
    assert f"{dots} 28 messages above" in shown
    assert re.search(r"27 more messages: memd show '.*:2024-01-14'", shown)
    assert len(re.findall(r"2024-01-14 \d\d:\d\d", screens[look, columns, "around"].screen)) == 41


@on_each(TERMINALS)
def test_a_piece_of_a_text_leads_to_the_text(screens: Screens, terminal: Terminal) -> None:
    """A hit's id in a note shows the note, the piece in bold where there is colour."""
    look, columns = terminal
    screen = screens[look, columns, "text"].screen
    assert "Teil 0" in screen
    assert "Teil 5" in screen
    bold = "".join(re.findall(r"\x1b\[1m([^\x1b]*)", screen))
    assert ("Teil 0" in bold, "Ruder" in bold) == (False, look in ("colour", "ascii"))


@on_each(TERMINALS)
def test_status_is_told_in_words(screens: Screens, terminal: Terminal) -> None:
    """Who runs, where things lie, what is done and what waits; no field of a record."""
    shown = text_of(screens[*terminal, "status"].screen)
    for words in (
        "running for",
        "data /tmp/memd-",
        "facts everything is read",
        "waiting nothing",
        "upkeep doctor",
        "daily at",
    ):
        assert words in shown
    assert re.search(r"vectors all \d+ made", shown)
    assert re.search(r"last runs \d{4}-\d\d-\d\d \d\d:\d\d ingest ok: 12\d (added|unchanged)", shown)
    assert not re.search(r"data_dir|uptime|dead letters|oldest s|generation", shown)


@on_each(TERMINALS)
def test_people_are_told_by_the_clock_on_the_wall(screens: Screens, terminal: Terminal) -> None:
    """13:00 in Berlin is 12:00 UTC, as everywhere else; names, counts, chats."""
    shown = text_of(screens[*terminal, "person"].screen)
    assert "60 messages, 2024-01-14 13:01 to 2024-01-15 13:59" in shown
    assert "UTC" not in shown
    assert re.search(r"writes with Bob 60 messages on 2 days, since 2024-01-14", shown)
    assert re.search(r"60 +Bob", screens[*terminal, "people"].screen)


@on_each(TERMINALS)
def test_every_time_is_that_of_the_clock_on_the_wall(screens: Screens, terminal: Terminal) -> None:
    """Of hits, facts, documents, chats and what was sent as of people; JSON has them as they are stored."""
    shown = {
        name: text_of(screens[*terminal, name].screen) for name in ("query", "facts", "documents", "chats", "sent")
    }
    assert "Bob, 2024-01-14" in shown["query"]
    assert "1 2024-01-14 13:30 Bob" in shown["query"]
    assert "Bob, 2024-01-14" in shown["facts"]
    assert "2024-01-15 13:00 60 messages" in shown["documents"]
    assert "120 messages, 2024-01-14 to 2024-01-15" in shown["chats"]
    assert shown["sent"].startswith("2024-01-15 13:01")
    assert re.fullmatch(
        r"2024-01-1[45]T12:\d\d:00(Z|\+00:00)", json.loads(screens[*terminal, "json"].screen)["hits"][0]["time"]
    )


@on_each(TERMINALS)
def test_what_would_be_forgotten_is_told_by_chat(screens: Screens, terminal: Terminal) -> None:
    """Its title, how much of how many days, and of what time; what stays of those days."""
    sign = "-" if terminal[0].startswith("ascii") else "·"
    shown = text_of(screens[*terminal, "forget"].screen)
    assert "120 messages would go, for good:" in shown
    assert f"whatsapp {sign} 120 messages on 2 days {sign} 2024-01-14 to 2024-01-15" in shown
    assert "stay" not in shown
    assert "other messages of this day stay" in text_of(screens[*terminal, "in part"].screen)


@on_each(TERMINALS)
def test_a_full_disk_is_told_with_what_to_do(screens: Screens, terminal: Terminal) -> None:
    """How much is kept, why it is not stored, what helps, and that nothing is lost."""
    shown = text_of(screens[*terminal, "full disk"].screen)
    assert "6 added, 20,000 kept but not stored yet" in shown
    assert "not stored yet: the disk is full; free some space" in shown
    assert "nothing of them is lost: the next memd that runs stores them" in shown


@on_each(TERMINALS)
def test_what_ctrl_c_left_is_told(screens: Screens, terminal: Terminal) -> None:
    """While vectors are made everything is stored already: nothing is to be read again."""
    shown = text_of(screens[*terminal, "stopped"].screen)
    assert "stopped while vectors were made: 23,456 of 123,456 are done" in shown
    assert "20,006 messages stored, and found by their words; the next memd that runs makes the other vectors" in shown


@on_each(TERMINALS)
def test_the_bar_shrinks_before_the_text(screens: Screens, terminal: Terminal) -> None:
    """Share, counts, rate and time left are whole; the bar takes what is left, and the source's name stands where there is room."""
    look, columns = terminal
    last = [line for line in lines_of(screens[look, columns, "bar"].screen) if "19%" in line]
    if look == "dumb":
        assert not last  # it cannot be drawn anew
        return
    (line,) = last
    for words in ("vectors ", " 19% ", "23,456/123,456", "2,346/s", "43 s left"):
        assert words in line
    bar = re.search(r"\[([#█]+[.\-·]+)\]", line)
    assert (0 if bar is None else len(bar[1])) == {60: 6, 80: 0, 120: 24}[columns]


@on_each(TERMINALS)
def test_watching_tells_the_source_and_the_outcome(screens: Screens, terminal: Terminal) -> None:
    """No number of a run, but what it reads, how far it is, how it ended and why."""
    shown = text_of(screens[*terminal, "watch"].screen)
    assert "making vectors, 23,456 of 123,456" in shown
    assert "partial: 9 added - the disk is full" in shown


@on_each(TERMINALS)
def test_settings_are_told_with_where_they_came_from(screens: Screens, terminal: Terminal) -> None:
    """Name, value, origin, in as many lines as the width asks for; a path in one piece."""
    screen = screens[*terminal, "config"].screen
    shown = text_of(screen)
    for words in (
        "query.limit 10 (default)",
        "(env MEMD_CONFIG)",
        "embedding.base_url https://api.openai.com/v1 (default)",
    ):
        assert words in shown
    assert re.search(r"data_dir +/tmp/memd-\w+/data", screen)


@on_each(TERMINALS)
def test_what_was_sent_and_spent_is_told(screens: Screens, terminal: Terminal) -> None:
    """A name that is longer than its column has a line of its own; figures stand below each other."""
    look, columns = terminal
    spent = lines_of(screens[look, columns, "spent"].screen)
    rows = [line.rstrip() for line in spent if "calls" in line]
    assert len({line.index(" calls") for line in rows}) == 1
    assert ("gpt-4o-mini" in rows[0], "9,000,001 tokens    12.5000" in rows[0]) == (True, True)
    assert any("0123456789abcdef0123456789abcdef" in line for line in spent)
    sent = text_of(screens[look, columns, "sent"].screen)
    assert sent.startswith("2024-01-15 13:01 extraction")
    assert sent.count("many words") == 30
    assert "nothing was sent" in text_of(screens[look, columns, "audit"].screen)


@on_each(TERMINALS)
def test_a_mistake_is_told_with_what_was_meant(screens: Screens, terminal: Terminal) -> None:
    """A verb, a flag and a name that are not there; a question of nothing."""
    told = {
        name: text_of(screens[*terminal, name].screen) for name in ("mistyped", "wrong flag", "wrong name", "empty")
    }
    zoe, muler = ("Zoe Muller", "Zoe Muler") if terminal[0].startswith("ascii") else ("Zoë Müller", "Zoe Muler")
    assert told == {
        "mistyped": "memd: there is no verb 'qurey' hint: did you mean `memd query`? `memd --help` lists each verb",
        "wrong flag": "memd: unrecognized arguments: --sinse=2024 hint: did you mean --since? try: memd query --help",
        "wrong name": f"memd: there is no speaker '{muler}' hint: did you mean {zoe}?",
        "empty": "memd: the question is empty hint: `memd documents` lists what is stored, with the same filters",
    }


@on_each(TERMINALS)
def test_help_teaches_at_every_width(screens: Screens, terminal: Terminal) -> None:
    """Usage, flags, examples and exit codes of the verb; the version is one line."""
    shown = text_of(screens[*terminal, "help"].screen)
    places = [shown.index(words) for words in ("usage: memd query", "options:", "filters:", "examples:", "exit codes:")]
    assert places == sorted(places)
    assert re.fullmatch(r"memd \d+\.\d+\.\d+", text_of(screens[*terminal, "version"].screen))


@on_each(TERMINALS)
def test_a_broken_configuration_is_shown_with_the_line(screens: Screens, terminal: Terminal) -> None:
    """What holds without the mistake, then the mistake; one that is written anew says what is next."""
    shown = text_of(screens[*terminal, "broken"].screen)
    assert "query.limit 7" in shown
    assert "broken.toml:3: unknown setting 'query.limmit', did you mean 'query.limit'?" in shown
    assert "next: edit it, then `memd config` shows what is in force" in text_of(screens[*terminal, "template"].screen)


@on_each(TERMINALS)
def test_what_was_read_is_told_with_a_next_step(screens: Screens, terminal: Terminal) -> None:
    """Span of dates, chats, people, one next step; standard input is no note unless it is called one."""
    sign, zoe = ("-", "Zoe Muller") if terminal[0].startswith("ascii") else ("·", "Zoë Müller")
    shown = text_of(screens[*terminal, "ingested"].screen)
    assert "0 added, 120 unchanged" in shown
    assert f"2024-01-14 to 2024-01-15 {sign} 1 chat: {zoe} {sign} 2 people: Bob, {zoe}" in shown
    assert f'next: ask it, as in memd query "what did {zoe} say in January 2024?"' in shown
    refused = text_of(screens[*terminal, "no format"].screen)
    assert "0 added, 1 rejected" in refused
    assert "neither documents nor a chat; --format notes keeps it as one note" in refused


@on_each(TERMINALS)
def test_a_question_leaves_a_place_free_to_restore_into(screens: Screens, terminal: Terminal) -> None:
    """Nothing is stored there, which is told with what to do; the snapshot then takes the place."""
    assert "next: nothing is stored yet in" in text_of(screens[*terminal, "fresh"].screen)
    assert re.search(
        r"restored 12\d messages in \d documents of snapshot", text_of(screens[*terminal, "restored"].screen)
    )


@pytest.mark.parametrize(("look", "columns"), [("colour", 60), ("ascii", 120)])
def test_a_pager_opens_at_the_message(home: Home, look: str, columns: int) -> None:
    """What is longer than the screen is paged from the message on, by less as by any other pager; a pipe gets it whole."""
    message = home.ask("where does Zoë live? library")["hits"][0]["id"]
    pager = home.path / "less"
    pager.write_text('#!/bin/sh\necho "options: $*"\necho "lines: $(wc -l)"\n')
    pager.chmod(0o755)
    environment = environment_of(home.variables | LOOKS[look] | {"PAGER": str(pager)})
    code, screen = run_on_terminal(memd_command("show", message), environment, columns=columns, rows=24)
    assert (code, re.search(r"options: \+\d\d", screen) is not None, "lines: " in screen) == (0, True, True)
    code, screen = run_on_terminal(memd_command("show", message, "--context", "1"), environment, columns=columns)
    assert "options" not in screen
    assert "13:30" in screen
    for absent in ("", "cat", "/no/such/pager"):
        code, screen = run_on_terminal(memd_command("show", message), environment | {"PAGER": absent}, columns=columns)
        assert (code, len(re.findall(r"2024-01-14 \d\d:\d\d", screen))) == (0, 41)
    piped = processes.run(memd_command("show", message), env=environment, capture_output=True, check=True, timeout=60)
    assert len(re.findall(rb"2024-01-14 \d\d:\d\d", piped.stdout)) == 60


def test_elsewhere_than_on_a_terminal_all_is_as_it_was(home: Home) -> None:
    """Ten hits in a pipe and with --json; the flag and a setting win on a terminal as well; --context cuts JSON, too."""
    environment = environment_of(home.variables | LOOKS["ascii"])
    words = memd_command("query", "garden message")
    piped = processes.run(words, env=environment, capture_output=True, check=True, timeout=60).stdout.decode()
    assert len(re.findall(r"(?m)^ +\d+  2024", piped)) == 10
    assert "…" in piped  # a pipe takes any character
    as_json = processes.run([*words, "--json"], env=environment, capture_output=True, check=True, timeout=60).stdout
    assert len(json.loads(as_json)["hits"]) == 10
    for more, variables in ((["-k", "7"], {}), ([], {"MEMD_QUERY_LIMIT": "7"})):
        _, screen = run_on_terminal([*words, *more], environment | LOOKS["no-colour"] | variables)
        assert len(re.findall(r"(?m)^ +\d+  2024", screen)) == (7 if more else 10)
    message = json.loads(as_json)["hits"][0]["id"]
    words = memd_command("show", message, "--json", "--context", "1")
    shown = json.loads(processes.run(words, env=environment, capture_output=True, check=True, timeout=60).stdout)
    said = shown["document"]["conversation"]["conversation"]
    assert len(said) <= 3
    assert said[shown["position"]]["content"] == json.loads(as_json)["hits"][0]["text"]
    refused = processes.run(
        memd_command("show", message, "--context", "-1"), env=environment, capture_output=True, check=False, timeout=60
    )
    assert (refused.returncode, refused.stdout) == (2, b"")
