"""Sources under torture: a daemon that watches a folder and pulls an account, killed again and again while both change."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from memd.daemon.sources.folder_scan import ATTEMPTS
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.sources.scripted_account import ScriptedAccount
from memd.tests.torture.disk import leave_room
from memd.tests.torture.home import Broken, Chat

CONFIG = """
[embedding]
enabled = false
[facts]
extractor = "off"
[sync]
settle_s = 0.3
[[sources]]
name = "exports"
path = "{exports}"
watch = true
zone = "UTC"
[[sources]]
name = "account"
kind = "scripted"
schedule = "* * * * *"
"""
QUIET_SECONDS = 120.0
FAULTS = (("limit", 0.05), ("cut", 0.0), ("garbage", 0.0), ("error", 0.0), ("hang", 1.5))


class Watching:
    """Rounds, each on a memory of its own.

    Args:
        folder: where to work.
        seed: decides everything that is random.
        size: messages of a chat.
        small: a small file system for the data directories, which then is full at times.
    """

    def __init__(self, folder: Path, seed: int, size: int = 60, small: Path | None = None) -> None:
        self._folder = folder
        self._seed = seed
        self._size = size
        self._small = small
        self.tally = Counter[str]()

    def round(self, number: int) -> str:
        """One story; returns what it was.

        Raises:
            Broken: something was lost, doubled, or told wrongly.
        """
        with ScriptedAccount() as account:
            small = None if self._small is None else self._small / f"watching-{number}"
            story = _Story(self._folder / str(number), Random(f"{self._seed} {number}"), self._size, account, small)
            try:
                story.run()
            except (Broken, subprocess.TimeoutExpired, OSError) as error:
                raise Broken(f"watching {number} of seed {self._seed}: {error}; {story.folder}") from error
            finally:
                story.close()
            self.tally += story.tally
            return f"watching {number}: {dict(story.tally)}"


class _Story:
    """One memory, its folder of exports, its account, and what happens to them."""

    def __init__(
        self, folder: Path, chance: Random, size: int, account: ScriptedAccount, small: Path | None = None
    ) -> None:
        self.folder = folder
        self._small = small
        self._data = small or folder / "data"
        self.tally = Counter[str]()
        self._chance = chance
        self._account = account
        self._exports = folder / "exports"
        self._exports.mkdir(parents=True)
        self._chats = [
            Chat(f"{name}{chance.randrange(1000)}", size, number) for number, name in enumerate(("Kim", "Lou", "Max"))
        ]
        config, self._token = folder / "memd.toml", folder / "token"
        config.write_text(CONFIG.format(exports=self._exports))
        self._token.write_text(account.token)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMD_")},
            "MEMD_CONFIG": str(config),
            "MEMD_DATA_DIR": str(self._data),
            "MEMD_SOCKET": str(folder / "s"),
            "TORTURE_PORT": str(account.port),
            "TORTURE_TOKEN": str(self._token),
        }
        self._daemon: subprocess.Popen[bytes] | None = None
        self._said: list[str] = []

    def run(self) -> None:
        """Change, kill, restart; then let it be quiet and look."""
        self._serve()
        with ThreadPoolExecutor(1) as threads:
            changing = threads.submit(self._change)
            while not changing.done():
                time.sleep(self._chance.uniform(0.1, 2.5))
                self._kill()
            changing.result()
        self._fail()
        self._complete()
        self._check()

    def close(self) -> None:
        """End what was started."""
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait(60)
        if self._small is not None:
            shutil.rmtree(self._small, ignore_errors=True)

    def _serve(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._daemon = processes.Popen(
                [sys.executable, "-P", "-m", "memd.tests.torture.source_daemon", "serve"],
                env=self._environment,
                stdout=log,
                stderr=log,
            )

    def _kill(self) -> None:
        """The daemon, or only the process that reads for it."""
        assert self._daemon is not None
        if self._daemon.poll() is not None:  # it ended by itself: there was no room, or its database was locked
            self.tally[f"ended with {self._daemon.returncode}"] += 1
            self._serve()
            return
        children = [
            int(child)
            for task in Path(f"/proc/{self._daemon.pid}/task").glob("*/children")
            for child in task.read_text().split()
        ]
        if children and self._chance.random() < 0.4:
            try:
                os.kill(children[0], signal.SIGKILL)
            except ProcessLookupError:
                return
            self.tally["reader killed"] += 1
            return
        self._daemon.kill()
        self._daemon.wait(60)
        self.tally["killed"] += 1
        self._serve()

    def _change(self) -> None:
        actions = [self._move_in, self._copy_slowly, self._truncate, self._talk, self._trouble, self._away, self._lock]
        if self._small is not None:
            actions += [self._fill, self._fill]
        for _ in range(self._chance.randint(4, 14)):
            action = self._chance.choice(actions)
            action()
            self.tally[action.__name__.strip("_")] += 1
            time.sleep(self._chance.uniform(0, 0.8))

    def _export_of(self, chat: Chat, end: int) -> bytes:
        kept = self.folder / "made"
        kept.mkdir(exist_ok=True)
        path = chat.export(kept, 0, end)
        return path.read_bytes()

    def _path_of(self, chat: Chat) -> Path:
        return self._exports / f"WhatsApp Chat with {chat.name}.txt"

    def _move_in(self) -> None:
        chat = self._chance.choice(self._chats)
        unfinished = self._exports / f"{chat.name}.part"
        unfinished.write_bytes(self._export_of(chat, self._chance.randint(2, chat.count)))
        unfinished.rename(self._path_of(chat))

    def _copy_slowly(self) -> None:
        chat = self._chance.choice(self._chats)
        data = self._export_of(chat, chat.count)
        with self._path_of(chat).open("wb") as file:
            for begin in range(0, len(data), len(data) // 6 + 1):
                file.write(data[begin : begin + len(data) // 6 + 1])
                file.flush()
                time.sleep(self._chance.uniform(0, 0.5))

    def _truncate(self) -> None:
        chat = self._chance.choice(self._chats)
        data = self._export_of(chat, chat.count)
        self._path_of(chat).write_bytes(data[: self._chance.randrange(1, len(data))])

    def _talk(self) -> None:
        for _ in range(self._chance.randint(1, 9)):
            self._said.append(f"said {len(self._said)}")
            self._account.say(self._said[-1])

    def _trouble(self) -> None:
        if self._chance.random() < 0.3:
            self._account.token = f"token {self._chance.random()}"  # revoked: the file still has the old one
        self._account.faults.extend(self._chance.choices(FAULTS, k=self._chance.randint(1, 12)))

    def _away(self) -> None:
        elsewhere = self.folder / "elsewhere"
        self._exports.rename(elsewhere)
        time.sleep(self._chance.uniform(0, 0.6))
        elsewhere.rename(self._exports)

    def _lock(self) -> None:
        """Another process writes the store, or the journal, and takes its time."""
        path = self._data / self._chance.choice(("store/memory.db", "journal.db"))
        if not path.exists():
            return
        with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return  # the daemon itself writes all the time
            time.sleep(self._chance.uniform(0.5, 9.0))
            connection.execute("ROLLBACK")

    def _fill(self) -> None:
        """The file system of the data directory has next to no room for a while."""
        assert self._small is not None
        filler = self._small.parent / "filler"
        try:
            leave_room(filler, int(math.exp(self._chance.uniform(math.log(2_000), math.log(400_000)))))
            time.sleep(self._chance.uniform(0.2, 4.0))
        except OSError:
            self.tally["was full"] += 1
        finally:
            filler.unlink(missing_ok=True)

    def _fail(self) -> None:
        """One source cannot be read, and status says so of this one."""
        assert self._daemon is not None
        if self._daemon.poll() is not None:
            self._serve()
        self._account.faults.clear()
        self._token.write_text(self._account.token)
        broken = self._chance.choice(("exports", "account"))
        elsewhere = self.folder / "elsewhere"
        if broken == "exports":
            self._exports.rename(elsewhere)
        else:
            self._account.token = "revoked"
        deadline = time.monotonic() + QUIET_SECONDS
        while True:
            code = self._memd("sync", broken, "--wait").returncode
            flags = {each["name"]: each["flags"] for each in self._json("status")["sources"]}
            # An account whose login was refused is stopped until somebody logs in, or asks for it.
            if code and {"failing", "stopped"}.intersection(flags[broken]):
                break
            if time.monotonic() > deadline:
                raise Broken(f"{broken} cannot be read; sync ends with {code}, and status says {flags}")
            time.sleep(0.5)
        if broken == "exports":
            elsewhere.rename(self._exports)
        self.tally[f"{broken} failing"] += 1

    def _complete(self) -> None:
        """Every export is whole, nothing fails any more, and everything was read."""
        assert self._daemon is not None
        if self._daemon.poll() is not None:
            self._serve()
        self._account.faults.clear()
        self._token.write_text(self._account.token)
        for chat in self._chats:
            unfinished = self._exports / f"{chat.name}.part"
            unfinished.write_bytes(self._export_of(chat, chat.count))
            unfinished.rename(self._path_of(chat))
        time.sleep(0.5)
        deadline = time.monotonic() + QUIET_SECONDS
        # By their names: an account that stopped is left out where all are asked for.
        while (done := self._memd("sync", "exports", "account", "--wait")).returncode:
            if time.monotonic() > deadline:
                raise Broken(f"sync ends with {done.returncode}: {done.stdout.decode()} {done.stderr.decode()[-300:]}")
            time.sleep(0.5)
        while any(each["doing"] for each in self._json("sources")["sources"]):
            time.sleep(0.2)
        if self.tally["reader killed"] >= ATTEMPTS:  # a file whose readers ended so often is read when asked for
            self._memd("sync", "exports", "--again", "--wait")

    def _check(self) -> None:
        status = self._json("status")
        flags = {each["name"]: each["flags"] for each in status["sources"] if each["flags"]}
        if flags:
            raise Broken(f"all is well, and status says {flags}")
        if status["dead_letters"] or status["queue"]["depth"]:
            raise Broken(f"something waits: {status['queue']}, {status['dead_letters']} dead")
        wanted = Counter(text for chat in self._chats for text in chat.texts()) + Counter(self._said)
        lines = self._memd("export").stdout.splitlines()
        found = Counter(
            message["content"]
            for line in lines
            if "conversation" in (document := json.loads(line))
            for message in document["conversation"]["conversation"]
            if message.get("kind", "text") == "text"
        )
        if found != wanted:
            raise Broken(f"lost {list((wanted - found).items())[:5]}, too many {list((found - wanted).items())[:5]}")
        if not (report := self._json("doctor"))["healthy"]:
            raise Broken(f"doctor: {report['findings']}")

    def _memd(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return processes.run(memd_command(*words), env=self._environment, capture_output=True, timeout=180, check=False)

    def _json(self, *words: str) -> Any:
        done = self._memd(*words, "--json")
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            raise Broken(f"memd {' '.join(words)}: {done.returncode} {done.stderr.decode()[-300:]}") from None
