"""The progress bar: what it draws, and that it stays silent where nobody looks."""

from __future__ import annotations

import io

from memd.daemon.cli.render.progress import ProgressBar


def test_nothing_is_drawn_where_nobody_looks() -> None:
    """A stream that is no terminal stays empty."""
    stream = io.StringIO()
    with ProgressBar(stream) as bar:
        bar.show({"stage": "storing", "processed": 5, "total": 10})
    assert stream.getvalue() == ""


def test_share_rate_and_time_left_are_shown() -> None:
    """With a known end: share, counts, messages a second and the time left."""
    stream = io.StringIO()
    bar = ProgressBar(stream, shown=True)
    bar.show({"stage": "embedding", "embedded": 0, "to_embed": 1000}, now=10.0)
    bar.show({"stage": "embedding", "embedded": 250, "to_embed": 1000}, now=12.0)
    last = stream.getvalue().rpartition("\x1b[K")[2]
    assert "vectors" in last
    assert "25%" in last
    assert "250/1,000" in last
    assert "125/s" in last
    assert "6 s left" in last


def test_an_unknown_end_shows_only_what_is_done() -> None:
    """Without a total there is neither a share nor a guess."""
    stream = io.StringIO()
    ProgressBar(stream, shown=True).show({"stage": "reading", "processed": 1234}, now=1.0)
    assert "1,234 messages" in stream.getvalue()
    assert "%" not in stream.getvalue()


def test_a_source_cannot_write_to_the_terminal() -> None:
    """Names from outside are made harmless; the only escapes are the bar's own."""
    stream = io.StringIO()
    ProgressBar(stream, shown=True).show({"stage": "reading", "source": "\x1b]0;owned\x07\n"}, now=1.0)
    assert stream.getvalue().count("\x1b") == 1
    assert "\n" not in stream.getvalue()


def test_the_line_is_cleared_at_the_end() -> None:
    """What is said next starts on an empty line, also after an error."""
    stream = io.StringIO()
    with ProgressBar(stream, shown=True) as bar:
        bar.show({"stage": "storing"}, now=1.0)
    assert stream.getvalue().endswith("\r\x1b[K")


def test_steps_of_an_operation_are_shown_alike() -> None:
    """With a total as a share; without one, what is done; nothing where JSON was asked for."""
    stream = io.StringIO()
    bar = ProgressBar(stream, shown=True)
    bar.show({"stage": "planning", "done": 0, "total": None}, now=1.0)
    assert "planning  …" in stream.getvalue()
    bar.show({"stage": "copying the store", "done": 5, "total": 20}, now=2.0)
    assert "25%  5/20" in stream.getvalue()
    quiet = io.StringIO()
    ProgressBar(quiet, shown=True, quiet=True).show({"stage": "planning"}, now=1.0)
    assert quiet.getvalue() == ""
