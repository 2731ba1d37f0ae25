"""``search``, ``show``, ``facts``, ``people``, ``recent``: what the memory holds, briefly, cited, and as quotations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .jsonrpc import Json
from .memory import Memory
from .quotation import Quotation, one_line
from .resource_links import document_link, hit_link, message_link, parsed_link
from .results import ToolError, result_of

AROUND = 10
"""Messages that ``show`` gives before and after the one it was asked for."""
SHOWN_MESSAGES = 50
"""Messages of a conversation on one page of ``show``."""
SHOWN_CHARACTERS = 20_000
"""Characters of a text on one page of ``show``."""
HIT_CHARACTERS = 2_000
"""Characters of a message in a list of hits."""
SHOWN_NAMES = 50
NAME_CHARACTERS = 40
"""Characters of a name in a structure: too few to talk anybody into something."""


_PASSED_ON = (
    *("people", "chats", "sources", "since", "until"),
    *("include_messages", "include_chunks", "include_knowledge"),
)
"""The arguments of a search that mean what the API's fields of these names mean."""


def search(arguments: Json, memory: Memory) -> Json:
    """Messages and passages that answer a question, each with what was said around it, and the facts."""
    from ..operations import QUERY

    values = {"text": arguments["question"], "limit": arguments.get("limit", 8)}
    values |= {name: arguments[name] for name in _PASSED_ON if name in arguments}
    answer = memory.call(QUERY, values)
    quotation = Quotation()
    hits = [_hit(hit) for hit in answer["hits"]]
    facts = [_fact(fact) for fact in answer.get("facts", [])]
    quoted = [_hit_text(number, hit) for number, hit in enumerate(hits, 1)]
    quoted += [f"Fact: {fact['content']}" for fact in facts]
    remarks = _remarks(answer, quotation)
    lines = [quotation.block("\n".join(quoted)), quotation.notice] if quoted else ["Nothing was found."]
    structure: Json = {
        "notice": quotation.notice,
        "hits": [_quoted(hit, quotation) for hit in hits],
        "facts": [_quoted(fact, quotation) for fact in facts],
    }
    return result_of("\n".join(lines + remarks), structure | ({"remarks": remarks} if remarks else {}))


def _remarks(answer: Mapping[str, Any], quotation: Quotation) -> list[str]:
    """Return what makes an answer less than it seems."""
    remarks: list[str] = []
    if answer.get("degraded"):
        remarks.append(f"Not all of the memory was searched: {', '.join(answer['degraded'])}")
    if answer.get("weak"):
        remarks.append("Nothing matches well; the answer may not be in the memory.")
    if answer.get("did_you_mean"):
        names = one_line(", ".join(answer["did_you_mean"]))
        remarks.append(f"Names like that: {quotation.inline(names)}")
    return remarks


def _hit(hit: Mapping[str, Any]) -> Json:
    passage = hit.get("passage")
    text = hit["text"][passage["start"] : passage["end"]] if passage else hit["text"]
    body: Json = {
        "text": text if len(text) <= HIT_CHARACTERS else f"{text[:HIT_CHARACTERS]}…",
        "speaker": hit.get("speaker"),
        "time": hit.get("time"),
        "chat": hit.get("chat"),
        "source": hit.get("source"),
        "memory": hit.get("memory"),
        "waiting": hit.get("waiting"),
        "link": hit_link(hit),
    }
    context = [
        {"text": one_line(line["text"], 300), "speaker": line.get("speaker"), "time": line.get("time")}
        for line in hit.get("context", [])
    ]
    return {name: value for name, value in (body | {"context": context}).items() if value}


def _hit_text(number: int, hit: Mapping[str, Any]) -> str:
    said = {"text": hit["text"], "speaker": hit.get("speaker"), "time": hit.get("time")}
    lines = sorted([*hit.get("context", []), said], key=lambda line: line["time"] or "")
    places = [one_line(hit[name], 80) for name in ("chat", "source") if hit.get(name)]
    places += [f"memory {one_line(hit['memory'], 80)}"] if hit.get("memory") else []
    places += ["not stored yet"] if hit.get("waiting") else []
    head = f"[{number}] {' · '.join(places)} {hit.get('link', '')}".replace("  ", " ").rstrip()
    return "\n".join([head, *(_line(line) for line in lines)])


def _line(line: Mapping[str, Any]) -> str:
    moment = f"{line['time'][:16].replace('T', ' ')} " if line.get("time") else ""
    speaker = f"{one_line(line['speaker'], 80)}: " if line.get("speaker") else ""
    return f"{moment}{speaker}{line['text']}"


def _fact(fact: Mapping[str, Any]) -> Json:
    body: Json = {
        name: fact.get(name) for name in ("content", "subject", "attribute", "value", "valid_from", "valid_to")
    }
    status = fact.get("status", "active")
    cited = [message_link(each["message_id"]) for each in fact.get("evidence", []) if each.get("message_id")]
    body |= {"status": None if status == "active" else status, "links": cited[:3], "id": fact.get("id")}
    return {name: value for name, value in body.items() if value}


def _quoted(body: Mapping[str, Any], quotation: Quotation) -> Json:
    """Return a structure with the marks around each text that people wrote. Names are cut short instead: marks around
    each would cost more than the names.
    """
    marked: Json = dict(body)
    for name in ("text", "content", "value", "title"):
        if isinstance(marked.get(name), str):
            marked[name] = quotation.inline(marked[name])
    for name in ("subject", "speaker", "chat", "name"):
        if isinstance(marked.get(name), str):
            marked[name] = one_line(marked[name], NAME_CHARACTERS)
    if "context" in marked:
        marked["context"] = [_quoted(line, quotation) for line in marked["context"]]
    return marked


def show(arguments: Json, memory: Memory) -> Json:
    """A message among its neighbours, or a page of a conversation or a text."""
    from ..operations import SHOW

    try:
        shown = memory.call(SHOW, {"id": identifier_of(arguments["id"])})
    except ToolError as error:
        if error.code == "NOT_FOUND":  # the daemon's hint names commands, which an agent need not have
            error.hint = "search and recent give links"
        raise
    page = page_of(shown, arguments.get("offset"))
    quotation = Quotation()
    head = f"{page['kind']}, {page['link']}, {page['first']}-{page['last']} of {page['total']} {page['unit']}"
    text = f"{head}\n{quotation.block(page['text'])}\n{quotation.notice}"
    if page["last"] < page["total"]:
        text += f"\nMore: offset {page['last']}"
    return result_of(text, {"notice": quotation.notice} | _quoted(page, quotation))


def identifier_of(text: str) -> str:
    """Return the id that an address of ours names, or the id itself."""
    link = parsed_link(text)
    return text if link is None else link[1]


def page_of(shown: Mapping[str, Any], offset: int | None = None) -> Json:
    """Return the part of a shown document that fits: around a message or a passage, or from an offset on."""
    document = shown["document"]
    title = one_line(str(document.get("metadata", {}).get("title", "") or document.get("subject", "")))
    about: Json = {"id": document["id"], "link": document_link(document["id"]), "title": title}
    if "conversation" in document:
        messages: Sequence[Mapping[str, Any]] = document["conversation"]["conversation"]
        position = shown.get("position")
        size = SHOWN_MESSAGES
        if offset is None and position is not None:
            offset, size = max(0, position - AROUND), 2 * AROUND + 1
        start = min(offset or 0, len(messages))
        part = messages[start : start + size]
        lines = [_line({"text": m["content"], "speaker": m["speaker"], "time": m.get("time")}) for m in part]
        return about | {
            "kind": "conversation",
            "unit": "messages",
            "first": start + 1,
            "last": start + len(part),
            "total": len(messages),
            "text": "\n".join(lines),
        }
    content: str = document.get("content", "")
    passage = shown.get("passage")
    if offset is None and passage is not None:
        offset = max(0, passage["start"] - SHOWN_CHARACTERS // 4)
    start = min(offset or 0, len(content))
    part_of_text = content[start : start + SHOWN_CHARACTERS]
    return about | {
        "kind": "text",
        "unit": "characters",
        "first": start + 1,
        "last": start + len(part_of_text),
        "total": len(content),
        "text": part_of_text,
    }


def facts(arguments: Json, memory: Memory) -> Json:
    """Facts about somebody or something."""
    from ..operations import FACTS

    values: Json = {"limit": arguments.get("limit", 20)}
    for name, field in (("about", "subject"), ("attribute", "attribute")):
        if name in arguments:
            values[field] = [arguments[name]]
    if "as_of" in arguments:
        values["as_of"] = arguments["as_of"]
    answer = memory.call(FACTS, values)
    remarks = [f"{answer['unread']} documents have not been read for facts yet."] if answer.get("unread") else []
    if "next" in answer:
        remarks.append("There are more: ask about somebody, or for an attribute.")
    return _listed([_fact(fact) for fact in answer["facts"]], "facts", _fact_line, remarks)


def _fact_line(fact: Mapping[str, Any]) -> str:
    since = f" (since {fact['valid_from'][:10]})" if fact.get("valid_from") else ""
    status = f" [{fact['status']}]" if fact.get("status") else ""
    links = f" {fact['links'][0]}" if fact.get("links") else ""
    return f"- {one_line(fact['content'], 400)}{since}{status}{links}"


def people(arguments: Json, memory: Memory) -> Json:
    """Everybody who wrote, or one person: chats, contacts, topics, facts."""
    from ..operations import PEOPLE, PERSON

    if "name" not in arguments:
        rows = memory.call(PEOPLE)["people"]
        remarks = [f"{len(rows) - SHOWN_NAMES} more wrote less."] if len(rows) > SHOWN_NAMES else []
        named = [{"name": row["name"], "messages": row["messages"]} for row in rows[:SHOWN_NAMES]]
        return _listed(named, "people", _person_line, remarks)
    person = memory.call(PERSON, {"id": arguments["name"]})
    quotation = Quotation()
    lines = [
        f"Names: {', '.join(person['names'])}",
        f"Messages: {person['messages']}, {person['first'][:10]} to {person['last'][:10]}",
        f"Chats: {_names(person['chats'])}",
        f"Contacts: {_names(person['contacts'])}",
        f"Topics: {', '.join(person['topics'][:20])}",
        *(_fact_line(_fact(fact)) for fact in person["facts"][:20]),
    ]
    text = quotation.block("\n".join(one_line(line, 600) for line in lines))
    structure: Json = {
        "notice": quotation.notice,
        "names": [one_line(name, NAME_CHARACTERS) for name in person["names"]],
        "messages": person["messages"],
        "first": person["first"],
        "last": person["last"],
        "facts": [_quoted(_fact(fact), quotation) for fact in person["facts"][:20]],
    }
    return result_of(f"{text}\n{quotation.notice}", structure)


def _person_line(row: Mapping[str, Any]) -> str:
    return f"- {one_line(row['name'])}: {row['messages']} messages"


def _names(rows: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{row['name']} ({row['messages']})" for row in list(rows)[:10])


def recent(arguments: Json, memory: Memory) -> Json:
    """The latest conversations and texts, the newest first."""
    from ..operations import DOCUMENTS

    values: Json = {"limit": arguments.get("limit", 10)}
    values |= {name: arguments[name] for name in ("since", "chats", "sources") if name in arguments}
    rows = memory.call(DOCUMENTS, values)["documents"]
    listed = [
        {
            "title": one_line(row.get("title") or row["id"], 100),
            "kind": row["kind"],
            "messages": row.get("messages"),
            "time": row.get("timestamp"),
            "source": row.get("source"),
            "link": document_link(row["id"]),
        }
        for row in rows
    ]
    return _listed([{k: v for k, v in row.items() if v} for row in listed], "documents", _document_line, [])


def _document_line(row: Mapping[str, Any]) -> str:
    count = f", {row['messages']} messages" if row.get("messages") else ""
    day = f"{row['time'][:10]} " if row.get("time") else ""
    return f"- {day}{row['title']} ({row.get('source', row['kind'])}{count}) {row['link']}"


def _listed(rows: Sequence[Json], name: str, line: Any, remarks: list[str]) -> Json:  # noqa: ANN401 - see the callers
    """Return rows as lines in one quotation, and as a structure."""
    quotation = Quotation()
    if rows:
        shown = [quotation.block("\n".join(line(row) for row in rows)), quotation.notice]
    else:
        shown = [f"There are no {name} for that."]
    structure: Json = {"notice": quotation.notice, name: [_quoted(row, quotation) for row in rows]}
    return result_of("\n".join(shown + remarks), structure | ({"remarks": remarks} if remarks else {}))
