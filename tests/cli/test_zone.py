"""Times that a person sees are in the zone of the settings, whatever verb tells them, on a machine of another zone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.dispatch import COMMANDS
from memd.daemon.cli.render import wall_clock
from memd.daemon.client import Client
from memd.daemon.config.home_zone import NAMED_ZONE, home_zone, named_zone, remember_zone
from memd.daemon.config.paths import locate
from memd.daemon.operations import ADD_SOURCE
from memd.tests import processes
from memd.tests.cli.conftest import Home, served
from memd.tests.command import memd_command
from memd.tests.pseudo_terminal import environment_of

ZONE = "Asia/Kathmandu"
"""Of 5:45 hours before UTC: no minute of one is a minute of the other."""
EXPORTS = {
    "WhatsApp Chat with Lena.txt": "01/03/2024, 02:07 - Lena: I live in Hamburg\n"
    "01/03/2024, 09:08 - Tom: And the boat?\n"
    "02/03/2024, 09:07 - Lena: The boat is in Kiel\n"
}
SHOWN = re.compile(r"\b(\d{4}-\d\d-\d\d) (\d\d:\d\d)\b")
STORED = {"2024-03-01 02:07", "2024-03-01 09:08", "2024-03-02 09:07", "2024-03-01 00:00", "2024-04-01 00:00"}
"""The times of the messages, and those that the question names."""
LINES = (
    "query boat --ids",
    "query --explain -k 1 boat in March 2024",
    "show whatsapp:Lena:2024-03-01",
    "documents",
    "chats",
    "people Lena",
    "facts --ids --status all",
    "history {fact}",
    "runs",
    "runs {run}",
    "sources",
    "sources show exports",
    "stats --chat Lena",
    "status",
    "forget --chat Lena --dry-run",
    "graph Lena",
    "backup {path}/backup --list",
)
TIMELESS = ("chats", "facts --ids --status all", "forget --chat Lena --dry-run", "graph Lena")
"""The verbs that show days alone."""

ELSEWHERE = {
    "audit": "needs a language model: tests/cli/test_screens.py",
    "llm": "needs a language model",
    "ask": "needs a language model",
    "watch": "needs a run that goes on: tests/cli/test_screens.py",
    "ingest": "what was read, by days alone",
    "sync": "its receipt, which `runs` shows as well",
    "doctor": "the lines of its log: below",
    "evaluate": "the lines of its log, as those of doctor",
}
"""The verbs that tell times, and are not in `LINES`."""


@pytest.fixture(scope="module")
def kathmandu() -> Iterator[Home]:
    """A memory of a user in Kathmandu, on a machine in UTC, with a source that is read by a schedule."""
    reading = ("--me", "Tom", "--zone", ZONE, "--date-order", "dmy")
    with served(EXPORTS, *reading, TZ="UTC", MEMD_ZONE=ZONE) as home:
        client = Client(str(home.path / "s"))
        client.call(ADD_SOURCE, {"settings": {"name": "exports", "path": str(home.path / "exports")}})
        client.close()
        home.run("sync", "exports", "--wait")
        home.run("backup", f"{home.path}/backup")
        yield home


def shown_by(home: Home, line: str) -> str:
    """What a command prints for people."""
    words = memd_command(*line.split())
    done = processes.run(words, env=environment_of(home.variables), check=True, capture_output=True, timeout=120)
    return done.stdout.decode() + done.stderr.decode()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_verb_tells_times_in_the_zone_of_the_settings(kathmandu: Home) -> None:
    """Of messages, facts, runs, schedules, backups; the zone stands in the status."""
    names = {
        "path": str(kathmandu.path),
        "fact": re.findall(r"\b[0-9a-f]{8}\b", shown_by(kathmandu, "facts --ids"))[0],
        "run": re.findall(r"\b[0-9a-f]{12,32}\b", shown_by(kathmandu, "runs"))[0],
    }
    now = datetime.now(ZoneInfo(ZONE))
    wrong: list[str] = []
    for line in LINES:
        text = shown_by(kathmandu, line.format(**names))
        times = [" ".join(match) for match in SHOWN.findall(text)]
        assert times or line in TIMELESS, (line, text)
        for each in set(times) - STORED:
            at = datetime.fromisoformat(each).replace(tzinfo=now.tzinfo)
            scheduled = at > now and (at.hour, at.minute) in ((3, 0), (4, 45), (5, 0))
            if not scheduled and abs(at - now) > timedelta(minutes=30):
                wrong.append(f"{line}: {each}")
        assert "2024-02-29" not in text, line  # the day in UTC
    assert not wrong
    assert re.search(rf"^zone +{ZONE}$", shown_by(kathmandu, "status"), re.MULTILINE)


def test_every_verb_that_tells_times_is_listed(checkout: Path) -> None:
    """Whatever its module, or one that renders for it, takes from the clock on the wall."""
    folder = checkout / "daemon" / "cli"
    renders = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "render").glob("*.py")}
    telling = {"wall_clock"}
    while more := {name for name, text in renders.items() if name not in telling and _imports(text, telling)}:
        telling |= more
    verbs = {
        name
        for name in COMMANDS.split()
        if _imports((folder / "commands" / f"{name}.py").read_text(encoding="utf-8"), telling)
    }
    listed = {line.split()[0] for line in LINES}
    assert verbs - listed - ELSEWHERE.keys() == set()
    assert listed & ELSEWHERE.keys() == set()
    assert ELSEWHERE.keys() <= verbs


def _imports(text: str, modules: set[str]) -> bool:
    return any(re.search(rf"^ *from \.(?:\.render\.)?{name} import", text, re.MULTILINE) for name in modules)


def test_the_settings_name_the_zone_before_the_last_flag_does(tmp_path: Path) -> None:
    """The environment first, then the file, then the flag of a command on a machine in UTC; a wrong name is none."""
    config = tmp_path / "c.toml"
    config.write_text('zone = "Europe/Berlin"\n')
    environ = {"HOME": str(tmp_path), "MEMD_DATA_DIR": str(tmp_path)}
    without, within = locate(environ=environ), locate(environ={**environ, "MEMD_CONFIG": str(config)})
    assert home_zone(without, environ) is None
    remember_zone(tmp_path, "Asia/Tokyo")
    assert (tmp_path / NAMED_ZONE).stat().st_mode & 0o777 == 0o600
    assert home_zone(without, environ) == ZoneInfo("Asia/Tokyo")
    assert home_zone(within, environ) == ZoneInfo("Europe/Berlin")
    assert home_zone(within, {**environ, "MEMD_ZONE": ZONE}) == ZoneInfo(ZONE)
    assert home_zone(within, {**environ, "MEMD_ZONE": "Mars/Olympus"}) is None
    (tmp_path / NAMED_ZONE).write_bytes(b"../../etc/passwd\xff")
    assert (named_zone(tmp_path), home_zone(without, environ)) == ("", None)


def test_a_command_shows_times_in_its_own_zone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also the clock of the lines of a log; the next command has a zone of its own."""
    try:
        monkeypatch.setenv("MEMD_ZONE", ZONE)
        assert main(["version"]) == 0
        assert wall_clock.local_time("2024-01-15T12:01:00Z") == "2024-01-15 17:46"
        assert wall_clock.clock_time(datetime(2024, 1, 15, 12, 1, tzinfo=UTC).timestamp()) == "17:46:00"
        monkeypatch.setenv("MEMD_ZONE", "UTC")
        assert main(["version"]) == 0
        assert wall_clock.local_time("2024-01-15T12:01:00+02:00") == "2024-01-15 10:01"
        assert capsys.readouterr().out
    finally:
        wall_clock.show_times_in(lambda: None)
