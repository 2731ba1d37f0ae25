"""Finds the path through ChatGPT's tree of messages that the conversation last showed. Pure."""

from __future__ import annotations

from typing import Any

from ...text.json_fields import list_of, object_of, words_of

Node = dict[str, Any]


def shown_path(conversation: dict[str, Any]) -> tuple[list[tuple[str, Node]], int]:
    """Return the nodes from the first to the one last shown, with their keys, and the number of other nodes with a
    message.

    The path follows the parents from ``current_node`` up. If it has no message, it starts from the newest leaf instead.
    """
    nodes: dict[str, Node] = object_of(conversation.get("mapping"))
    if {*map(type, nodes.values())} != {dict}:
        nodes = {key: object_of(node) for key, node in nodes.items()}
    if not all("parent" in node for node in nodes.values()):
        _name_parents(nodes)
    path = _upwards(nodes, words_of(conversation.get("current_node")))
    if not any(_has_message(node) for _, node in path):
        path = _upwards(nodes, _newest_leaf(nodes))
    beside = 0
    if len(path) < len(nodes):
        on_path = {key for key, _ in path}
        beside = sum(1 for key, node in nodes.items() if key not in on_path and _says_something(node))
    return path[::-1], beside


def _name_parents(nodes: dict[str, Node]) -> None:
    """Fill in missing parent links from the parents' child lists; re-exported files may hold only one direction."""
    for key, node in nodes.items():
        for child in list_of(node.get("children")):
            if isinstance(child, str) and child in nodes and "parent" not in nodes[child]:
                nodes[child]["parent"] = key


def _upwards(nodes: dict[str, Node], key: str) -> list[tuple[str, Node]]:
    """Return the path from a node to the root. A parent that is missing or was visited before ends it."""
    path: dict[str, Node] = {}
    while (node := nodes.get(key)) is not None and key not in path:
        path[key] = node
        parent = node.get("parent")
        key = parent.strip() if isinstance(parent, str) else ""
    return [*path.items()]


def _newest_leaf(nodes: dict[str, Node]) -> str:
    """Return the key of the leaf with the latest creation time; of several the last in the file."""
    parents = {words_of(node.get("parent")) for node in nodes.values()}
    best, newest = "", float("-inf")
    for key, node in nodes.items():
        if key in parents or any(child in nodes for child in list_of(node.get("children")) if isinstance(child, str)):
            continue
        time = object_of(node.get("message")).get("create_time")
        made = float(time) if isinstance(time, int | float) else float("-inf")
        if _has_message(node) and (made >= newest or not best):
            best, newest = key, made
    return best


def _has_message(node: Node) -> bool:
    return bool(object_of(node.get("message")))


def _says_something(node: Node) -> bool:
    """Return whether a node has content of the user or the model; the app also creates empty nodes."""
    message = object_of(node.get("message"))
    role = object_of(message.get("author")).get("role")
    content = object_of(message.get("content"))
    return role in ("user", "assistant") and any(content.get(key) for key in ("parts", "text", "result", "content"))
