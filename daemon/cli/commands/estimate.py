"""`memd ingest --estimate`: what facts would cost; reads the exports, stores nothing, contacts nobody."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..output import print_json
from ..render.terminal import counted, print_told

if TYPE_CHECKING:
    from ....schemas import Document
    from ...config.settings import Settings
    from .read_paths import SourceReader


def run_estimate(arguments: argparse.Namespace, reading: SourceReader, settings: Settings) -> int:
    """Read, add up, show; returns the exit code."""
    import anyio

    from ...estimate import estimate

    async def work() -> dict[str, Any]:
        return (await estimate(settings, _documents(reading))).to_wire()

    body = anyio.run(work) | {"rejected": reading.rejected}
    if arguments.json:
        print_json(body)
    else:
        print_estimate(body)
    return reading.exit_code


def _documents(reading: SourceReader) -> Iterator[Document]:
    from ....schemas import Notice, Rejected

    for record in reading.records():
        if not isinstance(record, Notice | Rejected):
            yield record


def print_estimate(body: Mapping[str, Any]) -> None:
    """The object in a few lines."""
    read = f"{counted(body['messages'], 'message')} of {counted(body['documents'], 'document')}"
    print_told(f"{read}: {counted(body['windows'], 'window')} to read")
    if body["rejected"]:
        print_told(f"{counted(body['rejected'], 'record')} cannot be read; `memd parse` lists them")
    if not body["model"]:
        print_told("no language model reads: nothing is sent, nothing is to be paid; [llm] model = … sets one")
        return
    left = (("known", "answered before"), ("private", "never sent"), ("small", "too short to ask about"))
    if left_out := ", ".join(f"{body[name]:,} {what}" for name, what in left if body[name]):
        print_told(f"of these {left_out}")
    print_told(f"{counted(body['calls'], 'call')} of {body['model']}: {body['calls_per_message']:.3f} a message")
    if body["judging_calls"]:
        print_told(f"of these about {body['judging_calls']:,} to tell facts apart")
    print_told(f"{body['prompt_tokens']:,} tokens sent, {body['completion_tokens']:,} answered")
    if body["money"] is None:
        print_told("no price is set: llm.price_prompt and llm.price_completion")
    else:
        print_told(f"money: {body['money']:.4f}; {body['money_by_batch']:.4f} by batch")
    print_told(f"assumed: {body['assumed']}")
