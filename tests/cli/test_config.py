"""`memd config`: what is in force, what is wrong and in which line, and a file to begin with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.settings import show_times_in_named_zone
from memd.daemon.config.home_zone import NAMED_ZONE, named_zone
from memd.daemon.config.paths import REMEMBERED
from memd.daemon.config.resolution import resolve_settings
from memd.daemon.config.user_names import user_names


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the configuration is looked for."""
    path = tmp_path / "config.toml"
    monkeypatch.setenv("MEMD_CONFIG", str(path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return path


def test_a_file_to_begin_with(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is written once, and means the defaults."""
    assert main(["config", "--init", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"config": str(config)}
    assert config.read_text(encoding="utf-8").startswith("# The settings of memd.")
    assert main(["config"]) == 0
    assert f"{config}  (env MEMD_CONFIG)" in capsys.readouterr().out
    assert main(["config", "--init"]) == 2
    assert "nothing is overwritten" in capsys.readouterr().err


def test_who_and_where_the_user_is_is_kept(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In private files of the data directory; a value of the settings wins, and is not contradicted."""
    data = tmp_path / "data"
    config.touch()
    monkeypatch.setenv("MEMD_DATA_DIR", str(data))
    monkeypatch.setenv("TZ", "UTC")
    assert main(["config", "me", " Ann  Berg "]) == 0
    assert main(["config", "zone", "Asia/Tokyo", "--json"]) == 0
    told = capsys.readouterr()
    assert (json.loads(told.out), told.err) == ({"zone": "Asia/Tokyo"}, "you are Ann Berg\n")
    settings = resolve_settings().settings
    assert user_names(settings) == {"": "Ann Berg"}
    assert str(settings.zone_in_force()[0]) == "Asia/Tokyo"
    assert {each.stat().st_mode & 0o777 for each in (data / REMEMBERED, data / NAMED_ZONE)} == {0o600}
    show_times_in_named_zone(settings, "Europe/Berlin")  # a flag of an import names the zone of its export alone
    assert named_zone(data) == "Asia/Tokyo"
    config.write_text('me = "Bob"\nzone = "Europe/Berlin"\n', encoding="utf-8")
    wrong = [["zone", "Mars/Olympus"], ["zone", ""], ["me", " "], ["me", "Ann"], ["zone", "UTC"], ["you", "Ann"]]
    assert {main(["config", *words]) for words in wrong} == {2}
    assert f"me is set already: {config}:1" in capsys.readouterr().err
    assert named_zone(data) == "Asia/Tokyo"
    (data / NAMED_ZONE).unlink()
    config.write_text("", encoding="utf-8")
    show_times_in_named_zone(resolve_settings().settings, "UTC")
    assert named_zone(data) == ""
    show_times_in_named_zone(resolve_settings().settings, "Europe/Berlin")
    assert named_zone(data) == "Europe/Berlin"
    monkeypatch.setenv("TZ", "America/Lima")
    (data / NAMED_ZONE).unlink()
    show_times_in_named_zone(resolve_settings().settings, "Europe/Berlin")
    assert named_zone(data) == ""


def test_who_and_where_the_user_is_is_shown(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the place where it is set: nowhere, by a command, in the configuration; how to set it, where that would hold."""

    def screen(*words: str) -> list[str]:
        assert main(["config", *words]) == 0
        told = capsys.readouterr()
        return [line.removeprefix("memd ") for line in (told.out + told.err).splitlines()]

    data = tmp_path / "data"
    config.touch()
    monkeypatch.setenv("MEMD_DATA_DIR", str(data))
    monkeypatch.setenv("TZ", "America/Lima")
    monkeypatch.setenv("COLUMNS", "300")
    assert screen("me") == ["me  \N{EN DASH}  (default)", "config me NAME sets it"]
    assert screen("zone") == ["zone  America/Lima  (default: the machine's)", "config zone ZONE sets it"]
    assert screen("me", "Ann Berg") == ["you are Ann Berg"]
    assert screen("zone", "Asia/Tokyo") == ["times are shown in Asia/Tokyo"]
    assert screen("me") == [f"me  Ann Berg  ({data / REMEMBERED})", "config me NAME sets it"]
    assert screen("zone") == [f"zone  Asia/Tokyo  ({data / NAMED_ZONE})", "config zone ZONE sets it"]
    everything = [line.split("  ", 1)[-1].strip() for line in screen()]
    assert f"Ann Berg  ({data / REMEMBERED})" in everything
    assert f"Asia/Tokyo  ({data / NAMED_ZONE})" in everything
    assert main(["config", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["me"] == {"value": {"": "Ann Berg"}, "origin": str(data / REMEMBERED)}
    config.write_text('me = "Bob"\nzone = "Europe/Berlin"\n', encoding="utf-8")
    assert screen("me") == [f"me  Bob  ({config}:1)"]
    assert screen("zone") == [f"zone  Europe/Berlin  ({config}:2)"]
    assert main(["config", "zone", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"zone": {"value": "Europe/Berlin", "origin": f"{config}:2"}}


def test_a_name_that_wrote_nothing_is_told(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """When it is set, and in the answer to a question about "I"; one that somebody has answers it, also one of one word."""
    config.touch()
    monkeypatch.setenv("MEMD_DATA_DIR", str(tmp_path / "data"))
    talk = tmp_path / "talk.json"
    said = [("Bob", "my dentist is Dr Costa"), ("Ann", "my dentist is Dr Lund"), ("Bob", "and it hurts")]
    messages = [
        {"speaker": speaker, "content": text, "time": f"2026-01-05T10:0{minute}:00Z"}
        for minute, (speaker, text) in enumerate(said)
    ]
    people = ["(me)", "Bob", "Ann"]
    chat = {"source": "t", "people": people, "user": "(me)", "conversation": messages}
    talk.write_text(json.dumps({"id": "t:1", "conversation": chat}), encoding="utf-8")
    assert main(["ingest", str(talk)]) == 0
    capsys.readouterr()
    assert main(["config", "me", "Bobb"]) == 0
    assert (
        capsys.readouterr().err
        == "you are Bobb; nobody of that name wrote anything: `memd people` lists everybody who did\n"
    )
    assert main(["query", "who is my dentist?"]) == 0
    assert "nobody called Bobb wrote anything; who are you? memd config me NAME" in capsys.readouterr().out
    assert main(["config", "me", "bob"]) == 0
    assert capsys.readouterr().err == "you are bob, who wrote 2 messages\n"
    assert main(["query", "who is my dentist?", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["understood"]["speakers"] == ["Bob"]
    assert not answer.get("notices")
    assert answer["hits"][0]["text"] == "my dentist is Dr Costa"
    assert main(["config", "me", "Ann", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"me": "Ann", "wrote": {"Ann": 1}}


def test_a_wrong_value_is_told_beside_all_others(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The settings on standard output, the mistakes with their lines on standard error, exit code 2."""
    config.write_text('[log]\nlevel = "loud"\n[query]\nlimit = 4\n', encoding="utf-8")
    assert main(["config", "--json"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["query.limit"] == {"value": 4, "origin": f"{config}:4"}
    told_error = json.loads(told.err)["message"]
    assert told_error == f'{config}:2: log.level: must be debug, info, warning or error, not "loud"'


def test_a_file_that_is_no_toml_is_told_beside_the_rest(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the line; what holds without it is shown."""
    config.write_text("[query]\nlimit = = 4\n", encoding="utf-8")
    assert main(["config"]) == 2
    told = capsys.readouterr()
    assert f"{config}  (cannot be read)" in told.out
    assert "query.limit" in told.out
    assert f"{config}:2:9: a value is missing" in told.err


def test_a_schedule_that_is_never_due_is_told(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of maintenance and of sources, with its line; an empty one of maintenance is meant."""
    config.write_text(
        '[maintenance]\nbackup_schedule = "0 0 30 2 *"\ndoctor_schedule = ""\nprune_schedule = "0 99 * * *"\n'
        '[[sources]]\nname = "a"\npath = "/a"\nschedule = "6h"\n[[sources]]\nname = "b"\npath = "/b"\nschedule = "3am"\n',
        encoding="utf-8",
    )
    assert main(["config"]) == 2
    told = capsys.readouterr().err.splitlines()
    problems = [line.removeprefix(f"  - {config}:") for line in told]
    problems[3], _, looks = problems[3].partition("; it is five fields as in crontab(5)")
    assert looks
    assert problems[1:-1] == [
        "2: maintenance.backup_schedule: '0 0 30 2 *' is never due: there is no such day",
        "4: maintenance.prune_schedule: '0 99 * * *' is no schedule: its hour must be 0-23, not '99'",
        "12: sources.1.schedule: '3am' is no schedule",
    ]


def test_two_sources_of_one_folder_are_told(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also by a link, with the line of the second; a folder inside is another. Nothing serves or reads with it."""
    folder = tmp_path / "exports"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    paths = {"a": folder, "b": tmp_path / "link", "c": folder / "inner"}
    config.write_text("".join(f'[[sources]]\nname = "{name}"\npath = "{path}"\n' for name, path in paths.items()))
    for words in (["config"], ["sync"], ["serve"]):
        assert main(words) == 2
        told = capsys.readouterr().err
        assert f"{config}:6: sources.1.path: the source 'a' reads this folder already; remove one" in told
        assert "sources.2" not in told


def test_a_source_of_an_unknown_format_is_told(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its line and the formats that there are, before a night's run leaves out every file; nothing serves with it."""
    config.write_text('[[sources]]\nname = "a"\npath = "/a"\nformat = "whatsap"\n', encoding="utf-8")
    for words in (["config"], ["serve"]):
        assert main(words) == 2
        told = capsys.readouterr().err
        assert f"{config}:4: sources.0.format: no format is called 'whatsap'; formats: whatsapp, " in told


def test_nothing_is_served_with_a_schedule_that_nobody_can_keep(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `memd config` says, and with its exit code; a command that keeps no schedule works."""
    config.write_text('[maintenance]\ndoctor_schedule = "0 0 30 2 *"\n', encoding="utf-8")
    assert main(["serve"]) == 2
    assert f"{config}:2: maintenance.doctor_schedule: '0 0 30 2 *' is never due" in capsys.readouterr().err
    assert main(["status"]) == 0


def test_values_are_shown_as_they_are_written(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lists and tables in the notation of the file, a text whose blanks count in quotes, sources by their names."""
    config.write_text(
        'me = "Ann"\n[log]\nmodules = {"memory.store" = "debug"}\n[llm]\nredact_patterns = ["a b", "c"]\n'
        '[embedding]\nquery_prefix = "query: "\n[[sources]]\nname = "a"\npath = "/a"\n[[sources]]\nname = "b"\npath = "/b"\n',
        encoding="utf-8",
    )
    assert main(["config"]) == 0
    shown = dict(line.partition("  (")[0].split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    told = (
        "me",
        "log.modules",
        "llm.redact_patterns",
        "embedding.query_prefix",
        "sources",
        "embedding.dimensions",
        "embedding.enabled",
    )
    assert [shown[name] for name in told] == [
        "Ann", '{ "memory.store" = "debug" }', '["a b", "c"]', '"query: "', "a, b", "–", "yes",
    ]  # fmt: skip


def test_a_password_in_an_address_is_not_shown(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In lines and as JSON."""
    config.write_text('[llm]\nbase_url = "http://ann:pa55word@localhost:8080/v1"\n')
    for flags in ([], ["--json"]):
        main(["config", *flags])
        shown = capsys.readouterr().out
        assert "pa55word" not in shown
        assert "http://…@localhost:8080/v1" in shown or "http://\\u2026@localhost:8080/v1" in shown
