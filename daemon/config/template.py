"""Writes the configuration as a file to be edited: every setting with its default, commented out, and its description."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path, PurePath
from textwrap import wrap
from typing import Any, cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ...memory.private_files import make_folders, open_private
from ...schemas.errors import InvalidError, StoreError
from .settings import Section, Settings
from .source_settings import MODELS, SourceSettings

_WIDTH = 100
_HEAD = """\
The settings of memd. What is commented out is the default; take the "#" away to change it. The environment
(MEMD_<SECTION>_<KEY>) goes over this file, and flags go over both; `memd config` shows what is in force, and why.
"""
_PLACES = {
    "data_dir": "The folder in which everything is kept; by default $XDG_DATA_HOME/memd.",
    "socket": "The socket on which the daemon listens; by default in $XDG_RUNTIME_DIR, or in a chosen data_dir.",
}
_NOT_HERE = ("config", "socket_chosen", "sources")


def template() -> str:
    """Return the text of the file."""
    lines = [*_comment(_HEAD), ""]
    sections: list[tuple[str, type[Section], str]] = []
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            sections.append((name, field.annotation, field.annotation.__doc__ or ""))
        elif name not in _NOT_HERE:
            lines += [*_comment(field.description or _PLACES[name]), _setting(name, field), ""]
    for name, section, summary in sections:
        lines += [*_comment(summary), f"[{name}]", *_fields(section), ""]
    lines += [*_comment(Settings.model_fields["sources"].description or ""), "# [[sources]]", *_fields(SourceSettings)]
    for kind, model in MODELS.items():
        lines += ["", *_comment(f"Keys of the kind {kind}:"), *_fields(model, SourceSettings)]
    return "\n".join(lines) + "\n"


def write_template(path: Path) -> None:
    """Write the template to a new file.

    Raises:
        InvalidError: the file exists.
        StoreError: it cannot be written.
    """
    try:
        make_folders(path.parent)
        with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        hint = "edit it, or write the template elsewhere: memd config --init --config FILE"
        raise InvalidError(f"{path} is there already, and nothing is overwritten", hint=hint) from None
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}", hint="choose another with --config") from error


def _fields(model: type[BaseModel], base: type[BaseModel] = BaseModel) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if name in base.model_fields:
            continue
        if field.description:
            yield from _comment(field.description)
        yield _setting(name, field)


def _comment(text: str) -> Iterator[str]:
    for line in wrap(" ".join(text.replace("``", "`").split()), _WIDTH):
        yield f"# {line}"


def _setting(name: str, field: FieldInfo) -> str:
    value = None if field.is_required() or name in _PLACES else field.get_default(call_default_factory=True)
    return f"# {name} =" if value is None else f"# {name} = {toml_value(value)}"


def toml_value(value: Any) -> str:  # noqa: ANN401 - whatever a setting holds
    """Return a value in TOML; tables in one line."""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml_value(each)}" for key, each in pairs) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(toml_value, cast("list[Any]", value))) + "]"
    text = json.dumps(str(value) if isinstance(value, PurePath) else value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")  # JSON allows it in a text, TOML does not
