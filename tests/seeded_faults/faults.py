"""Small faults, spread over all folders of the product, that the tests must find. `python -m memd.tests.seeded_faults` puts them in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A slip in the product: valid code that does something else."""

    name: str
    file: str
    """Path in the checkout."""
    old: str
    """Occurs exactly once in the file."""
    new: str
    tests: tuple[str, ...]
    """Paths of test files or folders that should find it, the most likely first."""


FAULTS = (
    # --- schemas ---
    Fault(
        "stored times are shown without their offset",
        "schemas/times.py",
        "timedelta(microseconds=micros, minutes=offset_minutes)",
        "timedelta(microseconds=micros)",
        ("tests/schemas", "tests/memory/test_evolving.py", "tests/memory/store/test_documents.py"),
    ),
    Fault(
        "a national phone number becomes an international one",
        "schemas/identity_links.py",
        'if bare.startswith("00"):',
        'if bare.startswith("0"):',
        ("tests/memory/test_people.py", "tests/schemas"),
    ),
    # --- connectors ---
    Fault(
        "half past twelve at night is noon",
        "connectors/times/day_periods.py",
        "        return hour % 12\n",
        "        return hour\n",
        ("tests/connectors/whatsapp/test_times.py",),
    ),
    Fault(
        "a thread ends with its first reply",
        "connectors/formats/slack/message.py",
        "message.latest = max(",
        "message.latest = min(",
        ("tests/connectors/slack/test_threads.py", "tests/connectors/slack/test_slack.py"),
    ),
    Fault(
        "the length of a recording is dropped",
        "connectors/formats/telegram/media.py",
        "Media(label, attachments=[attachment], metadata=_seconds(message))",
        "Media(label, attachments=[attachment])",
        ("tests/connectors/telegram/test_messages.py",),
    ),
    Fault(
        "an earlier wording has its own time instead of that of its replacement",
        "connectors/formats/signal/chat_item.py",
        '"time": self._time(following)})',
        '"time": self._time(revision)})',
        ("tests/connectors/signal/test_export.py",),
    ),
    Fault(
        "a heart that was taken back stays",
        "connectors/formats/imessage/reactions.py",
        "if number < _FIRST + _REMOVED:",
        "if number <= _FIRST + _REMOVED:",
        ("tests/connectors/imessage",),
    ),
    Fault(
        "a separator that two reads of an mbox divide is missed",
        "connectors/formats/mail/mbox.py",
        "scan = max(scan, len(self._buffer) - 4)",
        "scan = max(scan, len(self._buffer))",
        ("tests/connectors/mail/test_mbox.py", "tests/connectors/mail/test_contract.py"),
    ),
    Fault(
        "a zone of a calendar forgets the rule of the year before",
        "connectors/formats/calendar/zones.py",
        "for year in (wall.year - 1, wall.year):",
        "for year in (wall.year,):",
        ("tests/connectors/calendar",),
    ),
    Fault(
        "deletions of newer rooms are ignored",
        "connectors/formats/matrix/relations.py",
        'self.redacted.add(words_of(event.get("redacts")) or words_of(content.get("redacts")))',
        'self.redacted.add(words_of(event.get("redacts")))',
        ("tests/connectors/matrix",),
    ),
    Fault(
        "messages that the app hides are read",
        "connectors/formats/llm_chats/chatgpt_conversation.py",
        'if hidden or message.get("weight") == 0:',
        "if hidden:",
        ("tests/connectors/llm_chats/test_chatgpt.py",),
    ),
    Fault(
        "the last message of a truncated file counts as whole",
        "connectors/chats/text_chats.py",
        "reading.close(cut=states[-1][1].unterminated or bool(broken))",
        "reading.close(cut=bool(broken))",
        ("tests/connectors/test_cut_files.py", "tests/connectors/line", "tests/connectors/irc"),
    ),
    Fault(
        "an attachment without a name gets the name of the one before",
        "connectors/formats/evernote/notes.py",
        "        if len(path) == 3:\n            self._inner = {}",
        "        if len(path) == 2:\n            self._inner = {}",
        ("tests/connectors/evernote",),
    ),
    Fault(
        "a folder whose mails were moved or flagged counts as unchanged",
        "connectors/live/imap/folders.py",
        "is_same = folder.messages == before.messages and folder.modseq == before.modseq",
        "is_same = folder.messages == before.messages",
        (
            "tests/connectors/live/imap/test_folders.py",
            "tests/connectors/live/imap/test_reader.py",
            "tests/connectors/live/imap/test_connector.py",
            "tests/connectors/live/imap/test_dovecot_account.py",
        ),
    ),
    Fault(
        "an interrupted reading forgets which threads are due",
        "connectors/live/slack/cursor.py",
        '            "threads_due": self.threads_due,\n',
        "",
        ("tests/connectors/live/slack/test_connector.py",),
    ),
    # --- memory ---
    Fault(
        "a new message stands before an older one of the same second",
        "memory/merge/plan.py",
        "return seconds[0] <= seconds[1]",
        "return seconds[0] < seconds[1]",
        (
            "tests/memory/test_merge.py",
            "tests/memory/test_merging.py",
            "tests/memory/test_overlapping_exports.py",
            "tests/memory/test_merge_stories.py",
        ),
    ),
    Fault(
        "of two edits the earlier one wins",
        "memory/merge/revisions.py",
        "return new.edited_at > old.edited_at",
        "return new.edited_at < old.edited_at",
        ("tests/memory/test_merge.py", "tests/memory/test_merging.py", "tests/memory/test_merge_stories.py"),
    ),
    Fault(
        "tombstones of other documents of the chat are not written",
        "memory/forgetting/tombstone_keys.py",
        "return elsewhere | _own_tombstone_keys(",
        "return _own_tombstone_keys(",
        (
            "tests/memory/test_forgetting_documents.py",
            "tests/memory/test_tombstones.py",
            "tests/memory/test_forgetting.py",
        ),
    ),
    Fault(
        "the code of the last text that was forgotten stays",
        "memory/index/vector_codes.py",
        "        texts = texts[texts < len(self._rows)]\n        for",
        "        texts = texts[texts < len(self._rows) - 1]\n        for",
        (
            "tests/memory/index/test_vector_codes.py",
            "tests/memory/store/test_purging.py",
        ),
    ),
    Fault(
        "the step of a row is left out of its score",
        "memory/index/vector_codes.py",
        "    scores *= before[:, 1] * np.float32(step)\n",
        "    scores *= np.float32(step) / 127\n",
        (
            "tests/memory/index/test_vector_codes.py",
            "tests/memory/store/test_vectors.py",
            "tests/memory/index/test_index_ports.py",
            "tests/memory/test_filling.py",
        ),
    ),
    Fault(
        "a list of segments is not flushed before it takes the place of the old one",
        "memory/index/segments.py",
        "        file.flush()\n        os.fsync(file.fileno())\n",
        "        file.flush()\n",
        (
            "tests/memory/store/test_flushed_files.py",
            "tests/memory/store/test_purging.py",
            "tests/memory/store/test_kill.py",
        ),
    ),
    Fault(
        "what is typical of a chat is preferred",
        "memory/retrieval/ranking.py",
        "return cosines - shares",
        "return cosines + shares",
        ("tests/memory/test_ranking.py", "tests/memory/test_answers.py", "tests/retrieval"),
    ),
    Fault(
        "neighbours of hidden kinds join an answer",
        "memory/retrieval/candidates.py",
        "refs_beside(connection, chosen, 1, hidden)",
        "refs_beside(connection, chosen, 1, ())",
        ("tests/memory/test_answers.py", "tests/memory/store/test_candidates.py", "tests/retrieval"),
    ),
    Fault(
        "the end of a time is part of it",
        "memory/store/filters.py",
        'for sign, bound in ((">=", where.since), ("<", where.until)):',
        'for sign, bound in ((">=", where.since), ("<=", where.until)):',
        (
            "tests/memory/store/test_filters.py",
            "tests/memory/test_answers.py",
            "tests/memory/test_evolving.py",
            "tests/memory/index/test_index_ports.py",
        ),
    ),
    Fault(
        "calling off a plan does not bring back what holds until then",
        "memory/facts/supersession.py",
        "                self.index.reopen(former)\n",
        "                former.ended = None\n",
        ("tests/facts",),
    ),
    Fault(
        "a value is believed that names what nobody said",
        "memory/extraction/grounding.py",
        "return all(ground.has(fold(word)) for word in words if _must_be_grounded(word))",
        "return any(ground.has(fold(word)) for word in words) or not words",
        (
            "tests/extraction/test_verify.py",
            "tests/extraction/test_gates.py",
            "tests/extraction/test_attribution.py",
            "tests/llm/test_extraction.py",
            "tests/llm/test_answer.py",
        ),
    ),
    Fault(
        "a section has the heading before it in its path",
        "memory/chunking/headers.py",
        "while above and above[-1].level >= heading.level:",
        "while above and above[-1].level > heading.level:",
        ("tests/memory/test_headers.py",),
    ),
    Fault(
        "padding is read as if it were words",
        "memory/embedding/local.py",
        "mask[index, : max(1, len(row))] = 1",
        "mask[index, :] = 1",
        ("tests/memory/test_embedding_local.py", "tests/memory/test_embedding.py"),
    ),
    Fault(
        "forgotten words stay in the index with their neighbours",
        "memory/store/forget_rows.py",
        '    record_changes(connection, "word_changes", _existing(connection, neighbours))\n',
        "",
        ("tests/memory/store/test_purging.py", "tests/memory/test_forgetting.py", "tests/memory/test_store_machine.py"),
    ),
    Fault(
        "a window that cannot be read is given up one attempt too early",
        "memory/store/unread_windows.py",
        "if attempts <= len(PAUSES) else None",
        "if attempts < len(PAUSES) else None",
        ("tests/llm/test_unread_windows.py",),
    ),
    # --- daemon ---
    Fault(
        "a commit of the journal may be lost with the power",
        "daemon/journal/database.py",
        "PRAGMA synchronous = FULL",
        "PRAGMA synchronous = NORMAL",
        ("tests/daemon/test_journal.py", "tests/daemon/test_crash.py"),
    ),
    Fault(
        "an entry that was rewritten keeps its old checksum",
        "daemon/journal/journal.py",
        'bytes = length(?1), crc = ?4 WHERE seq = ?3",\n                        (body, size, number, zlib.crc32(body)),',
        'bytes = length(?1) WHERE seq = ?3",\n                        (body, size, number),',
        ("tests/daemon/test_journal.py", "tests/daemon/test_forgetting.py"),
    ),
    Fault(
        "a later version of a document is stored before the one that failed",
        "daemon/pipeline/writer.py",
        "if entry.seq not in left or entry.key in failed_keys:",
        "if entry.seq not in left:",
        ("tests/daemon/test_pipeline.py", "tests/daemon/test_deadletters.py"),
    ),
    Fault(
        "bodies of answered requests count for ever",
        "daemon/http/middleware.py",
        "            self.held -= exchange.held\n",
        "",
        ("tests/daemon/test_api.py", "tests/daemon/test_server.py", "tests/hostile/test_socket.py"),
    ),
    Fault(
        "names of people control the terminal",
        "daemon/cli/render/prompts.py",
        'say(f"  {number:>2}  {one_line(name, 60)}")',
        'say(f"  {number:>2}  {name}")',
        ("tests/cli/test_ask_me.py", "tests/cli/test_terminal.py", "tests/hostile/test_terminal.py"),
    ),
    Fault(
        "what is due this very moment is not due",
        "daemon/scheduler/schedule.py",
        "            if due > until:\n",
        "            if due >= until:\n",
        ("tests/scheduler/test_schedule.py", "tests/scheduler/test_fast_motion.py"),
    ),
    Fault(
        "a source counts as read before all of a batch is kept",
        "daemon/sources/runner.py",
        "along=along if last else None,",
        "along=along,",
        ("tests/sources/test_live.py", "tests/sources/test_memberships.py", "tests/sources/test_folder.py"),
    ),
    Fault(
        "a file that was changed without growing is not read again",
        "daemon/sources/folder_scan.py",
        "(before.size, before.modified_ns) != (file.size, file.modified_ns)",
        "before.size != file.size",
        ("tests/sources/test_folder_scan.py", "tests/sources/test_folder.py"),
    ),
    Fault(
        "two processes write backups into one folder",
        "daemon/backup/repository.py",
        "fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        ("tests/daemon/test_saving.py", "tests/e2e/test_saving.py"),
    ),
    Fault(
        "files of libraries in the data directory can be read by everybody",
        "daemon/lock.py",
        "mask = os.umask(0o077)",
        "mask = os.umask(0o022)",
        ("tests/daemon/test_ownership.py", "tests/daemon/test_isolation.py", "tests/e2e/test_ownership.py"),
    ),
    Fault(
        "a password goes to whatever server a source names now",
        "daemon/config/account_secrets.py",
        "return stored.secrets if stored.v == VERSION and stored.account == settings.account else {}",
        "return stored.secrets if stored.v == VERSION else {}",
        ("tests/sources/test_account_secrets.py", "tests/sources/test_account_settings.py"),
    ),
)
