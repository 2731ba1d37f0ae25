"""The hits that were shown last, by their numbers, so that `memd show 2` shows the second.

They are kept for each user in one private file of the state folder, which holds numbers and ids, and a digest of the
memory's paths: a number never leads to a hit of another memory. What was forgotten is not found under its id either.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256

from ...memory.private_files import create_anew, make_folders, open_private
from ..config.paths import ResolvedPaths, state_folder

FILE = "last_answer"
_DIGITS = 3
"""Most digits of a number of a hit: an id needs four characters."""
_LONGEST = 64 * 1024


def is_number(text: str) -> bool:
    """Return whether a text is the number of a hit, not an id."""
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS


def remember_hits(places: ResolvedPaths, ids: Mapping[int, str]) -> None:
    """Keep the ids of an answer by the numbers that were shown; where they cannot be kept, numbers lead nowhere.

    Args:
        places: the memory that answered.
        ids: of the hits that were shown.
    """
    path = _path()
    text = "".join(f"{line}\n" for line in (_digest(places), *(f"{number} {id_}" for number, id_ in ids.items())))
    fresh = f"{path}.{os.getpid()}"  # two commands may answer at a time
    with suppress(OSError):
        make_folders(os.path.dirname(path))
        try:
            with os.fdopen(create_anew(fresh), "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(fresh, path)
        except OSError:
            with suppress(OSError):
                os.unlink(fresh)


def hit_id(places: ResolvedPaths, number: str) -> str:
    """Return the id of a hit of the last answer.

    Raises:
        NotFoundError: there is no last answer of this memory, or it has no hit of this number.
    """
    ids = _read(places)
    if (identifier := ids.get(number.lstrip("0"))) is not None:
        return identifier
    from ...schemas.errors import NotFoundError

    if not ids:
        raise NotFoundError(
            f"there is no last answer to take hit {number} of",
            hint='ask first, as in `memd query "where does Bob live?"`, or give an id: `memd query TEXT --ids`',
        )
    numbers = list(ids)
    has = f"hit {numbers[0]} alone" if len(ids) == 1 else f"the hits {_listed(numbers)}"
    raise NotFoundError(f"the last answer has no hit {number}", hint=f"it showed {has}; -k N shows more")


def _listed(numbers: list[str]) -> str:
    """``1 to 5`` of numbers in a row, else all of them."""
    row = [str(number) for number in range(1, len(numbers) + 1)]
    return f"{row[0]} to {row[-1]}" if numbers == row else ", ".join(numbers)


def _read(places: ResolvedPaths) -> dict[str, str]:
    try:
        with os.fdopen(open_private(_path(), os.O_RDONLY), "rb") as file:
            memory, *lines = file.read(_LONGEST).decode("utf-8", "replace").splitlines() or [""]
    except OSError:
        return {}
    pairs = (line.partition(" ") for line in lines)
    return {number: id_ for number, _, id_ in pairs if id_} if memory == _digest(places) else {}


def _path() -> str:
    return os.path.join(state_folder(), FILE)


def _digest(places: ResolvedPaths) -> str:
    return sha256(f"{places.data_dir}\0{places.socket}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
