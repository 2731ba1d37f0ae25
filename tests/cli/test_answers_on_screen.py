"""What a person is promised on a terminal, sentence by sentence: each holds at 60, 80 and 120 columns, with and without colour,
and where only ASCII can be shown.

`PROMISES` lists the sentences with the tests that show them, here and in the modules beside; a test walks the list, so that
none of those tests goes away unnoticed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd import __version__
from memd.daemon.cli import main
from memd.daemon.cli.render.hits import MOST_LINES
from memd.tests.cli.conftest import Home, served
from memd.tests.cli.terminal_session import Screens, Shown, Step, Terminal, on_each, run_steps
from memd.tests.pseudo_terminal import (
    COLOUR,
    PYTHON,
    WIDTHS,
    columns_of,
    lines_of,
    text_of,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PROMISES = {
    "a unique part of a name, in any case and accent, names a person": "test_a_part_of_a_name_will_do",
    "several matches or none: the candidates, exit code 7": "test_a_name_that_is_not_there_is_told_with_candidates",
    "of sources, chats and tags likewise": "test_a_name_that_is_not_there_is_told_with_candidates",
    "what would be forgotten says for whom a part of a name was taken": "test_a_plan_names_whom_it_means",
    "`memd chats`: title, source, people, span, messages": "test_chats_are_listed",
    "`--chat` narrows": "test_one_chat_is_searched; test_flags.py: test_a_flag_changes_the_answer",
    "every hit names its chat by title, in text and JSON": "test_one_chat_is_searched; test_screens.py: "
    "test_a_terminal_of_ascii_gets_ascii",
    "a title is cut to the terminal, an id never": "test_a_long_title_is_cut_and_an_id_is_whole",
    "`--since` and `--until` take years, months, days and words": "test_times_are_taken_as_people_write_them",
    "a time in the question is a preference, which --explain shows": "test_a_time_in_a_question_is_explained",
    "words in quotes stand together": "test_words_in_quotes_stand_together",
    "of a long message the best passage, with what matches in bold": "test_a_long_message_is_shown_where_it_answers",
    "“… N more lines: memd show 2”": "test_a_long_message_is_shown_where_it_answers",
    "a hit beside another collapses into it": "test_a_hit_beside_another_is_shown_once",
    "system, call and deleted lines are no answers unless asked for": "test_lines_of_the_app_are_no_answers",
    "“nothing matches well” before the nearest": "test_nothing_matches_well_is_told_first",
    "those hits that stand out, five at most, present facts first": "test_screens.py: "
    "test_what_is_known_comes_before_the_hits_that_stand_out",
    "`memd show` pages, and opens in its place": "test_screens.py: test_a_pager_opens_at_the_message, "
    "test_a_message_is_shown_in_its_place, test_a_piece_of_a_text_leads_to_the_text",
    "`memd status`": "test_screens.py: test_status_is_told_in_words",
    "`memd watch`": "test_screens.py: test_watching_tells_the_source_and_the_outcome",
    "`memd people`, with local times": "test_screens.py: test_people_are_told_by_the_clock_on_the_wall, "
    "test_every_time_is_that_of_the_clock_on_the_wall",
    "the plan of `memd forget --chat`": "test_screens.py: test_what_would_be_forgotten_is_told_by_chat",
    "the summary when the disk is full": "test_screens.py: test_a_full_disk_is_told_with_what_to_do",
    "the progress bar, which shrinks first": "test_screens.py: test_the_bar_shrinks_before_the_text",
    "Ctrl-C while vectors are made": "test_screens.py: test_what_ctrl_c_left_is_told; test_interruption.py: "
    "test_ctrl_c_while_vectors_are_made",
    "nothing of Python's own printing": "test_nothing_is_printed_as_python_would; test_screens.py: "
    "test_nothing_is_printed_as_python_would",
    "no line is wider than the terminal": "test_no_line_is_wider_than_the_terminal; test_screens.py: "
    "test_no_line_is_wider_than_the_terminal",
    "colour only where it is wanted, ASCII where there is no more": "test_colour_and_ascii; test_screens.py: "
    "test_colour_only_where_it_is_wanted, test_a_terminal_of_ascii_gets_ascii",
    "an unknown verb suggests the nearest": "test_a_mistyped_command_is_told_what_was_meant",
    "a wrong flag hints at that verb's help": "test_a_mistyped_command_is_told_what_was_meant",
    "a refused value is told by its flag": "test_a_mistyped_command_is_told_what_was_meant",
    "an empty question is an error": "test_a_mistyped_command_is_told_what_was_meant",
    "`memd help [VERB]`, `memd version`, -V": "test_help_fits_and_is_complete, test_the_version_is_told; test_usage.py: "
    "test_python_runs_the_package",
    "a broken configuration can be shown, and says the line": "test_a_broken_configuration_is_shown_with_the_line",
    "`memd config --init` writes a commented template": "test_a_configuration_to_begin_with",
    "`echo text | memd ingest -` makes no note of it": "test_text_on_standard_input_is_no_note",
    "a question on a fresh home does not block `restore`": "test_a_question_on_a_fresh_home_blocks_no_restore",
    "after an ingest: span, chats, people, one next step": "test_an_ingest_ends_with_what_it_is_about",
    "where a list goes on, the command for the rest": "test_a_list_that_goes_on_tells_the_command",
    "completion and man page, from the parser and in the wheel": "test_completion.py: "
    "test_the_command_prints_them, test_bash_completes_what_the_parser_takes; test_packaging.py: "
    "test_the_wheel_holds_the_package_and_nothing_else",
}
"""Sentences, with the tests that show them; of other modules behind the module's name."""

LONG_TITLE = "Urlaub 2024 – die ganze Familie mit allen Cousins und Cousinen aus İzmir 🏖️"
LONG = " ".join(
    f"Kapitel {number}: Heute war ein langer Tag im Büro."
    + (" Der Tresorcode für das Ferienhaus lautet 4711." if number == 17 else "")
    for number in range(40)
)
EXPORTS = {
    "WhatsApp Chat with Lena Brandt.txt": (
        "01/03/2024, 08:59 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.\n"
        "01/03/2024, 09:00 - Lena Brandt: Der Schlüssel liegt unter der roten Fußmatte\n"
        "01/03/2024, 09:01 - Tom: Danke, die Fußmatte finde ich\n"
        "02/03/2024, 09:00 - Lena Brandt: Missed voice call\n"
        "02/03/2024, 09:01 - Lena Brandt: This message was deleted\n"
        f"05/03/2024, 10:00 - Lena Brandt: {LONG}\n"
        "07/05/2024, 10:00 - Lena Brandt: Die Fußmatte ist jetzt blau ❤️\n"
    ),
    "WhatsApp Chat with Lena Vogel.txt": "03/03/2024, 12:00 - Lena Vogel: Wir rudern am Samstag\n"
    "03/03/2024, 12:01 - Tom: I work at Acme\n",
    f"WhatsApp Chat with {LONG_TITLE}.txt": (
        "10/06/2024, 12:00 - Ayşe Yılmaz: Das Zelt ist im Keller 👩‍👩‍👧 🇩🇪 👍🏽\n"
        "10/06/2024, 12:01 - 田中 花子: テントは地下室にあります。鍵を忘れないでください。\n"
        "10/06/2024, 12:02 - Tom: I live in Hamburg\n"
    ),
    "boat.md": "---\ntags: [sail]\n---\n# The boat\n\nIt has two oars.\n",
}
TERMINALS = [Terminal(look, columns) for look in ("colour", "no-colour", "ascii") for columns in WIDTHS]
COPIED = re.compile(r"(?:(?:—|--) )?(?:whatsapp:|/tmp/|memd )")
"""Matches a line that stays whole, to be copied: an id, a path, a command."""
BROKEN = 'zone = "Europe/Berlin"\n\n[query]\nlimit = "many"\n'


def steps_of(home: Home) -> dict[str, Step]:
    """The command lines, by the names under which the tests look at what they show."""
    alone = ["--data-dir", f"{home.path}/{{terminal}}/data", "--socket", f"{home.path}/{{terminal}}/s"]
    template = ["config", "--init", "--config", f"{home.path}/{{terminal}}.toml"]
    config = home.path / "broken.toml"
    config.write_text(BROKEN)
    (home.path / "no.toml").write_text('zone = "UTC"\n[query\n')
    lines = {
        "part": ["query", "Fußmatte", "--speaker", "BRANDT"],
        "accent": ["query", "Zelt", "--speaker", "ayse"],
        "one person": ["people", "yilmaz"],
        "facts of": ["facts", "--subject", "tom"],
        "several": ["query", "x", "--speaker", "lena"],
        "no speaker": ["query", "x", "--speaker", "Lenna Brandt"],
        "no person": ["people", "Lenna Brandt"],
        "no subject": ["facts", "--subject", "Thom"],
        "no chat": ["query", "x", "--chat", "Lena Brant"],
        "no chat like it": ["documents", "--chat", "Xyzzy"],
        "no source": ["query", "x", "--source", "watsapp"],
        "no tag": ["documents", "--tag", "sial"],
        "forget part": ["forget", "--chat", "vogel", "--dry-run"],
        "forget none": ["forget", "--chat", "Xyzzy", "--dry-run"],
        "forget near": ["forget", "--person", "Lenna Brandt", "--dry-run"],
        "chats": ["chats"],
        "in one chat": ["query", "Samstag Fußmatte", "--chat", "Lena Vogel", "-k", "9"],
        "long title": ["query", "Zelt", "-k", "1", "--ids"],
        "documents": ["documents"],
        "weak": ["query", "quantum chromodynamics lattice"],
        "explained": ["query", "Was war im Mai 2024 mit der Fußmatte?", "--explain", "-k", "1"],
        "together": ["query", '"roten Fußmatte"'],
        "apart": ["query", '"Fußmatte roten"'],
        "passage": ["query", "Tresorcode", "-k", "1"],
        "collapsed": ["query", "Fußmatte"],
        "app": ["query", "missed voice call deleted encrypted"],
        "app asked": ["query", "missed voice call", "--kind", "call"],
        "unknown verb": ["qurey", "Fußmatte"],
        "a sentence": ["where", "does", "Lena", "live?"],
        "unknown flag": ["query", "x", "--sinse", "2024"],
        "wrong choice": ["query", "x", "--sort", "best"],
        "wrong values": ["query", "x", "--since", "never", "--kind", "no", "-k", "0"],
        "no question": ["query"],
        "empty question": ["query", "  "],
        "help": ["help"],
        "help query": ["help", "query"],
        "help people": ["people", "--help"],
        "version": ["version"],
        "-V": ["-V"],
        "broken": ["config", "--config", str(config)],
        "no toml": ["config", "--config", str(home.path / "no.toml")],
        "broken question": ["query", "x", "--config", str(config), "--socket", str(home.path / "none")],
        "summary": ["ingest", str(home.path / "exports"), "--me", "Tom", "--zone", "UTC", "--date-order", "dmy"],
        "pages": ["documents", "--chat", "brandt", "--limit", "1"],
        "fact pages": ["facts", "--limit", "1", "--status", "all"],
        "stats": ["stats"],
        "schedules": ["sources"],
        "saved": ["backup", f"{home.path}/saved"],
        "fresh": ["query", "Fußmatte", *alone],
        "restored": ["restore", f"{home.path}/saved", *alone],
        "restored again": ["restore", f"{home.path}/saved", *alone],
        "template": template,
        "template again": template,
    }
    steps = {name: Step(tuple(words)) for name, words in lines.items()}
    for time in ("2024", "2024-05", "01.05.2024", "yesterday", "last week", "3 months ago", "letzte Woche"):
        steps[f"since {time}"] = Step(("query", "Fußmatte", "--since", time))
    steps["until 2024-04"] = Step(("query", "Fußmatte", "--until", "2024-04"))
    steps["text"] = Step(("ingest", "-"), "just some text\n")
    steps["nothing"] = Step(("ingest", "-"), "")
    return steps


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    """Three chats, one of a long title, and a note."""
    with served(EXPORTS, "--me", "Tom", "--zone", "UTC", "--date-order", "dmy", TZ="UTC") as found:
        yield found


@pytest.fixture(scope="module")
def screens(home: Home) -> Screens:
    """Every command on every terminal."""
    return run_steps(steps_of(home), TERMINALS, home.variables)


def as_shown(text: str, terminal: Terminal) -> str:
    """Letters and signs as this terminal has them."""
    signs = {"…": "...", "·": "-", "—": "--", "ß": "ss", "ü": "u", "ö": "o", "“": '"', "”": '"', "ş": "s", "ı": "i"}
    return "".join(signs.get(each, each) for each in text) if terminal[0] == "ascii" else text


def words_in(shown: Shown) -> str:
    """The words of an answer without the marks of the lines around a hit."""
    return " ".join(re.sub(r"(?m)^    [│┃|] ", " ", COLOUR.sub("", shown.screen)).split())


def test_each_promise_has_its_tests() -> None:
    """Every test of the list is there."""
    folders = (Path(__file__).parent, Path(__file__).parent.parent)
    for sentence, tests in PROMISES.items():
        for part in tests.split("; "):
            module, colon, names = part.partition(": ")
            name = module if colon else Path(__file__).name
            path = next(folder / name for folder in folders if (folder / name).exists())
            defined = {each.name for each in ast.parse(path.read_text()).body if isinstance(each, ast.FunctionDef)}
            assert {each.strip() for each in (names if colon else module).split(",")} <= defined, sentence


@on_each(TERMINALS)
def test_no_line_is_wider_than_the_terminal(screens: Screens, terminal: Terminal) -> None:
    """But for what is to be copied: an id or a path that is longer, or a command on a line of its own."""
    for (look, columns, name), shown in screens.items():
        if (look, columns) == terminal:
            wide = [line.strip() for line in lines_of(shown.screen) if columns_of(line) > columns]
            assert not [line for line in wide if not COPIED.match(line)], (name, wide)


@on_each(TERMINALS)
def test_nothing_is_printed_as_python_would(screens: Screens, terminal: Terminal) -> None:
    """No value and no error in the form that the language itself gives it."""
    for (look, columns, name), shown in screens.items():
        if (look, columns) == terminal:
            assert not PYTHON.search(shown.screen), (name, PYTHON.search(shown.screen))


@on_each(TERMINALS)
def test_colour_and_ascii(screens: Screens, terminal: Terminal) -> None:
    """Emphasis unless ``NO_COLOR`` is set; ASCII alone where the locale has no more."""
    written = "".join(shown.screen for key, shown in screens.items() if key[:2] == terminal)
    assert bool(COLOUR.search(written)) == (terminal[0] != "no-colour")
    assert written.isascii() == (terminal[0] == "ascii")


@on_each(TERMINALS)
def test_a_part_of_a_name_will_do(screens: Screens, terminal: Terminal) -> None:
    """In any case and without accents: of a speaker, of a person, of whom a fact is about."""
    part, accent = screens[*terminal, "part"], screens[*terminal, "accent"]
    assert (part.code, accent.code) == (0, 0)
    assert as_shown("unter der roten Fußmatte", terminal) in text_of(part.screen)
    heads = re.findall(r"(?m)^ +\d+  2024-\S+ \S+  (.*?)(?: +\[.*)?(?: (?:—|--) .*)?$", COLOUR.sub("", part.screen))
    assert set(heads) == {"Lena Brandt"}
    assert "Das Zelt ist im Keller" in text_of(accent.screen)
    assert text_of(screens[*terminal, "one person"].screen).startswith(as_shown("Ayşe Yılmaz 1 message, ", terminal))
    assert "Tom lives in Hamburg." in text_of(screens[*terminal, "facts of"].screen)


CANDIDATES = {
    "several": "memd: 'lena' means several: Lena Brandt, Lena Vogel hint: give more of the name",
    "no speaker": "memd: there is no speaker 'Lenna Brandt' hint: did you mean Lena Brandt?",
    "no person": "memd: there is no person 'Lenna Brandt' hint: did you mean Lena Brandt?",
    "no subject": "memd: there is no subject 'Thom' hint: did you mean Tom?",
    "no chat": "memd: there is no chat 'Lena Brant' hint: did you mean Lena Brandt?",
    "no chat like it": "memd: there is no chat 'Xyzzy' hint: `memd chats` lists those that are stored",
    "no source": "memd: there is no source 'watsapp' hint: did you mean whatsapp?",
    "no tag": "memd: there is no tag 'sial' hint: did you mean sail?",
}


@on_each(TERMINALS)
def test_a_name_that_is_not_there_is_told_with_candidates(screens: Screens, terminal: Terminal) -> None:
    """Several that it may mean, the nearest, or where the names are listed; the exit code is 7."""
    shown = {name: screens[*terminal, name] for name in CANDIDATES}
    assert {name: text_of(each.screen) for name, each in shown.items()} == CANDIDATES
    assert {each.code for each in shown.values()} == {7}


@on_each(TERMINALS)
def test_a_plan_names_whom_it_means(screens: Screens, terminal: Terminal) -> None:
    """A part of a name with what it is taken for; none with the nearest, or with where to look."""
    shown = {name: screens[*terminal, f"forget {name}"] for name in ("part", "none", "near")}
    assert "chat 'vogel' is taken for Lena Vogel 2 messages would go, for good:" in text_of(shown["part"].screen)
    assert "there is no chat 'Xyzzy'; `memd chats` lists them" in text_of(shown["none"].screen)
    assert "there is no person 'Lenna Brandt'; did you mean Lena Brandt?" in text_of(shown["near"].screen)
    assert [each.code for each in shown.values()] == [0, 7, 7]


@on_each(TERMINALS)
def test_chats_are_listed(screens: Screens, terminal: Terminal) -> None:
    """The latest first: title, messages, span, source, people; a title that is too long ends with an ellipsis."""
    shown = text_of(screens[*terminal, "chats"].screen)
    assert as_shown("Lena Brandt 7 messages, 2024-03-01 to 2024-05-07 whatsapp · ", terminal) in shown
    assert as_shown("Lena Vogel 2 messages, 2024-03-03 whatsapp · ", terminal) in shown
    assert re.match(as_shown("Urlaub 2024 . die ganze Familie mit allen [A-Za-z ]*(…|[.]{3})", terminal), shown)


@on_each(TERMINALS)
def test_one_chat_is_searched(screens: Screens, terminal: Terminal) -> None:
    """What others hold is not found, and every hit names the chat."""
    shown = text_of(screens[*terminal, "in one chat"].screen)
    assert "Wir rudern am Samstag" in shown
    assert as_shown("Fußmatte", terminal) not in shown
    hits = re.findall(r"(?m)^ +\d+  2024", screens[*terminal, "in one chat"].screen.replace("\x1b[1m", ""))
    direct, others = (as_shown(where, terminal) for where in ("Lena Vogel — whatsapp", "— Lena Vogel · whatsapp"))
    assert shown.count(direct) + shown.count(others) == len(hits) > 0


@on_each(TERMINALS)
def test_a_long_title_is_cut_and_an_id_is_whole(screens: Screens, terminal: Terminal) -> None:
    """The title of a hit's chat fits into the line; the document's id and the hit's own stand there to the last letter."""
    lines = [line.strip() for line in lines_of(screens[*terminal, "long title"].screen)]
    (cited,) = (line for line in lines if line.startswith(as_shown("— Urlaub 2024", terminal)))
    assert columns_of(cited) <= terminal[1]
    assert any(re.search(r"(?<!: )whatsapp:Urlaub 2024 .* aus .zmir .*:2024-06-10", line) for line in lines)
    assert any(re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", line) for line in lines)


@on_each(TERMINALS)
def test_times_are_taken_as_people_write_them(screens: Screens, terminal: Terminal) -> None:
    """Years, months, days of other countries, words of several languages; what is outside is not found."""
    blue, red = as_shown("Fußmatte ist jetzt blau", terminal), as_shown("roten Fußmatte", terminal)
    found = {key[2]: words_in(shown) for key, shown in screens.items() if key[:2] == terminal}
    assert (blue in found["since 2024"], red in found["since 2024"]) == (True, True)
    for since in ("2024-05", "01.05.2024"):
        assert (blue in found[f"since {since}"], red in found[f"since {since}"]) == (True, False)
    assert (blue in found["until 2024-04"], red in found["until 2024-04"]) == (False, True)
    for since in ("yesterday", "last week", "3 months ago", "letzte Woche"):
        assert found[f"since {since}"].startswith("no hits next: other words or fewer filters;")


@on_each(TERMINALS)
def test_a_time_in_a_question_is_explained(screens: Screens, terminal: Terminal) -> None:
    """Which words, and the time that they are taken for."""
    shown = text_of(screens[*terminal, "explained"].screen)
    assert as_shown("Fußmatte ist jetzt blau", terminal) in shown
    assert re.search(as_shown("time “(im )?mai 2024”: 2024-05-01 00:00 to 2024-06-01 00:00", terminal), shown)


@on_each(TERMINALS)
def test_words_in_quotes_stand_together(screens: Screens, terminal: Terminal) -> None:
    """In another order they are found alone, which is told."""
    shown = text_of(screens[*terminal, "together"].screen)
    assert as_shown("unter der roten Fußmatte", terminal) in shown
    assert as_shown("jetzt blau", terminal) not in shown
    apart = text_of(screens[*terminal, "apart"].screen)
    assert apart.startswith(as_shown("“Fußmatte roten” stands together nowhere; the words alone: 1 ", terminal))


@on_each(TERMINALS)
def test_a_long_message_is_shown_where_it_answers(screens: Screens, terminal: Terminal) -> None:
    """Few lines of it, with what matches in bold; how much is left out above and below, and the command that shows it."""
    screen = screens[*terminal, "passage"].screen
    shown = text_of(screen)
    assert as_shown("Der Tresorcode für das Ferienhaus lautet 4711.", terminal) in shown
    assert re.search(as_shown(r"… \d+ lines? above", terminal).replace("...", r"\.\.\."), shown)
    dots = re.escape(as_shown("…", terminal))
    assert re.search(rf"{dots} \d+ more lines: memd show 1 ", shown)
    assert ("\x1b[1mTresorcode\x1b[0m" in screen) == (terminal[0] != "no-colour")
    text = [line for line in lines_of(screen) if line.startswith("     ") and re.search("Kapitel|Tag im|Tresor", line)]
    assert len(text) <= MOST_LINES


@on_each(TERMINALS)
def test_a_hit_beside_another_is_shown_once(screens: Screens, terminal: Terminal) -> None:
    """What is found one message away stands in the lines around, marked as a match."""
    shown = words_in(screens[*terminal, "collapsed"])
    assert shown.count(as_shown("unter der roten Fußmatte", terminal)) == 1
    assert shown.count(as_shown("die Fußmatte finde ich", terminal)) == 1
    mark = "|" if terminal[0] == "ascii" else "┃"
    screen = COLOUR.sub("", screens[*terminal, "collapsed"].screen)
    assert re.search(rf"(?m)^    {re.escape(mark)} (Tom|Lena Brandt): ", screen)


@on_each(TERMINALS)
def test_lines_of_the_app_are_no_answers(screens: Screens, terminal: Terminal) -> None:
    """Neither calls nor what was deleted nor the app's own lines, until a kind is asked for."""
    heads = re.findall(r"(?m)^ +\d+  .*$", COLOUR.sub("", screens[*terminal, "app"].screen))
    assert heads
    assert not [head for head in heads if re.search(r"\[(system|call|deleted)\]", head)]
    asked = re.findall(r"(?m)^ +\d+  .*$", COLOUR.sub("", screens[*terminal, "app asked"].screen))
    assert [re.findall(r"\[.*?\]", head) for head in asked] == [["[call]"]]


@on_each(TERMINALS)
def test_nothing_matches_well_is_told_first(screens: Screens, terminal: Terminal) -> None:
    """Before the nearest, and no fact before it, which would look like the answer."""
    assert text_of(screens[*terminal, "weak"].screen).startswith("nothing matches well; the nearest: 1 ")


MISTYPED = {
    "unknown verb": "there is no verb 'qurey' hint: did you mean `memd query`? `memd --help` lists each verb",
    "a sentence": "there is no verb 'where' hint: to ask: memd query TEXT; `memd --help` lists each verb",
    "unknown flag": "unrecognized arguments: --sinse 2024 hint: did you mean --since? try: memd query --help",
    "wrong choice": "argument --sort: 'best' is none of: score, time, newest hint: try: memd query --help",
    "no question": "the following arguments are required: TEXT hint: try: memd query --help",
    "empty question": "the question is empty hint: `memd documents` lists what is stored, with the same filters",
    "wrong values": (
        "3 things are wrong: - -k/--limit must be 1-100 - --since must be a day (2024-01-15), a month (2024-01), a year, "
        'words such as "last week", or an RFC 3339 time - --kind must be text, system, call, poll, media, location, '
        "contact, event, deleted or unknown hint: try: memd query --help"
    ),
}


@on_each(TERMINALS)
def test_a_mistyped_command_is_told_what_was_meant(screens: Screens, terminal: Terminal) -> None:
    """The nearest verb or flag, the flag as it is typed, the help to look into; the exit code is 2."""
    shown = {name: screens[*terminal, name] for name in MISTYPED}
    assert {name: text_of(each.screen) for name, each in shown.items()} == {
        name: f"memd: {told}" for name, told in MISTYPED.items()
    }
    assert {each.code for each in shown.values()} == {2}


@on_each(TERMINALS)
def test_help_fits_and_is_complete(screens: Screens, terminal: Terminal) -> None:
    """Examples, paragraphs and exit codes are wrapped and whole; no word is lost."""
    shown = text_of(screens[*terminal, "help"].screen)
    for words in (
        "Turn the conversations, mail and notes you already have into a memory that can be asked.",
        'memd query "where does Bob live?" ask; every answer cites its messages',
        as_shown("6 store, model or output not usable, or nobody serves · 7 not found · 130 interrupted", terminal),
    ):
        assert words in shown
    assert "--superseded" in text_of(screens[*terminal, "help query"].screen)
    assert "Merging changes no message: it is a decision beside them" in text_of(
        screens[*terminal, "help people"].screen
    )


@on_each(TERMINALS)
def test_the_version_is_told(screens: Screens, terminal: Terminal) -> None:
    """By a verb and by a flag."""
    assert [text_of(screens[*terminal, name].screen) for name in ("version", "-V")] == [f"memd {__version__}"] * 2


@on_each(TERMINALS)
def test_a_broken_configuration_is_shown_with_the_line(screens: Screens, terminal: Terminal) -> None:
    """All that holds beside it, then the line and what is wrong in it; also where the file is no TOML at all."""
    shown, no_toml, question = (screens[*terminal, name] for name in ("broken", "no toml", "broken question"))
    wrong = 'broken.toml:4: query.limit: must be a whole number from 1 to 100, not "many" hint: '
    assert "zone Europe/Berlin" in text_of(shown.screen)
    assert wrong + "the settings shown are those in force without what is wrong" in text_of(shown.screen)
    assert "no.toml:2:7: the name of a table ends with ]" in text_of(no_toml.screen)
    assert "query.limit 10 (default)" in text_of(no_toml.screen)
    assert wrong + "`memd config` shows what is set" in text_of(question.screen)
    assert (shown.code, no_toml.code, question.code) == (2, 2, 2)


@on_each(TERMINALS)
def test_an_ingest_ends_with_what_it_is_about(screens: Screens, terminal: Terminal) -> None:
    """Span, chats, people, and one next step, whose command stands in one line."""
    shown = screens[*terminal, "summary"]
    told = text_of(shown.screen)
    assert shown.code == 0
    assert re.search(r"12 messages and 1 text of \d documents( in [\d.]+ s)?: 0 added, 13 unchanged", told)
    assert as_shown("2024-03-01 to 2024-06-10 · 3 chats: ", terminal) in told
    assert re.search(r" 5 people: .* 1 text next: ask it, as in memd query \"what did .* say in \w+ 2024\?\"$", told)
    assert [line for line in lines_of(shown.screen) if re.search(r'memd query ".*"$', line)]


@on_each(TERMINALS)
def test_text_on_standard_input_is_no_note(screens: Screens, terminal: Terminal) -> None:
    """It is refused with the way to keep it, and nothing is stored; nor is there a format for nothing."""
    shown, nothing = screens[*terminal, "text"], screens[*terminal, "nothing"]
    told = text_of(shown.screen)
    assert "not read: standard input: neither documents nor a chat; --format notes keeps it as one note" in told
    assert "0 added, 1 rejected" in told
    assert "read: notes" not in told.replace("not read:", "")
    assert text_of(nothing.screen).endswith(
        "memd: standard input is empty hint: does the command before it print anything?"
    )
    assert (shown.code, nothing.code) == (3, 3)


def test_a_list_that_goes_on_tells_the_command(
    screens: Screens, home: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whole, in one line, with the filters that were given; it shows the next page."""
    commands: dict[str, str] = {}
    for name, kind in (("pages", "documents"), ("fact pages", "facts")):
        for terminal in TERMINALS:
            (command,) = (
                line.partition("more:")[2].strip() or line.strip()
                for line in lines_of(screens[*terminal, name].screen)
                if "--after" in line
            )
            assert command.startswith("memd ")
            commands[command] = kind
    for variable, value in home.variables.items():
        monkeypatch.setenv(variable, value)
    for command, kind in commands.items():
        assert main([*command.split()[1:], "--json"]) == 0
        assert [each["id"] for each in json.loads(capfd.readouterr().out)[kind]]


@on_each(TERMINALS)
def test_a_question_on_a_fresh_home_blocks_no_restore(screens: Screens, terminal: Terminal, home: Home) -> None:
    """It says that nothing is stored and makes no store; what then restores a backup finds the place free."""
    shown = {name: screens[*terminal, name] for name in ("saved", "fresh", "restored", "restored again")}
    place, first = (f"{home.path}/{each.look}-{each.columns}/data" for each in (terminal, TERMINALS[0]))
    told = f"no hits next: nothing is stored yet in {place}; memd ingest PATH stores an export"
    assert text_of(shown["fresh"].screen) == told
    restored = text_of(shown["restored"].screen)
    assert re.search(r"restored \d+ messages in \d+ documents of snapshot \S+ into", restored), restored
    assert f"look it over: memd doctor --data-dir {first}" in restored
    assert "hint: restore beside it, --data-dir NEW, or move it away first: nothing is ever overwritten" in text_of(
        shown["restored again"].screen
    )
    assert [each.code for each in shown.values()] == [0, 0, 0, 2]


@on_each(TERMINALS)
def test_a_configuration_to_begin_with(screens: Screens, terminal: Terminal, home: Home) -> None:
    """It is written with every setting commented out, and never over another."""
    config = home.path / f"{terminal.look}-{terminal.columns}.toml"
    first, again = (screens[*terminal, name] for name in ("template", "template again"))
    assert f"wrote {config}: everything in it is commented out, and means the default" in text_of(first.screen)
    assert "is there already, and nothing is overwritten" in text_of(again.screen)
    assert (first.code, again.code) == (0, 2)
    text = config.read_text()
    assert "[query]" in text
    assert all(line.startswith(("#", "[")) or not line for line in text.splitlines())
