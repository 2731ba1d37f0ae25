"""The tables of formats in README.md and docs/connectors.md, and the list of packages in pyproject.toml.

`python -m memd.tests.format_tables` in the checkout's environment writes them anew, from the registry and the folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from memd.connectors.connector import Format
from memd.connectors.reading.registry import formats

CHECKOUT = Path(__file__).parent.parent
LAYERS = ("schemas", "connectors", "memory", "daemon")
BEGIN, END = "<!-- formats: written by tests/format_tables.py -->\n", "<!-- end of formats -->\n"
_PACKAGES = re.compile(r"(?<=^packages = \[\n).*?(?=^\]$)", re.MULTILINE | re.DOTALL)


def page_of(each: Format) -> str:
    """The page of a format in its folder, by its path in the checkout."""
    folders = each.connector.partition(":")[0].split(".")[1:-1]
    return "/".join((*folders, "README.md"))


def packages(checkout: Path) -> list[str]:
    """Every folder of the four layers that is a package, by its dotted name."""
    folders = [path.parent for layer in LAYERS for path in (checkout / layer).rglob("__init__.py")]
    return sorted({"memd"} | {".".join(("memd", *folder.relative_to(checkout).parts)) for folder in folders})


def _readme_row(each: Format) -> str:
    program, _, reads = each.reads.partition(": ")
    return f"| [{program}]({page_of(each)}) | {reads} |\n"


def _connectors_row(each: Format) -> str:
    return f"| [{each.reads.partition(': ')[0]}](../{page_of(each)}) | `{each.name}` | {each.leaves_out} |\n"


def with_table(text: str, head: str, row: Callable[[Format], str]) -> str:
    """A page with the table of now."""
    table = f"| {head} |\n|{'---|' * (head.count('|') + 1)}\n" + "".join(map(row, formats()))
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: BEGIN + table + END, text, flags=re.DOTALL)


def written(name: str, text: str) -> str:
    """One of the three files as it should be."""
    if name == "pyproject.toml":
        return _PACKAGES.sub("".join(f'    "{each}",\n' for each in packages(CHECKOUT)), text)
    if name == "README.md":
        return with_table(text, "program | what is read", _readme_row)
    return with_table(text, "program | `--format` | what is not read", _connectors_row)


FILES = ("README.md", "docs/connectors.md", "pyproject.toml")

if __name__ == "__main__":
    for file in FILES:
        (CHECKOUT / file).write_text(written(file, (CHECKOUT / file).read_text("utf-8")), "utf-8")
