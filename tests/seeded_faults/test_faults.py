"""The list of seeded faults fits the product: each can be put in, and its tests are there."""

from __future__ import annotations

from pathlib import Path

from memd.tests.cases import for_each
from memd.tests.seeded_faults.faults import FAULTS, Fault

CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_faults_have_names_of_their_own() -> None:
    """There are forty faults at least, and a name is given once."""
    assert len(FAULTS) >= 40
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


@for_each(FAULTS)
def test_each_fault_can_be_put_in(fault: Fault) -> None:
    """A fault replaces what occurs once in its file, by other code that Python can read, and its tests exist."""
    text = (CHECKOUT / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.old) == 1
    assert fault.old != fault.new
    compile(text.replace(fault.old, fault.new), fault.file, "exec")
    assert fault.tests
    assert [path for path in fault.tests if not (CHECKOUT / path).exists()] == []
