"""Settings: file, environment and flags in their order; origins told; every mistake named at once."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from memd.connectors.connector import ReadOptions
from memd.daemon.config import paths
from memd.daemon.config.resolution import resolve_settings
from memd.daemon.config.settings import Settings
from memd.daemon.config.source_settings import SETTING_NAMES
from memd.daemon.config.template import template, write_template
from memd.daemon.config.user_names import remember, user_names
from memd.schemas.errors import ConfigError, InvalidError


def file(folder: Path, text: str) -> dict[str, object]:
    """A configuration of this text, as the flag that names it."""
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return {"config": str(path)}


def environment(folder: Path, **values: str) -> dict[str, str]:
    """A home of its own and these variables."""
    return {"HOME": str(folder), **values}


def test_defaults_run(tmp_path: Path) -> None:
    """Without a file, variables or flags: the places of the Base Directory Specification, all from `default`."""
    resolved = resolve_settings({}, environment(tmp_path))
    assert resolved.settings.data_dir == tmp_path / ".local/share/memd"
    assert resolved.settings.socket == tmp_path / ".local/share/memd/memd.sock"
    assert {origin for _, _, origin in resolved.lines()} == {"default"}
    assert Settings().ingest.batch_messages > 0


def test_a_data_directory_alone_keeps_its_socket_inside(tmp_path: Path) -> None:
    """Two memories do not meet at one socket."""
    assert Settings(data_dir=tmp_path / "d").socket == tmp_path / "d" / "memd.sock"


def test_flags_win_over_environment_over_file(tmp_path: Path) -> None:
    """Each setting by the strongest that names it, and its origin told."""
    flags = file(
        tmp_path,
        '# settings\ndata_dir = "data"\nzone = "Europe/Berlin"\n\n[log]\nlevel = "error"\n\n[ingest]\nattempts = 7\n',
    )
    told = environment(tmp_path, MEMD_LOG_LEVEL="WARNING", MEMD_ZONE="Asia/Tokyo", MEMD_EMBEDDING_ENABLED="false")
    resolved = resolve_settings({**flags, "log.level": "debug", "socket": None}, told)
    settings = resolved.settings
    assert settings.data_dir == tmp_path / "data"
    assert (settings.log.level, settings.zone, settings.ingest.attempts) == ("debug", "Asia/Tokyo", 7)
    assert settings.embedding.enabled is False
    origins = {name: origin for name, _, origin in resolved.lines()}
    assert origins["config"] == "flag --config"
    assert origins["data_dir"] == f"{flags['config']}:2"
    assert origins["zone"] == "env MEMD_ZONE"
    assert origins["log.level"] == "flag --log-level"
    assert origins["ingest.attempts"] == f"{flags['config']}:9"
    assert origins["embedding.enabled"] == "env MEMD_EMBEDDING_ENABLED"
    assert origins["ingest.batch_bytes"] == "default"


def test_lines_name_every_setting(tmp_path: Path) -> None:
    """Dotted names and plain values, nothing hidden but what is derived."""
    names = [name for name, _, _ in resolve_settings({}, environment(tmp_path)).lines()]
    assert {"config", "data_dir", "socket", "zone", "me", "log.level", "log.modules", "server.group"} <= set(names)
    assert len(names) == len(set(names))
    assert "socket_chosen" not in names


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """Unknown keys with what may have been meant, wrong types and ranges, each with its place."""
    flags = file(tmp_path, 'data_dri = "x"\nattempts = 3\n[log]\nlevel = "loud"\n[ingest]\nbatch_mesages = 3\n')
    with pytest.raises(ConfigError) as raised:
        resolve_settings(flags, environment(tmp_path, MEMD_EMBEDDING_THREADS="many", MEMD_ZONE="Mars/Olympus"))
    problems = raised.value.problems
    path = flags["config"]
    assert f"{path}:1: unknown setting 'data_dri', did you mean 'data_dir'?" in problems
    assert f"{path}:2: unknown setting 'attempts', did you mean 'ingest.attempts'?" in problems
    assert f"{path}:6: unknown setting 'ingest.batch_mesages', did you mean 'ingest.batch_messages'?" in problems
    assert any(problem.startswith(f"{path}:4: log.level: ") for problem in problems)
    assert any(problem.startswith("env MEMD_EMBEDDING_THREADS: embedding.threads: ") for problem in problems)
    assert "env MEMD_ZONE: zone: there is no such time zone; use a name like Europe/Berlin" in problems
    assert len(problems) == 6


@pytest.mark.parametrize("text", ["zone = ", "log = 3", "[ingest]\nattempts = 0", "data_dir = 3", "[me]\nwhatsapp = 3"])
def test_what_is_wrong_is_a_configuration_error(tmp_path: Path, text: str) -> None:
    """No TOML, a section that is none, a number out of range, a wrong type."""
    with pytest.raises(ConfigError):
        resolve_settings(file(tmp_path, text), environment(tmp_path))


def test_a_value_for_no_setting_is_refused_by_its_name(tmp_path: Path) -> None:
    """As in a file, where `memd eval --compare` names a setting that does not exist."""
    with pytest.raises(ConfigError, match=r"^unknown setting 'embeding\.model', did you mean 'embedding\.model'\?"):
        resolve_settings({"embeding.model": "x"}, environment(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[query]\nlimit = 'abc'", '2: query.limit: must be a whole number from 1 to 100, not "abc"'),
        ("[query]\nlimit = true", "2: query.limit: must be a whole number from 1 to 100, not true"),
        ("[query]\nlimit = 2024-01-01", "2: query.limit: must be a whole number from 1 to 100, not a date or a time"),
        ('zone = "UTC"\nlog = {level = "loud"}', '2: log.level: must be debug, info, warning or error, not "loud"'),
        ("zone = 'UTC'\nlog = {lvel = 'info'}", "2: unknown setting 'log.lvel', did you mean 'log.level'?"),
        ("ingest.attempts = 0", "1: ingest.attempts: must be a whole number of at least 1, not 0"),
        ("[ingest]\nattempts = 0", "2: ingest.attempts: must be a whole number of at least 1, not 0"),
        ("[sync]\nsettle_s = nan", "2: sync.settle_s: must be a number from 0 to 600, not nan"),
        ("[llm]\nprice_prompt = inf", "2: llm.price_prompt: must be a number of at least 0, not inf"),
        ("[llm]\nredact_patterns = 3", "2: llm.redact_patterns: must be a list, not 3"),
        ("[llm]\nredact_patterns = ['a', '(']", "2: llm.redact_patterns: '(' is no regular expression"),
        ("[embedding]\nenabled = 'perhaps'", '2: embedding.enabled: must be true or false, not "perhaps"'),
        ("[embedding]\npooling = 'x'", '2: embedding.pooling: must be mean or cls, not "x"'),
        ('[embedding]\ntokenizer = "a\\u0000"', "2: embedding.tokenizer: holds a NUL, which no path may"),
        ('[server]\ngroup = "a\\u0000"', "2: server.group: must be the name of a group"),
        (
            '[rerank]\nmodel = "folder"',
            "1: rerank: rerank.provider must say what rerank.model is: onnx, http, or none to leave it out",
        ),
        ("data_dir = 3", "1: data_dir: must be a text"),
        ("[mounts]\nold = 'old'", "1: mounts: the path of 'old' must be absolute"),
        (
            "[mounts]\nown = '/old'",
            "1: mounts: a name is 1 to 64 letters without a slash or outer spaces, and not `own`",
        ),
        ("log = 3", "1: log: must be a table, under a line [log], not 3"),
        ("me = 3", "1: me: must be your name as a text, or a table of names by source"),
        ("[me]\nwhatsapp = []", "2: me.whatsapp: must be a text, not a list"),
        ("sources = [3]", "1: sources.0: must be a table, not 3"),
        ('[[sources]]\nname = "a"\npath = "/a\\u0000"', "3: sources.0.path: holds a NUL, which no path may"),
        *(
            (
                f"[[sources]]\nname = 'a'\npath = '/a'\nmisfire_grace_s = {written}",
                f"4: sources.0.misfire_grace_s: must be a number above 0, at most 31622400, not {shown}",
            )
            for written, shown in (("inf", "inf"), ("nan", "nan"), ("1e300", "1e+300"), ("0", "0"))
        ),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(tmp_path: Path, text: str, told: str) -> None:
    """The line, the name of the setting, what is allowed, what stands there; no word of a programming language."""
    flags = file(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        resolve_settings(flags, environment(tmp_path))
    assert raised.value.problems[0] == f"{flags['config']}:{told}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"zone = ", "1:7"),
        (b"\n[query]\nlimit = = 4\n", "3:9"),
        (b"a b = 3", "1:3"),
        (b"[a", "1:3"),
        (b"[[a]\n", "1:4"),
        (b"a = 1 2", "1:7"),
        (b"a = 'x", "1:7"),
        (b'a = """x\n', "1:9"),
        (b'a = "x\\q"', "1:9"),
        (b'a = "\\uq"', "1:8"),
        (b'a = "\\ud800"', "1:12"),
        (b'a="x\n"', "1:5"),
        (b"a = 'x\x01'", "1:7"),
        (b"a = 1\na = 2\n", "2:6"),
        (b"[a]\n[a]", "2:3"),
        (b"a = {b = 1}\n[a.c]\n", "2:5"),
        (b"[a.b]\n[a]\nb.c = 1", "3:8"),
        (b"a = {b=1, b=2}", "1:14"),
        (b"a = [1 2]", "1:8"),
        (b"a = {b = 1", "1:11"),
        (b"\x01 = 1", "1:1"),
        (b"a. = 1", "1:4"),
        (b"\nb = 1 # \xff", "2:9"),
        (b"b = 1\na = " + b"9" * 5000, "2:5"),
        (b"b = 1\na = " + b"[" * 50_000, "2:1"),
    ],
)
def test_what_is_no_toml_is_told_with_line_and_column(tmp_path: Path, text: bytes, place: str) -> None:
    """In words of our own, without one of the file."""
    path = tmp_path / "config.toml"
    path.write_bytes(text)
    with pytest.raises(ConfigError) as raised:
        resolve_settings({"config": str(path)}, environment(tmp_path))
    told = raised.value.message
    assert told.startswith(f"{path}:{place}: ")
    assert not re.search(r"Error|codec|namespace|Invalid|Expected|Cannot|not written as TOML has it$", told)


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    """The default one need not. The hint tells what writes one."""
    with pytest.raises(ConfigError, match="there is no configuration") as raised:
        resolve_settings({"config": str(tmp_path / "none.toml")}, environment(tmp_path))
    assert "memd config --init" in raised.value.hint


def test_the_user_has_a_name_in_each_source(tmp_path: Path) -> None:
    """A table by source, or one name for all."""
    by_source = resolve_settings(file(tmp_path, '[me]\nwhatsapp = "Ann"\n'), environment(tmp_path)).settings
    assert user_names(by_source) == {"whatsapp": "Ann"}
    assert user_names(resolve_settings(file(tmp_path, 'me = "Ann"\n'), environment(tmp_path)).settings) == {"": "Ann"}
    remember(tmp_path, {"telegram": "Annie", "whatsapp": "A."})
    own = {"MEMD_DATA_DIR": str(tmp_path)}
    by_environment = resolve_settings({}, environment(tmp_path, MEMD_ME="Bo", **own)).settings
    assert user_names(by_environment) == {"": "Bo"}
    names = user_names(
        resolve_settings(file(tmp_path, '[me]\nwhatsapp = "Ann"\n'), environment(tmp_path, **own)).settings
    )
    assert names == {"whatsapp": "Ann", "telegram": "Annie"}
    options = ReadOptions(UTC, names=names)
    assert [options.of_connector(name).me for name in ("telegram", "mail")] == ["Annie", None]
    assert ReadOptions(UTC, names={"": "Bo"}).of_connector("mail").me == "Bo"
    assert ReadOptions(UTC, me="Cy", names=names).of_connector("telegram").me == "Cy"


def test_the_zone_is_configured_or_assumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own zone is an assumption, and says so."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert resolve_settings({}, environment(tmp_path)).settings.zone_in_force() == (ZoneInfo("Asia/Tokyo"), "assumed")
    configured = resolve_settings({}, environment(tmp_path, MEMD_ZONE="Europe/Berlin")).settings
    assert configured.zone_in_force() == (ZoneInfo("Europe/Berlin"), "configuration")


def test_levels_of_modules_in_one_line(tmp_path: Path) -> None:
    """The environment has no tables."""
    settings = resolve_settings({}, environment(tmp_path, MEMD_LOG_MODULES="memory.store=debug, daemon=ERROR")).settings
    assert settings.log.modules == {"memory.store": "debug", "daemon": "error"}


def test_empty_variables_are_not_set(tmp_path: Path) -> None:
    """A shell cannot unset what it inherited."""
    assert resolve_settings({}, environment(tmp_path, MEMD_ZONE="", MEMD_SOCKET="")).settings.zone is None


def test_settings_are_frozen_and_closed(tmp_path: Path) -> None:
    """Nobody changes them, nobody adds to them."""
    settings = Settings(data_dir=tmp_path)
    with pytest.raises(ValidationError):
        settings.zone = "UTC"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValidationError):
        Settings.model_validate({"nothing": 1})


def test_the_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told of its lines is of the text that was read, though the file changes in between."""
    flags = file(tmp_path, 'zone = "UTC"\n\n[query]\nlimit = 7\n')
    reads = paths._read_file  # pyright: ignore[reportPrivateUsage] - the one reader that waits for nothing
    read: list[str] = []

    def once(path: str) -> bytes:
        data = reads(path)
        Path(path).unlink()
        read.append(path)
        return data

    monkeypatch.setattr(paths, "_read_file", once)
    resolved = resolve_settings(flags, environment(tmp_path))
    assert resolved.settings.query.limit == 7
    assert f"{flags['config']}:4" in {origin for name, _, origin in resolved.lines() if name == "query.limit"}
    assert len(read) == 1


def test_what_is_wrong_is_left_out_on_request(tmp_path: Path) -> None:
    """Everything else is told, and the line of each mistake; a section that is wrong as a whole is left out whole."""
    flags = file(
        tmp_path,
        '[log]\nlevel = "loud"\n[query]\nlimit = 4\nlimmit = 3\n[embedding]\nprovider = "onnx"\n[sources]\nname = "x"\n',
    )
    found = resolve_settings(flags, environment(tmp_path), partial=True)
    values = {name: (value, origin) for name, value, origin in found.lines()}
    assert values["query.limit"] == (4, f"{flags['config']}:4")
    assert values["log.level"] == ("info", "default")
    assert values["embedding.provider"] == ("bundled", "default")
    assert [problem.removeprefix(f"{flags['config']}:")[:2] for problem in found.problems] == ["5:", "2:", "6:", "8:"]
    assert "[[sources]]" in found.problems[-1]
    with pytest.raises(ConfigError) as raised:
        resolve_settings(flags, environment(tmp_path))
    assert raised.value.problems == found.problems


def test_a_mistake_in_a_source_names_its_line(tmp_path: Path) -> None:
    """Of the table that it stands in."""
    text = '[[sources]]\nname = "a"\npath = "/a"\n\n[[sources]]\nname = "b"\npath = "b"\n'
    with pytest.raises(ConfigError, match=r"config\.toml:7: sources\.1\.path: must be an absolute path"):
        resolve_settings(file(tmp_path, text), environment(tmp_path))


def test_the_template_is_the_defaults(tmp_path: Path) -> None:
    """As it is, and with everything that has a value taken in; it names every setting, and is never written over another."""
    path = tmp_path / "new" / "config.toml"
    write_template(path)
    with pytest.raises(InvalidError):
        write_template(path)
    text = path.read_text(encoding="utf-8")
    assert text == template()
    defaults = resolve_settings({}, environment(tmp_path))
    named = {"config": str(path)}
    assert [line[:2] for line in resolve_settings(named, environment(tmp_path)).lines()][1:] == [
        line[:2] for line in defaults.lines()
    ][1:]
    own, _, of_sources = text.partition("# [[sources]]\n")
    path.write_text(re.sub(r"(?m)^# (\w+ = )", r"\1", own), encoding="utf-8")
    assert [line[:2] for line in resolve_settings(named, environment(tmp_path)).lines()][1:] == [
        line[:2] for line in defaults.lines()
    ][1:]
    written = set(re.findall(r"(?m)^# (\w+) =", own))
    assert {name.rpartition(".")[2] for name, _, _ in defaults.lines()} - written == {"config"}
    assert set(re.findall(r"(?m)^# (\w+) =", of_sources)) == set(SETTING_NAMES)
