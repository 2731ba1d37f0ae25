"""The rate at which an account is read over IMAP, from a Dovecot on this machine, over TLS: at once, and with a delay.

    make servers && .venv/bin/python bench/imap_pull.py --mails 10000 --json

Each run is a process of its own. "Fetched" is what the network costs: every mail is there as the parser gets it, none is
parsed. "Documents" is a whole pull. Rates are given per second and per second of this process's processor time, for a server
on the same machine wants the same cores. ``bytes`` is what came over TLS without compression, beside the bytes of headers and
texts. With a delay a proxy holds every byte back for half of the round trip, in each direction.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memd.tests.connectors.live.imap.dovecot import PACKAGES, Dovecot

CHILD = """
import json, resource, sys, time
from contextlib import aclosing
from datetime import UTC
from pathlib import Path
import anyio
from memd.connectors.connector import ReadOptions
from memd.connectors.live.imap.login import Credentials, open_connection
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.transport import Server
from memd.connectors.live.imap.fetching import read_mails, uids_after
from memd.connectors.live.imap.folders import list_folders
from memd.connectors.live.imap.open_folder import open_folder

async def fetched(server, credentials):
    count = 0
    async with open_connection(server, credentials) as connection:
        for folder in await list_folders(connection):
            opened = await open_folder(connection, folder)
            uids = await uids_after(connection, 0)
            async with aclosing(read_mails(connection, opened, uids)) as batches:
                async for batch in batches:
                    count += len(batch.mails)
    return count

async def documents(server, credentials):
    count = 0
    reads = ImapConnector(server, credentials, None, ReadOptions(zone=UTC, zone_origin="option"))
    async with aclosing(reads.pull(None)) as batches:
        async for batch in batches:
            assert not batch.rejected, batch.rejected
            count += sum(len(each.conversation.conversation) for each in batch.documents)
    return count

what, port, ca = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
server, credentials = Server("127.0.0.1", port, ca_file=ca), Credentials("ann", password="geheim")
begun, cpu = time.perf_counter(), time.process_time()
mails = anyio.run({"fetched": fetched, "documents": documents}[what], server, credentials)
seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
print(json.dumps({"mails": mails, "seconds": seconds, "cpu_s": cpu,
                  "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
_WORDS = ["harbour", "meeting", "invoice", "tomorrow", "between", "please", "thanks", "report", "weekend", "garden", "river", "number", "question", "answer", "later", "morning", "train", "ticket", "office", "letter", "project", "window", "music", "dinner", "family", "holiday", "contract", "photo", "summer"]  # fmt: skip
_FILES = ((100, 500_000), (30, 100_000))
"""Pairs of a number of mails, one of which has a file, and the bytes of the file."""


def mails(count: int) -> Iterator[tuple[bytes, int]]:
    """Yield mails as servers have them, each with the bytes of its headers and its text."""
    chance = random.Random(7)
    for number in range(count):
        sentences = (" ".join(chance.choices(_WORDS, k=11)) for _ in range(chance.randrange(10, 140)))
        text = "".join(f"{sentence}.\r\n" for sentence in sentences).encode()
        head = (
            f"Return-Path: <bob{number % 50}@example.org>\r\nDelivered-To: ann@example.org\r\n"
            f"Received: from mx{number % 9}.example.org (mx.example.org [203.0.113.7])\r\n\tby mail.example.org with ESMTPS id {number:x}\r\n"
            f"\tfor <ann@example.org>; Mon, 15 Jan 2024 12:{number % 60:02}:00 +0000\r\n"
            f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org;\r\n\tb={base64.b64encode(chance.randbytes(129)).decode()}\r\n"
            f"Message-ID: <m{number}@example.org>\r\nDate: Mon, 15 Jan 2024 12:{number % 60:02}:00 +0000\r\n"
            f"From: Bob {number % 50} <bob{number % 50}@example.org>\r\nTo: Ann <ann@example.org>\r\nSubject: About {number}\r\n"
            "MIME-Version: 1.0\r\n"
        ).encode()
        size = next((size for each, size in _FILES if number % each == each - 1), 0)
        plain = b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + text
        if not size:
            yield head + plain, len(head) + len(plain)
            continue
        file = base64.encodebytes(chance.randbytes(size)).replace(b"\n", b"\r\n")
        told = b'Content-Type: application/pdf; name="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
        head += b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'
        whole = head + plain + b"\r\n--b\r\n" + told + file + b"\r\n--b--\r\n"
        yield whole, len(whole) - len(file)


class Proxy:
    """A proxy that passes bytes on, each after half of a round trip, and counts those from the server."""

    def __init__(self, to: int, round_trip_s: float) -> None:
        self._to = to
        self._half = round_trip_s / 2
        self.received = 0
        self.port = 0

    async def start(self) -> asyncio.Server:
        """Listen."""
        listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = listener.sockets[0].getsockname()[1]
        return listener

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up, down = await asyncio.open_connection("127.0.0.1", self._to)
        await asyncio.gather(self._pass(reader, down), self._pass(up, writer, counted=True))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counted: bool = False) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(256)

        async def read() -> None:
            while data := await reader.read(65536):
                self.received += len(data) * counted
                await waiting.put((time.monotonic() + self._half, data))
            await waiting.put((0.0, b""))

        task = asyncio.create_task(read())
        try:
            while (item := await waiting.get())[1]:
                await asyncio.sleep(max(0.0, item[0] - time.monotonic()))
                writer.write(item[1])
                await writer.drain()
        except ConnectionError:
            task.cancel()
        finally:
            writer.close()


async def measured(dovecot: Dovecot, what: str, round_trip_s: float) -> dict[str, Any]:
    """Run one process that reads everything, through the proxy."""
    proxy = Proxy(dovecot.tls_port, round_trip_s)
    async with await proxy.start():
        words = [sys.executable, "-P", "-c", CHILD, what, str(proxy.port), str(dovecot.ca_file)]
        child = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE)
        output, _ = await child.communicate()
        if child.returncode:
            sys.exit("the reader failed")
    found = json.loads(output)
    rates = {"per_s": found["mails"] / found["seconds"], "per_cpu_s": found["mails"] / found["cpu_s"]}
    return {**found, **rates, "received": proxy.received}


def main() -> None:
    """Fill a server, then measure."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--mails", type=int, default=10_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--round-trip-ms", type=float, default=50.0)
    arguments.add_argument("--json", action="store_true", help="one object instead of a table")
    given = arguments.parse_args()
    if not PACKAGES.exists():
        sys.exit("`make servers` fetches the server")
    folder = Path(tempfile.mkdtemp())
    try:
        with Dovecot(folder, compress=False) as dovecot:
            wanted = fill(folder / "mail/ann", given.mails)
            asyncio.run(measured(dovecot, "fetched", 0.0))  # the server writes its index
            runs: dict[str, list[dict[str, Any]]] = {}
            for _ in range(given.rounds):
                for name, what, delay in (("fetched", "fetched", 0.0), ("documents", "documents", 0.0), ("fetched_delayed", "fetched", given.round_trip_ms / 1000), ("documents_delayed", "documents", given.round_trip_ms / 1000)):  # fmt: skip
                    runs.setdefault(name, []).append(asyncio.run(measured(dovecot, what, delay)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    best = {name: max(each, key=lambda run: run["per_s"]) for name, each in runs.items()}
    found = {name: {**run, "bytes_ratio": run["received"] / wanted} for name, run in best.items()}
    if given.json:
        print(json.dumps({"wanted": wanted, **found}))
        return
    for name, run in found.items():
        print(
            f"{name:18} {run['mails']} mails  {run['per_s']:8,.0f}/s  {run['per_cpu_s']:8,.0f} per processor second  "
            f"{run['peak_mb']:5.0f} MB  {run['bytes_ratio']:.2f} of headers and texts"
        )


def fill(place: Path, count: int) -> int:
    """Put mails into the inbox of an account; return the bytes of their headers and texts."""
    for name in ("cur", "new", "tmp"):
        (place / name).mkdir(parents=True)
    wanted = 0
    for number, (data, size) in enumerate(mails(count)):
        wanted += size
        (place / "cur" / f"{1_700_000_000 + number}.M{number}.memd,S={len(data)},W={len(data)}:2,").write_bytes(data)
    return wanted


if __name__ == "__main__":
    main()
