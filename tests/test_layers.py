"""The laws of the house, checked on the syntax trees: who imports whom, who prints, who touches signals."""

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ALLOWED = {
    "schemas": {"schemas"},
    "connectors": {"connectors", "schemas"},
    "memory": {"memory", "schemas"},
    "daemon": {"daemon", "connectors", "memory", "schemas"},
}
FLOORS = {
    "connectors": (
        {"opening"},
        {"times"},
        {"text"},
        {"chats", "files"},
        {"formats"},
        {"live", "reading"},
    ),
    "memory": (
        {"records"},
        {"text", "openai_http"},
        {"embedding", "people"},
        {"chunking", "llm"},
        {"rerank"},
        {"extraction"},
        {"index"},
        {"store"},
        {"indexing"},
        {"facts"},
        {"merge", "ingest", "question", "retrieval", "graph"},
        {"forgetting"},
    ),
    "daemon": (
        {"config"},
        {"journal", "scheduler"},
        {"pipeline", "backup"},
        {"sources", "buffering", "forgetting", "querying"},
        {"diagnostics"},
        {"service", "service_units"},
        {"http"},
        {"mcp"},
        {"python_api", "evaluation"},
        {"cli"},
    ),
}
"""The folders inside a layer, and the module of records, from the bottom: one may import those of its own floor and of
the floors below.
"""
NAMELESS = {"utils", "util", "common", "base", "helpers", "helper", "misc"}
SIGNAL_NAMES = {"open_signal_receiver", "add_signal_handler", "set_wakeup_fd"}


MOST_METHODS = 25
"""The most public methods and properties of a class."""
NODES = (ast.Import, ast.ImportFrom, ast.Name, ast.Attribute, ast.ClassDef)
Nodes = list[ast.Import | ast.ImportFrom | ast.Name | ast.Attribute | ast.ClassDef]


def modules(root: Path) -> Iterator[tuple[Path, Nodes]]:
    """Each module of the four layers: its path below the root, its imports, names and classes."""
    for layer in ALLOWED:
        for path in sorted((root / layer).rglob("*.py")):
            yield path.relative_to(root), nodes_of(path)


@cache
def nodes_of(path: Path) -> Nodes:
    """The imports, names and classes of a file, which several tests look at."""
    tree = ast.parse(path.read_bytes())
    return [node for node in ast.walk(tree) if isinstance(node, NODES)]


def has_docstring(path: Path) -> bool:
    """Whether the first statement of a file is a string; the rest of the file is not parsed."""
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE):
                return token.type == tokenize.STRING and bool(ast.get_docstring(ast.parse(token.string)))
    return False


def imports(path: Path, nodes: Nodes) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every import that stays in the house, as line and path below `memd`: (3, ("schemas", "message"))."""
    folder = path.parts[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _absolute(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                if node.level:
                    yield node.lineno, (*folder[: len(folder) + 1 - node.level], *module, alias.name)
                else:
                    yield from _absolute(node.lineno, ".".join((*module, alias.name)))


def _absolute(line: int, name: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    first, *rest = name.split(".")
    if first == "memd":
        yield line, tuple(rest)


def layer_offences(root: Path) -> list[str]:
    """One line for each import that runs the wrong way."""
    found: list[str] = []
    for path, nodes in modules(root):
        layer = path.parts[0]
        for line, target in imports(path, nodes):
            if target and target[0] in ALLOWED.keys() - ALLOWED[layer]:
                found.append(f"{path}:{line}: {layer} must not import {'.'.join(target)}")
    return found


def floor_offences(root: Path) -> list[str]:
    """One line for each import that leads from a folder inside a layer to a folder above it."""
    height: dict[tuple[str, ...], int] = {
        (layer, room): floor for layer, floors in FLOORS.items() for floor, rooms in enumerate(floors) for room in rooms
    }
    found: list[str] = []
    for path, nodes in modules(root):
        own = height.get(path.with_suffix("").parts[:2])
        for line, target in imports(path, nodes):
            other = height.get(target[:2])
            if own is not None and other is not None and target[:1] == path.parts[:1] and other > own:
                found.append(f"{path}:{line}: {path.parts[1]} must not import {'.'.join(target)}")
    return found


def listed_folders(text: str) -> dict[str, list[str]]:
    """The folders inside each layer, in the order in which the first block of docs/design.md lists them."""
    folders: dict[str, list[str]] = {}
    layer = ""
    for line in text.split("```")[1].splitlines():
        if match := re.match(r"(\w+)/", line):
            layer = match[1]
        elif match := re.match(r"  (\w+)/", line):
            folders.setdefault(layer, []).append(match[1])
    return folders


def format_offences(root: Path) -> list[str]:
    """One line for each import that leads from a format to another one. Notes leave pages and documents to those whose they are."""
    found: list[str] = []
    for path, nodes in modules(root):
        if path.parts[:2] == ("connectors", "formats") and path.parts[2] != "notes":
            for line, target in imports(path, nodes):
                if target[:2] == path.parts[:2] and target[2:3] != path.parts[2:3]:
                    found.append(f"{path}:{line}: {path.parts[2]} must not import {'.'.join(target)}")
    return found


def absolute_offences(root: Path) -> list[str]:
    """One line for each `memd.…` import where a relative one belongs."""
    return [
        f"{path}:{node.lineno}: write a relative import"
        for path, nodes in modules(root)
        for node in nodes
        if (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "memd")
        or (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "memd" for alias in node.names))
    ]


def printing_offences(root: Path) -> list[str]:
    """One line for each print, or use of standard output, outside the command line."""
    return [
        f"{path}:{node.lineno}: only daemon/cli prints"
        for path, nodes in modules(root)
        if path.parts[:2] != ("daemon", "cli")
        for node in nodes
        if (isinstance(node, ast.Name) and node.id == "print")
        or (
            isinstance(node, ast.Attribute)
            and node.attr in {"stdout", "__stdout__"}
            and isinstance(node.value, ast.Name)
            and node.value.id == "sys"
        )
    ]


def touches_signals(nodes: Nodes) -> bool:
    """Whether a module imports `signal` or asks the event loop for signals."""
    for node in nodes:
        match node:
            case ast.Import(names=names) if any(alias.name == "signal" for alias in names):
                return True
            case ast.ImportFrom(module="signal", level=0):
                return True
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in SIGNAL_NAMES:
                return True
            case _:
                pass
    return False


def wide_classes(root: Path) -> dict[str, int]:
    """Each class of the product with more public methods and properties than allowed, and their number."""
    counts: dict[str, int] = {}
    for path, nodes in modules(root):
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
                counts[f"{path}: {node.name}"] = len({each.name for each in methods if not each.name.startswith("_")})
    return {name: count for name, count in counts.items() if count > MOST_METHODS}


def test_imports_run_one_way(checkout: Path) -> None:
    """The arrows are daemon → {connectors, memory} → schemas, never back or across."""
    offences = layer_offences(checkout)
    assert not offences, "\n".join(offences)


def test_imports_inside_a_layer_run_downwards(checkout: Path) -> None:
    """What the daemon does is known to HTTP, never the reverse; how a fact is kept is not known to those who extract it."""
    offences = floor_offences(checkout)
    assert not offences, "\n".join(offences)


def test_the_design_lists_the_folders_from_the_bottom(checkout: Path) -> None:
    """Whoever looks for a folder finds it there, and no import leads down its list."""
    listed = listed_folders((checkout / "docs" / "design.md").read_text(encoding="utf-8"))
    for layer in FLOORS:
        assert set(listed[layer]) == {path.parent.name for path in (checkout / layer).glob("*/__init__.py")}
    place: dict[tuple[str, ...], int] = {
        (layer, folder): number for layer in listed for number, folder in enumerate(listed[layer])
    }
    offences = [
        f"{path}:{line}: {'.'.join(target[:2])} is below it in docs/design.md"
        for path, nodes in modules(checkout)
        for line, target in imports(path, nodes)
        if target[:1] == path.parts[:1] and place.get(target[:2], -1) > place.get(path.parts[:2], len(place))
    ]
    assert not offences, "\n".join(offences)


def test_no_format_imports_another(checkout: Path) -> None:
    """What several formats share is no format's."""
    offences = format_offences(checkout)
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize("layer", FLOORS)
def test_each_folder_inside_a_layer_has_a_floor(checkout: Path, layer: str) -> None:
    """A new folder is put somewhere; one that is gone is taken out."""
    folders = {path.parent.name for path in (checkout / layer).glob("*/__init__.py")}
    assert set().union(*FLOORS[layer]) - {"records"} == folders


def test_imports_between_our_folders_are_relative(checkout: Path) -> None:
    """Inside the package nothing relies on the name under which it was imported."""
    offences = absolute_offences(checkout)
    assert not offences, "\n".join(offences)


def test_only_the_command_line_prints(checkout: Path) -> None:
    """Everything else logs or returns."""
    offences = printing_offences(checkout)
    assert not offences, "\n".join(offences)


def test_no_class_is_a_facade(checkout: Path) -> None:
    """Whoever needs something of the store calls a function with it, rather than a method that hands it on."""
    assert wide_classes(checkout) == {}


def test_one_module_touches_signals(checkout: Path) -> None:
    """Signals are process-wide, so one place decides what they mean."""
    found = [str(path) for path, nodes in modules(checkout) if touches_signals(nodes)]
    assert len(found) <= 1, f"more than one module touches signals: {', '.join(found)}"


def test_each_module_has_a_name_that_says_something(checkout: Path) -> None:
    """A module called utils is a module nobody named."""
    found = [str(path) for path, _ in modules(checkout) if {path.stem, *path.parts[:-1]} & NAMELESS]
    assert not found, f"find a name for: {', '.join(found)}"


def test_each_file_says_what_it_is_for(checkout: Path) -> None:
    """The first statement of each file, tests and benchmarks too, is a docstring."""
    files = [checkout / "__init__.py"]
    for folder in (*ALLOWED, "tests", "bench"):
        files += sorted((checkout / folder).rglob("*.py"))
    mute = [str(path.relative_to(checkout)) for path in files if not has_docstring(path)]
    assert not mute, f"without a docstring: {', '.join(mute)}"


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("schemas/a.py", "from ..memory import store"),
        ("schemas/a.py", "from .. import daemon"),
        ("connectors/formats/mail/a.py", "from ....memory.ports import Storage"),
        ("memory/a.py", "def later():\n    from ..connectors.reading import registry"),
        ("memory/a.py", "import memd.connectors.reading.registry"),
        ("memory/store/a.py", "from memd import daemon"),
    ],
)
def test_an_import_the_wrong_way_is_found(tmp_path: Path, place: str, line: str) -> None:
    """The walk sees relative, absolute, nested and late imports, and names the offender in one line."""
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(line)
    (offence,) = layer_offences(tmp_path)
    assert offence.startswith(f"{place}:")


@pytest.mark.parametrize(
    ("place", "line", "offends"),
    [
        ("daemon/service/a.py", "from ..http.streaming import operation", True),
        ("daemon/pipeline/a.py", "from ..service import latency", True),
        ("memory/store/a.py", "from ..facts import service", True),
        ("memory/index/a.py", "from ..store import filters", True),
        ("memory/llm/a.py", "def later():\n    from ..facts import planner", True),
        (
            "memory/store/a.py",
            "from ..index import ports\nfrom ..extraction.statement import Statement\nfrom .. import records",
            False,
        ),
        ("daemon/app.py", "from .http.server import serve_api", False),
        ("daemon/service/a.py", "from ...memory.retrieval import search", False),
    ],
)
def test_an_import_of_a_floor_above_is_found(tmp_path: Path, place: str, line: str, offends: bool) -> None:
    """Modules beside the folders put the parts of several together and are free."""
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(line)
    assert [each.split(":")[0] for each in floor_offences(tmp_path)] == [place] * offends


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("daemon/a.py", "from ..memory import store\nfrom ..connectors import registry\nfrom .. import __version__"),
        ("memory/store/a.py", "from ...schemas import Message\nfrom ..records import Link\nfrom . import words"),
        ("schemas/a.py", "import daemon\nfrom memory import x"),  # someone else's packages of that name
    ],
)
def test_an_import_the_right_way_passes(tmp_path: Path, place: str, line: str) -> None:
    """What the layers allow is not reported."""
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(line)
    assert layer_offences(tmp_path) == []
