"""Files of other programs with times and names in their lines are no chats; small real chats still are."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.transcripts.connector import TranscriptsConnector
from memd.connectors.reading.detection import RECOGNISED, rank
from memd.connectors.reading.registry import default_connectors
from memd.schemas import Notice, Rejected, VideoCallDocument
from memd.tests.cases import for_each
from memd.tests.contracts.connector import Shelf
from memd.tests.fuzz.contract_samples import samples_by_format

NO_CHATS = frozenset({"calendar", "pdf", "docx", "epub", "html", "notes", "documents"})
"""Connectors that may take a text, as what it is."""
LOGS = {
    "dpkg": "2024-01-15 12:00:{n:02d} status installed libc6:amd64 2.36-9\n",
    "dpkg configure": "2024-01-15 12:00:{n:02d} configure man-db:amd64 2.11.2-2 <none>\n",
    "apt history": "Start-Date: 2024-01-15  12:00:{n:02d}\nCommandline: apt install x\nEnd-Date: 2024-01-15  12:01:{n:02d}\n",
    "levels in angles": "2024-01-15 12:00:{n:02d} <INFO> server started on port 80\n",
    "lower levels in angles": "[12:00:{n:02d}] <warn> disk is nearly full\n",
    "day and levels in angles": "--- Log opened Mon Jan 15 12:00:00 2024\n12:00 <ERROR> broken {n}\n",
    "mixed levels": "2024-01-15 12:00:{n:02d} <DEBUG> begin\n2024-01-15 12:00:{n:02d} <notice> done\n",
    "NetworkManager": "[12:00:{n:02d}] <info>  [1705320000.1] device (eth0): state change\n",
    "python logging": "2024-01-15 12:00:{n:02d},123 - root - INFO - started job {n}\n",
    "python logging short": "2024-01-15 12:00:{n:02d} INFO worker: started job {n}\n",
    "log4j": "2024-01-15 12:00:{n:02d},123 [main] INFO  com.example.App - started {n}\n",
    "nginx error": '2024/01/15 12:00:{n:02d} [error] 12#12: *1 open() "/x" failed (2: No such file)\n',
    "nginx access": '192.0.2.1 - - [15/Jan/2024:12:00:{n:02d} +0000] "GET / HTTP/1.1" 200 612 "-" "curl/8"\n',
    "apache error": "[Mon Jan 15 12:00:{n:02d}.123456 2024] [core:notice] [pid 1:tid 1] AH00094: Command line: 'httpd'\n",
    "syslog": "Jan 15 12:00:{n:02d} host sshd[123]: Accepted publickey for ann from 192.0.2.1\n",
    "syslog kernel": "Jan 15 12:00:{n:02d} host kernel: [12.3] usb 1-1: new device\n",
    "syslog iso": "2024-01-15T12:00:{n:02d}.123456+01:00 host systemd[1]: Started Session {n} of user ann.\n",
    "journalctl short-iso": "2024-01-15T12:00:{n:02d}+0100 host systemd[1]: Started Session {n}.\n",
    "journalctl short-full": "Mon 2024-01-15 12:00:{n:02d} CET host cron[12]: (root) CMD (run-parts)\n",
    "postgres": "2024-01-15 12:00:{n:02d}.123 UTC [12] LOG:  checkpoint complete: wrote {n} buffers\n",
    "mysql": "2024-01-15T12:00:{n:02d}.123456Z 0 [System] [MY-010116] [Server] mysqld starting\n",
    "redis": "12:M 15 Jan 2024 12:00:{n:02d}.123 * Ready to accept connections\n",
    "docker compose": "web-1  | 2024-01-15 12:00:{n:02d} INFO ready\n",
    "kubernetes": "I0115 12:00:{n:02d}.123456       1 leaderelection.go:250] attempting to acquire lease\n",
    "go log": "2024/01/15 12:00:{n:02d} listening on :8080\n",
    "go log with file": "2024/01/15 12:00:{n:02d} main.go:12: request {n} served\n",
    "rust env_logger": "[2024-01-15T12:00:{n:02d}Z INFO  app] started {n}\n",
    "pytest": "tests/test_a.py::test_{n} PASSED                            [ {n}%]\n",
    "cargo": "   Compiling serde v1.0.{n}\n    Finished dev [unoptimized] target(s) in 1.{n}s\n",
    "npm": "{n} verbose cli /usr/bin/node /usr/bin/npm\n{n} info using npm@10.2.4\n",
    "npm warnings": "npm WARN deprecated har-validator@5.1.{n}: this library is no longer supported\n",
    "git log": "commit 0123456789abcdef0123456789abcdef012345{n:02d}\nAuthor: Ann <ann@example.org>\nDate:   Mon Jan 15 12:00:{n:02d} 2024 +0100\n\n    Mend it\n\n",
    "git oneline": "2024-01-15 12:00:{n:02d} +0100 0123abc Ann: mend the boat\n",
    "rsync": "2024/01/15 12:00:{n:02d} [123] >f+++++++++ a/b{n}.txt\n",
    "pacman": "[2024-01-15T12:00:{n:02d}+0100] [ALPM] installed boat (1.{n}-1)\n",
    "yum": "Jan 15 12:00:{n:02d} Installed: boat-1.{n}-1.x86_64\n",
    "timesheet": "09:{n:02d}\tMeeting\tRoom {n}\n",
    "timesheet with days": "2024/01/15(Mon)\n09:{n:02d}\tMeeting\tRoom {n}\n10:{n:02d}\tCall\tBo\n",
    "timesheet with spaces": "2024-01-15 09:{n:02d} - 10:{n:02d} Meeting\n",
    "table of users": "Date,User,Message\n2024-01-{d:02d},ann,logged in\n2024-01-{d:02d},bo,logged out\n",
    "table of users with times": "Date,User,Message\n15/01/2024 12:00,ann,logged in {n}\n",
    "bank": "Date,Description,Amount\n2024-01-{d:02d},Baker,-3.20\n",
    "bank with semicolons": "15.01.2024;Baker;Bread {n};-3,20;EUR\n",
    "diary": "# Monday\n\n09:00 Breakfast with Bo\n12:00 Lunch: soup\n18:{n:02d} Home\n\n",
    "diary with days": "## 2024-01-{d:02d}\n\n- 09:00 walked\n- 12:00 ate\n",
    "todo": "- [x] 2024-01-15 12:00 call Ann: the boat\n- [ ] mail Bo\n",
    "windows update": "2024-01-15 12:00:{n:02d}, Info                  CBS    TI: --- Initializing Trusted Installer ---\n",
    "metrics": "12:00:{n:02d} CPU: 12%\n12:00:{n:02d} MEM: 50%\n",
    "top": "top - 12:00:{n:02d} up 1 day,  1 user,  load average: 0.00, 0.01, 0.05\n",
    "strace": '12:00:{n:02d} openat(AT_FDCWD, "/etc", O_RDONLY) = {n}\n',
}
"""A line of each program, or some; ``n`` counts, ``d`` is a day."""
CHATS = {
    "whatsapp": ("chat.txt", "15/01/2024, 12:00 - Ann: Hello\n15/01/2024, 12:01 - Bo: Hi\n"),
    "irc": ("x.log", "--- Log opened Mon Jan 15 12:00:00 2024\n12:00 < ann> hello\n"),
    "irc two": ("x.log", "2024-01-15 12:00:00 <ann> hello\n2024-01-15 12:00:09 <bo> hi\n"),
    "pidgin": (
        "x.txt",
        "Conversation with ann@example.org at 2024-01-15 12:00:00 on bo@example.org (jabber)\n(12:00:01) Ann: hello\n",
    ),
    "line": ("x.txt", "[LINE] Chat history with Ann\nSaved on: 01/17/2024, 12:00\n\nMon, 01/15/2024\n12:00\tAnn\thello\n"),
    "kakaotalk": ("KakaoTalk_Chat_Boat_2024-01-17-12-00-00.csv", 'Date,User,Message\n2024-01-15 12:00:00,"Ann","hello"\n'),
    "transcripts damaged": (
        "x.srt",
        "1\n00:61:xx,000 --> 00:00:02,000\nAnn: hello\n\n2\n00:00:03,000 --> 00:00:04,000\nBo: hi\n",
    ),
    "transcripts": ("x.srt", "1\n00:00:01,000 --> 00:00:02,000\nAnn: hello\n"),
}  # fmt: skip


def claims(text: str, name: str = "0.txt") -> set[str]:
    """The formats of chats that would read a file."""
    shelf = Shelf("0", {name: text.encode()})
    return {each.name for each in default_connectors() if each.sniff(shelf) >= RECOGNISED} - NO_CHATS


@pytest.mark.slow
@for_each([(program, lines) for program in LOGS for lines in [1, 3, 40]])
def test_other_programs_files_are_no_chats(program: str, lines: int) -> None:
    """Whatever number of lines there is; a text may be a note."""
    text = "".join(LOGS[program].format(n=10 + number, d=1 + number % 28) for number in range(lines))
    assert claims(text) == set()


@for_each(CHATS)
def test_small_chats_are_chats(case: str) -> None:
    """Of one message or two."""
    name, text = CHATS[case]
    assert claims(text, name) == {case.split(maxsplit=1)[0]}


def test_a_damaged_first_cue_is_rejected_alone() -> None:
    """The other cues are read."""
    name, text = CHATS["transcripts damaged"]
    records = list(TranscriptsConnector().read(Shelf("0", {name: text.encode()}), ReadOptions(zone=UTC)))
    assert [each.locator for each in records if isinstance(each, Rejected)] == ["0!x.srt:2"]
    (call,) = [each for each in records if isinstance(each, VideoCallDocument)]
    assert "hi" in call.content


@pytest.mark.parametrize("case", ["irc two", "kakaotalk", "line"])
def test_notices_name_the_only_file(case: str) -> None:
    """Also where it lies in a folder or an archive."""
    name, text = CHATS[case]
    shelf = Shelf("0", {name: text.encode()})
    connector = next(each for each in default_connectors() if each.name == case.split(maxsplit=1)[0])
    places = {each.locator for each in connector.read(shelf, ReadOptions(zone=UTC)) if isinstance(each, Notice)}
    assert places == {f"0!{name}"}


PROGRAMS = {
    "test_parser.py": 'import re\n\nTEXT = """{text}"""\n\n\ndef test_it():\n    assert parse(TEXT)\n',
    "parser.test.js": 'const parse = require("./parser");\n\nconst text = `\n{text}`;\nmodule.exports = () => parse(text);\n',
}


@pytest.mark.slow
@for_each(list(PROGRAMS))
def test_exports_inside_a_program_are_its_texts(name: str) -> None:
    """Of each format: only what reads programs takes it, whatever stands in it."""
    tried = 0
    for _, samples in samples_by_format().values():
        for data in (data for files in samples for data in files.values()):
            with suppress(UnicodeDecodeError):
                program = PROGRAMS[name].format(text=data.decode())
                ranking = rank(Shelf("x", {name: program.encode()}), default_connectors())
                assert [each.name for each, score in ranking.scores if score >= RECOGNISED] in (["source_code"], [])
                tried += 1
    assert tried > len(samples_by_format())
