"""How the fuzz tests make hostile input: valid exports and values, changed a little in many ways.

Deterministic, so that a failure comes back, but in the profile "long" (``make fuzz``): many more examples, at random.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from memd.connectors.connector import Member
from memd.schemas import Notice, Rejected
from memd.tests import effort


def examples(number: int) -> settings:
    """So many examples in the profile "ci", always the same; in "long" that many times more, and others each time."""
    return settings(
        max_examples=effort.examples(number),
        derandomize=effort.PROFILE != "long",
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )


TOKENS: Sequence[bytes] = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xfe\xff\x00", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3", b"\r", b"\n", b"\r\n",
    b"\xe2\x80\xa8", b"\xe2\x80\x8e", b"\xe2\x80\xaf", b"\xe2\x80\xae", b"\x1b[2J", b"\x85", b"\t", b" - ", b": ", b"[", b"]", b"{",
    b"}", b'"', b"\\", b"\\u0000", b"\\ud800", b"null", b"-0", b"1e999", b"NaN", b"99999999999999999999", b"0001-01-01T00:00:00Z",
    b"9999-12-31T23:59:59.999999+23:59", b"2024-02-30", b"2016-12-31T23:59:60Z", b"31/12/9999, 23:59 - ", b"00/00/00, 99:99 - ",
    b"29/02/2023, 24:00 - ", b"1/1/1, 0:00 AM - ", b"---\n", b"+++\n", b"# ", b"```\n", b"[[", b"]]", b"<Media omitted>", b"!!python/object:os.system",
    b"&a [*a, *a]", b"<<: *a", b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"\xff" * 8, b"\x00" * 8, b"A" * 300, b"[" * 2000, b'{"a":' * 600,
)  # fmt: skip
"""What parsers stumble over."""


@st.composite
def mutated(draw: st.DrawFn, seeds: Sequence[bytes], most: int = 6) -> bytes:
    """One of the seeds after some cuts, repetitions, exchanges, flipped bits and tokens at any place."""
    data = bytearray(draw(st.sampled_from(list(seeds))))
    for _ in range(draw(st.integers(0, most))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 40)))
        change = draw(st.integers(0, 6))
        if change == 0:
            del data[at:end]
        elif change == 1:
            data[at:at] = data[at:end] * draw(st.integers(1, 20))
        elif change == 2:
            data[at:end] = draw(st.sampled_from(TOKENS))
        elif change == 3:
            data[at:at] = draw(st.sampled_from(TOKENS))
        elif change == 4 and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif change == 5:
            data[at:end] = draw(st.binary(max_size=20))
        else:
            other = draw(st.sampled_from(list(seeds)))
            data[at:] = other[draw(st.integers(0, len(other))) :]
    return bytes(data)


def anything(leaves: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Any]:
    """JSON values of every kind, not only those that orjson can write."""
    plain = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text()
        | st.sampled_from(["", " ", "\x00", "\ud800", "x" * 5000])
    )
    return st.recursive(
        plain if leaves is None else plain | leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=8,
    )


@dataclass(frozen=True)
class Held:
    """Bytes under a name: a member, and a source of one member."""

    name: str
    data: bytes

    @property
    def locator(self) -> str:
        """The name again."""
        return self.name

    @property
    def size(self) -> int | None:
        """The number of bytes."""
        return len(self.data)

    def open(self) -> BinaryIO:
        """The bytes."""
        return io.BytesIO(self.data)

    def members(self) -> Sequence[Member]:
        """Itself."""
        return [self]

    def notices(self) -> Sequence[Notice | Rejected]:
        """Nothing was refused."""
        return ()
