"""Frames that are parsed together are what each by itself is, whatever stands among them."""

from __future__ import annotations

import io
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.formats.signal import frames
from memd.tests.effort import examples

LINE = st.sampled_from(
    [b'{"a":1}', b'{"a":1} ', b' {"b":"x"}\r', b"", b" ", b"[1]", b"1", b'{"a":"cut', b'here"}', b"}", b'{"a":[{}', b"{}]}",
     b'{"a":"\\ud800"}', b'{"a":"\xff"}', b'{"a":"\x00"}', b"{},{}", b'{"a":"' + b"x" * 40 + b'"}', b"x" * 50, b"\xef\xbb\xbf{}"]
)  # fmt: skip


@given(
    st.lists(LINE | st.just(b'{"a":1}'), max_size=20),
    st.sampled_from([b"", b"\n"]),
    st.sampled_from([1, 5, 16, 47]),
    st.sampled_from([47, 48, 49, 1000]),
)
@settings(max_examples=examples(60), deadline=None)
def test_the_lines_of_a_block_are_what_each_by_itself_is(
    given_lines: list[bytes], end: bytes, block: int, cap: int
) -> None:
    """Whichever of them are broken, cut, too long or blank, and wherever blocks end."""
    data = b"\n".join(given_lines) + end

    def found() -> list[tuple[int, object]]:
        told: list[tuple[int, object]] = []
        for each in frames.frames(io.BufferedReader(io.BytesIO(data))):  # type: ignore[arg-type] - bytes are a raw stream, too
            told += enumerate(each.values, each.line)
            told += [(each.line, each.reason)] if each.reason else []
        return told

    with patch.object(frames, "FRAME_CAP", cap):
        with patch.object(frames, "_objects", return_value=None), patch.object(frames, "_BLOCK", 1):
            expected = found()
        with patch.object(frames, "_BLOCK", block):
            assert found() == expected
