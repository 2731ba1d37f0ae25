"""Opens a data set: finds its form by its files, and its reader."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from ....schemas.errors import ConfigError, SourceError
from ....schemas.wording import wrong_value
from ..metrics_retrieval import DEPTHS
from . import beam, precisionmembench
from .beam import read_beam
from .dataset import Dataset, Scope, json_of
from .dialogues import read_locomo, read_realtalk
from .entries import read_entries
from .labelled_chats import HITS, read_labelled_chats
from .longmemeval import read_longmemeval
from .precisionmembench import read_precisionmembench

OWN = Path(__file__).parent / "sample.json"
"""The small data set that ships with memd, written for it."""
CHATS = "chats"
Reader = Callable[[Dataset, list[Path]], Iterator[Scope]]
READERS: Mapping[str, Reader] = {
    "memd": read_entries,
    "locomo": read_locomo,
    "realtalk": read_realtalk,
    "longmemeval": read_longmemeval,
    "beam": read_beam,
    "precisionmembench": read_precisionmembench,
}
FORMS = (*READERS, CHATS)
_MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError, OSError)
"""Errors of readers at a record that lacks something, or has a value of another kind."""
_KEYS = {"entries": "memd", "haystack_sessions": "longmemeval", "sample_id": "locomo", "conversation": "locomo"}
"""Keys of the first object of a file by which a form is known."""


def open_dataset(path: Path | None = None, form: str = "auto", corrections: Path | None = None) -> Dataset:
    """Return the data set of a file or folder; without one, memd's own.

    Args:
        path: of it.
        form: one of `FORMS`, or ``auto``.
        corrections: evidence that takes the place of LoCoMo's; see `read_locomo`.

    Raises:
        ConfigError: corrections for another form than LoCoMo's.
        SourceError: there is no such file, or its form is not known.
    """
    path = path or OWN
    if not path.exists():
        raise SourceError(f"there is no {path}", hint="--dataset names the file or folder of a data set")
    files = _files(path)
    if form == "auto":
        form = _form_of(path, files)
    if corrections is not None and form != "locomo":
        raise ConfigError(f"corrections of evidence are read for LoCoMo, not for {form}")
    if form == "beam":
        files = [file for file in files if file.name == beam.QUESTIONS]
    elif form == "precisionmembench":
        files = [file for file in files if file.name == precisionmembench.CASES]
    if not files:
        raise SourceError(f"{path} holds no data set of the form {form}", hint=f"forms: {', '.join(FORMS)}")

    def read(file: Path) -> Iterator[Scope]:
        if form == CHATS:
            return read_labelled_chats(file)
        if form == "locomo":
            return read_locomo(dataset, [file], corrections)
        return READERS[form](dataset, [file])

    def scopes() -> Iterator[Scope]:
        dataset.left_out.clear()
        for file in [path] if form == CHATS else files:
            yield from _well_formed(file, form, read(file))

    # What a reader finds beside its files is part of the data.
    beside = [file.parent / precisionmembench.BELIEFS for file in files if form == "precisionmembench"]
    hits = HITS if form == CHATS else max(DEPTHS)
    dataset = Dataset("memd's own" if path == OWN else path.name, form, [*files, *beside], scopes, hits)
    return dataset


def digest_of(dataset: Dataset) -> str:
    """Return the SHA-256 of the files of a data set, by their order and content.

    Raises:
        SourceError: a file cannot be read.
    """
    whole = hashlib.sha256()
    for file in dataset.files:
        try:
            with file.open("rb") as content:
                whole.update(hashlib.file_digest(content, "sha256").digest())
        except OSError as error:
            raise SourceError(f"{file} cannot be read: {error.strerror}") from error
    return whole.hexdigest()


def _well_formed(file: Path, form: str, scopes: Iterator[Scope]) -> Iterator[Scope]:
    """Yield the scopes of a file; a record that its reader stumbles on is a `SourceError`."""
    try:
        yield from scopes
    except _MALFORMED as error:
        raise SourceError(
            f"{file} is not of the form {form}: {_fault(error)}", hint="--format names another form"
        ) from error


def _fault(error: Exception) -> str:
    """Return what is wrong with a record, without its words: they may be private."""
    if isinstance(error, KeyError):
        return f"a record has no {str(error.args[0])[:40]!r}"
    if isinstance(error, ValidationError):
        detail = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, detail["loc"]))
        return f"{place}: {wrong_value(detail)}" if place else wrong_value(detail)
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"a value is not what it should be ({type(error).__name__})"


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.suffix in (".json", ".jsonl", ".questions", ".cross", ".smalltalk", ".txt") and file.is_file()
    )


def _form_of(path: Path, files: list[Path]) -> str:
    names = {file.name for file in files}
    if beam.QUESTIONS in names:
        return "beam"
    if precisionmembench.CASES in names:
        return "precisionmembench"
    if any(file.suffix == ".questions" for file in files):
        return CHATS
    for file in files:
        if file.suffix in (".json", ".jsonl"):
            content: object = json_of(file)
            first = cast("list[object]", content)[:1] if isinstance(content, list) else [content]
            keys = {str(key) for each in first if isinstance(each, dict) for key in cast("dict[object, object]", each)}
            if {"name", "qa", "session_1"} <= keys:
                return "realtalk"
            if "session_1" in keys:
                return "locomo"
            if match := next((form for key, form in _KEYS.items() if key in keys), None):
                return match
    raise SourceError(f"the form of {path} is not known", hint=f"--format names it: {', '.join(FORMS)}")
