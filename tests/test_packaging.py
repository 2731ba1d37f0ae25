"""What is shipped: the package list, the wheel and the sdist, the pinned requirements, the model's provenance."""

import hashlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import memd
from memd.tests.distributions import STAND_IN, WEIGHTS
from memd.tests.format_tables import LAYERS, packages

REQUIREMENT = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")


@pytest.fixture
def project(checkout: Path) -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))


def names(lines: list[str]) -> set[str]:
    """The distributions that requirement lines name, without versions and markers."""
    found = (REQUIREMENT.match(line) for line in lines)
    return {match[0].lower().replace("_", "-") for match in found if match}


def contents(wheel: Path) -> dict[str, str]:
    """A wheel's members with the digest of each."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def test_the_package_list_names_every_folder(checkout: Path, project: dict[str, Any]) -> None:
    """A new folder with code is in the list of pyproject.toml, and a folder that is gone is not."""
    assert project["tool"]["setuptools"]["packages"] == packages(checkout)


def test_every_folder_with_code_is_a_package(checkout: Path) -> None:
    """A module in a folder without `__init__.py` would silently stay out of the wheel."""
    folders = {path.parent for layer in LAYERS for path in (checkout / layer).rglob("*.py")}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_the_root_holds_no_other_module(checkout: Path) -> None:
    """Any other `.py` beside the root's `__init__.py` would land in the wheel."""
    assert sorted(path.name for path in checkout.glob("*.py")) == ["__init__.py", "__main__.py"]


def test_the_requirements_are_those_of_the_package(checkout: Path, project: dict[str, Any]) -> None:
    """requirements/runtime.in lists exactly the dependencies of pyproject.toml."""
    lines = (checkout / "requirements" / "runtime.in").read_text(encoding="utf-8").splitlines()
    assert names(lines) == names(project["project"]["dependencies"])


@pytest.mark.parametrize(
    "name",
    [
        "runtime.txt",
        "build.txt",
        "dev.txt",
        "bench-whatstk.txt",
        "bench-chat-miner.txt",
        "bench-mail-parser.txt",
        "bench-mem0.txt",
    ],
)
def test_each_requirement_is_pinned_and_hashed(checkout: Path, name: str) -> None:
    """A set-up anywhere installs the same bytes, from whatever index it is told to use."""
    text = (checkout / "requirements" / name).read_text(encoding="utf-8")
    assert "://" not in text
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text.strip()):
        first = entry.splitlines()[0]
        assert re.match(r"[a-z0-9][a-z0-9._-]*==\S+", first), first
        assert "--hash=sha256:" in entry, first


def test_development_runs_on_what_is_shipped(checkout: Path) -> None:
    """dev.txt pins each package of runtime.txt and build.txt to the same version."""
    pins = {
        name: {
            line.removesuffix("\\").strip()
            for line in (checkout / "requirements" / name).read_text(encoding="utf-8").splitlines()
            if REQUIREMENT.match(line) and "sys_platform" not in line
        }
        for name in ("runtime.txt", "build.txt", "dev.txt")
    }
    plain = {name: {pin.split(";")[0].strip() for pin in found} for name, found in pins.items()}
    assert plain["runtime.txt"] | plain["build.txt"] <= plain["dev.txt"]


def test_importing_memd_imports_nothing_else() -> None:
    """The root stays light: the command line's start depends on it."""
    code = "import sys; before = set(sys.modules); import memd; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    ours = [name for name in done.stdout.split() if not name.startswith("__editable__")]
    assert ours == ["memd"]


def test_the_model_is_the_one_in_the_notice(checkout: Path) -> None:
    """The bundled files have the digests that NOTICE and the model's README give."""
    folder = checkout / "memory" / "models" / "multilingual-e5-small-int8"
    notice = (checkout / "NOTICE").read_text(encoding="utf-8")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for name in ("model.onnx", "model.onnx.data", "sentencepiece.model"):
        line = f"sha256 {name}"
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for text in (notice, readme):
            assert re.search(rf"{re.escape(line)}\s+{digest}", text), f"{line} differs"


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(checkout: Path, distributions: dict[str, Path]) -> None:
    """Every module, the model and the data files are in the wheel; tests and benchmarks are not."""
    files = {"__init__.py", "__main__.py", "py.typed"}
    for layer in LAYERS:
        files |= {str(path.relative_to(checkout)) for path in (checkout / layer).rglob("*.py")}
    files |= {str(path.relative_to(checkout)) for path in (checkout / "memory" / "models").glob("*/*")}
    files |= {str(path.relative_to(checkout)) for path in (checkout / "connectors").rglob("*.json")}
    files |= {"connectors/live/slack/manifest.yaml", "daemon/evaluation/datasets/sample.json"}
    files |= {str(path.relative_to(checkout)) for path in (checkout / "memory").rglob("*.txt")}
    files |= {str(path.relative_to(checkout)) for path in (checkout / "systemd").glob("*/*")}
    files |= {str(path.relative_to(checkout)) for path in (checkout / "examples" / "whatsapp").glob("*")}
    packed = {name for name in contents(distributions["wheel"]) if ".dist-info/" not in name}
    shared = {
        "bash-completion/completions/memd",
        "zsh/site-functions/_memd",
        "fish/vendor_completions.d/memd.fish",
        "man/man1/memd.1",
    }
    for_shells = {f"memd_daemon-{memd.__version__}.data/data/share/{name}" for name in shared}
    assert packed == {f"memd/{name}" for name in files} | for_shells


@pytest.mark.slow
def test_the_wheel_carries_its_licences_and_version(distributions: dict[str, Path]) -> None:
    """LICENSE and NOTICE travel with the code, and the version is the package's own."""
    packed = contents(distributions["wheel"])
    info = f"memd_daemon-{memd.__version__}.dist-info"
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/NOTICE"} <= packed.keys()


@pytest.mark.slow
def test_the_sdist_builds_the_same_wheel(distributions: dict[str, Path]) -> None:
    """What is built from the source distribution has the same members with the same bytes, and the weights that it holds."""
    stand_in = {f"memd/{WEIGHTS}": hashlib.sha256(STAND_IN).hexdigest()}
    packed, rebuilt = (
        {
            name: digest
            for name, digest in contents(distributions[kind]).items()
            if not name.endswith(".dist-info/RECORD")
        }
        for kind in ("wheel", "wheel from sdist")
    )
    assert packed.keys() >= stand_in.keys()
    assert rebuilt == packed | stand_in
    with tarfile.open(distributions["sdist"]) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert not tops & {"tests", "bench"}
