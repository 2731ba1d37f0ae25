"""The file of codes finds what was written, holds nothing of what was cleared, and is believed only where it fits."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from numpy.typing import NDArray

from memd.memory.file_errors import ExhaustedError
from memd.memory.index import vector_codes
from memd.memory.index.vector_codes import HEAD, VectorCodes, read_head
from memd.schemas.errors import StoreError
from memd.tests import effort

DIMENSION = 32
NAME = "vectors.codes"


def units(count: int, seed: int = 1) -> NDArray[np.float32]:
    """Vectors around twenty centres, as those of a chat are."""
    rng = np.random.default_rng(seed)
    matrix = np.repeat(rng.standard_normal((20, DIMENSION)), -(-count // 20), axis=0)[:count]
    matrix += 0.5 * rng.standard_normal((count, DIMENSION))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def opened(folder: Path, identity: str = "some/1", *, newest: int = 1_000, read_only: bool = False) -> VectorCodes:
    """The codes in a folder."""
    codes = VectorCodes(folder / NAME, identity, DIMENSION, read_only=read_only)
    codes.open(newest)
    return codes


def rows(*texts: int) -> NDArray[np.int64]:
    """Row ids of texts."""
    return np.array(texts, np.int64)


def saved(folder: Path, matrix: NDArray[np.float32], sequence: int = 5) -> VectorCodes:
    """Codes of texts from 1 on, in a file that is still open."""
    codes = opened(folder)
    codes.write(np.arange(1, len(matrix) + 1), matrix)
    codes.sequence = sequence
    codes.save()
    return codes


def coded(matrix: NDArray[np.float32]) -> list[bytes]:
    """The codes of these vectors, as the file has them."""
    return [code.tobytes() for code in vector_codes.Axes().encode(matrix)[0]]


def holding(folder: Path, matrix: NDArray[np.float32]) -> int:
    """How many of these vectors a file of the folder has a code of."""
    data = b"".join(path.read_bytes() for path in folder.iterdir())
    return sum(code in data for code in coded(matrix))


def likeness(codes: VectorCodes, texts: NDArray[np.int64], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosines of what the codes tell with the vectors."""
    told = codes.get(texts)
    return np.einsum("ij,ij->i", told, matrix) / np.linalg.norm(told, axis=1)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred rows are many; along half of the axes a tenth of them is chosen."""
    monkeypatch.setattr(vector_codes, "EXACT_ROWS", 200)
    monkeypatch.setattr(vector_codes, "HEAD_AXES", DIMENSION // 2)
    monkeypatch.setattr(vector_codes, "HEAD_SHARE", 0.1)
    monkeypatch.setattr(vector_codes, "AT_ONCE", 64)


def test_written_rows_are_found_before_and_after_reopening(tmp_path: Path) -> None:
    """Each text by its own vector first, among all and among some; a text without a row is not found."""
    matrix = units(300)
    texts = np.concatenate([np.arange(1, 200), np.arange(50_000, 50_101)])
    codes = opened(tmp_path)
    codes.write(texts[::-1], matrix[::-1])
    codes.sequence = 7
    codes.save()
    codes.close()
    again = opened(tmp_path)
    assert again.sequence == 7
    assert again.texts().tolist() == texts.tolist()
    for text, vector in zip(texts.tolist(), matrix, strict=True):
        assert again.nearest(vector, 1).tolist() == [text]
        assert again.among(vector, rows(text, 3_000, text, 10**9), 5).tolist() == [text]
    assert sorted(again.nearest(matrix[0], 10_000).tolist()) == texts.tolist()
    assert (likeness(again, texts, matrix) > 0.9995).all()
    again.close()


def test_a_text_has_its_latest_vector(tmp_path: Path) -> None:
    """Writing it again replaces it; writing the same again changes nothing."""
    matrix = units(50)
    codes = saved(tmp_path, matrix)
    before = (tmp_path / NAME).read_bytes()
    codes.write(np.arange(1, 51), matrix)
    codes.save()
    assert (tmp_path / NAME).read_bytes() == before
    codes.write(rows(3), matrix[:1])
    assert sorted(codes.nearest(matrix[0], 2).tolist()) == [1, 3]
    assert holding(tmp_path, matrix[2:3]) == 0
    codes.close()


def test_no_code_of_a_cleared_text_is_in_the_file(tmp_path: Path) -> None:
    """The last row, too; the others are found as before, and the place can be used again."""
    matrix = units(60)
    codes = saved(tmp_path, matrix)
    assert holding(tmp_path, matrix) == 60
    codes.clear(rows(60, 1, 7, 4_000))
    gone = [0, 6, 59]
    assert holding(tmp_path, matrix[gone]) == 0
    assert holding(tmp_path, np.delete(matrix, gone, axis=0)) == 57
    assert codes.texts().tolist() == [text for text in range(1, 60) if text not in (1, 7)]
    codes.write(rows(7), matrix[:1])
    assert codes.nearest(matrix[0], 1).tolist() == [7]
    codes.close()


def test_a_kill_before_the_head_is_written_loses_nothing(tmp_path: Path) -> None:
    """The number of the last change is the older one: what came since is written again, and each text is there once."""
    matrix = units(90)
    codes = saved(tmp_path, matrix[:60], sequence=5)
    codes.write(np.arange(55, 91), matrix[54:])
    codes.clear(rows(2))
    codes.close()  # as a kill does, which saves nothing
    again = opened(tmp_path)
    assert again.sequence == 5
    again.write(np.arange(55, 91), matrix[54:])
    again.clear(rows(2))
    again.sequence = 9
    again.save()
    assert again.texts().tolist() == [1, *range(3, 91)]
    for text in (1, 3, 55, 90):
        assert again.nearest(matrix[text - 1], 1).tolist() == [text]
    again.close()


@pytest.mark.parametrize("harm", ["cut", "cut in the head", "empty", "head", "not its head", "store", "future", "link"])
def test_a_file_that_does_not_fit_is_not_used(tmp_path: Path, harm: str) -> None:
    """It counts as empty, and is made anew by the next change; what a link leads to is not touched."""
    matrix = units(40)
    saved(tmp_path, matrix).close()
    path, target = tmp_path / NAME, tmp_path / "target"
    data = path.read_bytes()
    if harm == "head":
        data = data.replace(b'"sequence":5', b'"sequence":6')
    elif harm == "not its head":
        data = b"[]".ljust(HEAD) + data[HEAD:]
    elif harm == "link":
        path.rename(target)
        path.symlink_to(target)
    else:
        data = data[: {"cut": -1, "cut in the head": 99, "empty": 0}.get(harm, len(data))]
    if harm != "link":
        path.write_bytes(data)
    identity, newest = ("other/1" if harm == "store" else "some/1"), (4 if harm == "future" else 5)
    codes = opened(tmp_path, identity, newest=newest)
    assert (codes.sequence, len(codes)) == (0, 0)
    codes.write(rows(3), matrix[:1])
    codes.sequence = 1
    codes.save()
    codes.close()
    again = opened(tmp_path, identity, newest=newest)
    assert (again.texts().tolist(), again.sequence) == ([3], 1)
    assert holding(tmp_path, matrix[1:]) == (39 if harm == "link" else 0)
    assert harm != "link" or (target.read_bytes() == data and not path.is_symlink())
    again.close()


def test_who_may_not_write_answers_and_writes_nothing(tmp_path: Path) -> None:
    """What comes is found, and kept in memory alone."""
    matrix = units(60)
    saved(tmp_path, matrix[:40]).close()
    before = (tmp_path / NAME).read_bytes()
    codes = opened(tmp_path, read_only=True)
    assert codes.nearest(matrix[3], 1).tolist() == [4]
    codes.write(np.arange(41, 61), matrix[40:])
    codes.clear(rows(4))
    codes.sequence = 9
    codes.save()
    assert codes.nearest(matrix[50], 1).tolist() == [51]
    assert codes.nearest(matrix[3], 1).tolist() != [4]
    codes.close()
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).read_bytes() == before


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("read_only", [False, True])
def test_learned_axes_find_what_was_found_without(tmp_path: Path, read_only: bool) -> None:
    """Before and after reopening; writing and clearing go on."""
    matrix = units(500)
    texts = np.arange(3, 1_503, 3)
    codes = opened(tmp_path, read_only=read_only)
    codes.write(texts, matrix)
    codes.sequence = 8
    assert codes.needs_axes()
    learned = codes.learn()
    assert not learned.needs_axes()
    assert (learned.sequence, learned.texts().tolist()) == (8, texts.tolist())
    if not read_only:
        learned.move(tmp_path / NAME)
        learned.close()
        learned = opened(tmp_path)
        assert (learned.sequence, learned.texts().tolist()) == (8, texts.tolist())
    for text, vector in zip(texts.tolist(), matrix, strict=True):
        assert learned.nearest(vector, 1).tolist() == [text]
    assert (likeness(learned, texts, matrix) > 0.999).all()
    learned.clear(texts[:5])
    learned.write(rows(4), matrix[:1])
    assert learned.nearest(matrix[0], 1).tolist() == [4]
    assert learned.texts().tolist() == [4, *texts[5:].tolist()]
    codes.close()
    learned.close()
    assert not read_only or list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("length", [HEAD, HEAD + 10, HEAD + 4 * DIMENSION * 3])
def test_a_file_that_ends_in_its_axes_is_not_used(tmp_path: Path, length: int) -> None:
    """It counts as empty."""
    codes = opened(tmp_path)
    codes.write(np.arange(1, 301), units(300))
    codes.learn().move(tmp_path / NAME)
    codes.close()
    os.truncate(tmp_path / NAME, length)
    again = opened(tmp_path)
    assert (again.sequence, len(again)) == (0, 0)


@pytest.mark.usefixtures("few")
def test_axes_that_changed_are_not_used(tmp_path: Path) -> None:
    """All codes depend on them."""
    codes = opened(tmp_path)
    codes.write(np.arange(1, 301), units(300))
    codes.sequence = 2
    codes.learn().move(tmp_path / NAME)
    codes.close()
    data = bytearray((tmp_path / NAME).read_bytes())
    data[HEAD + 4 * DIMENSION + 3] ^= 0x40
    (tmp_path / NAME).write_bytes(data)
    again = opened(tmp_path)
    assert (again.sequence, len(again)) == (0, 0)


def test_an_offset_that_changed_does_not_pass_for_the_vector(tmp_path: Path) -> None:
    """Where it does not fit the code, the vector that a check gets is of zeros."""
    matrix = units(10)
    codes = saved(tmp_path, matrix)
    width = vector_codes.BEFORE_CODE + DIMENSION
    with (tmp_path / NAME).open("r+b") as file:
        for text, offset in ((2, -9.0), (3, np.nan)):
            file.seek(HEAD + text * width)
            file.write(np.float32(offset).tobytes())
    assert codes.get(np.arange(1, 5)).any(axis=1).tolist() == [True, False, False, True]
    codes.close()


@pytest.mark.parametrize("step", ["pwrite", "fsync"])
def test_a_full_disk_is_told_and_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """It is a StoreError; what was saved before is there, and the change can be written again."""
    matrix = units(60)
    codes = saved(tmp_path, matrix[:40])

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, full)
        with pytest.raises(StoreError, match="disk is full"):
            codes.write(np.arange(41, 61), matrix[40:]) if step == "pwrite" else codes.save()
    assert codes.nearest(matrix[3], 1).tolist() == [4]
    codes.close()
    again = opened(tmp_path)
    assert again.sequence == 5
    again.write(np.arange(41, 61), matrix[40:])
    assert again.nearest(matrix[50], 1).tolist() == [51]
    again.close()


def test_want_of_descriptors_says_nothing_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening it fails as long as that lasts; it is not made anew."""
    saved(tmp_path, units(10)).close()

    def lack(*_: object) -> int:
        raise OSError(errno.EMFILE, "no more")

    with monkeypatch.context() as patch:
        patch.setattr(vector_codes, "open_private", lack)
        with pytest.raises(ExhaustedError):
            opened(tmp_path)
    assert opened(tmp_path).sequence == 5


def test_components_far_beyond_the_others_are_not_cut_off(tmp_path: Path) -> None:
    """Vectors of which one component is nearly all are told apart, and a check knows them."""
    matrix = (np.eye(DIMENSION) + 0.05 * units(DIMENSION)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    codes = saved(tmp_path, matrix)
    for text, vector in enumerate(matrix, 1):
        assert codes.nearest(vector, 1).tolist() == [text]
    assert (likeness(codes, np.arange(1, DIMENSION + 1), matrix) > 0.999).all()
    codes.close()


class CodesMachine(RuleBasedStateMachine):
    """Texts come, go, are saved, lost by a kill and come again; searches equal brute force over the floats."""

    texts = st.lists(st.integers(1, 40) | st.integers(9_000, 9_400), min_size=1, max_size=120, unique=True)

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="memd-codes-"))
        self.codes = opened(self.folder)
        self.held: dict[int, NDArray[np.float32]] = {}
        self.changes: list[dict[int, NDArray[np.float32] | None]] = []

    def _apply(self, change: dict[int, NDArray[np.float32] | None]) -> None:
        written = {text: vector for text, vector in change.items() if vector is not None}
        self.codes.write(rows(*written), np.array([*written.values()], np.float32).reshape(-1, DIMENSION))
        self.codes.clear(rows(*(change.keys() - written.keys())))

    def _change(self, change: dict[int, NDArray[np.float32] | None]) -> None:
        self._apply(change)
        self.changes.append(change)
        self.codes.sequence += 1
        for text, vector in change.items():
            self.held.pop(text, None)
            if vector is not None:
                self.held[text] = vector

    @rule(texts=texts, seed=st.integers(0, 9))
    def write(self, texts: list[int], seed: int) -> None:
        """Half of the vectors are of two texts at least."""
        matrix = units(len(texts), seed)
        matrix[1::2] = matrix[: len(matrix[1::2])]
        self._change(dict(zip(texts, matrix, strict=True)))

    @rule(texts=texts)
    def clear(self, texts: list[int]) -> None:
        """Those that are there, and others."""
        self._change(dict.fromkeys(texts))

    @rule()
    def save(self) -> None:
        """What came so far stays."""
        self.codes.save()

    @rule()
    def reopen(self) -> None:
        """What was not saved is done again."""
        self.codes.close()
        self.codes = opened(self.folder)
        for change in self.changes[self.codes.sequence :]:
            self._apply(change)
            self.codes.sequence += 1

    @rule()
    def learn(self) -> None:
        """As soon as there are many."""
        if self.codes.needs_axes():
            learned = self.codes.learn()
            learned.move(self.codes.path)
            self.codes.close()
            self.codes = learned

    @invariant()
    def searches_equal_brute_force(self) -> None:
        """Which texts are there; among the best by code are the best by cosine, and so are they among some."""
        texts = rows(*sorted(self.held))
        assert self.codes.texts().tolist() == texts.tolist()
        asked = units(3, seed=99)[2]
        scores = np.array([float(self.held[int(text)] @ asked) for text in texts])
        for count, some in ((5, texts), (1_000, texts), (5, texts[::2])):
            found = self.codes.nearest(asked, 2 * count) if some is texts else self.codes.among(asked, some, 2 * count)
            best = sorted(scores if some is texts else scores[::2], reverse=True)[:count]
            told = sorted((float(self.held[int(text)] @ asked) for text in found), reverse=True)[:count]
            assert len(set(found.tolist())) == len(found)
            assert told == best

    def teardown(self) -> None:
        """Leave nothing."""
        self.codes.close()
        shutil.rmtree(self.folder)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_any_story_of_changes_is_found_as_by_brute_force() -> None:
    """Holes, repeats, kills, and axes that are learned."""
    run_state_machine_as_test(
        CodesMachine, settings=settings(max_examples=effort.examples(40), stateful_step_count=20, deadline=None)
    )


def test_a_head_of_another_format_is_none(tmp_path: Path) -> None:
    """It is made anew, not guessed at."""
    saved(tmp_path, units(3)).close()
    assert read_head(tmp_path / NAME) is not None
    (tmp_path / NAME).write_bytes((tmp_path / NAME).read_bytes().replace(b'"format":3', b'"format":1'))
    assert read_head(tmp_path / NAME) is None


def test_a_file_that_was_removed_meanwhile_is_written_and_searched(tmp_path: Path) -> None:
    """The owner goes on with the open file; the next one makes it anew."""
    matrix = units(80)
    codes = saved(tmp_path, matrix[:40])
    (tmp_path / NAME).unlink()
    codes.write(np.arange(41, 81), matrix[40:])
    assert codes.nearest(matrix[70], 1).tolist() == [71]
    codes.save()
    codes.close()
    assert opened(tmp_path).sequence == 0


@pytest.mark.usefixtures("few")
def test_a_damaged_row_is_left_out_of_learned_axes(tmp_path: Path) -> None:
    """It takes the place of no other in the answers; a check misses its text."""
    matrix = units(500)
    codes = saved(tmp_path, matrix)
    codes.close()
    path = tmp_path / NAME
    data = bytearray(path.read_bytes())
    width = (len(data) - vector_codes.HEAD) // 501
    data[vector_codes.HEAD + 7 * width : vector_codes.HEAD + 7 * width + 4] = np.float32(np.nan).tobytes()
    path.write_bytes(data)
    learned = opened(tmp_path).learn()
    assert learned.texts().tolist() == [text for text in range(1, 501) if text != 7]
    assert len(learned.nearest(matrix[0], 400)) == 400
