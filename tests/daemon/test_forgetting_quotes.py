"""Forgetting a person by the owner, with the quotes in messages of others: no file holds a word of them, and none returns."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.forgetting import saga
from memd.daemon.forgetting.steps import STEPS, ForgetRun, Step
from memd.daemon.service.answers.upkeep import ForgetReport
from memd.daemon.service.requests import DoctorRequest, FactsRequest, ForgetRequest, parse
from memd.daemon.service.service import Service
from memd.memory.merge.plan import key_of
from memd.schemas import ConversationDocument, TextDocument
from memd.schemas.errors import BusyError, StoreError
from memd.tests.byte_scan import traces
from memd.tests.daemon.test_forgetting import Refusing, day, drained, forget, queued, refusing
from memd.tests.daemon.test_service import ingest, words_only

__all__ = ["refusing"]
pytestmark = pytest.mark.anyio
WORDS = "the wobblegate opens at seven, bring the snorkelbane"
GONE = ("wobblegate", "snorkelbane")
OF_OTHERS = ("quibblefrost", "fandangle", "tumblewick", "grumblehall")
HERE = day(("Ann", "a quibblefrost"), ("Bob", WORDS), ("Cem", f"I live in Oslo. Bob: {WORDS}. The fandangle too"))
THERE = day(
    ("Cem", "look", {"forwarded_from": "Bob", "metadata": {"quoted": f"{WORDS}."}}),
    ("Ann", "a tumblewick", {"edits": [{"content": f"{WORDS}, a tumblewick"}]}),
    ("Ann", f"> {WORDS}\n\nyes", {"segments": [{"kind": "quote", "start": 0, "end": len(WORDS) + 2, "depth": 1}]}),
    name="two",
)
NOTE = TextDocument(id="n.md", content=f"# Grumblehall\n\n{WORDS}\n", metadata={"source": "tests", "title": "Hall"})
EVERYTHING = (HERE, THERE, NOTE)


async def plan(service: Service, **selection: Any) -> ForgetReport:
    """What would be forgotten."""
    return await service.forgetting.forget(parse(ForgetRequest, selection, UTC), lambda _: None)


async def said(service: Service, document: ConversationDocument) -> list[str]:
    """The stored contents."""
    found = await service.document(str(key_of(document)))
    return [each["content"] for each in found["conversation"]["conversation"]]


@pytest.mark.slow
@pytest.mark.parametrize("quotes", ["redact", "remove"])
async def test_no_file_holds_a_quoted_word(tmp_path: Path, quotes: str) -> None:
    """In messages, earlier wordings, answered words, forwards and notes; not after the same import, nor a restart."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, *EVERYTHING)
        planned = (await plan(service, people=["Bob"]))["quotes"]
        assert (planned["treatment"], planned["messages"], planned["complete"]) == ("keep", 5, True)
        assert {(each["author"], each["kind"]) for each in planned["places"]} == {
            ("Cem", "message"),
            ("Ann", "message"),
            ("", "text"),
        }
        assert WORDS not in json.dumps(planned, default=str)
        done = await forget(service, people=["Bob"], quotes=quotes)
        assert (done["messages"], done["unpurged"], done["quotes"]["messages"]) == (1, [], 5)
        assert traces(data, *GONE) == {}
        kept = OF_OTHERS if quotes == "redact" else OF_OTHERS[:1]
        assert set(traces(data, *OF_OTHERS)) == set(kept)
        await ingest(service, *EVERYTHING)
        more = day(*[(each.speaker, each.content) for each in HERE.messages], ("Ann", "a plumbus"))
        await ingest(service, more)
        assert (await plan(service, people=["Bob"]))["messages"] == 0
        findings = (await service.doctor.check(DoctorRequest(), lambda _: None))["findings"]
        assert [each for each in findings if each["severity"] == "error"] == []
    async with open_app(words_only(data), serve=False) as service:
        assert traces(data, *GONE) == {}
        assert set(traces(data, *OF_OTHERS, "plumbus")) == {*kept, "plumbus"}
    assert traces(data, *GONE) == {}


async def test_facts_of_a_redacted_message_are_read_again_without_the_words(tmp_path: Path) -> None:
    """What its speaker said himself is known as before, and rests on the message as it is now."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, HERE)
        before = await _facts(service)
        await forget(service, people=["Bob"], quotes="redact")
        assert await said(service, HERE) == ["a quibblefrost", "I live in Oslo. Bob: [redacted]. The fandangle too"]
        assert await _facts(service) == before


async def _facts(service: Service) -> list[tuple[str, str]]:
    page = await service.knowledge.facts(FactsRequest())
    return sorted((each["subject"], each["value"]) for each in page["facts"])


async def test_quotes_are_kept_unless_asked_for(tmp_path: Path) -> None:
    """Another plan than the one with quotes; then nobody can find these words any more, and the answer claims nothing."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, *EVERYTHING)
        kept, redacted = await plan(service, people=["Bob"]), await plan(service, people=["Bob"], quotes="redact")
        assert kept["plan"] != redacted["plan"]
        with pytest.raises(BusyError, match="something else"):
            await plan(service, people=["Bob"], quotes="redact", dry_run=False, plan=kept["plan"])
        done = await forget(service, people=["Bob"])
        assert "quotes" not in done
        assert WORDS in (await said(service, HERE))[1]


async def test_other_selections_tell_quotes_as_well(tmp_path: Path) -> None:
    """A message, a chat, a note: what stands elsewhere is counted, and may be redacted, but not its author's own words."""
    again = day(("Bob", f"again: {WORDS}"), ("Ann", "ok"), name="three")
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, *EVERYTHING, again)
        assert (await plan(service, chats=["one"]))["quotes"]["messages"] == 4
        assert (await plan(service, speakers=["Bob"]))["quotes"]["messages"] == 5
        assert (await plan(service, documents=["n.md"]))["quotes"]["messages"] == 2


async def test_quotes_go_only_when_nothing_is_on_the_way(tmp_path: Path, refusing: Refusing) -> None:
    """What waits in the journal may quote as well, and afterwards nobody could find it: the plan counts it."""
    data = tmp_path / "d"
    async with open_app(words_only(data, ingest={"drain_s": 0.1}), serve=False) as service:
        await ingest(service, HERE)
        refusing.now = True
        await queued(service, THERE)
        assert (await plan(service, people=["Bob"]))["quotes"]["waiting"] == 1
        with pytest.raises(BusyError, match="on the way"):
            await forget(service, people=["Bob"], quotes="redact")
        assert WORDS in (await said(service, HERE))[1]
        refusing.now = False
        await drained(service)
        assert (await forget(service, people=["Bob"], quotes="redact"))["quotes"]["messages"] == 4
        assert traces(data, *GONE) == {}


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.perform.__name__)
async def test_a_redaction_that_is_cut_off_behind_a_step_is_whole_or_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    """The quotes go in the transaction in which the messages go; before it the same can be asked for again."""
    data = tmp_path / "d"
    settings = words_only(data, facts={"extractor": "off"})

    async def cut(_: ForgetRun) -> None:
        raise StoreError("the machine stops here")

    async with open_app(settings, serve=False) as service:
        await ingest(service, *EVERYTHING)
        with monkeypatch.context() as patch:
            patch.setattr(saga, "STEPS", (*STEPS[: STEPS.index(step) + 1], Step(cut, "", "")))
            with pytest.raises(StoreError, match="stops here"):
                await forget(service, people=["Bob"], quotes="redact")
    async with open_app(settings, serve=False) as service:
        if STEPS.index(step) < [each.perform for each in STEPS].index(ForgetRun.remove_stored):
            assert WORDS in (await said(service, HERE))[1]
            await forget(service, people=["Bob"], quotes="redact")
        with anyio.fail_after(60):
            while traces(data, *GONE):
                await anyio.sleep(0.05)
        assert set(traces(data, *OF_OTHERS)) == set(OF_OTHERS)


async def test_a_redacted_note_stays_until_it_is_allowed_again(tmp_path: Path) -> None:
    """No later version of its file replaces it, for that may hold the words; allowed again, it comes in as it is now."""
    newer = NOTE.model_copy(update={"content": f"{NOTE.content}\nmore of the fandangle\n"})
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, HERE, NOTE)
        await forget(service, people=["Bob"], quotes="redact")
        assert (await ingest(service, newer)).forgotten == 1
        assert (await service.document("n.md"))["content"] == "# Grumblehall\n\n[redacted]\n"
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [newer], again=True)
        await service.pipeline.finish(run)
        await drained(service)
        assert (await service.document("n.md"))["content"] == newer.content


async def test_former_versions_of_a_note_are_looked_at_as_well(tmp_path: Path) -> None:
    """Those that an undo would bring back: the note stays as it is, may change, and goes when its runs are undone."""
    data = tmp_path / "d"
    newer = NOTE.model_copy(update={"content": "# Grumblehall\n"})
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, HERE.model_copy(update={"conversation": _only_bob()}), NOTE)
        await ingest(service, newer)
        assert (await plan(service, people=["Bob"]))["quotes"]["messages"] == 1
        await forget(service, people=["Bob"], quotes="redact")
        assert traces(data, *GONE) == {}
        assert (await service.document("n.md"))["content"] == newer.content
        changed = newer.model_copy(update={"content": "# Grumblehall again\n"})
        assert (await ingest(service, changed)).updated == 1


def _only_bob() -> Any:
    conversation = HERE.conversation
    return conversation.model_copy(update={"conversation": conversation.conversation[:2]})


async def test_words_that_were_only_forwarded_are_found_by_the_name(tmp_path: Path) -> None:
    """Of a person who wrote nothing here; once they are redacted, nothing is found any more."""
    forwarded = day(("Cem", "a quibblefrost"), ("Cem", "the plumbus", {"forwarded_from": "Zed"}))
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, forwarded)
        planned = await plan(service, people=["Zed"])
        assert (planned["messages"], planned["quotes"]["messages"]) == (0, 1)
        await forget(service, people=["Zed"], quotes="redact")
        assert await said(service, forwarded) == ["a quibblefrost", "[redacted]"]
        assert traces(tmp_path / "d", "plumbus") == {}
        assert (await plan(service, people=["Zed"]))["quotes"]["messages"] == 0
