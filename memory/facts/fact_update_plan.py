"""Plans the update of the knowledge from statements: clusters, facts, and the chunks by which facts' messages are
found. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import orjson

from ...schemas import Evidence, Fact
from ...schemas.keys import chunk_key
from ..extraction.attributes import passes
from ..extraction.records import DocumentExtraction, StoredStatement
from ..extraction.statement import Statement
from ..records import FACT_STRATEGY, OWN_WORDS, READERS_ORDINAL, STATED, StoredChunk, StoredFact
from ..write_batches import KnowledgeUpdate, WriteBatch
from .clusters import ClusterKey, Judge, Resolved, cluster_key
from .links import link_keys_of, linkable, tags_of

FACT_VERSION = "fact-1"
"""The strategy of the chunks that make a message searchable by the words of its facts."""

Who = Callable[[str], str]
"""A function that maps each name of a person to a single one."""


def cluster_name(statement: Statement, who: Who) -> str:
    """Return the name of a statement's cluster."""
    cluster = cluster_key(statement, who)
    return orjson.dumps([cluster.speaker, cluster.subject, cluster.family, cluster.of]).decode()


def parse_cluster_name(cluster: str) -> ClusterKey:
    """Parse a name made by `cluster_name`."""
    speaker, subject, family, of = orjson.loads(cluster)
    return ClusterKey(speaker, subject, family, of)


def resolve_clusters(
    clusters: Mapping[str, Iterable[StoredStatement]], run: str, at: datetime, judge: Judge | None = None
) -> dict[UUID, StoredFact]:
    """Return the facts of complete clusters, recorded ``at``."""
    from .supersession import resolve_cluster  # imported late: its rules load slowly, and a question resolves nothing

    facts: dict[UUID, StoredFact] = {}
    for cluster in sorted(clusters):
        statements = [each.statement for each in clusters[cluster]]
        for resolved in resolve_cluster(parse_cluster_name(cluster), statements, judge):
            facts[resolved.key] = _stored(resolved, cluster, run, at)
    return facts


def _stored(resolved: Resolved, cluster: str, run: str, at: datetime) -> StoredFact:
    chosen = _nearest(resolved.statements, resolved.value)
    by_model = [each for each in resolved.statements if each.extractor.name not in OWN_WORDS]
    cited = [(each, one) for each in resolved.statements for one in each.evidence]
    messages = tuple(dict.fromkeys(one.message for _, one in cited))
    evidence = dict.fromkeys((each.document_id, one.message_id, one.quote) for each, one in cited)
    fact = Fact(
        id=resolved.key,
        subject=resolved.subject,
        attribute=resolved.attribute,
        value=resolved.value,
        content=resolved.content,
        speaker=resolved.speaker,
        negated=resolved.negated,
        audience=tuple(dict.fromkeys(name for each in resolved.statements for name in each.audience)),
        category=chosen.category,
        importance=resolved.importance,
        sensitivity=resolved.sensitivity,
        confidence=resolved.confidence,
        sentiment=chosen.sentiment,
        # The beginning is unknown if the state was over when it was stated and no beginning was stated with it.
        valid_from=None if _without_begin(resolved) else resolved.valid_from,
        valid_to=resolved.valid_to,
        observed_at=resolved.observed_at,
        recorded_at=at,
        status=resolved.status,
        supersedes=resolved.supersedes,
        superseded_by=resolved.superseded_by,
        retires=resolved.retires,
        beside=resolved.beside,
        confirmed=_is_confirmed(resolved),
        history=resolved.history,
        evidence=tuple(Evidence(document_id=d, message_id=m, quote=q) for d, m, q in evidence),
        keywords=tuple(dict.fromkeys(word for each in resolved.statements for word in each.keywords)),
        tags=tags_of(chosen.category, [tag for each in resolved.statements for tag in each.tags]),
        extractor=_nearest(by_model, resolved.value).extractor if by_model else chosen.extractor,
    )
    return StoredFact(fact, cluster, run, messages)


def _nearest(statements: Sequence[Statement], value: str) -> Statement:
    """Return the last statement that has this value, else the last one."""
    return max(statements, key=lambda each: (each.value == value, each.observed_at, each.key))


def _is_confirmed(resolved: Resolved) -> bool:
    """Return whether a model extracted the fact, a program gave it, or it was stated on two local days."""
    days = {each.observed_at.date() for each in resolved.statements}
    surely = any(each.extractor.model or each.extractor.name == STATED for each in resolved.statements)
    return not passes(resolved.attribute) and (surely or len(days) > 1)


def _without_begin(resolved: Resolved) -> bool:
    return resolved.history and resolved.valid_to is not None and resolved.valid_from >= resolved.valid_to


def same_fact(one: StoredFact, other: StoredFact) -> bool:
    """Return whether two versions are equal but for the time and run of their recording."""
    same_time = other.fact.model_copy(update={"recorded_at": one.fact.recorded_at})
    return one.cluster == other.cluster and one.fact == same_time


def changed_facts(before: Mapping[UUID, StoredFact], after: Mapping[UUID, StoredFact]) -> set[UUID]:
    """Return the facts that are new, gone or changed."""
    kept = {key for key in before.keys() & after.keys() if same_fact(before[key], after[key])}
    return (before.keys() | after.keys()) - kept


def plan_fact_update(
    run: str,
    at: datetime,
    before: Mapping[UUID, StoredFact],
    after: Mapping[UUID, StoredFact],
    documents: Mapping[UUID, UUID],
    extractions: Sequence[DocumentExtraction] = (),
    shared: Collection[UUID] = (),
) -> KnowledgeUpdate:
    """Return the update that replaces the facts ``before`` by those ``after``.

    Args:
        run: the id of the run.
        at: the time of the update.
        before: the changing facts, as they are stored.
        after: the changing facts, as they will be.
        documents: the document of each message that facts rest on; texts are not included.
        extractions: the documents that were read.
        shared: chunks of facts that stay.
    """
    new: dict[UUID, StoredChunk] = {}
    fresh: list[StoredFact] = []
    for fact in after.values():
        chunks = {chunk.key: chunk for chunk in chunks_of(fact, documents)}
        new |= chunks
        fresh.append(replace(fact, chunks=tuple(chunks)))
    had = {chunk for fact in before.values() for chunk in fact.chunks}
    return KnowledgeUpdate(
        run=run,
        at=at,
        extractions=extractions,
        facts=fresh,
        gone=[key for key in before if key not in after],
        link_keys={key: link_keys_of(linkable(fact)) for key, fact in after.items()},
        changes=WriteBatch(
            chunks=[chunk for key, chunk in new.items() if key not in had],
            dropped_chunks=sorted(had - new.keys() - set(shared)),
        ),
    )


def chunks_of(stored: StoredFact, documents: Mapping[UUID, UUID]) -> list[StoredChunk]:
    """Return the chunks that make the messages behind a fact searchable by the words of the fact.

    A fact is an additional key of its messages, never a hit of its own. A superseded fact has chunks, too: a question
    about a former home leads to the message that names it. A fact by rules or a program alone adds nothing to the words of
    its message, so it has no chunk until a model extracts it, too.

    Args:
        stored: the fact.
        documents: the documents of its messages; a message without one gets no chunk.
    """
    words = stored.fact.content
    chunks: list[StoredChunk] = []
    if stored.fact.extractor.name in OWN_WORDS:
        return chunks
    for message in stored.messages:
        document = documents.get(message)
        if document is not None:
            key = chunk_key(message, FACT_STRATEGY, FACT_VERSION, 0, 0, words)
            count = max(1, len(words.split()))
            chunks.append(
                StoredChunk(
                    key,
                    document,
                    message,
                    READERS_ORDINAL,
                    0,
                    0,
                    count,
                    FACT_STRATEGY,
                    FACT_VERSION,
                    "",
                    embed_text=words,
                )
            )
    return chunks


def merge_clusters(
    clusters: Mapping[str, Sequence[StoredStatement]], read: Collection[UUID], added: Iterable[StoredStatement]
) -> dict[str, list[StoredStatement]]:
    """Return the clusters without the former statements of the documents ``read``, and with the ones extracted from
    them now.
    """
    merged: defaultdict[str, list[StoredStatement]] = defaultdict(list)
    for cluster, statements in clusters.items():
        merged[cluster] += [each for each in statements if each.statement.document not in read]
    for each in added:
        merged[each.cluster].append(each)
    return dict(merged)
