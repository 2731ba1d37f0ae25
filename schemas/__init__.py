"""The nouns of memd: frozen models and pure functions on them. No I/O, no event loop, no import from the other rooms."""

from .chunk import Chunk
from .collection import DocumentCollectionDocument
from .conversation import (
    Conversation,
    ConversationDocument,
    ConversationKind,
    StructuredConversation,
)
from .document import (
    UNKNOWN_TYPE,
    Document,
    conversation_documents_to_documents,
    text_documents_to_documents,
)
from .email_thread import EmailThreadDocument
from .fact import Evidence, ExtractorInfo, Fact, FactLink
from .message import (
    SYSTEM_SPEAKER,
    UNKNOWN_USER,
    UNTERMINATED,
    Attachment,
    ConversationMessage,
    Edit,
    MessageKind,
    Reaction,
    Segment,
)
from .person import Person
from .progress import Outcome, ProgressUpdate, Stage, StoreReport
from .query import (
    Arm,
    ChunkReference,
    ContextLine,
    Explanation,
    Hit,
    HitType,
    Occurrences,
    Query,
    QueryResult,
    TextRange,
)
from .records import Notice, Rejected
from .text import TextDocument
from .timeline import TimelineDocument, TimelineEvent
from .times import Instant, TimePrecision, ZoneOrigin
from .video_call import VideoCallDocument
from .wire import document_from_wire, document_schemas, document_to_line

__all__ = [
    "SYSTEM_SPEAKER",
    "UNKNOWN_TYPE",
    "UNKNOWN_USER",
    "UNTERMINATED",
    "Arm",
    "Attachment",
    "Chunk",
    "ChunkReference",
    "ContextLine",
    "Conversation",
    "ConversationDocument",
    "ConversationKind",
    "ConversationMessage",
    "Document",
    "DocumentCollectionDocument",
    "Edit",
    "EmailThreadDocument",
    "Evidence",
    "Explanation",
    "ExtractorInfo",
    "Fact",
    "FactLink",
    "Hit",
    "HitType",
    "Instant",
    "MessageKind",
    "Notice",
    "Occurrences",
    "Outcome",
    "Person",
    "ProgressUpdate",
    "Query",
    "QueryResult",
    "Reaction",
    "Rejected",
    "Segment",
    "Stage",
    "StoreReport",
    "StructuredConversation",
    "TextDocument",
    "TextRange",
    "TimePrecision",
    "TimelineDocument",
    "TimelineEvent",
    "VideoCallDocument",
    "ZoneOrigin",
    "conversation_documents_to_documents",
    "document_from_wire",
    "document_schemas",
    "document_to_line",
    "text_documents_to_documents",
]
