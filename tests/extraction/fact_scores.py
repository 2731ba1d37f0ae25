"""How many statements of an extractor are right, wrong, or laid into the wrong mouth, on labelled conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.statement import Statement
from memd.tests.extraction.fact_label import FactLabel
from memd.tests.extraction.labelled_conversations import MISATTRIBUTION, LabelledConversation, LabelledMessage


@dataclass
class FactScore:
    """Counts of right and wrong statements and of labelled facts. What is optional, or said twice, counts nowhere."""

    right: int = 0
    wrong: int = 0
    labelled: int = 0

    @property
    def precision(self) -> float:
        """Share of the counted statements that are right; 1 when none was made."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Share of the labelled facts that were found; 1 when none is labelled."""
        return self.right / self.labelled if self.labelled else 1.0


@dataclass
class Report:
    """What came of a set."""

    whole: FactScore = field(default_factory=FactScore)
    parts: dict[str, FactScore] = field(default_factory=dict[str, FactScore])
    """By ``lang:…`` and attribute."""
    misattributed: int = 0
    wrong_by_kind: Counter[str] = field(default_factory=Counter[str])
    messages: int = 0
    stating: int = 0
    """Messages that are labelled with a fact."""
    answered: int = 0
    """Of these, how many gave a right one."""
    made: int = 0
    """Statements, whether counted or not."""
    cases: list[str] = field(default_factory=list[str])
    """What was wrong or missing, to read."""

    def part(self, name: str) -> FactScore:
        """The counts of one part."""
        return self.parts.setdefault(name, FactScore())


def measure(conversations: Iterable[LabelledConversation], extractor: RulesExtractor | None = None) -> Report:
    """Read every conversation and compare."""
    extractor = extractor or RulesExtractor()
    report = Report()
    for conversation in conversations:
        read = [each for window in conversation.windows for each in extractor.read(window).statements]
        statements = [each for each in read if not each.of_known]  # they make no fact by themselves
        compare(conversation, statements, report)
    return report


def compare(conversation: LabelledConversation, statements: Sequence[Statement], report: Report) -> None:
    """Count what was made of one conversation."""
    found: set[int] = set()
    answered: set[str] = set()
    report.made += len(statements)
    for statement in statements:
        cited = _cited(conversation, statement)
        hits = [label for message in cited for label in message.expected if label.states(statement)]
        new = next((label for label in hits if id(label) not in found), None)
        if new is not None:
            found.add(id(new))
            answered.update(message.id for message in cited if any(label is new for label in message.expected))
        elif not hits and not any(label.states(statement) for message in cited for label in message.optional):
            _wrong(conversation, statement, cited, report)
    for message in conversation.messages:
        report.messages += 1
        report.stating += bool(message.expected)
        report.answered += message.id in answered
        for label in message.expected:
            for score in (report.whole, report.part(f"lang:{conversation.language}"), report.part(label.attribute)):
                score.labelled += 1
                score.right += id(label) in found
            if id(label) not in found:
                report.cases.append(f"missing  {conversation.name}: {message.text!r} {label.text}")


def _cited(conversation: LabelledConversation, statement: Statement) -> list[LabelledMessage]:
    ids = {cited.message_id for cited in statement.evidence}
    return [message for message in conversation.messages if message.id in ids]


def _wrong(
    conversation: LabelledConversation, statement: Statement, cited: Sequence[LabelledMessage], report: Report
) -> None:
    kinds = {kind for message in cited for kind in message.kinds}
    for score in (
        report.whole,
        report.part(f"lang:{conversation.language}"),
        report.part(statement.attribute),
    ):
        score.wrong += 1
    foreign = is_foreign(statement, cited)
    report.misattributed += foreign
    report.wrong_by_kind.update(kinds or {"(no trap)"})
    text = " / ".join(message.text for message in cited)
    what = f"{statement.subject} {statement.attribute} {'not ' if statement.negated else ''}{statement.value!r}"
    period = f"{statement.valid_from or ''}..{statement.valid_to or ''}"
    report.cases.append(f"{'FOREIGN' if foreign else 'wrong':8} {conversation.name}: {text!r} {what} {period}")


def is_foreign(statement: Statement, cited: Sequence[LabelledMessage]) -> bool:
    """Whether a wrong statement gives somebody what is another's: by the kind of trap, or by a label of somebody else."""
    if any(statement.speaker != message.speaker for message in cited):
        return True
    if any(message.kinds & MISATTRIBUTION for message in cited) and statement.subject == statement.speaker:
        return True
    labels: list[FactLabel] = [each for message in cited for each in (*message.expected, *message.optional)]
    return any(label.states(statement, anybody=True) for label in labels)
