"""Single settings are changed in a configuration that a person wrote, and nothing else of it is."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.daemon.config.file_edit import with_settings, write_settings
from memd.daemon.config.template import template
from memd.schemas.errors import ConfigError
from memd.tests.cases import check_all
from memd.tests.effort import examples

VALUES = {"model": "m", "base_url": "http://127.0.0.1/v1"}
BOTH = 'model = "m"\nbase_url = "http://127.0.0.1/v1"\n'
CASES = {
    "": f"[llm]\n{BOTH}",
    "# a comment, and no more": f"# a comment, and no more\n\n[llm]\n{BOTH}",
    "[log]\nlevel = 'debug'\n": f"[log]\nlevel = 'debug'\n\n[llm]\n{BOTH}",
    "[llm] # here\n[log]\n": f"[llm] # here\n{BOTH}[log]\n",
    '[llm]\nmodel = "old" # why\ntimeout_s = 3\n[log]\n': (
        '[llm]\nbase_url = "http://127.0.0.1/v1"\nmodel = "m" # why\ntimeout_s = 3\n[log]\n'
    ),
    "[llm]\n  model='a # b'   # c\n": '[llm]\nbase_url = "http://127.0.0.1/v1"\n  model = "m"   # c\n',
    '[llm]\r\n# model = ""\r\n': '[llm]\r\nbase_url = "http://127.0.0.1/v1"\r\n# model = ""\r\nmodel = "m"\r\n',
    '[log]\nmodel = 1\n[llm]\nmodel = "old"': f'[log]\nmodel = 1\n[llm]\n{BOTH[12:]}model = "m"\n',
}


def test_lines_are_changed_in_their_place() -> None:
    """Comments, blanks, line ends and other sections stay."""

    def check(text: str) -> None:
        assert with_settings(text, "llm", VALUES) == CASES[text]
        assert with_settings(CASES[text], "llm", VALUES) == CASES[text]

    check_all(CASES, check)


@pytest.mark.parametrize(
    "text",
    [
        'llm = { model = "old" }\n',
        'llm.model = "old"\n',
        '["llm"]\nmodel = "old"\n',
        '[llm]\nmodel = """old\n"""\n',
        "[llm\n",
    ],
)
def test_what_cannot_be_changed_is_refused(text: str) -> None:
    """With what to write."""
    with pytest.raises(ConfigError):
        with_settings(text, "llm", VALUES)


def test_a_setting_is_taken_away_by_a_comment() -> None:
    """What stood there can be read on."""
    text = "[llm]\napi_key_file = '/k'\n[log]\n"
    assert with_settings(text, "llm", {"api_key_file": None}) == "[llm]\n# api_key_file = '/k'\n[log]\n"
    assert with_settings("[log]\n", "llm", {"api_key_file": None}) == "[log]\n"


@pytest.mark.slow
@settings(max_examples=examples(50))
@given(model=st.text(min_size=1).filter(lambda text: max(text) < "\ud800" or max(text) > "\udfff"))
def test_any_value_can_be_written_into_the_template(model: str) -> None:
    """It is read as it was written, and all other lines stay."""
    before = template()
    after = with_settings(before, "llm", {"model": model})
    assert tomllib.loads(after)["llm"] == {"model": model}
    assert [line for line in after.split("\n") if not line.startswith("model = ")] == before.split("\n")


def test_a_file_is_replaced_with_its_mode(tmp_path: Path) -> None:
    """Also behind a link; a new one is private."""
    target, link = tmp_path / "real.toml", tmp_path / "config.toml"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_settings(link, "new\r\n")
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode), link.is_symlink()) == (b"new\r\n", 0o640, True)
    write_settings(tmp_path / "a" / "b.toml", "x")
    assert stat.S_IMODE((tmp_path / "a" / "b.toml").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "config.toml", "real.toml"]
