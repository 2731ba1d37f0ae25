"""The tables of extraction: windows, statements, and every version of every fact."""

from __future__ import annotations

KNOWLEDGE = """
CREATE TABLE unread (document INTEGER PRIMARY KEY REFERENCES documents);
CREATE TABLE windows (
    document INTEGER NOT NULL REFERENCES documents, hash BLOB NOT NULL, extractor TEXT NOT NULL, rejected TEXT,
    summary TEXT, PRIMARY KEY (document, hash)
) WITHOUT ROWID;
CREATE TABLE statements (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, document INTEGER NOT NULL REFERENCES documents, window BLOB NOT NULL,
    cluster TEXT NOT NULL, run TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (key, window)
);
CREATE INDEX statements_by_document ON statements (document, window);
CREATE INDEX statements_by_cluster ON statements (cluster);
CREATE TABLE excluded (statement BLOB PRIMARY KEY, run TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE facts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, cluster TEXT NOT NULL, speaker TEXT NOT NULL,
    subject TEXT NOT NULL, attribute TEXT NOT NULL, status TEXT NOT NULL, micros INTEGER NOT NULL,
    until INTEGER, recorded INTEGER NOT NULL, replaced INTEGER, run TEXT NOT NULL, body TEXT NOT NULL
);
CREATE UNIQUE INDEX facts_now ON facts (key) WHERE replaced IS NULL;
CREATE INDEX facts_by_key ON facts (key, id);
CREATE INDEX facts_by_cluster ON facts (cluster, replaced);
CREATE INDEX facts_by_subject ON facts (subject, replaced);
CREATE INDEX facts_by_speaker ON facts (speaker, replaced);
CREATE INDEX facts_by_attribute ON facts (attribute, replaced);
CREATE INDEX facts_by_status ON facts (status, replaced);
CREATE INDEX facts_by_run ON facts (run);
CREATE TABLE version_messages (
    version INTEGER NOT NULL, message BLOB NOT NULL, PRIMARY KEY (version, message)
) WITHOUT ROWID;
CREATE INDEX version_messages_by_message ON version_messages (message);
CREATE TRIGGER versions_went AFTER DELETE ON facts BEGIN DELETE FROM version_messages WHERE version = old.id; END;
CREATE TABLE fact_messages (fact BLOB NOT NULL, message BLOB NOT NULL, PRIMARY KEY (fact, message)) WITHOUT ROWID;
CREATE INDEX fact_messages_by_message ON fact_messages (message);
CREATE TABLE fact_spots (spot INTEGER NOT NULL, fact BLOB NOT NULL, PRIMARY KEY (spot, fact)) WITHOUT ROWID;
CREATE INDEX fact_spots_by_fact ON fact_spots (fact);
"""
"""``unread``: documents that changed since their last extraction. ``cluster``: the name of a group of statements.
``facts`` holds every version of every fact; the current one has no ``replaced``. ``fact_messages``: the keys of the
messages that cite a current fact; ``version_messages``: those of each version of each fact. ``fact_spots``: the link
keys of current facts (see `facts.links`), as the first 8 bytes of a hash.
"""
REFUSED = """
CREATE TABLE unread_windows (
    document INTEGER NOT NULL REFERENCES documents, hash BLOB NOT NULL, reason TEXT NOT NULL,
    attempts INTEGER NOT NULL, at REAL NOT NULL, due REAL, PRIMARY KEY (document, hash)
) WITHOUT ROWID;
CREATE INDEX unread_windows_by_due ON unread_windows (due);
CREATE TABLE refused (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents, window BLOB NOT NULL, run TEXT NOT NULL,
    reason TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX refused_by_document ON refused (document, window);
CREATE INDEX refused_by_reason ON refused (reason);
CREATE INDEX refused_by_run ON refused (run);
"""
"""``unread_windows``: windows whose extraction failed, with the seconds since 1970 of the last and the next attempt;
see `unread_windows`. ``refused``: proposals that became no statement.
"""
