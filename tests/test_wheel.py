"""The wheel as a user meets it: installed into a bare environment, used from outside the checkout."""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import memd

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

COMMAND_TESTS = ("e2e", "hostile", "torture", "daemon/test_crash.py")
"""Tests that run `memd` through `tests.command`."""
SMALL = ("e2e/test_spine.py", "e2e/test_embedders.py")
"""Those that show in short that the wheel and what it offers for endpoints work: a daemon, its API, a model elsewhere."""

EXPORT = """\
1/15/24, 12:00 PM - Alice: I moved to Lisbon last week
1/15/24, 12:01 PM - Bob: Congratulations! How is the flat?
1/15/24, 12:03 PM - Alice: Small, but the balcony looks over the river
1/16/24, 9:30 AM - Bob: I will bring the blue bicycle on Saturday
"""


def pinned(requirements: Path) -> list[str]:
    """The distributions of a pinned file that this platform and interpreter need."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    found = [Requirement(line.removesuffix("\\").strip()) for line in lines if line[:1].isalnum()]
    return [each.name for each in found if each.marker is None or each.marker.evaluate()]


def with_dependencies(name: str, found: set[str]) -> set[str]:
    """A distribution of the running environment and all that it needs, added to `found`."""
    if name not in found:
        found.add(name)
        for line in metadata.requires(name) or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                with_dependencies(requirement.name, found)
    return found


def link_distribution(name: str, site: Path) -> None:
    """Give `site` a package of the running environment: its modules, libraries and metadata, by links."""
    found = metadata.distribution(name)
    tops = {file.parts[0] for file in found.files or [] if file.parts[0] not in {"..", "__pycache__"}}
    for top in tops:
        link = site / top
        if not link.exists():
            link.symlink_to(Path(str(found.locate_file(top))).resolve())


class Installed:
    """A bare environment with the wheel in it, and a home of its own, far from the checkout."""

    def __init__(self, folder: Path) -> None:
        self.environment = folder / "env"
        self.bin = self.environment / "bin"
        self.home = folder / "home"
        self.home.mkdir()

    def install(self, wheel: Path, requirements: Path) -> None:
        """Make the environment, with the pinned packages of the requirements and the wheel."""
        venv.create(self.environment, with_pip=False, symlinks=True)
        self._link(pinned(requirements))
        self._pip("install", "--quiet", "--no-index", "--no-deps", str(wheel))
        self._pip("check")

    def extend(self, installed: "Installed", extra: str) -> None:
        """Make the environment a copy of another one, with the packages of an extra of memd."""
        shutil.copytree(installed.environment, self.environment, symlinks=True, copy_function=os.link)
        command = self.bin / "memd"
        text = command.read_text(encoding="utf-8").replace(str(installed.environment), str(self.environment))
        command.unlink()
        command.write_text(text, encoding="utf-8")
        command.chmod(0o755)
        names: set[str] = set()
        for line in metadata.requires("memd-daemon") or []:
            if f'extra == "{extra}"' in line:
                with_dependencies(Requirement(line).name, names)
        self._link(names)
        self._pip("check")

    def _link(self, names: Iterable[str]) -> None:
        """Add packages of the running environment.

        Links to exactly these packages instead of a second installation: no network, no wait, and a package that only
        development has is missing here as it would be for a user.
        """
        site = next((self.environment / "lib").glob("python*")) / "site-packages"
        for name in names:
            link_distribution(name, site)

    def _pip(self, *words: str) -> None:
        """Run pip of the running environment on this one."""
        pip = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--python", str(self.bin / "python")]
        self.run(*pip, *words)

    def run(self, *command: str, code: int = 0) -> str:
        """Standard output of a command that must end with `code`, in an environment without a trace of the checkout."""
        environment = {
            "PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "MEMD_CONFIG": str(self.home / "config.toml"),
            "MEMD_DATA_DIR": str(self.home / "data"),
            "MEMD_SOCKET": str(self.home / "s"),
        }
        done = subprocess.run(
            command, cwd=self.home, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == code, f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def memd(self, *arguments: str, code: int = 0) -> str:
        """Standard output of the installed command."""
        return self.run(str(self.bin / "memd"), *arguments, code=code)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, distributions: dict[str, Path], checkout: Path) -> Installed:
    """The wheel in a bare environment, an export in its home."""
    folder = tmp_path_factory.mktemp("wheel")
    made = Installed(folder)
    made.install(distributions["wheel"], checkout / "requirements" / "runtime.txt")
    (made.home / "config.toml").write_text("")
    (made.home / "WhatsApp Chat with Bob.txt").write_text(EXPORT, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory, installed: Installed) -> Installed:
    """The wheel with what it offers for endpoints."""
    made = Installed(tmp_path_factory.mktemp("complete"))
    made.extend(installed, "llm")
    return made


def objects(lines: str) -> list[dict[str, Any]]:
    """JSON lines, read."""
    return [json.loads(line) for line in lines.splitlines()]


def test_the_command_tells_its_version(installed: Installed) -> None:
    """The installed command is the wheel's, and says so."""
    assert memd.__version__ in installed.memd("--version")
    where = installed.run(str(installed.bin / "python"), "-c", "import memd; print(memd.__file__)")
    assert "site-packages" in where


def test_parse_prints_documents(installed: Installed) -> None:
    """Each day of the chat is one document, every message as it was written."""
    documents = objects(installed.memd("parse", "WhatsApp Chat with Bob.txt", "--me", "Alice", "--zone", "UTC"))
    conversations = [document["conversation"] for document in documents]
    assert [len(conversation["conversation"]) for conversation in conversations] == [3, 1]
    assert {conversation["source"] for conversation in conversations} == {"whatsapp"}
    first = conversations[0]["conversation"][0]
    assert (first["speaker"], first["content"]) == ("Alice", "I moved to Lisbon last week")


def test_what_was_ingested_is_found(installed: Installed) -> None:
    """Ingest stores and embeds, with the model that came in the wheel; a question in other words finds the message."""
    installed.memd("ingest", "WhatsApp Chat with Bob.txt", "--me", "Alice", "--zone", "UTC", "--json")
    answer = json.loads(installed.memd("query", "which city does Alice live in now?", "-k", "3", "--json"))
    assert answer["degraded"] == []
    hit = next(hit for hit in answer["hits"] if hit["text"] == "I moved to Lisbon last week")
    assert (hit["type"], hit["speaker"], hit["source"]) == ("message", "Alice", "whatsapp")
    assert "vector" in hit["scores"]
    (bicycle,) = json.loads(installed.memd("query", "bicycle", "--speaker", "Bob", "-k", "1", "--json"))["hits"]
    assert "bicycle" in bicycle["text"]
    assert "lexical" in bicycle["scores"]


def test_the_demo_runs_from_the_wheel(installed: Installed) -> None:
    """The sample chats are in it; the memory of the home stays as it was."""
    before = installed.memd("documents", "--json")
    assert "Priya Raman lives in Lisbon." in installed.memd("demo")
    assert installed.memd("documents", "--json") == before


def test_what_cannot_be_read_is_said(installed: Installed) -> None:
    """A path that is not there ends with the code for it, not with a traceback."""
    installed.memd("parse", "no such file.txt", code=3)


@pytest.mark.parametrize(
    ("which", "places"),
    [
        pytest.param("wheel", SMALL, marks=pytest.mark.timeout(1800), id="some"),
        pytest.param("not long", COMMAND_TESTS, marks=[pytest.mark.long, pytest.mark.timeout(7200)], id="every"),
    ],
)
def test_whole_commands_do_from_the_wheel_what_they_do_here(
    complete: Installed, checkout: Path, which: str, places: Sequence[str]
) -> None:
    """The end-to-end, hostile and torture tests that run commands, against the installed one: some marked ones, or all."""
    folders = [str(checkout / "tests" / name) for name in places if (checkout / "tests" / name).exists()]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**inherited, "MEMD_TEST_COMMAND": str(complete.bin / "memd")}
    # Alone it may use every core; as one test among others it keeps to the worker that it runs in.
    workers = "0" if "PYTEST_XDIST_WORKER" in os.environ else str((os.cpu_count() or 1) + 1)
    options = ["-q", "-m", which, "--maxfail=5", "-p", "no:cacheprovider", "-n", workers, "--dist", "worksteal"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", *options, *folders],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
