"""Undoes runs: rebuilds their documents from the inputs of all other runs. Pure; the store executes the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from uuid import UUID

import orjson

from ..schemas import Document, Notice, Rejected, document_from_wire
from ..schemas.keys import redacted_tombstone_key
from .chunking.document_chunker import DocumentChunker
from .export import exported_document
from .forgetting.selection import Impact, impact_of
from .ingest.batching import concrete_document
from .ingest.planner import changes_of
from .merge.plan import MergePlan, Stored, key_of, merged_into, plan_document
from .records import Rename, StoredDocument, WholeDocument
from .retirement import is_retirement, plan_retirement, retirement_body
from .write_batches import DocumentInput, Removal, UndoneRun, WriteBatch

UNDONE = "undone"
"""The run under which facts change when an import is undone."""
SOMETHING_ELSE = "something else would be undone now than was planned"
_TAG_CHANGE = "tag_change"
"""The key of an input that only changes tags: maps tags to whether the document has them since."""
RenamedTexts = tuple[Collection[UUID], Collection[UUID]]
"""The texts of a file under its former name, and under its present one."""
_TAG_CHANGE_BEGINNING = f'{{"{_TAG_CHANGE}":'.encode()
UNDONE_AT_ONCE = 200
"""Documents read at a time for a plan."""


@dataclass(frozen=True, slots=True)
class UndoCandidate:
    """The stored state of a document to which the run contributed."""

    stored: Stored
    inputs: Sequence[DocumentInput]
    forgotten: frozenset[UUID]
    """Keys that may not come back."""


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """The effects of undoing one or several runs."""

    runs: tuple[str, ...]
    removal: Removal = field(default_factory=Removal)
    documents: int = 0
    """The number of removed documents."""
    messages: int = 0
    """The number of removed messages; a text counts as one."""
    restored: int = 0
    """The number of messages and texts that return or get their former wording back."""
    amended: int = 0
    """The number of messages whose wording stays but whose other data changes: edits, reactions, a name."""
    retagged: int = 0
    """The number of documents that get their former tags back."""
    shared: int = 0
    """The number of documents without anything that only these runs brought: they stay as they are."""
    kept: int = 0
    """The number of documents that stay although the runs changed them, because a part of them was forgotten since."""
    renamed: int = 0
    """The number of texts that the runs only gave another name: they stay as they are."""
    keepers: Mapping[frozenset[str], int] = field(default_factory=dict[frozenset[str], int])
    """The number of ``shared`` documents by the other runs that keep them: those that brought the very same input, else
    all that brought something of them. Empty for an unknown run.
    """
    touched: frozenset[UUID] = frozenset()
    """Keys of documents that lose something."""
    affected: tuple[Impact, ...] = ()
    """The documents that lose something."""
    effects: tuple[bytes, ...] = ()
    """A checksum of all removed and all restored content, for each document that changes."""

    @property
    def empty(self) -> bool:
        """True if nothing would change in the memory."""
        return not (self.documents or self.messages or self.restored or self.amended or self.retagged)

    @property
    def others(self) -> frozenset[str]:
        """The other runs that would have to be undone together with these to remove most of the ``shared`` documents."""
        if not self.keepers:
            return frozenset()
        return min(self.keepers, key=lambda runs: (-self.keepers[runs], len(runs), sorted(runs)))

    @property
    def token(self) -> str:
        """A hash of the plan, which changes if anything else would be removed, restored, or kept for another reason."""
        counts = [
            sorted(self.runs),
            self.documents,
            self.messages,
            self.restored,
            self.shared,
            self.kept,
            self.retagged,
        ]
        parts = [*counts, self.amended, sorted(self.others), sorted(each.hex() for each in self.effects)]
        return sha256(orjson.dumps(parts)).hexdigest()[:32]


def inputs_of(
    run: str,
    documents: Sequence[Document],
    written: Sequence[StoredDocument],
    stored: Mapping[UUID, Stored],
    recorded: Mapping[UUID, Sequence[DocumentInput]],
    forgotten: Mapping[UUID, Collection[UUID]],
) -> list[DocumentInput]:
    """Return the inputs to record for documents that a run brings, with the content if another version is stored.

    Args:
        run: its id.
        documents: the incoming documents.
        written: the rows written for them.
        stored: the stored documents by key.
        recorded: the recorded inputs by key.
        forgotten: keys that may not come back, by document: the incoming document may have their content, so it is not
            kept.
    """
    digests = {row.key: next(iter(row.digests)) for row in written}
    inputs: list[DocumentInput] = []
    for document in documents:
        key = key_of(concrete_document(document))
        if key not in digests:  # all of it was forgotten
            continue
        if key not in stored:
            inputs.append(DocumentInput(key, run, digests[key]))
            continue
        if forgotten.get(key):
            inputs.append(DocumentInput(key, run, digests[key], b"", b""))
            continue
        kept = any(each.body is not None for each in recorded.get(key, ()))
        before = None if kept else _as_it_stands(stored[key])
        inputs.append(DocumentInput(key, run, digests[key], document.to_json(), before))
    return inputs


def _as_it_stands(stored: Stored) -> bytes:
    """Return a stored document as an input that recreates it from nothing."""
    row = stored.document
    chat = row.chat
    renames = [] if chat is None else [Rename(chat, row.source, old, new) for old, new in sorted(stored.renamed)]
    return exported_document(WholeDocument(row, stored.messages, renames)).to_json()


def with_tags(tags: Sequence[str], changes: Mapping[str, bool]) -> tuple[str, ...]:
    """Return the tags, extended by those that are given and without those that are taken away."""
    kept = [tag for tag in tags if changes.get(tag, True)]
    return tuple(dict.fromkeys([*kept, *(tag for tag, is_given in changes.items() if is_given)]))


def lasting_tags(row: StoredDocument, inputs: Sequence[DocumentInput], runs: Collection[str]) -> set[str]:
    """Return the tags that some runs gave a document for good. If their content is not kept, all its tags may be
    theirs.
    """
    bodies = {each.digest: each.body for each in reversed(inputs) if each.body is not None}
    tags: set[str] = set()
    for digest in {each.digest for each in inputs if each.run in runs}:
        if body := bodies.get(digest):
            tags.update(orjson.loads(body).get("tags") or ())
        else:
            tags.update(row.tags)
    return tags


def tag_input(
    run: str, stored: Stored, tags: Sequence[str], recorded: Sequence[DocumentInput], *, sealed: bool
) -> DocumentInput:
    """Return the input to record for a run that changes the tags of a document.

    Args:
        run: its id.
        stored: the document in its current state.
        tags: the new tags.
        recorded: the recorded inputs.
        sealed: a part of the document was forgotten, so no content is kept.
    """
    before = stored.document.tags
    changed = {tag: True for tag in tags if tag not in before} | {tag: False for tag in before if tag not in tags}
    # The run is part of it: equal changes by two runs are not one input.
    body = orjson.dumps({_TAG_CHANGE: changed, "run": run, "number": len(recorded)})
    key, digest = stored.document.key, sha256(body).digest()
    if sealed:
        return DocumentInput(key, run, digest, b"", b"")
    kept = any(each.body is not None for each in recorded)
    return DocumentInput(key, run, digest, body, None if kept else _as_it_stands(stored))


def retired_input(run: str, stored: Stored, recorded: Sequence[DocumentInput]) -> DocumentInput:
    """Return the input to record for a run that retires a text, because its file is gone.

    Args:
        run: its id.
        stored: the text in its current state.
        recorded: the recorded inputs.
    """
    body = retirement_body(run, len(recorded))
    kept = any(each.body is not None for each in recorded)
    return DocumentInput(stored.document.key, run, sha256(body).digest(), body, None if kept else _as_it_stands(stored))


def only_renamed(
    runs: Collection[str], renames: Sequence[RenamedTexts], inputs: Mapping[UUID, Sequence[DocumentInput]]
) -> set[UUID]:
    """Return the texts that some runs only gave another name, under both names: another run brought them under the former
    one, or under one before that.

    Args:
        runs: that are undone.
        renames: what they renamed.
        inputs: those of the texts under their former names.
    """
    kept = {
        key
        for key, some in inputs.items()
        if any(each.run not in runs and not is_retirement(each.body) for each in some)
    }
    size = -1
    while size != len(kept):  # a text may have got several names, one after the other
        size = len(kept)
        kept = kept.union(*(later for former, later in renames if not kept.isdisjoint(former)))
    return kept


def plan_undo(runs: Sequence[str], documents: Sequence[UndoCandidate], chunker: DocumentChunker) -> UndoPlan:
    """Plan the undoing of these runs together, for these documents."""
    return joined(runs, [_plan_one(tuple(runs), each, chunker) for each in documents])


def joined(runs: Sequence[str], plans: Sequence[UndoPlan]) -> UndoPlan:
    """Combine several plans of the same runs."""
    removals = [plan.removal for plan in plans]
    changes = [removal.changes for removal in removals]
    undone = [removal.undone for removal in removals if removal.undone is not None]
    batch = WriteBatch(
        documents=[row for each in changes for row in each.documents],
        messages=[row for each in changes for row in each.messages],
        chunks=[chunk for each in changes for chunk in each.chunks],
        dropped_chunks=[key for each in changes for key in each.dropped_chunks],
        moved={key: place for each in changes for key, place in each.moved.items()},
    )
    return UndoPlan(
        tuple(runs),
        Removal(
            documents=[key for removal in removals for key in removal.documents],
            messages=[key for removal in removals for key in removal.messages],
            changes=batch,
            undone=UndoneRun(
                {key: left for each in undone for key, left in each.left.items()},
                {key: gone for each in undone for key, gone in each.digests.items()},
            ),
        ),
        documents=sum(plan.documents for plan in plans),
        messages=sum(plan.messages for plan in plans),
        restored=sum(plan.restored for plan in plans),
        amended=sum(plan.amended for plan in plans),
        retagged=sum(plan.retagged for plan in plans),
        shared=sum(plan.shared for plan in plans),
        kept=sum(plan.kept for plan in plans),
        keepers=sum((Counter(plan.keepers) for plan in plans), Counter[frozenset[str]]()),
        touched=frozenset(key for plan in plans for key in plan.touched),
        affected=tuple(each for plan in plans for each in plan.affected),
        effects=tuple(effect for plan in plans for effect in plan.effects),
    )


def _plan_one(runs: tuple[str, ...], candidate: UndoCandidate, chunker: DocumentChunker) -> UndoPlan:
    row = candidate.stored.document
    left = [each for each in candidate.inputs if each.run not in runs]
    if not left:
        return _whole(runs, candidate.stored)
    gone = {each.digest for each in candidate.inputs} - {each.digest for each in left}
    wanted = _merge_order(left, row.kind)
    if wanted == _merge_order(candidate.inputs, row.kind):
        undone = UndoneRun({row.key: _moved_bodies(candidate.inputs, left)})
        return UndoPlan(runs, Removal(undone=undone), shared=1, keepers={_keepers(runs, candidate): 1})
    bodies = {each.digest: each.body for each in reversed(candidate.inputs) if each.body is not None}
    if not all(bodies.get(digest) for digest in wanted):
        return UndoPlan(runs, Removal(undone=UndoneRun({row.key: left})), kept=1)
    target = _merged([(digest, bodies[digest] or b"") for digest in wanted], candidate)
    if target is None:
        return _whole(runs, candidate.stored)
    inputs = _moved_bodies(candidate.inputs, left)
    plan, lost = _difference(candidate.stored, target)
    changes = replace(changes_of([plan], chunker), conversations=(), renames=())
    vanishes = target.document.kind == "retired" and plan.replaced_text is not None
    restored = len(plan.rewritten) + len(plan.added) + (plan.replaced_text is not None and not vanishes)
    amended = len(plan.updated) - len(plan.rewritten)
    retagged = set(target.document.tags) != set(candidate.stored.document.tags)
    shared = not lost and not vanishes and not restored and not amended and not retagged
    return UndoPlan(
        runs,
        Removal(messages=lost, changes=changes, undone=UndoneRun({row.key: inputs}, {row.key: gone})),
        documents=int(vanishes),
        messages=len(lost) + vanishes,
        restored=restored,
        amended=amended,
        retagged=int(retagged),
        shared=int(shared),
        keepers={_keepers(runs, candidate): 1} if shared else {},
        touched=frozenset({row.key}) if lost else frozenset(),
        affected=() if row.kind == "retired" else _impact(candidate.stored, lost),
        effects=() if shared else (_effect(candidate.stored, target),),
    )


def _merge_order(inputs: Sequence[DocumentInput], kind: str) -> list[bytes]:
    """Return the digests of the inputs in the order in which they are merged. Those of a conversation are united, so each
    counts where it came first. A text is what it was read as last, so each counts that came after another one.
    """
    if kind == "conversation":
        return list(dict.fromkeys(each.digest for each in inputs))
    tag_changes = {each.digest for each in inputs if each.body and each.body.startswith(_TAG_CHANGE_BEGINNING)}
    order: list[bytes] = []
    last: bytes | None = None
    for each in inputs:
        if each.digest != last:
            order.append(each.digest)
            last = last if each.digest in tag_changes else each.digest
    return order


def _whole(runs: tuple[str, ...], stored: Stored) -> UndoPlan:
    key = stored.document.key
    messages = len(stored.messages) if stored.document.kind == "conversation" else 1
    return UndoPlan(
        runs,
        Removal(documents=[key], undone=UndoneRun()),
        documents=1,
        messages=messages,
        touched=frozenset({key}),
        affected=_impact(stored, [each.key for each in stored.messages]),
        effects=(_effect(stored, None),),
    )


def _impact(stored: Stored, lost: Collection[UUID]) -> tuple[Impact, ...]:
    """Return the effect on a document that loses these messages, or all of a text; empty if it loses nothing."""
    row = stored.document
    keys = set(lost)
    gone = [each for each in stored.messages if each.key in keys]
    if row.kind == "conversation" and not gone:
        return ()
    return (impact_of(row, gone, row.metadata.get("title") or row.metadata.get("chat", ""), len(stored.messages)),)


def _keepers(runs: tuple[str, ...], candidate: UndoCandidate) -> frozenset[str]:
    """Return the other runs without which something of the document would be removed."""
    brought = {each.digest for each in candidate.inputs if each.run in runs}
    others = [each for each in candidate.inputs if each.run not in runs]
    return frozenset(each.run for each in others if each.digest in brought) or frozenset(each.run for each in others)


def _effect(stored: Stored, target: Stored | None) -> bytes:
    """Return a checksum of a document's current and future state."""
    checksum = sha256()
    for state in (stored, target):
        for part in () if state is None else _parts(state):
            checksum.update(len(part).to_bytes(8) + part)
        checksum.update(
            b"\xff" * 8
        )  # no part is as long as this: where one state ends, so that the two cannot run together
    return checksum.digest()


def _parts(state: Stored) -> Iterator[bytes]:
    row = state.document
    yield row.key.bytes
    yield (row.content or "").encode()
    yield orjson.dumps(row.metadata, option=orjson.OPT_SORT_KEYS)
    yield orjson.dumps(sorted(row.tags))
    for each in sorted(state.messages, key=lambda message: message.key.bytes):
        yield each.key.bytes
        yield each.message.to_json()


def _moved_bodies(inputs: Sequence[DocumentInput], left: Sequence[DocumentInput]) -> list[DocumentInput]:
    """Return the remaining inputs, with the content at the first input of each version, and without content if there is
    only one version.
    """
    bodies = {each.digest: each.body for each in reversed(inputs) if each.body is not None}
    if len({each.digest for each in left}) == 1 and bodies.get(left[0].digest) != b"":
        return [replace(each, body=None) for each in left]
    digests_with_body: set[bytes] = set()
    moved: list[DocumentInput] = []
    for each in left:
        moved.append(replace(each, body=None if each.digest in digests_with_body else bodies.get(each.digest)))
        digests_with_body.add(each.digest)
    return moved


def _merged(bodies: Sequence[tuple[bytes, bytes]], candidate: UndoCandidate) -> Stored | None:
    """Return the document that these inputs create from nothing, in order."""
    state: Stored | None = None
    forgotten = candidate.forgotten
    if candidate.stored.document.kind == "retired":  # a redacted text comes back as it was redacted
        forgotten = forgotten - {redacted_tombstone_key(candidate.stored.document.key)}
    for digest, body in bodies:
        if is_retirement(body):
            state = None if state is None else merged_into(state, plan_retirement(state))
            continue
        plain = orjson.loads(body)
        if _TAG_CHANGE in plain:
            if state is not None:
                row = state.document
                state = replace(state, document=replace(row, tags=with_tags(row.tags, plain[_TAG_CHANGE])))
            continue
        for document in document_from_wire(plain, ""):
            if not isinstance(document, Notice | Rejected):
                plan = plan_document(state, concrete_document(document), digest, forgotten)
                state = state if plan is None else merged_into(state, plan)
    return state


def _difference(stored: Stored, target: Stored) -> tuple[MergePlan, list[UUID]]:
    """Return the plan that turns the stored document into the target, and the keys of removed messages."""
    before = {row.key: row for row in stored.messages}
    after = {row.key: row for row in target.messages}
    updated = [row for key, row in after.items() if key in before and before[key].message != row.message]
    text = stored.document.content != target.document.content
    digests = target.document.digests if target.document.kind == "text" else frozenset[bytes]()
    plan = MergePlan(
        document=replace(target.document, digests=digests),
        added=tuple(row for key, row in after.items() if key not in before),
        updated=tuple(updated),
        moved={
            key: row.position
            for key, row in after.items()
            if key in before and row.message == before[key].message and row.position != before[key].position
        },
        rewritten={
            row.key: before[row.key] for row in updated if row.message.content != before[row.key].message.content
        },
        replaced_text=stored.document.content if text else None,
    )
    return plan, [key for key in before if key not in after]
