"""`Memory`: store, ask, follow, forget and export, for a program; over the socket of a daemon or of this program itself."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, cast

from pydantic import BaseModel, ValidationError

from ...schemas import (
    Document,
    Fact,
    Notice,
    ProgressUpdate,
    Query,
    QueryResult,
    Rejected,
    StoreReport,
    document_from_wire,
    document_to_line,
)
from ...schemas.errors import BusyError, ProcessingError, UnavailableError
from ..client import OTHER_VERSION_HINT, Client, is_listening
from ..config.paths import locate
from ..operations import (
    ADD_FACT,
    ASK,
    DOCUMENT,
    FACTS,
    FORGET,
    GRAPH,
    MESSAGES,
    QUERY,
    STATS,
    STATUS,
    Operation,
)
from .errors import translated
from .requests import FactFilters, FactOptions, Filters, GraphOptions, QueryOptions, Scope, Selection, plain, question

if TYPE_CHECKING:
    from collections.abc import Generator

    from ...memory.ports import ProgressSender
    from ..service.answers.graph import GraphAnswer
    from ..service.answers.questions import AddedFact, MessagesAnswer, ModelAnswer
    from ..service.answers.status import StatsAnswer, StatusAnswer
    from ..service.answers.upkeep import ForgetReport
    from .embedded_owner import EmbeddedOwner

M = TypeVar("M", bound=BaseModel)
OPEN_SECONDS = 10.0
"""The seconds that `Memory.open` waits for another owner that starts or stops."""
_PAUSE = 0.1
_PAGE = 500


class Memory:
    """A memory. Open one with `open`, or use that of a running daemon with `connect`; both have the same methods.

    Usable from several threads. Every method raises one of `memd.schemas.errors`: `InvalidError` for arguments that break
    a rule, `NotFoundError`, `BusyError`, `StoreError`, …, and `UnavailableError` when the daemon does not answer.
    """

    def __init__(self, socket: Callable[[], str], owner: EmbeddedOwner | None = None) -> None:
        """See `open` and `connect`."""
        self._socket = socket
        self._owner = owner
        self._idle: list[Client] = []
        self._busy: set[Client] = set()
        self._closed = False
        self._process = os.getpid()

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        config: str | PathLike[str] | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> Self:
        """Open the memory in a data directory, and make it if there is none.

        This process becomes its owner, as `memd ingest` does: until `close`, other programs and the command line reach the
        memory through it. If a daemon, or another program, owns the memory already, this is a client of that owner.

        Args:
            path: the data directory; by default that of the command line.
            config: the configuration; by default that of the command line.
            settings: single settings by their dotted names, over the configuration: ``{"embedding.enabled": False}``.
                An owner that runs already keeps its own.

        Raises:
            ConfigError: a setting is wrong.
            BusyError: another process owns the memory and does not serve it.
            StoreError: the memory cannot be opened.
        """
        from .embedded_owner import EmbeddedOwner

        # Looked up once: the program may change its working directory and its environment.
        places = locate(
            config=None if config is None else fspath(config), data_dir=None if path is None else fspath(path)
        )
        chosen = {
            "config": None if config is None else places.config,
            "data_dir": None if path is None else places.data_dir,
        }
        deadline = time.monotonic() + OPEN_SECONDS
        while True:
            with translated():
                if is_listening(places.serving()):
                    return cls(places.serving)
            try:
                owner = EmbeddedOwner({**(settings or {}), **chosen})
            except BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)
            else:
                return cls(places.serving, owner)

    def close(self) -> None:
        """Close the connections, also those of requests in other threads; an owner stores what is acknowledged, and
        releases the memory.
        """
        self._leave_to_parent()
        self._closed = True
        for client in tuple(self._busy):
            client.end()
        for client in tuple(self._idle):
            client.close()
        self._idle.clear()
        if self._owner is not None:
            self._owner.close()

    def __enter__(self) -> Self:
        """Return the memory, which the end of the block closes."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def twin(self) -> Memory:
        """Return another one over the same socket, with connections of its own; closing it closes these alone."""
        return Memory(self._socket)

    # --- in -----------------------------------------------------------------------------------------------------

    def store(
        self,
        documents: Iterable[Document],
        progress: ProgressSender | None = None,
        *,
        source: str = "api",
        wait: bool = True,
    ) -> StoreReport:
        """Keep documents and make them searchable; returns when words and vectors are done. Sent again, they are kept once.

        Args:
            documents: of any size together; sent in groups, so that they may be a generator.
            progress: gets each `ProgressUpdate` (``send``, in this thread), the terminal one last.
            source: the name of the run in the history.
            wait: False: return when all are acknowledged, which survives a crash; the counts are those of that moment.

        Returns:
            Counts of messages; a text counts as one.
        """
        with self._client() as client:
            run, report = "", StoreReport()
            for answer in client.send_documents((document_to_line(each) for each in documents), {"source": source}):
                run = answer.run
                report += StoreReport(added=answer.accepted, unchanged=answer.unchanged, rejected=answer.rejected)
                if progress is not None:
                    processed = report.added + report.unchanged
                    progress.send(ProgressUpdate(run=run, stage="reading", source=source, processed=processed))
            if run and wait:
                for update in _updates(client, run):
                    if progress is not None:
                        progress.send(update)
                    if update.terminal:
                        return StoreReport(**{name: getattr(update, name) for name in StoreReport.model_fields})
            return report

    def add(self, messages: Sequence[Mapping[str, Any]], **scope: Unpack[Scope]) -> MessagesAnswer:
        """Add one list of messages of a running conversation, in their order.

        Args:
            messages: each {role, content, name?, time?, id?, metadata?}; ``role`` is user, assistant, system or tool. A
                message with an ``id`` may be sent again.
            scope: for all that name none in their ``metadata`` (``user_id``, ``agent_id``, ``session_id``).

        Returns:
            The run, and counts: the messages are durable, and stored at once or when their buffer is released.
        """
        return self.add_batch([messages], **scope)

    def add_batch(self, lists: Sequence[Sequence[Mapping[str, Any]]], **scope: Unpack[Scope]) -> MessagesAnswer:
        """Add several lists of messages, all or none; see `add`."""
        values = {"lists": [[plain(message) for message in each] for each in lists], **scope}
        return cast("MessagesAnswer", self._call(MESSAGES, values))

    def add_fact(self, subject: str, attribute: str, value: str, **options: Unpack[FactOptions]) -> AddedFact:
        """Add a message that states a fact; it is forgotten with that message (``forget(messages=[…])``).

        Returns:
            As `add`, and the message's id.

        Raises:
            InvalidError: the message does not say so, or facts are switched off.
        """
        values = plain({"subject": subject, "attribute": attribute, "value": value, **options})
        return cast("AddedFact", self._call(ADD_FACT, values))

    # --- questions ----------------------------------------------------------------------------------------------

    def query(self, query: str | Query, **options: Unpack[QueryOptions]) -> QueryResult:
        """Answer a question with messages, passages and facts. No hits are an answer.

        Raises:
            InvalidError: the question breaks a rule (``limit must be 1-100``).
            NotFoundError: a filter names nobody.
        """
        answer = self._call(QUERY, question(query, options))
        return _model(QueryResult, answer)

    def ask(self, query: str | Query, **options: Unpack[QueryOptions]) -> ModelAnswer:
        """Answer in words by the language model of the settings, each sentence with the messages that it rests on.

        Raises:
            InvalidError: no model is configured.
            ExtractionError: it does not answer.
        """
        with self._client() as client:
            return cast("ModelAnswer", client.operate(ASK, question(query, options)))

    def facts(self, *, limit: int | None = None, **filters: Unpack[FactFilters]) -> Iterator[Fact]:
        """Yield facts, page by page, active ones by default; at most ``limit``."""
        left, values = limit, plain(filters)
        while left is None or left > 0:
            page = self._call(FACTS, {**values, "limit": _PAGE if left is None else min(left, _PAGE)})
            for each in page["facts"]:
                yield _model(Fact, each)
            if "next" not in page:
                return
            values["after"] = page["next"]
            left = None if left is None else left - len(page["facts"])

    def graph(self, name: str | None = None, other: str | None = None, **options: Unpack[GraphOptions]) -> GraphAnswer:
        """Return what a person, place, organisation or thing is connected with, each edge with the messages behind it.

        Args:
            name: of a node, or a part that means no other; without it the answer is of the whole graph.
            other: of a second node: the answer is the shortest paths between the two.

        Raises:
            NotFoundError: nothing has one of these names, or several have.
        """
        return cast("GraphAnswer", self._call(GRAPH, plain({"name": name, "other": other, **options})))

    def document(self, identifier: str) -> Document:
        """Return a document by its id, or by that of a message in it.

        Raises:
            NotFoundError: nothing has that id.
        """
        return _document(self._call(DOCUMENT, {"id": identifier}))

    def stats(self) -> StatsAnswer:
        """Return counts, sizes in bytes and times in milliseconds."""
        return cast("StatsAnswer", self._call(STATS))

    def status(self) -> StatusAnswer:
        """Return who owns the memory, the paths in force, and what goes on."""
        return cast("StatusAnswer", self._call(STATUS))

    # --- progress, forgetting, export ---------------------------------------------------------------------------

    def watch(self, run: str | None = None) -> Iterator[ProgressUpdate]:
        """Yield progress as it happens: of one run until its terminal update, or of all until the daemon ends.

        A slow reader misses updates in between, never a terminal one.
        """
        with self._client() as client:
            yield from _updates(client, run)

    def forget(self, *, dry_run: bool = False, **selection: Unpack[Selection]) -> ForgetReport:
        """Remove what is selected for good, from the store and every file; sending it again does not bring it back.

        Args:
            dry_run: only return the plan.
            selection: names must be whole.

        Raises:
            InvalidError: nothing is selected.
            NotFoundError: a name is only a part of others.
            BusyError: something else was stored between plan and removal; nothing was removed.
        """
        values = plain(selection)
        with self._client() as client:
            plan = client.operate(FORGET, {**values, "dry_run": True, "whole_names": not dry_run})
            if not dry_run:
                done = client.operate(FORGET, {**values, "dry_run": False, "plan": plan["plan"]})
                quotes = {"quotes": plan["quotes"]} if "quotes" in plan else {}
                plan = {**quotes, **done}  # afterwards nobody can look for the quotes that were kept
            return cast("ForgetReport", plan)

    def export(self, **filters: Unpack[Filters]) -> Iterator[Document]:
        """Yield stored documents, by source and id; ends without an error only if all came."""
        with self._client() as client:
            for line in client.documents(plain(filters)):
                yield _document(json.loads(line))

    # --- the connection -----------------------------------------------------------------------------------------

    def _call(self, operation: Operation, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        with self._client() as client:
            return client.call(operation, values)

    @contextmanager
    def _client(self) -> Generator[Client]:
        """Lend a connection of its own to one request."""
        self._leave_to_parent()
        if self._closed:
            raise UnavailableError("the memory is closed", hint="open it again")
        try:
            client = self._idle.pop()
        except IndexError:
            client = Client(self._socket())
        self._busy.add(client)
        try:
            with translated():
                yield client
        except BaseException:
            client.close()
            raise
        finally:
            self._busy.discard(client)
        if self._closed:
            client.close()
        else:
            self._idle.append(client)

    def _leave_to_parent(self) -> None:
        """Drop what belongs to the parent, in a forked child: its connections, whose answers the child would take, and the
        memory, of which the child is a client.
        """
        if self._process != os.getpid():
            self._process, self._owner = os.getpid(), None
            self._idle, self._busy = [], set()


def _updates(client: Client, run: str | None) -> Iterator[ProgressUpdate]:
    for update in client.events(run):
        yield _model(ProgressUpdate, update)


def _model(kind: type[M], answer: Mapping[str, Any]) -> M:
    """Return an answer as its type; a newer daemon may tell more.

    Raises:
        ProcessingError: it tells something that this version does not know. Pydantic's error would repeat private text.
    """
    try:
        return kind.model_validate(answer, extra="ignore")
    except ValidationError:
        raise ProcessingError("the daemon's answer is not one that memd understands", hint=OTHER_VERSION_HINT) from None


def _document(wire: Mapping[str, Any]) -> Document:
    """Return the document of a wire form, which memd itself wrote.

    Raises:
        ProcessingError: a newer daemon wrote something that this version does not know.
    """
    for record in document_from_wire(wire, "document"):
        if isinstance(record, Rejected):
            raise ProcessingError(record.reason, hint=OTHER_VERSION_HINT)
        if not isinstance(record, Notice):
            return record
    raise ProcessingError("the daemon sent no document", hint=OTHER_VERSION_HINT)


def connect(socket: str | PathLike[str] | None = None, *, config: str | PathLike[str] | None = None) -> Memory:
    """Return the memory of a running daemon.

    Args:
        socket: its path; by default that of the command line: `MEMD_SOCKET`, the configuration, or the default.
        config: the configuration that names the socket.

    Raises:
        UnavailableError: nobody listens there, or another user does.
    """
    places = locate(
        config=None if config is None else fspath(config), socket=None if socket is None else fspath(socket)
    )
    with translated():
        if not is_listening(places.serving()):
            raise UnavailableError(
                f"no memd serves {places.serving()}", hint="start one: memd serve; or open a memory: Memory.open(PATH)"
            )
    return Memory(places.serving)
