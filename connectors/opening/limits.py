"""The limits under which sources are opened, and the budget that counts the actual unpacked size of an archive."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from ...schemas.errors import SourceError

_MIB = 1024 * 1024
_GIB = 1024 * _MIB

MESSAGE_CAP = 16 * _MIB
"""Bytes of one message's content."""
MESSAGE_TOO_LARGE = f"more than {MESSAGE_CAP} bytes in one message"


def is_too_large(content: str) -> bool:
    """Return whether a message's content has more bytes in UTF-8 than allowed."""
    return len(content) * 4 > MESSAGE_CAP and len(content.encode("utf-8", "surrogatepass")) > MESSAGE_CAP


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on a source's size. Sizes are counted while reading; the sizes in headers are never trusted."""

    members: int = 50_000
    """Files in one folder or archive."""
    member_bytes: int = 32 * _GIB
    """Uncompressed bytes of one compressed member. Plain files have no cap: they are on the disk already."""
    total_bytes: int = 128 * _GIB
    """Uncompressed bytes of a whole archive."""
    ratio: int = 200
    """Uncompressed bytes for each compressed one. Deflate reaches 1:1032; large chats stay below 1:20."""
    ratio_free_bytes: int = 64 * _MIB
    """The bytes that may unpack at any ratio: a small chat that repeats the same text is no bomb."""
    depth: int = 2
    """Archives inside archives: 1 reads no archive inside another."""
    nested_bytes: int = 128 * _MIB
    """The total size of archives inside an archive that are held in memory; those stored without compression are read
    in place and do not count.
    """
    folder_depth: int = 32
    """Folders inside folders."""
    path_length: int = 1024
    """Characters of a member's path."""
    replay_bytes: int = 8 * _MIB
    """The bytes of standard input that are kept, so that it can be sniffed and then read from its start."""


DEFAULT_LIMITS = Limits()


@dataclass(slots=True)
class Budget:
    """The unpacked size of the members of one archive so far. Reading a member twice counts once."""

    limits: Limits
    compressed: int
    """Bytes of the archive itself."""
    outer: Budget | None = None
    """The budget of the archive around this one: bytes unpacked here count there, too."""
    name: str = ""
    """The archive's own name in the outer one."""
    total: int = 0
    _read: dict[str, int] = field(default_factory=dict[str, int])
    _lent: dict[str, int] = field(default_factory=dict[str, int])
    _lent_bytes: int = 0

    def guard(
        self, chunks: Generator[bytes, None, None], name: str, locator: str, compressed: int
    ) -> Generator[bytes, None, None]:
        """Pass the chunks on until one goes over a cap.

        Raises:
            SourceError: a size or a ratio is over its cap.
        """
        size = 0
        try:
            for chunk in chunks:
                size += len(chunk)
                self.check(name, size, locator, compressed)
                yield chunk
        finally:
            chunks.close()

    def check(self, name: str, size: int, locator: str, compressed: int) -> None:
        """Add the unpacked bytes of a member, and the compressed bytes that they came from.

        Raises:
            SourceError: a size or a ratio is over its cap.
        """
        limits = self.limits
        self.count(name, size)
        around = list(self._around())
        hint = "unpack it yourself and read the folder, if you trust it"
        if size > limits.member_bytes or any(budget.total > limits.total_bytes for budget in around):
            raise SourceError(f"{locator}: unpacks to more than it may", hint=hint)
        bombs = (_bomb(budget.total, budget.compressed, limits) for budget in around)
        if _bomb(size, compressed, limits) or any(bombs):
            problem = f"{locator}: compressed more than 1:{limits.ratio}, like an archive made to fill disks"
            raise SourceError(problem, hint=hint)

    def lend(self, name: str, size: int, locator: str) -> None:
        """Add a member whose bytes are read in place. All of them together cannot be larger than the archive.

        Raises:
            SourceError: they are, so members share their bytes.
        """
        self._lent_bytes += size - self._lent.get(name, 0)
        self._lent[name] = size
        if self._lent_bytes > self.compressed:
            raise SourceError(f"{locator}: shares its bytes with other members, like an archive made to fill disks")

    def count(self, name: str, size: int) -> None:
        """Note that so much of a member was unpacked, here and in the archives around."""
        before = self._read.get(name, 0)
        if size > before:
            self.total += size - before
            self._read[name] = size
            if self.outer is not None:
                self.outer.count(f"{self.name}\0{name}", size)

    def _around(self) -> Iterator[Budget]:
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget.outer


def _bomb(size: int, compressed: int, limits: Limits) -> bool:
    return size > limits.ratio_free_bytes and size > limits.ratio * max(compressed, 1)
