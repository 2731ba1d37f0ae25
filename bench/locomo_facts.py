"""The evidence recall that facts add on LoCoMo: its own observations, told by a language model on a loopback socket.

The published conversations come with observations, sentences that a model wrote about each session with the turns they
rest on. Here they are the answers of the test server's chat model, and go the whole way: windows, prompt, checks,
statements, facts, ranking. The same questions are asked of the same store without facts and with them. What the checks refuse of
the observations is told by reason. ``--without-gates`` takes whatever cites lines that there are and a quote that stands in them,
so that a run with and one without it tell what the gates cost and spare.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

import orjson
from locomo import lines_of, rows_to_wire

from memd.daemon.evaluation.datasets.dataset import Dataset, objects_of
from memd.daemon.evaluation.datasets.dialogues import locomo_scope, turn_text
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.evaluation.rankings import DEFAULT, openers
from memd.daemon.evaluation.runner import Outcome, outcome_of
from memd.daemon.evaluation.summary import table
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction import verify
from memd.memory.extraction.claim import Claim
from memd.memory.extraction.llm import LLMExtractor
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.window import escaped
from memd.memory.indexing.indexed_store import open_store
from memd.memory.llm.chat import ChatSettings
from memd.memory.llm.factory import LLM, LLMOptions
from memd.memory.memory import EvolvingMemory
from memd.memory.store import fact_rows
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.server import CHAT, Server

_LINE = re.compile(r"^(\d+)\| (.+?) \d\d:\d\d: (.*)$")
REFUSED = "refused: "
_TURN = re.compile(r"D\d+:\d+")


class Observer:
    """The model: answers with the observations of the lines it is shown."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        talk: Mapping[str, Any] = data.get("conversation", data)
        self._turns: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._observed: dict[str, list[str]] = defaultdict(list)
        for number in range(1, 100):
            turns: list[dict[str, Any]] = talk.get(f"session_{number}") or []
            for turn in turns:
                self._turns[turn["speaker"], escaped(turn_text(turn))].append(turn["dia_id"])
            told: Mapping[str, Any] = data.get("observation", data).get(f"session_{number}_observation") or {}
            for rows in told.values():
                for text, cited in rows:
                    for turn in dict.fromkeys(_TURN.findall(str(cited))):
                        self._observed[turn].append(text)

    def __call__(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return one answer."""
        return {"facts": list(self._facts(prompt_of(request))), "summary": ""}

    def _facts(self, prompt: str) -> Iterator[dict[str, Any]]:
        for line in prompt.split("\n"):
            shown = _LINE.match(line)
            if shown is None:
                continue
            number, speaker, text = shown.groups()
            for turn in self._turns.get((speaker, text), ()):
                for observed in self._observed[turn]:
                    yield self._fact(int(number), speaker, text, observed)

    @staticmethod
    def _fact(number: int, speaker: str, text: str, observed: str) -> dict[str, Any]:
        return {
            "lines": [number], "speaker": speaker, "subject": speaker, "attribute": "event", "value": observed[:200],
            "content": observed, "quote": " ".join(text.split()[:6]), "negated": False, "valid_from": "", "valid_to": "",
            "category": "", "importance": 2, "sensitivity": "low", "confidence": 1.0, "sentiment": None,
            "keywords": [], "tags": [],
        }  # fmt: skip


async def measure(
    dataset: Dataset, data: Mapping[str, Any], embedder: BundledEmbedder, outcomes: list[Outcome], *, by_rules: bool
) -> Mapping[str, int]:
    """Ask every question without facts, then with them; return counts."""
    scope = locomo_scope(dataset, "", data)
    messages = sum(len(talk.messages) for each in scope.documents if (talk := each.as_conversation()))
    with tempfile.TemporaryDirectory() as folder, Server(script=Observer(data)) as server:
        llm = LLM(Path(folder), LLMOptions(ChatSettings("observer", server.base_url)), lambda: None)
        async with open_store(Path(folder)) as store:
            memory = EvolvingMemory(
                store, embedder, embedder, RulesExtractor() if by_rules else LLMExtractor(llm.gateway)
            )
            await memory.start()
            await memory.store(list(scope.documents))
            rank = await openers([DEFAULT])[DEFAULT](memory, scope)
            for ranking in ("no facts", "facts"):
                if ranking == "facts":
                    await _read(memory)
                await store.refresh_indexes()
                for question in scope.questions:
                    ranked = await rank(question, dataset.hits)
                    outcomes.append(outcome_of("", ranking, scope, question, ranked, dataset.hits))
            facts = (await store.stats()).facts
            refused = {
                f"{REFUSED}{reason}": count
                for reason, count in (await store.database.read(fact_rows.rejections)).items()
            }
        await llm.aclose()
        calls = sum(request.path == CHAT for request in server.requests)
    return {"messages": messages, "facts": facts, "calls": calls, **refused}


async def _read(memory: EvolvingMemory) -> None:
    while (await memory.fact_service.extract_pending("bench")).documents:
        pass
    while await memory.embed_pending():
        pass


async def run(path: Path, most: int | None, *, by_rules: bool) -> tuple[list[Outcome], dict[str, int]]:
    """Measure the first ``most`` conversations, or all; progress goes to standard error."""
    outcomes: list[Outcome] = []
    counts: dict[str, int] = defaultdict(int)
    embedder = BundledEmbedder()
    dataset = open_dataset(path, "locomo")
    conversations = (data for file in dataset.files for data in objects_of(file))
    for number, data in enumerate(islice(conversations, most), 1):
        found = await measure(dataset, data, embedder, outcomes, by_rules=by_rules)
        for name, count in found.items():
            counts[name] += count
        sys.stderr.write(f"conversation {number}: {dict(found)}\n")
    return outcomes, counts


def _as_proposed(claim: Claim, *_: object) -> Claim:
    return claim


def gates(*, on: bool) -> AbstractContextManager[object]:
    """Let proposals pass the gates in this block, or take them as they were proposed."""
    return nullcontext() if on else mock.patch.object(verify, "checked_claim", _as_proposed)


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--conversations", type=int, help="only the first N")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rules", action="store_true", help="facts by the rules instead")
    parser.add_argument("--without-gates", action="store_true", help="take what is proposed as it is")
    options = parser.parse_args()
    with gates(on=not options.without_gates):
        outcomes, counts = asyncio.run(run(options.path, options.conversations, by_rules=options.rules))
    rows = list(table(outcomes))
    if options.json:
        calls = {"calls_per_message": counts["calls"] / counts["messages"]}
        print(orjson.dumps({"rows": rows_to_wire(rows), **counts, **calls}).decode())
        return
    print("\n".join(lines_of(rows)))
    print(f"{counts['facts']} facts; {counts['calls'] / counts['messages']:.3f} calls a message")
    for name, count in sorted(counts.items(), key=lambda each: -each[1]):
        if name.startswith(REFUSED):
            print(f"{count:>6} {name}")


if __name__ == "__main__":
    main()
