"""slackdump's archives of a made-up workspace: its database and its files of chunks."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from memd.tests.connectors.slack.exports import Json

SCHEMA = """
CREATE TABLE SESSION
(
    ID INTEGER PRIMARY KEY,
    MODE TEXT NOT NULL
);
CREATE TABLE CHUNK
(
    ID INTEGER PRIMARY KEY, UNIX_TS INTEGER NOT NULL, SESSION_ID INTEGER NOT NULL, TYPE_ID SMALLINT NOT NULL,
    NUM_REC INTEGER NOT NULL DEFAULT 0, FINAL SMALLINT NOT NULL DEFAULT FALSE, CHANNEL_ID TEXT, SEARCH_QUERY TEXT
);
CREATE TABLE MESSAGE
(
    ID INTEGER NOT NULL, CHUNK_ID INTEGER NOT NULL, CHANNEL_ID TEXT NOT NULL, TS TEXT NOT NULL, PARENT_ID INTEGER,
    THREAD_TS TEXT, LATEST_REPLY TEXT, IS_PARENT SMALLINT NOT NULL DEFAULT FALSE, IDX INTEGER NOT NULL,
    NUM_FILES INTEGER NOT NULL DEFAULT 0, TXT TEXT, DATA BLOB NOT NULL, PRIMARY KEY (ID, CHUNK_ID)
);
CREATE TABLE CHANNEL
(
    ID TEXT NOT NULL, CHUNK_ID INTEGER NOT NULL, NAME TEXT, IDX INTEGER NOT NULL, DATA BLOB NOT NULL,
    PRIMARY KEY (ID, CHUNK_ID)
);
CREATE TABLE WORKSPACE
(
    ID INTEGER PRIMARY KEY, CHUNK_ID INTEGER NOT NULL, TEAM TEXT NOT NULL, USERNAME TEXT, TEAM_ID TEXT NOT NULL,
    USER_ID TEXT NOT NULL, ENTERPRISE_ID TEXT, URL TEXT NOT NULL, DATA BLOB NOT NULL
);
CREATE TABLE S_USER
(
    ID TEXT NOT NULL, CHUNK_ID INTEGER NOT NULL, IDX INTEGER NOT NULL, USERNAME TEXT NOT NULL, DATA BLOB NOT NULL,
    PRIMARY KEY (ID, CHUNK_ID)
);
CREATE TABLE CHANNEL_USER
(
    CHANNEL_ID TEXT NOT NULL, USER_ID TEXT NOT NULL, CHUNK_ID INTEGER NOT NULL, IDX INTEGER NOT NULL,
    PRIMARY KEY (CHANNEL_ID, USER_ID, CHUNK_ID)
);
CREATE TABLE SEARCH_MESSAGE
(
    ID INTEGER PRIMARY KEY, CHUNK_ID INTEGER NOT NULL, CHANNEL_ID TEXT NOT NULL, CHANNEL_NAME TEXT, TS TEXT NOT NULL,
    TXT TEXT, IDX INTEGER NOT NULL, DATA BLOB NOT NULL
);
"""
"""As the migrations of v3 create it, in part."""
WORKSPACE = {"url": "https://acme.slack.com/", "team": "Acme", "user": "ann", "team_id": "T0ACME", "user_id": "U0ANN"}


def listed(record: Json) -> Json:
    """A channel as the server tells it: a list of its members is an answer of its own."""
    return {**record, "members": None, "is_channel": str(record["id"]).startswith("C")}


def database(
    users: Sequence[Json],
    channels: Sequence[Json],
    chunks: Sequence[tuple[str, Sequence[Json]]],
    found: Mapping[str, Sequence[Json]] | None = None,
) -> bytes:
    """The database. ``chunks``: the channel and the messages of each answer, the earliest first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "slackdump.sqlite"
        connection = sqlite3.connect(path)
        connection.executescript(SCHEMA)
        put = connection.execute
        put(
            "INSERT INTO WORKSPACE VALUES (1, 1, 'Acme', 'ann', 'T0ACME', 'U0ANN', NULL, 'https://acme.slack.com/', ?)",
            (json.dumps(WORKSPACE).encode(),),
        )
        for index, user in enumerate(users):
            put(
                "INSERT INTO S_USER VALUES (?, 2, ?, ?, ?)",
                (user["id"], index, user["name"], json.dumps(user).encode()),
            )
        for index, record in enumerate(channels):
            data = json.dumps(listed(record)).encode()
            put("INSERT INTO CHANNEL VALUES (?, 3, ?, ?, ?)", (record["id"], record.get("name"), index, data))
            for place, person in enumerate(record.get("members") or ()):
                put("INSERT INTO CHANNEL_USER VALUES (?, ?, 4, ?)", (record["id"], person, place))
        for number, (channel, messages) in enumerate(chunks, 5):
            put("INSERT INTO CHUNK VALUES (?, 1700000000, 1, 0, ?, 1, ?, NULL)", (number, len(messages), channel))
            for index, each in enumerate(messages):
                micros = int(each["ts"].replace(".", ""))
                values = (micros, number, channel, each["ts"], index, each.get("text"), json.dumps(each).encode())
                put("INSERT INTO MESSAGE VALUES (?, ?, ?, ?, NULL, NULL, NULL, 0, ?, 0, ?, ?)", values)
        for channel, messages in (found or {}).items():
            for index, each in enumerate(messages):
                values = (channel, each["ts"], each["text"], index, json.dumps(each).encode())
                put("INSERT INTO SEARCH_MESSAGE VALUES (NULL, 90, ?, 'general', ?, ?, ?, ?)", values)
        connection.commit()
        connection.close()
        return path.read_bytes()


def chunk(kind: int, time: int, **fields: object) -> str:
    """One line of a file of chunks."""
    return json.dumps({"t": kind, "ts": 1_700_000_000_000_000_000 + time, **fields}, separators=(",", ":"))


def chunk_files(
    users: Sequence[Json], channels: Sequence[Json], chunks: Sequence[tuple[str, Sequence[Json]]]
) -> dict[str, bytes]:
    """The files of an archive of chunks, unpacked."""
    lines: dict[str, list[str]] = {
        "users.json.gz": [chunk(3, 1, n=len(users), u=users)],
        "channels.json.gz": [chunk(4, 2, n=len(channels), ch=[listed(each) for each in channels])],
        "workspace.json.gz": [chunk(6, 3, w=WORKSPACE)],
    }
    for record in channels:
        name = f"{record['id']}.json.gz"
        lines[name] = [chunk(5, 4, id=record["id"], n=1, ci=listed(record))]
        lines[name].append(chunk(7, 5, id=record["id"], n=1, cu=record.get("members") or []))
    for number, (channel, messages) in enumerate(chunks, 6):
        start = [each for each in messages if each.get("thread_ts") not in (None, each["ts"])]
        thread = {"r": start[0]["thread_ts"], "p": {"ts": start[0]["thread_ts"], "type": "message"}} if start else {}
        name = f"{channel}.json.gz"
        lines.setdefault(name, []).append(
            chunk(1 if start else 0, number, id=channel, n=len(messages), **thread, m=messages)
        )
    return {name: "\n".join(each).encode() + b"\n" for name, each in lines.items()}


def packed_chunks(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files as they lie on the disk."""
    return {name: gzip.compress(data, mtime=0) for name, data in files.items()}
