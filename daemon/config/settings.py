"""The settings: every section, key, type and default."""

from __future__ import annotations

import re
import shlex
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ...memory.chunking.settings import ChunkingSettings
from ...memory.index.engines import EngineName
from ...memory.index.weaviate.settings import WeaviateSettings
from ...schemas import ZoneOrigin
from ...schemas.settings import Section, UsablePath, http_address
from .home_zone import named_zone
from .loopback_address import loopback_address
from .paths import locate
from .source_settings import AnySource, SourceSettings, ZoneName
from .timezones import system_zone, zone_named

Level = Annotated[
    Literal["debug", "info", "warning", "error"],
    BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value),
]
Seconds = Annotated[float, Field(ge=0, le=86_400)]
Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]


class LogSettings(Section):
    """The log, on standard error."""

    level: Level = "info"
    modules: dict[str, Level] = Field(default_factory=dict[str, Level])
    """Levels of single modules, ``{"memory.store" = "debug"}``; in the environment ``memory.store=debug,…``."""

    @field_validator("modules", mode="before")
    @classmethod
    def _written_in_one_line(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [pair.partition("=") for pair in value.split(",") if pair.strip()]
        return {name.strip(): level.strip() for name, _, level in pairs}


class EmbeddingSettings(Section):
    """Vectors."""

    enabled: bool = True
    """False: words only. Nothing is embedded, the model is not loaded; vectors made before stay."""
    provider: Literal["bundled", "onnx", "openai"] = "bundled"
    """The model that ships with memd, one in a folder of yours, or an OpenAI-compatible endpoint."""
    model: str = ""
    """The name of a bundled model, multilingual-e5-small-int8 by default; the folder of a model (or one of its .onnx files);
    or the endpoint's name for its model."""
    name: str = ""
    """A name for the vectors, instead of the folder's name, or of the endpoint's address and model."""
    pooling: Literal["mean", "cls"] | None = None
    """The pooling of a model in a folder; by default what the folder says."""
    query_prefix: str | None = None
    """Written before each question; by default what the folder says, or nothing."""
    document_prefix: str | None = None
    """Written before each text that is stored; by default what the folder says, or nothing."""
    dimensions: Annotated[int, Field(ge=1, le=65_536)] | None = None
    """Components of a vector; asked of an endpoint. By default what the model gives."""
    max_tokens: Annotated[int, Field(ge=16, le=32_768)] | None = None
    """Tokens that are read of one text; by default the model's window, at most 1,024, or 512 for an endpoint."""
    tokenizer: UsablePath | None = None
    """A tokenizer.json, or its folder: that of the endpoint's model. Without it tokens are estimated."""
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    """The variable that holds the endpoint's key."""
    api_key_file: UsablePath | None = None
    """A file that holds it, readable by its owner alone; goes over the variable."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Seconds for one request."""
    request_texts: Annotated[int, Field(ge=1, le=2048)] = 64
    request_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 16_384
    """Texts and tokens of one request, at most."""
    fallback: Literal["bundled", "none"] = "bundled"
    """The model that stands in while an endpoint is away; loaded only then, 150 MB. ``none``: vectors wait for the endpoint."""
    encoding: Literal["float", "base64"] = "float"
    """The form of vectors that is requested from the endpoint. Both are understood."""
    threads: Positive | None = None
    """Cores of one inference; all that the process may use by default."""
    batch: Annotated[int, Field(ge=1, le=4096)] = 256
    """Texts that are embedded between two commits: what a kill may cost to do again."""

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return http_address(value, "embedding", "http://127.0.0.1:11434/v1")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.provider == "onnx" and not self.model:
            raise ValueError("embedding.model must name the folder of the ONNX model")
        if self.provider == "openai" and not self.model:
            raise ValueError("embedding.model must be the name that the endpoint gives its model")
        return self


class StorageSettings(Section):
    """The search index. Everything is kept in SQLite in any case."""

    index: EngineName = "embedded"
    """Files beside the store, or a server, see [weaviate]. After a change the other is filled by itself, or before by `memd migrate`."""


class FactSettings(Section):
    """Facts, extracted from what people wrote."""

    extractor: Literal["auto", "rules", "llm", "off"] = "auto"
    """The extractor: ``rules``, a table of first-person patterns that needs no model; ``llm``, the model of the section
    ``llm``; ``auto``: that model where one is named, else the rules; ``off``: none."""


class EvolutionSettings(Section):
    """The annotations that a language model makes of stored messages, beside facts."""

    notes: bool = False
    """Have the model of the section ``llm`` give keywords and typed links to each message, while `memd serve` runs; they are
    further words to find it by. It takes calls, and no gain was measured. Off again, they are deleted."""


class LLMSettings(Section):
    """A language model that reads and answers; without ``model`` there is none, and nothing is sent anywhere."""

    model: str = ""
    """The endpoint's name for the model."""
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    """The variable that holds the endpoint's key; empty: none is sent."""
    api_key_file: UsablePath | None = None
    """A file that holds it, readable by its owner alone; goes over the variable."""
    local_only: bool = False
    """Refuse every endpoint that is not on this machine."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    """Seconds for one answer."""
    variant: Literal["full", "short"] = "full"
    """The length of the prompt; ``short`` for small local models."""
    confirm: bool = True
    """Show the model each weighty fact again, with its message alone, and drop what it does not find there; not with ``short``."""
    structure: Literal["schema", "json", "text"] | None = None
    """The form in which answers are requested; by default the strictest that the endpoint takes."""
    answer_tokens: Annotated[int, Field(ge=100, le=32_768)] = 2_000
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    """Calls at once."""
    batch: bool = False
    """Ask by batches, for half the price and within a day, where the endpoint has them."""
    batch_poll_s: Annotated[float, Field(gt=0, le=86_400)] = 60.0
    """Seconds between two looks whether a batch is answered."""
    redact: bool = True
    """Hide keys, tokens, cards and accounts before anything is sent."""
    redact_emails: bool = False
    redact_phones: bool = False
    redact_patterns: tuple[str, ...] = ()
    """Regular expressions of what else is to be hidden."""
    keep_sources: tuple[str, ...] = ()
    """Sources of which nothing is ever sent; the rules read them."""
    keep_conversations: tuple[str, ...] = ()
    """Titles or names of chats, or patterns of document ids such as ``whatsapp:Family:*``, of which nothing is ever sent."""
    price_prompt: Annotated[float, Field(ge=0)] | None = None
    price_completion: Annotated[float, Field(ge=0)] | None = None
    """Money for a million tokens; without both, tokens alone are counted."""
    calls_per_run: Positive | None = None
    tokens_per_run: Positive | None = None
    money_per_run: Annotated[float, Field(ge=0)] | None = None
    calls_per_day: Positive | None = None
    tokens_per_day: Positive | None = None
    money_per_day: Annotated[float, Field(ge=0)] | None = None
    """Budgets; when one is spent, what is left is read later."""

    @field_validator("redact_patterns")
    @classmethod
    def _regular_expressions(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError):
                raise ValueError(f"{pattern!r} is no regular expression") from None
        return value


class RerankSettings(Section):
    """A model that reads the question together with the best messages and puts these into another order; off by default."""

    provider: Literal["none", "onnx", "http"] = "none"
    """``onnx``: a cross-encoder in a folder of yours; ``http``: an endpoint with ``/rerank``. What llm.keep_sources and
    llm.keep_conversations name is never sent there, and llm.redact holds for it."""
    model: str = ""
    """The folder of the cross-encoder (or one of its .onnx files), or the endpoint's name for its model."""
    base_url: str = ""
    """The address in front of ``/rerank``: ``https://api.cohere.com/v2``, ``http://127.0.0.1:8000/v1``."""
    api_key_env: str = ""
    """The variable that holds the endpoint's key; empty: none is sent."""
    candidates: Annotated[int, Field(ge=2, le=100)] = 20
    """The number of the best messages that it reads."""
    weight: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Its share beside the first ranking; 1: the reranker alone."""
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 5.0
    """Seconds that a question waits for it; then the first ranking stands."""

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return http_address(value, "rerank", "http://127.0.0.1:8000/v1") if value else value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.provider != "none" and not self.model:
            raise ValueError("rerank.model must name the folder of a cross-encoder, or the endpoint's model")
        if self.model and "provider" not in self.model_fields_set:
            raise ValueError("rerank.provider must say what rerank.model is: onnx, http, or none to leave it out")
        if self.provider == "http" and not self.base_url:
            raise ValueError("rerank.base_url must be the address of the endpoint")
        return self


class IngestSettings(Section):
    """The way of a document from its acceptance to the store."""

    batch_messages: Positive = 2000
    """Messages that are written in one go; the store cuts them into transactions of its own."""
    batch_bytes: Positive = 8 * 1024 * 1024
    """Bytes of JSON that are taken out of the journal at once (one document may be larger)."""
    queue_messages: Positive = 50_000
    """Messages that may wait in the journal before whoever sends more has to wait."""
    attempts: Positive = 4
    """The number of attempts to store a document before it becomes a dead letter."""
    drain_s: Seconds = 5.0
    """At the end, how long what is journaled may still be written; the rest waits for the next start."""
    buffer: Literal["none", "write", "round", "hybrid"] = "write"
    """The way in which lists of messages (``POST /v1/messages``) wait for others of their session before they are stored."""
    buffer_lists: Positive | None = None
    """Lists of a round; this and the following go over what the policy says."""
    buffer_tokens: Positive | None = None
    """Tokens of a round."""
    buffer_rounds: Positive | None = None
    """Full rounds that are stored together."""
    buffer_messages: Positive | None = None
    buffer_bytes: Positive | None = None
    buffer_age_s: Seconds | None = None
    """Seconds since the oldest list arrived."""
    buffer_idle_s: Seconds | None = None
    """Seconds since the last list arrived."""


class QuerySettings(Section):
    """The defaults of a question."""

    limit: Annotated[int, Field(ge=1, le=100)] = 10
    context: Annotated[int, Field(ge=0, le=10)] = 1
    cache_answers: Annotated[int, Field(ge=0, le=10_000)] = 100
    """The most answers that are kept for the same question; 0: none."""
    cache_s: Annotated[float, Field(gt=0, le=86_400)] = 600.0
    """Seconds for which an answer is kept while nothing changes."""
    prefetch: bool = False
    """Prepare answers to likely next questions while nobody asks."""
    waiting_messages: Annotated[int, Field(ge=0, le=100_000)] = 250
    """The most messages that wait to be stored among which a question looks, the newest ones; 0: none."""


class TracingSettings(Section):
    """Times of the stages of imports and questions, for OpenTelemetry; needs the extra ``tracing``. No text is sent."""

    endpoint: str = ""
    """The address of a collector that takes OTLP over HTTP, ``http://127.0.0.1:4318``; empty: nothing is measured or sent."""

    @field_validator("endpoint")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return http_address(value, "tracing", "http://127.0.0.1:4318") if value else value


class ServerSettings(Section):
    """The socket."""

    group: str | None = None
    """A group whose members may connect too; then the socket is 0660."""
    http: str = ""
    """An address of this machine, `127.0.0.1:8377`, where programs may ask too, with the token of the file `http.token` in the
    data directory; port 0: any free one."""
    owner_wait_s: Seconds = 30.0
    """Seconds that `memd serve` waits for a command that owns the data directory."""
    autostart: Literal["ask", "yes", "no"] = "ask"
    """``yes``: a command that asks starts a daemon where none runs; ``ask``: it says once that one is faster; ``no``: neither."""
    idle_minutes: Annotated[float, Field(gt=0, le=100_000)] = 30.0
    """Minutes without a request after which a daemon ends that a command started."""

    @field_validator("http")
    @classmethod
    def _on_this_machine(cls, value: str) -> str:
        if value:
            loopback_address(value)
        return value

    @field_validator("group")
    @classmethod
    def _a_name(cls, value: str | None) -> str | None:
        if value is not None and not value.isprintable():
            raise ValueError("must be the name of a group")
        return value


class SyncSettings(Section):
    """Sources that are read again and again, see ``[[sources]]``."""

    workers: Annotated[int, Field(ge=1, le=16)] = 2
    """The number of sources that are read at the same time."""
    settle_s: Annotated[float, Field(ge=0, le=600)] = 2.0
    """A file is complete when it has not changed for so many seconds."""


class MaintenanceSettings(Section):
    """Work done at set times; an empty schedule is none."""

    backup_to: UsablePath | None = None
    """The folder of the backups; without it none is made."""
    backup_schedule: str = "30 4 * * *"
    backup_keep: Positive = 7
    """Snapshots that stay."""
    doctor_schedule: str = "0 5 * * 0"
    prune_schedule: str = "45 4 * * *"
    keep_runs_days: Annotated[int, Field(ge=1, le=36_500)] = 400
    """Days that a run stays in the history; the last run of each source stays for good."""

    @field_validator("backup_to")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_absolute():
            raise ValueError("must be an absolute path")
        return value


NotifyEvent = Literal["failed", "silent"]


class NotifySettings(Section):
    """Messages about sources, backups, checks and the language model that no longer work."""

    command: str = ""
    """The program that sends a message, with its arguments, and no shell: it gets a JSON object on standard input, and a
    sentence in the variable ``MEMD_MESSAGE``."""
    on: tuple[NotifyEvent, ...] = ("failed", "silent")
    """``failed``: a source, a backup or a check failed or did not run. ``silent``: a source or the language model gives
    nothing any more."""
    desktop: bool = False
    """Show the sentence on the desktop as well, by ``notify-send`` where there is one."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0
    """Seconds that the program may take."""

    @field_validator("command")
    @classmethod
    def _words(cls, value: str) -> str:
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise ValueError(f"is no command: {error}") from None
        if "\0" in value or (value and not words):
            raise ValueError("is no command")
        return value


def _default_socket(values: dict[str, Any]) -> Path:
    default = locate()
    data_dir = values.get("data_dir")
    if data_dir is None or str(data_dir) == default.data_dir:
        return Path(default.socket)
    return Path(data_dir) / "memd.sock"


class Settings(Section):
    """Everything that can be set. ``Settings()`` runs."""

    config: Path = Field(default_factory=lambda: Path(locate().config))
    data_dir: Path = Field(default_factory=lambda: Path(locate().data_dir))
    socket: Path = Field(default_factory=_default_socket)
    socket_chosen: bool = False
    """Somebody named the socket: it is not replaced by a shorter path."""
    zone: ZoneName = None
    """The zone of times without one, ``Europe/Berlin``; the machine's by default."""
    me: dict[str, str] = Field(default_factory=dict[str, str])
    """The user's own name by source, ``whatsapp = "Ann"``; a single text is the name in all sources."""
    log: LogSettings = LogSettings()
    storage: StorageSettings = StorageSettings()
    weaviate: WeaviateSettings = WeaviateSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    facts: FactSettings = FactSettings()
    evolution: EvolutionSettings = EvolutionSettings()
    llm: LLMSettings = LLMSettings()
    rerank: RerankSettings = RerankSettings()
    ingest: IngestSettings = IngestSettings()
    query: QuerySettings = QuerySettings()
    server: ServerSettings = ServerSettings()
    sync: SyncSettings = SyncSettings()
    maintenance: MaintenanceSettings = MaintenanceSettings()
    notify: NotifySettings = NotifySettings()
    tracing: TracingSettings = TracingSettings()
    mounts: dict[str, Path] = Field(default_factory=dict[str, Path])
    """Data directories of other memories by name, which questions read as well, ``work = "/home/ann/work"``."""
    sources: tuple[AnySource, ...] = ()
    """Declared sources, in tables ``[[sources]]``."""

    @field_validator("sources")
    @classmethod
    def _different_names(cls, value: tuple[SourceSettings, ...]) -> tuple[SourceSettings, ...]:
        names = [each.name for each in value]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two sources have the name {twice[0]!r}")
        return value

    @field_validator("mounts")
    @classmethod
    def _other_folders(cls, value: dict[str, Path]) -> dict[str, Path]:
        for name, folder in value.items():
            if name == "own" or name != name.strip() or "/" in name or not (name.isprintable() and 0 < len(name) <= 64):
                raise ValueError("a name is 1 to 64 letters without a slash or outer spaces, and not `own`")
            if not folder.expanduser().is_absolute():
                raise ValueError(f"the path of {name!r} must be absolute")
        return {name: folder.expanduser() for name, folder in value.items()}

    @field_validator("me", mode="before")
    @classmethod
    def _one_name(cls, value: object) -> object:
        if not isinstance(value, str | dict):
            raise ValueError("must be your name as a text, or a table of names by source")
        return {"": value} if isinstance(value, str) else value  # pyright: ignore[reportUnknownVariableType]

    def zone_in_force(self) -> tuple[tzinfo, ZoneOrigin]:
        """Return the zone in which times are shown and days begin, and times without a zone are read, and its origin."""
        if self.zone is not None:
            return zone_named(self.zone), "configuration"
        name = named_zone(self.data_dir)
        return zone_named(name) if name else system_zone(), "assumed"
