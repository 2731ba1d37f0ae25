"""Request models of the operations: what stands in path, query string and body. `operations` names them; `parse` makes one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, cast, get_origin
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StrictBool,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from ...memory.index.engines import EngineName
from ...schemas import MessageKind, Query
from ...schemas.errors import InvalidError
from ...schemas.message_list import MessageBatchList, MessageList
from ...schemas.model import Text, Words
from ...schemas.scope import AGENT_ID, SESSION_ID, USER_ID
from ...schemas.times import Instant, fixed_offset, localise
from ...schemas.wording import wrong_value
from .receipts import ReadExport, SkippedFile

ROW_IDS = 2**53
"""The highest number that JSON readers of every language keep."""

T = TypeVar("T", bound=BaseModel)


def parse(model: type[T], plain: Mapping[str, Any], zone: tzinfo) -> T:
    """A request of this model; a bare date begins in ``zone``.

    Raises:
        InvalidError: a value breaks a rule, a key is unknown; all problems are in it.
    """
    try:
        return model.model_validate(plain, context={"zone": zone})
    except ValidationError as error:
        problems = problems_of(error, model.model_fields)
        hint = str(getattr(model, "hint", ""))
        raise InvalidError("; ".join(problems), hint=hint, problems=tuple(problems)) from None


def request_model(name: str) -> type[BaseModel]:
    """The model that an operation names."""
    return globals()[name]


def from_parameters(model: type[BaseModel], parameters: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The plain values of a query string: repeated parameters are several values where the model has room for them."""
    plain: dict[str, Any] = {}
    for name, value in parameters:
        field = model.model_fields.get(name)
        if field is not None and get_origin(field.annotation) is tuple:
            plain.setdefault(name, []).append(value)
        else:
            plain[name] = value
    return plain


def problems_of(error: ValidationError, keys: Collection[str] = ()) -> list[str]:
    """Every problem of a request, in its public wording, without the values that were sent.

    Args:
        error: what pydantic found.
        keys: those that a request may have; one that is unknown is told with the nearest of them.
    """
    problems: list[str] = []
    details = error.errors(include_url=False, include_input=False)
    missing = [str(detail["loc"][0]) for detail in details if detail["type"] == "missing" and len(detail["loc"]) == 1]
    for detail in details:
        place = ".".join(str(part) for part in detail["loc"])
        wording = wrong_value(detail)
        if detail["type"] == "value_error":
            named = not place or wording.startswith(str(detail["loc"][-1]))  # many of our validators do
            problems.append(wording if named else f"{place}: {wording}")
        elif detail["type"] == "literal_error":
            # Which of several values is wrong tells nobody anything: each is one of the same.
            problems.append(f"{place.rstrip('.0123456789')} {wording}")
        elif detail["type"] in ("bool_type", "bool_parsing"):
            problems.append(f"{place} {wording}")
        elif detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
            near = get_close_matches(place, keys, 1, cutoff=0.7) or missing
            problems.append(f"{place}: {wording}" + (f", did you mean '{near[0]}'?" if near else ""))
        else:
            problems.append(f"{place}: {wording}" if place else wording)
    return problems


LONGEST_TIME = 64
_SLASHES = re.compile(r"\d{1,2}/\d{1,2}(?:/\d{2,4})?")
TIME_WORDING = 'a day (2024-01-15), a month (2024-01), a year, words such as "last week", or an RFC 3339 time'


def time_in(text: str, zone: tzinfo) -> datetime:
    """An RFC 3339 time, a time without a zone, or the moment at which a day, a month, a year or what words such as "last
    week" name begins in ``zone``.

    Raises:
        ValueError: it is none of these.
    """
    if len(text) > LONGEST_TIME:
        raise ValueError("longer than any time")
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        pass
    else:
        return localise(time, zone) if time.tzinfo is None else fixed_offset(time)
    from ...memory.question.times import time_named  # its patterns take a while to compile

    named = time_named(text, datetime.now(zone))
    if named is None:
        raise ValueError("no time")
    return localise(named.start.replace(tzinfo=None), zone)


def _moment(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        if value is None or isinstance(value, datetime):
            return value
    elif not _SLASHES.fullmatch(value.strip()):
        try:
            return time_in(value, cast("dict[str, tzinfo]", info.context)["zone"])
        except (ValueError, OverflowError):
            pass
    if isinstance(value, str) and _SLASHES.fullmatch(value.strip()):
        raise ValueError(
            f"{info.field_name} may be two days, by the order of day and month: write it as 2024-01-15 or 15 Jan 2024"
        )
    raise ValueError(f"{info.field_name} must be {TIME_WORDING}")


def _within(lowest: int, highest: int) -> BeforeValidator:
    """Whole numbers between these bounds, of JSON or of a query string, with one wording for all that is wrong."""

    def check(value: object, info: ValidationInfo) -> object:
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
            return value
        raise ValueError(f"{info.field_name} must be {lowest}-{highest}")

    return BeforeValidator(check, json_schema_input_type=Annotated[int, Field(ge=lowest, le=highest)])


def _page_key(value: object) -> object:
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("after must be the `next` of the page before") from None


_DAY = WithJsonSchema(
    {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "description": "a day, a month or a year in the configured zone, words such as `last week`, or an RFC 3339 time",
    }
)
Moment = Annotated[Instant | None, BeforeValidator(_moment), _DAY]
Flag = StrictBool


class Request(BaseModel):
    """The parent of all but the query: frozen, and closed, so that a mistyped key is an error."""

    # Built when first needed: a command asks for one operation.
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)
    hint: ClassVar[str] = ""


class NoRequest(Request):
    """Nothing can be asked for."""


class IdRequest(Request):
    """One thing by its id, or a person by name."""

    id: Text
    """The id, or the name of a person."""


LONGEST_QUESTION = 10_000
"""Characters, some pages: a text of 15 MB would keep others waiting for 20 seconds."""


class QueryRequest(Query):
    """A question and its filters; several values of one filter mean any of them, several filters mean all."""

    hint: ClassVar[str] = "`memd query --help` explains each"

    limit: int = Field(default=10, json_schema_extra={"minimum": 1, "maximum": 100})
    """The maximum number of hits."""
    since: Moment = None
    """Only messages from this time on: a day, a month or a year in the configured zone, words such as `last week`, or RFC 3339."""
    until: Moment = None
    """This moment itself is outside."""
    as_of: Moment = None
    """Limits facts to those that held at that time."""

    @model_validator(mode="after")
    def _answerable(self) -> Self:
        _check_order(self.since, self.until)
        if not self.text.strip():
            hint = "`memd documents` lists what is stored, with the same filters"
            raise InvalidError("text must hold a word", hint=hint)
        if len(self.text) > LONGEST_QUESTION:
            hint = "ask a shorter question, or search for its rarest words"
            raise InvalidError(f"text must have at most {LONGEST_QUESTION:,} characters", hint=hint)
        return self


class FilterRequest(Request):
    """The filters of a query without a question."""

    hint: ClassVar[str] = QueryRequest.hint

    speakers: tuple[Text, ...] = ()
    """Names of speakers."""
    people: tuple[Text, ...] = ()
    """Names of people who take part."""
    sources: tuple[Text, ...] = ()
    """Names of sources, such as `whatsapp`."""
    chats: tuple[Text, ...] = ()
    """Titles or ids of chats."""
    tags: tuple[Text, ...] = ()
    """Labels of documents."""
    kinds: tuple[MessageKind, ...] = ()
    """Kinds of messages."""
    users: tuple[Words, ...] = ()
    """Users, agents and sessions of messages that programs sent, by their whole names."""
    agents: tuple[Words, ...] = ()
    """Agents in whose scope it is."""
    sessions: tuple[Words, ...] = ()
    """Sessions in whose scope it is."""
    since: Moment = None
    until: Moment = None
    """This moment itself is outside."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        _check_order(self.since, self.until)
        return self

    def as_query(self) -> Query:
        """The same filters, without words."""
        return Query(text="", **{name: getattr(self, name) for name in FilterRequest.model_fields})


class PartStatsRequest(Request):
    """The part that is counted."""

    chats: tuple[Text, ...] = ()
    """Chats by title or id."""
    sources: tuple[Text, ...] = ()
    """Names of sources."""

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.chats and not self.sources:
            raise InvalidError("chats or sources must name something", hint="`memd stats` counts all that is stored")
        return self


class ListingRequest(FilterRequest):
    """A page of documents."""

    limit: Annotated[int, _within(1, 1000)] = 20
    """The maximum number of documents."""
    after: Annotated[UUID | None, BeforeValidator(_page_key)] = None
    """`next` of the page before."""


class ExportRequest(FilterRequest):
    """Documents to export."""

    documents: tuple[Text, ...] = ()
    """Ids; without them all."""


class StoreRequest(Request):
    """The parameters that are sent beside documents."""

    run: str | None = None
    """Continues this run."""
    source: Text = "api"
    """The name of a new run."""
    more: bool = False
    """The run stays open."""
    check: bool = False
    """Nothing is stored: `conflicts` lists the titles of stored chats that are other chats of the same name."""
    digests: bool = False
    """Nothing is stored: the lines are [key, title of the chat, SHA-256 of the JSON] of days of chats instead of documents,
    and `undecided` are the keys of those that have to be sent with `check`."""
    again: bool = False
    """Documents that were forgotten may come back."""
    rejected: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    """Records that the sender could not read; they count among the rejected ones of the run."""
    receipt: bool = False
    """The sender tells by `POST /v1/receipt` what it read; otherwise the receipt is made of these documents."""


class ReceiptRequest(Request):
    """The files that were read."""

    run: Text
    """The run of any documents of it."""
    continues: bool = False
    """It goes on with the receipt of the request before, which was too large for one."""
    more: bool = False
    """The next request goes on with it: until then the receipt is incomplete."""
    exports: tuple[ReadExport, ...] = ()
    """The exports that were read."""
    skipped: tuple[SkippedFile, ...] = ()
    """The files that were not read."""


class MessagesRequest(Request):
    """One list of messages, or several."""

    messages: MessageList = ()
    """In their order."""
    lists: MessageBatchList = ()
    """Behind `messages`."""
    user: Words | None = None
    """The user of messages whose `metadata` names none; so are `agent` and `session`."""
    agent: Words | None = None
    """The agent of messages that name none."""
    session: Words | None = None
    """The session of messages that name none."""

    @property
    def batch(self) -> MessageBatchList:
        """The lists that are not empty, each message with its scope."""
        named = {USER_ID: self.user, AGENT_ID: self.agent, SESSION_ID: self.session}
        scope = {key: name for key, name in named.items() if name is not None}
        lists = (self.messages, *self.lists)
        return tuple(tuple(message.within(scope) for message in each) for each in lists if each)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.batch:
            raise ValueError("messages or lists must hold at least one message")
        return self


class AddFactRequest(Request):
    """A fact, and the message that states it."""

    subject: Words
    """A person, or a thing; `I` is the speaker."""
    attribute: Words
    """`home`, `employer`, …, or another word."""
    value: Words
    """The value of the attribute: `Porto`."""
    content: Words | None = None
    """The message, in which the value stands; without it it is `SUBJECT ATTRIBUTE: VALUE`."""
    negated: Flag = False
    """This is not, or no longer, so."""
    valid_from: Words | None = None
    """The day, month or year since when it holds, 2024-03-01; a `content` must tell it, too."""
    speaker: Words | None = None
    """The author of the message; without it the user."""
    time: Moment = None
    """The time of the message; without it now."""
    id: Words | None = None
    """The message's own id: one that is sent again with its id and `time` is the same."""
    user: Words | None = None
    """The user in whose scope the message is."""
    agent: Words | None = None
    """The agent in whose scope it is."""
    session: Words | None = None
    """Its session; `default` without it."""


class ProgressRequest(Request):
    """The run to follow."""

    run: str | None = None
    """Only this run, until it ends."""


class FactsRequest(Request):
    """A page of facts."""

    subject: tuple[Text, ...] = ()
    """People or things, by name."""
    speaker: tuple[Text, ...] = ()
    """Names of those who said it."""
    attribute: tuple[Text, ...] = ()
    """Kinds of statements, such as `home`."""
    status: tuple[Literal["active", "superseded", "retracted", "all"], ...] = ()
    """Without it `active`, with `as_of` all."""
    as_of: Moment = None
    """Limits facts to those that held at that time."""
    known_at: Moment = None
    """As it was recorded at that time."""
    limit: Annotated[int, _within(1, 500)] = 50
    """The maximum number of facts."""
    after: Annotated[int, _within(0, ROW_IDS)] = 0
    """`next` of the page before."""


class RefusedFactsRequest(Request):
    """A page of what became no fact."""

    reason: tuple[Text, ...] = ()
    """As `facts_rejected` of the counts names them; without it all."""
    run: Text | None = None
    """Only what this run read."""
    limit: Annotated[int, _within(1, 500)] = 50
    """The maximum number of statements."""
    after: Annotated[int, _within(0, ROW_IDS)] = 0
    """`next` of the page before."""


class UndoRequest(Request):
    """The statements to believe, or to stop believing."""

    id: str
    """The id of a fact or a run, or the beginning of it."""
    believe: Flag | None = None
    """The state that is wanted, which may be sent twice; without it the state changes over."""
    dry_run: Flag = False
    """Tell what would change, and change nothing."""


class MergePeopleRequest(Request):
    """The names that belong to one person."""

    people: Annotated[tuple[str, ...], Field(min_length=1, max_length=100)]
    """Names, `SOURCE:NAME`, mail addresses, phone numbers, or keys of identities; of a dry run also parts of names."""
    whole_names: Flag = False
    """In a dry run, refuse parts of names, too."""
    dry_run: Flag = True
    """True to plan and change nothing."""


class SplitPersonRequest(Request):
    """The person whose names belong to several people."""

    person: str
    """As in merging."""
    names: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    """The names of this person that stand by themselves again; without them all."""
    whole_names: Flag = False
    """As in merging."""
    dry_run: Flag = True
    """True to plan and change nothing."""


class GraphRequest(Request):
    """A part of the graph: around one node, between two, or of all."""

    name: Text | None = None
    """A person, place, organisation or thing: its name, a part that means nothing else, or the id of its node."""
    other: Text | None = None
    """A second one: the answer is the shortest paths between them."""
    depth: Annotated[int, _within(1, 6)] | None = None
    """The most steps from the node, without it 1; between two the most edges of a path, without it 4."""
    limit: Annotated[int, _within(1, 10_000)] = 100
    """The maximum number of edges, between two of paths."""
    as_of: Moment = None
    """The facts that held at that time, also superseded ones, and the messages until then."""

    @model_validator(mode="after")
    def _one_before_the_other(self) -> Self:
        if self.other is not None and self.name is None:
            raise ValueError("other goes with name")
        return self


class UndoPeopleRequest(Request):
    """The decision to undo."""

    decision: Annotated[int | None, _within(1, ROW_IDS)] = None
    """Its number; without it the last merge or split that stands."""


class AuditRequest(Request):
    """A page of what was sent."""

    before: Annotated[int | None, _within(1, ROW_IDS)] = None
    """`next` of the page before."""
    limit: Annotated[int, _within(1, 500)] = 50
    """The maximum number of texts."""


class LedgerRequest(Request):
    """The grouping of the totals."""

    by: Literal["model", "source", "run", "day", "purpose"] = "model"
    """The grouping."""


class TrialRequest(Request):
    """The number of messages that the language model is shown."""

    limit: Annotated[int, _within(1, 100)] = 10
    """The maximum number of messages."""


class ForgetRequest(Request):
    """The selection to forget: several fields must all hold."""

    documents: tuple[str, ...] = ()
    """Ids of documents."""
    sources: tuple[str, ...] = ()
    """Names of sources."""
    chats: tuple[str, ...] = ()
    """Titles or ids of chats."""
    speakers: tuple[str, ...] = ()
    """Names of speakers, whose messages go."""
    people: tuple[str, ...] = ()
    """Under all their names, and facts about them."""
    users: tuple[Words, ...] = ()
    """Users, agents and sessions of messages that programs sent, by their whole names."""
    agents: tuple[Words, ...] = ()
    """Agents in whose scope it is."""
    sessions: tuple[Words, ...] = ()
    """Sessions in whose scope it is."""
    messages: tuple[Text, ...] = ()
    """Exactly these messages, by their keys or the ids that came with them."""
    since: Moment = None
    until: Moment = None
    """This moment itself is outside."""
    quotes: Literal["keep", "redact", "remove"] = "keep"
    """The treatment of messages and texts of others that quote the forgotten words: they stay and are counted in a plan;
    `[redacted]` replaces these words; or these messages and texts go, too.
    """
    whole_names: Flag = False
    """A name means itself alone, as it always does where a plan is carried out: a part of one stands for nothing."""
    dry_run: bool = True
    """True to plan and change nothing."""
    plan: str | None = None
    """`plan` of a dry run: carried out if it is still the same."""


class UndoImportRequest(Request):
    """The run to undo, and further ones with it."""

    run: Text
    """The run's id; in a dry run also the beginning of it."""
    also: Annotated[tuple[Text, ...], Field(max_length=100)] = ()
    """Other runs that are undone with it: what these runs alone brought goes."""
    dry_run: bool = True
    """True to plan and change nothing."""
    plan: str | None = None
    """`plan` of a dry run: carried out if it is still the same."""


class DoctorRequest(Request):
    """The choice between checking and repairing."""

    repair: Flag = False
    """True to repair what is derived."""


class ReindexRequest(Request):
    """The extent of the work."""

    wait: Flag = False
    """Wait until all vectors are made."""
    keep_old: Flag = False
    """Keep the vectors of the former model."""
    force_rechunk: Flag = False
    """Cut all documents again, not only those that another strategy has cut."""


class MigrateRequest(Request):
    """To which index."""

    index: EngineName
    """The index that is filled and compared; the one in use is only compared."""
    remove_other: Flag = False
    """Then remove the other, which must not be the one in use."""


class BackupRequest(Request):
    """The place of a snapshot."""

    directory: str
    """An absolute path; made where it is missing."""
    keep: Annotated[int | None, Field(ge=1)] = None
    """The number of snapshots to keep; without it all."""

    @field_validator("directory")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if "\0" in value or not Path(value).is_absolute():
            raise ValueError("directory must be an absolute path")
        return value


class AddSourceRequest(Request):
    """A new source."""

    settings: dict[str, Any]
    """As in a table ``[[sources]]``; docs/settings.md has its keys."""
    secrets: dict[str, SecretStr] = {}
    """The secrets of an account: ``password``. Stored in a private file of their own."""


class CheckSourceRequest(Request):
    """An account that is to be looked at."""

    settings: dict[str, Any]
    """As of a new source."""
    secrets: dict[str, SecretStr]
    """The secrets of the account."""


class LoginSourceRequest(Request):
    """The secrets with which an account logs in from now on."""

    name: str
    """The name of the source."""
    secrets: dict[str, SecretStr]
    """``password``."""
    check: Flag = True
    """Log in before it is stored, and store nothing that is refused."""


class ChangeSourceRequest(Request):
    """The source, and the settings that change."""

    name: str
    """The name of the source."""
    settings: dict[str, Any]
    """Settings as of a new source, without its name and kind; null resets to the default, and omitted ones stay."""


class SourceRequest(Request):
    """The source."""

    name: str
    """The name of the source."""


class PauseSourceRequest(SourceRequest):
    """The source, and the wanted state."""

    paused: Flag
    """True to pause it, false to resume it."""


class SyncRequest(Request):
    """The sources to read now."""

    sources: tuple[str, ...] = ()
    """Names; without them all that are not paused."""
    wait: Flag = False
    """Wait until what is new is found by words and vectors."""
    again: Flag = False
    """Also what was read before."""
    nightly: Flag = False
    """Also do the backups, checks and pruning whose time has come, and send the message of ``notify``; a daemon does
    both by itself. Only with `wait`, and without names."""


class RunsRequest(Request):
    """A page of the history of runs."""

    source: str | None = None
    """Only runs of this source."""
    limit: Annotated[int, _within(1, 1000)] = 50
    """The maximum number of runs."""
    before: str | None = None
    """`next` of the page before."""


class DeadLettersRequest(Request):
    """A page of dead letters."""

    after: Annotated[int, _within(0, ROW_IDS)] = 0
    """`next` of the page before."""
    limit: Annotated[int, _within(1, 1000)] = 100
    """The maximum number of documents."""


class LettersRequest(Request):
    """The dead letters to act on."""

    ids: tuple[str, ...] | None = None
    """Numbers, or ids of documents; without them all."""


def _check_order(since: datetime | None, until: datetime | None) -> None:
    if since and until and since >= until:
        raise ValueError("since must be before until")
