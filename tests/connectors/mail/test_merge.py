"""A later export of the same mailbox adds what is new, and changes nothing else."""

from __future__ import annotations

from memd.memory.ingest.batching import concrete_document, digest_of
from memd.memory.merge.plan import MergePlan, Stored, plan_conversation
from memd.schemas import ConversationDocument, EmailThreadDocument
from memd.tests.connectors.mail.reading import mail, mbox, threads


def stored(plan: MergePlan) -> Stored:
    """What lies in the store after a plan for a new document."""
    return Stored(plan.document, list(plan.added))


def planned(before: Stored | None, thread: EmailThreadDocument) -> MergePlan:
    """What storing a thread does."""
    document = concrete_document(thread)
    assert isinstance(document, ConversationDocument)
    plan = plan_conversation(before, document, digest_of(document))
    assert plan is not None
    return plan


FIRST = mail(Message_ID="<a@x>")
SECOND = mail("Yes.\n", Message_ID="<b@x>", References="<a@x>", Date="Tue, 8 Apr 2025 14:31:00 +0000")
THIRD = mail("No.\n", Message_ID="<c@x>", References="<a@x> <b@x>", Date="Wed, 9 Apr 2025 14:31:00 +0000")


def test_a_later_export_adds_what_is_new() -> None:
    """Also when it begins in the middle of a thread, and a third time it adds nothing."""
    (early,) = threads(mbox(FIRST, SECOND))
    (late,) = threads(mbox(SECOND, THIRD))
    first = planned(None, early)
    assert [row.message.id for row in first.added] == ["a@x", "b@x"]
    second = planned(stored(first), late)
    assert [row.message.id for row in second.added] == ["c@x"]
    assert (len(second.updated), second.unchanged) == (0, 1)
    again = planned(stored(first), early)
    assert (again.added, again.updated, again.unchanged) == ((), (), 2)


def test_an_export_of_another_program_is_the_same_mail() -> None:
    """What Gmail adds to the headers, and other line ends, change neither the thread nor its mails."""
    (plain,) = threads({"1.eml": FIRST.replace(b"\n", b"\r\n"), "2.eml": SECOND})
    (gmail,) = threads(mbox(b"X-GM-THRID: 1\nX-Gmail-Labels: Work\n" + FIRST, b"X-GM-THRID: 1\n" + SECOND))
    assert plain.messages == gmail.messages
    assert plain.id == gmail.id
    plan = planned(stored(planned(None, plain)), gmail)
    assert (plan.added, plan.updated, plan.unchanged) == ((), (), 2)
