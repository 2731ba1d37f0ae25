"""Stores of older formats, made of one of the present format: what it has beyond them is taken away."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

FORMAT_8 = """
DROP TABLE repeats; PRAGMA user_version = 8;
"""
FORMAT_7 = f"""{FORMAT_8}
DROP TABLE unread_windows; DROP TABLE refused; PRAGMA user_version = 7;
"""
FORMAT_6 = f"""{FORMAT_7}
DROP TABLE inputs; PRAGMA user_version = 6;
"""
FORMAT_5 = f"""{FORMAT_6}
DROP TABLE identities; DROP TABLE identity_links; DROP TABLE own_names; DROP TABLE persons; DROP TABLE people_decisions;
PRAGMA user_version = 5;
"""
FORMAT_4 = f"""{FORMAT_5}
CREATE TABLE fact_links (
    fact BLOB NOT NULL, kind TEXT NOT NULL, other BLOB NOT NULL, weight INTEGER NOT NULL,
    PRIMARY KEY (fact, kind, other)
) WITHOUT ROWID;
UPDATE facts SET body = json_insert(body, '$.fact.context', json_array(body ->> '$.fact.id')); PRAGMA user_version = 4;
"""
FORMAT_3 = f"""{FORMAT_4}
DROP TRIGGER versions_went; DROP TABLE version_messages; DROP INDEX facts_by_speaker; DROP INDEX facts_by_attribute; DROP INDEX facts_by_status;
DROP INDEX facts_by_run; DROP INDEX facts_by_cluster; DROP INDEX facts_by_subject;
CREATE INDEX facts_by_cluster ON facts (cluster) WHERE replaced IS NULL;
CREATE INDEX facts_by_subject ON facts (subject) WHERE replaced IS NULL;
DROP INDEX documents_by_source; DROP INDEX documents_by_time; DROP INDEX messages_by_speaker;
CREATE INDEX documents_by_source ON documents (source); CREATE INDEX documents_by_time ON documents (micros, id);
CREATE INDEX messages_by_speaker ON messages (speaker);
DROP INDEX documents_of_text; DROP INDEX people_of_crowds; DROP INDEX messages_by_kind; DROP INDEX chunks_by_make;
DROP TRIGGER documents_came; DROP TRIGGER documents_went; DROP TRIGGER messages_came; DROP TRIGGER messages_went;
DROP TRIGGER chunks_came; DROP TRIGGER chunks_went; DROP TRIGGER pending_came; DROP TRIGGER pending_went;
DROP TRIGGER unread_came; DROP TRIGGER unread_went; DROP TRIGGER facts_came; DROP TRIGGER facts_went;
DROP TRIGGER facts_replaced; DROP TRIGGER facts_returned; DROP TRIGGER vectors_came; DROP TRIGGER vectors_went;
DROP TRIGGER windows_came; DROP TRIGGER windows_went; DROP TABLE counts; PRAGMA user_version = 3;
"""
FORMAT_1 = f"""{FORMAT_3}
DROP TABLE tombstones; DROP INDEX vectors_by_text; ALTER TABLE vectors DROP COLUMN crc; DROP INDEX chunks_by_document;
CREATE INDEX chunks_of_texts ON chunks (document, ordinal) WHERE message IS NULL;
DROP TABLE unread; DROP TABLE windows; DROP TABLE statements; DROP TABLE excluded; DROP TABLE facts;
DROP TABLE fact_messages; DROP TABLE fact_spots; DROP TABLE fact_links; PRAGMA user_version = 1;
"""


def made_older(path: Path, script: str) -> None:
    """Turn a store of the present format that nobody has open into an older one."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(script)
