"""A trial of a language model for people: each message with what was proposed and refused, then the sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .terminal import counted, joined, one_line, words_of
from .wall_clock import local_time

_FAILURES = {
    "unreadable": "no answer that can be read",
    "truncated": "an answer without an end",
    "refused": "refused by the model, or by a filter before it",
}


def trial_lines(body: Mapping[str, Any], columns: int) -> Iterator[str]:
    """Everything that `memd llm test --json` tells.

    Args:
        body: the answer.
        columns: most of a line.
    """
    messages = body["messages"]
    if not messages:
        return
    yield from _lines(
        f"{counted(len(messages), 'message')} shown to {one_line(body['model'])}: {body['choice']}", "", columns
    )
    if body["withheld"]:
        yield from _lines(
            f"{counted(body['withheld'], 'message')} kept back: nothing of them is ever sent", "", columns
        )
    for each in messages:
        yield ""
        head = f"{one_line(each['speaker'], 40)}, {local_time(each['time'])}: {one_line(each['text'], 300)}"
        yield from _lines(head, "", columns)
        for proposal in each["proposals"]:
            yield from _lines(f"+ {one_line(proposal['content'])}", "  ", columns)
        for refusal in each["refused"]:
            yield from _lines(f"- {one_line(refusal['content'])} (refused: {refusal['reason']})", "  ", columns)
        if each["failure"]:
            yield from _lines(f"! {_FAILURES.get(each['failure'], each['failure'])}", "  ", columns)
        elif not each["proposals"] and not each["refused"]:
            yield "  no fact proposed"
    yield ""
    yield from _lines(_sums(body), "", columns)


def _sums(body: Mapping[str, Any]) -> str:
    messages = body["messages"]
    total = {
        name: sum(each[name] for each in messages)
        for name in ("seconds", "calls", "prompt_tokens", "completion_tokens")
    }
    proposals, refused = (sum(len(each[name]) for each in messages) for name in ("proposals", "refused"))
    money = [each["money"] for each in messages if each["money"] is not None]
    parts = [
        f"{counted(proposals, 'fact')} proposed, {refused:,} refused",
        f"{total['seconds']:.1f} s ({total['seconds'] / len(messages):.1f} s a message)",
        f"{counted(total['calls'], 'call')}, {total['prompt_tokens']:,} tokens sent, {total['completion_tokens']:,} answered",
        f"money: {sum(money):.4f}" if money else "no price is set",
        "nothing was stored",
    ]
    verdict = f"{counted(body['useless'], 'answer')} of no use" if body["useless"] else "every answer of use"
    return "; ".join([verdict, *parts])


def _lines(text: str, indent: str, columns: int) -> Iterator[str]:
    yield from joined(words_of(text), " ", f"{indent}  ", columns, first=indent)
