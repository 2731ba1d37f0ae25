"""``forget``: a plan first, which the person confirms in the agent's own window; nothing is forgotten on a model's word.

A client of the later era gets the question as ``input_required`` and sends the whole call again with the answer; what was
asked comes back sealed, and counts for this process, this selection and this plan alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from typing import Any

from .exchange import Exchange
from .jsonrpc import INVALID_PARAMS, Json, ProtocolError, object_of
from .memory import Memory
from .quotation import one_line
from .results import invalid, result_of

NAMES = ("chats", "documents", "people", "speakers", "sources")
STATE_SECONDS = 600.0
"""The longest time between a plan and its confirmation."""
_KEY = secrets.token_bytes(32)
_SCHEMA: Json = {
    "type": "object",
    "properties": {"forget": {"type": "boolean", "title": "Forget this for good", "default": False}},
    "required": ["forget"],
}


def forget(arguments: Json, memory: Memory, exchange: Exchange) -> Json:
    """Plan, ask the person, act.

    Raises:
        ToolError: nothing is selected, or a name is not whole.
        InputRequiredError: the person has to answer.
        ProtocolError: the client cannot ask, or sent a state of something else.
    """
    from ..operations import FORGET

    selection = {name: arguments[name] for name in (*NAMES, "since", "until") if arguments.get(name)}
    if not selection:
        raise invalid("select what is to be forgotten", f"by {', '.join(NAMES)}, since, until")
    if arguments.get("quotes", "keep") != "keep":
        selection["quotes"] = arguments["quotes"]
    exchange.require("elicitation")
    plan = memory.operate(FORGET, selection | {"dry_run": True, "whole_names": True})
    if parts := [each for each in plan.get("taken", ()) if each.get("part_of") or each.get("nearest")]:
        near = one_line(", ".join(parts[0].get("part_of") or parts[0]["nearest"]))
        raise invalid(f"there is no {parts[0]['kind']} of that whole name", f"there is: {near}")
    if not plan["messages"] and not plan["waiting"]:
        return result_of("Nothing that is stored matches; nothing was forgotten.", {"forgotten": 0})
    state = _sealed(selection, plan["plan"])
    question = {"mode": "form", "message": _question(plan), "requestedSchema": _SCHEMA}
    answer = exchange.input_of("confirm", "elicitation/create", question, state)
    if exchange.modern and not _holds(exchange.params.get("requestState"), selection, plan["plan"]):
        raise ProtocolError(INVALID_PARAMS, "that requestState does not hold for this plan: begin without it")
    content = object_of(answer.get("content")) or {}
    if answer.get("action") != "accept" or content.get("forget") is not True:
        return result_of("The person did not confirm; nothing was forgotten.", {"forgotten": 0})
    done = memory.operate(FORGET, selection | {"dry_run": False, "plan": plan["plan"]})
    count = done["messages"] + done["waiting"]
    text = f"Forgot {count} messages.{_quoting(plan, done=True)}"
    if done["unpurged"]:
        text += " Some files still hold removed bytes; memd tries again by itself."
    return result_of(text, {"forgotten": count, "unpurged": len(done["unpurged"])})


def _question(plan: Mapping[str, Any]) -> str:
    """Return the question, which names what goes in the memory's own words."""
    places = [f"{one_line(each['title'] or each['source'], 60)} ({each['messages']})" for each in plan["chats"][:10]]
    more = plan["chat_count"] - len(places)
    where = ", ".join(places) + (f" and {more} more" if more > 0 else "")
    count = plan["messages"] + plan["waiting"]
    return f"An agent wants memd to forget {count} messages for good: {where}.{_quoting(plan)} This cannot be undone."


def _quoting(plan: Mapping[str, Any], *, done: bool = False) -> str:
    """Return what happens, or happened, to the quotes in messages of others, as a sentence; empty if there are none."""
    quotes = plan.get("quotes", {})
    if not (count := quotes.get("messages")):
        return ""
    if quotes["treatment"] == "redact":
        return f" [redacted] {'replaced' if done else 'replaces'} their words in {count} messages of others."
    if quotes["treatment"] == "remove":
        return f" {count} messages of others that quote them {'went' if done else 'go'}, too."
    left = "memd can no longer find their words there" if done else "afterwards memd cannot find their words there"
    return f" {count} messages of others quote them and stay; {left}."


def _sealed(selection: Mapping[str, Any], plan: str) -> str:
    """Return the state that comes back with the answer."""
    until = str(int(time.time() + STATE_SECONDS))
    return f"{until}.{_seal(until, selection, plan)}"


def _holds(state: object, selection: Mapping[str, Any], plan: str) -> bool:
    """Return whether a state was sealed here, for this selection and this plan, not long ago."""
    if not isinstance(state, str):
        return False
    until, _, seal = state.partition(".")
    if not (until.isascii() and until.isdigit() and len(until) < 20):
        return False
    return hmac.compare_digest(seal.encode(), _seal(until, selection, plan).encode()) and time.time() < int(until)


def _seal(until: str, selection: Mapping[str, Any], plan: str) -> str:
    body = json.dumps([until, selection, plan], sort_keys=True).encode()
    return hmac.new(_KEY, body, hashlib.sha256).hexdigest()
