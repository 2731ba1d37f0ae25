"""The graph: what its edges rest on, how it follows what is stored, its paths, and names that nobody would choose."""

from __future__ import annotations

import threading
import xml.etree.ElementTree as ET
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.cli.commands.graph import _show  # pyright: ignore[reportPrivateUsage]
from memd.daemon.cli.render.graph import neighbour_lines, path_lines
from memd.daemon.cli.render.graphml import graphml_lines
from memd.daemon.service.graph import GraphService
from memd.daemon.service.name_filters import NameFilters
from memd.daemon.service.requests import GraphRequest
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.graph.builder import WINDOW, GraphBuilder
from memd.memory.graph.graph import EVIDENCE, MENTIONS, NAMED_WITH, WRITES_WITH, Edge, Graph, Ground, Node
from memd.memory.graph.kinds import name_in
from memd.memory.graph.names import names_in
from memd.memory.graph.reader import GraphReader
from memd.memory.indexing.indexed_store import open_store
from memd.memory.lookup import find
from memd.memory.memory import EvolvingMemory
from memd.memory.people.decisions import identity_key
from memd.memory.records import StoredFact
from memd.memory.search_types import FactFilter
from memd.schemas import ConversationDocument, Fact, Query
from memd.schemas.errors import NotFoundError
from memd.tests.cases import for_each
from memd.tests.contracts.knowledge import read_all

START = datetime(2024, 1, 15, 12, tzinfo=UTC)
TALK = [
    ("Ann Smith", "Hi Bob, where do you live now?"),
    ("Bob Reed", "I live in Lisbon. I work for Siemens."),
    ("Ann Smith", "I work for Siemens too. My sister is called Lena."),
    ("Bob Reed", "Shall we go to the Botanical Garden on Sunday?"),
    ("Ann Smith", "I was at the Botanical Garden with Lena last year."),
]


def day(number: int, lines: Sequence[tuple[str, str]], source: str = "chat", minutes: int = 1) -> ConversationDocument:
    """A day of a chat with a message every so many minutes."""
    messages = [
        {
            "speaker": name,
            "content": text,
            "time": START + timedelta(days=number, minutes=minutes * at),
            "id": f"{number}-{at}",
        }
        for at, (name, text) in enumerate(lines)
    ]
    people = sorted({name for name, _ in lines})
    conversation = {"source": source, "people": people, "user": people[0], "conversation": messages}
    metadata = {"chat": "Bob"}
    return ConversationDocument.model_validate(
        {"id": f"{source}:{number}", "conversation": conversation, "metadata": metadata}
    )


@asynccontextmanager
async def memory_of(folder: Path, *days: ConversationDocument) -> AsyncGenerator[EvolvingMemory]:
    """A memory without vectors, with its facts."""
    async with open_store(folder) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), RulesExtractor())
        await memory.start()
        await memory.store(days)
        await read_all(memory)
        yield memory


async def edges_of(memory: EvolvingMemory, as_of: datetime | None = None) -> set[tuple[str, str, str]]:
    """The edges by names."""
    graph = await GraphReader(memory.database).graph(as_of)
    return {(graph.nodes[each.source].name, each.kind, graph.nodes[each.target].name) for each in graph.edges}


@pytest.mark.anyio
@pytest.mark.slow
async def test_each_edge_rests_on_messages_that_say_so(tmp_path: Path) -> None:
    """Facts on those that they cite, names on those that have them, two people on those that each wrote behind the other."""
    async with memory_of(tmp_path, day(0, TALK), day(1, TALK[3:])) as memory:
        graph = await GraphReader(memory.database).graph()
        facts = {each.fact.id: each for _, each in await memory.fact_reader.facts(FactFilter())}
        kinds = {each.kind for each in graph.edges}
        assert kinds == {"home", "employer", "sibling", MENTIONS, NAMED_WITH, WRITES_WITH}
        for edge in graph.edges:
            source, target = graph.nodes[edge.source], graph.nodes[edge.target]
            found = [await find(memory.database, str(key)) for key in edge.ground.messages]
            messages = [each.message.message for each in found if each.message is not None]
            assert messages
            assert edge.ground.count >= 1
            if edge.kind == WRITES_WITH:
                assert {each.speaker for each in messages} == {source.name, target.name}
            elif edge.kind == MENTIONS:
                assert {each.speaker for each in messages} == {source.name}
                assert all(target.name.split()[0] in each.content for each in messages)
            elif edge.kind == NAMED_WITH:
                assert all(node.name.split()[0] in each.content for each in messages for node in (source, target))
            else:
                stored = [facts[key] for key in edge.ground.facts]
                assert {(each.fact.subject, each.fact.attribute, each.fact.value) for each in stored} == {
                    (source.name, edge.kind, target.name)
                }
                assert set(edge.ground.messages) == {key for each in stored for key in each.messages}
        assert all(node.ground.messages or node.ground.facts for node in graph.nodes.values())
        garden = graph.nodes["name:botanical garden"]
        assert (garden.kind, garden.basis, garden.ground.count) == ("thing", "capitals", 4)
        kinds_of_names = {node.name: (node.kind, node.basis) for node in graph.nodes.values()}
        assert kinds_of_names["Lisbon"] == ("place", "fact home")
        assert kinds_of_names["Siemens"] == ("organisation", "fact employer")
        assert kinds_of_names["Lena"] == ("person", "fact sibling")
        assert kinds_of_names["Ann Smith"] == ("person", "writes")


@pytest.mark.anyio
@pytest.mark.slow
async def test_who_writes_long_after_another_answers_nobody(tmp_path: Path) -> None:
    """But for mails of a thread, whose answers take days; what an app wrote comes from nobody."""
    lines = [("Ann", "hello"), ("Bob", "hello")]
    minutes = WINDOW // 60_000_000 + 1
    async with memory_of(tmp_path, day(0, lines, minutes=minutes), day(1, lines, "mail", minutes)) as memory:
        graph = await GraphReader(memory.database).graph()
        (edge,) = graph.edges
        assert (edge.kind, edge.ground.count, len(edge.ground.messages)) == (WRITES_WITH, 1, 2)


@pytest.mark.anyio
@pytest.mark.slow
async def test_the_graph_follows_what_is_stored(tmp_path: Path) -> None:
    """What is superseded, undone or forgotten leaves it at once; what held at a time comes with that time."""
    async with memory_of(tmp_path, day(0, TALK)) as memory:
        reader = GraphReader(memory.database)
        before = await reader.graph()
        assert await reader.graph() is before
        lives = ("Bob Reed", "home", "Lisbon")
        assert lives in await edges_of(memory)
        await memory.store([day(40, [("Bob Reed", "I moved to Porto.")])])
        await read_all(memory)
        assert await reader.graph() is not before
        assert lives not in await edges_of(memory)
        assert ("Bob Reed", "home", "Porto") in await edges_of(memory)
        past = await edges_of(memory, START + timedelta(days=20))
        assert lives in past
        assert ("Bob Reed", "home", "Porto") not in past
        facts = [each for _, each in await memory.fact_reader.facts(FactFilter(statuses=("active",)))]
        work = next(
            each.fact.id for each in facts if each.fact.subject == "Bob Reed" and each.fact.attribute == "employer"
        )
        updates = memory.fact_service.updates
        await updates.undo(str(work), uuid4().hex, believe=False)
        assert ("Bob Reed", "employer", "Siemens") not in await edges_of(memory)
        await updates.undo(str(work), uuid4().hex, believe=True)
        assert ("Bob Reed", "employer", "Siemens") in await edges_of(memory)
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(people=("Bob Reed",))))
        assert not any(
            "Bob" in end or "Porto" in end for source, _, end in await edges_of(memory) for end in (source, end)
        )


@pytest.mark.anyio
@pytest.mark.slow
async def test_one_graph_is_derived_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are asked for, questions find a connection; the one that is kept waits for none."""
    async with memory_of(tmp_path, day(0, TALK)) as memory:
        reader = GraphReader(memory.database)
        kept = await reader.graph()
        running: list[object] = []
        begun, go_on = threading.Event(), threading.Event()

        def slowly(*_: object) -> Graph:
            running.append(None)
            assert len(running) == 1
            begun.set()
            go_on.wait()
            running.clear()
            return kept

        monkeypatch.setattr("memd.memory.graph.reader.graph_of", slowly)
        async with anyio.create_task_group() as tasks:
            for number in range(12):
                tasks.start_soon(reader.graph, START + timedelta(days=number))
            try:
                await anyio.to_thread.run_sync(begun.wait)
                assert await reader.graph() is kept
                assert (await memory.query(Query(text="Where does Bob live?"))).hits
            finally:
                go_on.set()


@pytest.mark.anyio
@pytest.mark.slow
async def test_people_are_nodes_as_the_user_decided(tmp_path: Path) -> None:
    """Equal names are one until they are split, other names once they are merged."""
    talk = [("Ann", "Hi, where are you?"), ("Bob", "I live in Lisbon.")]
    work = [("Ann", "Hello?"), ("Bob", "I work for Siemens.")]
    other = [("Ann", "Hello?"), ("bobby", "I live in Rome.")]
    async with memory_of(tmp_path, day(0, talk), day(0, work, "slack"), day(0, other, "mail")) as memory:
        reader = GraphReader(memory.database)

        async def homes() -> list[set[str]]:
            graph = await reader.graph()
            people = [node for node in graph.nodes.values() if any("ob" in name for name in node.identities)]
            around = (graph.around(each.id) for each in people)
            return sorted(
                (
                    {graph.nodes[edge.target].name for edge in edges if edge.kind in ("home", "employer")}
                    for edges in around
                ),
                key=sorted,
            )

        assert await homes() == [{"Lisbon", "Siemens"}, {"Rome"}]
        await memory.person_service.merge([identity_key("chat", "Bob"), identity_key("mail", "bobby")])
        (merged,) = await homes()
        assert "Siemens" in merged
        assert len(merged) == 2  # of two homes one holds
        await memory.person_service.undo()
        await memory.person_service.merge([identity_key("chat", "Bob"), identity_key("slack", "Bob")])
        await memory.person_service.split([identity_key("slack", "Bob")])
        assert await homes() == [{"Lisbon"}, {"Rome"}, {"Siemens"}]
        service = GraphService(memory, NameFilters(memory))
        with pytest.raises(NotFoundError, match=r"means several: .*:Bob"):
            await service.part(GraphRequest(name="bob"))
        answer = await service.part(GraphRequest(name="slack:Bob"))
        assert {edge["kind"] for edge in answer["edges"]} == {"employer", MENTIONS, WRITES_WITH}


@pytest.mark.anyio
@pytest.mark.slow
async def test_namesakes_who_were_split_are_told_apart(tmp_path: Path) -> None:
    """Each by a name or an id that means nobody else; a message that names them, and a fact, say of nobody who it is."""
    talk = [("Ann Smith", "Hi."), ("Annie", "Hello."), ("name:ann smith", "I like Ann Smith. It was Ann Smith, I say.")]
    other = [("Ann Smith", "Hello?"), ("Zoe", "I saw Ann Smith there."), ("Zoe", "No, we met Ann Smith twice.")]
    async with memory_of(tmp_path, day(0, talk), day(0, other, "mail")) as memory:
        mail = identity_key("mail", "Ann Smith")
        both = [identity_key("chat", "Ann Smith"), identity_key("chat", "Annie")]
        await memory.person_service.merge([mail, *both])
        await memory.person_service.split([mail])
        service = GraphService(memory, NameFilters(memory))
        graph = await GraphReader(memory.database).graph()
        assert not [each for each in graph.nodes.values() if each.kind == "thing"]
        with pytest.raises(NotFoundError, match="means several: ") as several:
            await service.part(GraphRequest(name="ann smith"))
        for name in several.value.message.partition(": ")[2].split(", "):
            (node, *_) = (await service.part(GraphRequest(name=name)))["nodes"]
            assert name in (node["id"], *node["names"])
        (node, *_) = (await service.part(GraphRequest(name="name:name:ann smith")))["nodes"]
        assert node["name"] == "name:ann smith"


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_name_that_nothing_has_is_told_with_the_nearest(tmp_path: Path) -> None:
    """A part means the only one that has it; an answer has the nodes of its edges, and says if there is more."""
    async with memory_of(tmp_path, day(0, TALK)) as memory:
        service = GraphService(memory, NameFilters(memory))
        with pytest.raises(NotFoundError, match="no name 'Lisbn'") as missing:
            await service.part(GraphRequest(name="Lisbn"))
        assert missing.value.hint == "did you mean Lisbon?"
        answer = await service.part(GraphRequest(name="smith", limit=2))
        assert [node["name"] for node in answer["nodes"]] == ["Ann Smith", "Siemens", "Lena"]
        assert (len(answer["edges"]), answer["more"]) == (2, True)
        path = await service.part(GraphRequest(name="Lisbon", other="lena"))
        assert (
            path["paths"] == [["name:lisbon", "name:bob reed", "name:ann smith", "name:lena"]] or len(path["paths"]) > 1
        )
        assert (await service.part(GraphRequest(name="Lisbon", other="Lisbon")))["paths"] == [["name:lisbon"]]
        assert not (await service.part(GraphRequest(name="Lisbon", other="Lena", depth=1)))["paths"]
        whole = await service.part(GraphRequest())
        assert (len(whole["nodes"]), len(whole["edges"])) == (whole["total_nodes"], whole["total_edges"])


def graph_of_pairs(pairs: Sequence[tuple[int, int]]) -> Graph:
    """A graph with these edges."""
    nodes = {f"n{each}": Node(f"n{each}", f"n{each}", "thing", "capitals") for pair in pairs for each in pair}
    return Graph(nodes, [Edge(f"n{one}", f"n{other}", "likes") for one, other in dict.fromkeys(pairs) if one != other])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25))
def test_paths_are_shortest_and_neighbours_symmetrical(pairs: list[tuple[int, int]]) -> None:
    """By the distances that Floyd and Warshall's steps give; every step of a path is an edge."""
    graph = graph_of_pairs(pairs)
    names = list(graph.nodes)
    far = {(one, other): 0 if one == other else 99 for one in names for other in names}
    for edge in graph.edges:
        far[edge.source, edge.target] = far[edge.target, edge.source] = 1
        assert edge in graph.around(edge.source)
        assert edge in graph.around(edge.target)
    for middle in names:
        for one in names:
            for other in names:
                far[one, other] = min(far[one, other], far[one, middle] + far[middle, other])
    for one in names:
        for other in names:
            paths = graph.paths(one, other, 6, 50)
            assert bool(paths) == (far[one, other] <= 6)
            assert {len(path) - 1 for path in paths} <= {far[one, other]}
            assert len(paths) == len({tuple(path) for path in paths})
            assert len(paths) == len(graph.paths(other, one, 6, 50))
            for path in paths:
                assert (path[0], path[-1]) == (one, other)
                assert len(list(graph.between(path))) >= len(path) - 1
        within = {end for edge in graph.neighbourhood(one, 2, 100) for end in (edge.source, edge.target)}
        assert within | {one} == {other for other in names if far[one, other] <= 2}


def test_a_name_with_ten_thousand_facts_has_an_answer_of_few() -> None:
    """The limit counts from the strongest edge; a node or an edge keeps some of its evidence."""
    hub = Node("hub", "hub", "person", "writes")
    nodes = {"hub": hub} | {f"n{each}": Node(f"n{each}", f"n{each}", "thing", "fact likes") for each in range(10_000)}
    edges = [Edge("hub", f"n{each}", "likes") for each in range(10_000)]
    for number, edge in enumerate(edges):
        edge.ground.add(number, (number.to_bytes(16, "big"),))
    edges[77].ground.add(0, (b"x" * 16,))
    graph = Graph(nodes, edges)
    assert [edge.target for edge in graph.neighbourhood("hub", 6, 3)] == ["n77", "n9999", "n9998"]
    assert graph.paths("n1", "n2", 2, 5) == [["n1", "hub", "n2"]]
    ground = Ground()
    for number in range(1000):
        ground.add(number % 997, (number.to_bytes(16, "big"),))
    assert (ground.count, ground.first, ground.last, len(ground.messages)) == (1000, 0, 996, EVIDENCE)
    assert UUID(int=996) in ground.messages


def body_of(*names: str) -> dict[str, Any]:
    """An answer with nodes of these names, each joined with the first."""
    nodes = [
        {
            "id": f"name:{at}{name}",
            "name": name,
            "kind": "thing",
            "basis": "capitals",
            "count": 1,
            "messages": ["a", "b"],
        }
        for at, name in enumerate(names)
    ]
    ground: dict[str, Any] = {
        "kind": names[0],
        "count": 1,
        "first": "2024",
        "last": "2024",
        "messages": [],
        "facts": [],
    }
    return {"nodes": nodes, "edges": [{"source": nodes[0]["id"], "target": each["id"], **ground} for each in nodes[1:]]}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_graphml_is_xml_whatever_the_names(names: list[str]) -> None:
    """A name comes back as it was, with a sign in place of characters that XML cannot write."""
    root = ET.fromstring("\n".join(graphml_lines(body_of(*names))))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    read = [each.text or "" for each in root.iterfind(f".//{space}node/{space}data[@key='node-name']")]
    assert len(read) == len(names)
    for name, again in zip(names, read, strict=True):
        assert len(again) == len(name)
        assert all(one in (other, "\ufffd") for one, other in zip(again, name, strict=True))
    ids = {each.get("id") for each in root.iter(f"{space}node")}
    assert all({each.get("source"), each.get("target")} <= ids for each in root.iter(f"{space}edge"))


def test_lines_for_people_obey_no_name() -> None:
    """What a terminal would obey is shown as its code, and a name takes no second line."""
    body = body_of("\x1b[2J\nred", "a\u202eb\r", "x" * 5000)
    lines = [
        *neighbour_lines(body, 100),
        *path_lines({**body, "paths": [[each["id"] for each in body["nodes"][:2]]]}, 100),
    ]
    assert len(lines) >= 5
    assert all(line.isprintable() and len(line) <= 100 for line in lines)


def test_a_path_from_a_name_to_itself_is_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing says that it has no neighbours: it was not asked for them."""
    body = {**body_of("Ann"), "paths": [["name:0Ann"]]}
    _show(body, between=True)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("Ann\n", "")
    _show(body, between=False)
    assert "nothing is connected" in capsys.readouterr().err


@pytest.mark.slow
def test_ten_thousand_facts_of_one_subject_are_as_many_edges() -> None:
    """Each with its own evidence; a fact that is denied, or whose value names nothing, is none."""
    quoted = [{"document_id": "chat:1", "message_id": "m", "quote": "x"}]
    said: Any = {
        "evidence": quoted,
        "extractor": {"name": "rules"},
        "content": "x",
        "speaker": "Ann",
        "observed_at": START,
        "recorded_at": START,
    }
    builder = GraphBuilder([])
    for number in range(10_000):
        fact = Fact.model_validate(
            {"id": UUID(int=number), "subject": "Ann", "attribute": "likes", "value": f"thing {number}", **said}
        )
        builder.add_fact(StoredFact(fact, "", "", (UUID(int=number),)), "chat")
    for changes in ({"negated": True, "value": "war"}, {"value": "42"}, {"value": "Ann"}):
        denied = Fact.model_validate({"id": UUID(int=1), "subject": "Ann", "attribute": "likes", **said, **changes})
        builder.add_fact(StoredFact(denied, "", "", (UUID(int=1),)), "chat")
    graph = builder.graph()
    assert (len(graph.nodes), len(graph.edges)) == (10_001, 10_000)
    assert all(edge.ground.messages == tuple(edge.ground.facts) for edge in graph.edges)


def test_frequent_names_are_not_counted_anew_with_each_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that came once are dropped when there are many new ones, however many came twice."""
    monkeypatch.setattr("memd.memory.graph.builder.MOST_CANDIDATES", 20)
    names = [f"Quo{chr(97 + one)}{chr(97 + other)} Zed" for one in range(20) for other in range(20)]
    builder = GraphBuilder([])
    drops = 0
    drop = builder._drop_rare  # pyright: ignore[reportPrivateUsage]

    def counted() -> None:
        nonlocal drops
        drops += 1
        drop()

    monkeypatch.setattr(builder, "_drop_rare", counted)
    rows = [(n.to_bytes(16, "big"), 1, "chat", "Ann", n, f"we met {names[n // 2]} then") for n in range(800)]
    builder.add_messages(rows)
    assert drops <= 400 // 20
    kept = {f"name:{name.lower()}" for name in names} & builder.graph().nodes.keys()
    assert len(kept) >= len(names) - drops  # one whose two messages lie on both sides of a drop came once


@for_each(
    [
        ("we saw Harry Potter with Ann Lee's brother", [], [["Harry", "Potter"], ["Ann", "Lee"]]),
        ("Yesterday Harry Potter came to us. Harry Potter left again", [], [["Harry", "Potter"]]),
        ("Meeting Room Four Is Closed For Cleaning", [], []),
        ("I'm off to New York, see you on Monday Morning", [], [["New", "York"]]),
        ("in lisbon and Lisbon. Lisbon’s trams", ["L"], []),
        ("the BBC News WORLD Service at Bob@Work.Com", [], []),
        ("Will you come? I asked Will", ["W"], []),
        ("Will you come?", [], []),
    ]
)
def test_names_in_messages_are_runs_of_capitals(text: str, nodes: list[str], others: list[list[str]]) -> None:
    """Without what begins a sentence, headlines, days and words all in capitals."""
    assert names_in(text, {"lisbon": "L", "will": "W"}) == (nodes, others)


@for_each(
    [
        ("home", "Lisbon, near the river", ("Lisbon", "place")),
        ("employer", "the Siemens plant in Munich", ("Siemens plant", "organisation")),
        ("origin", "Los Angeles", ("Los Angeles", "place")),
        ("child", "daughter Lena", ("Lena", "person")),
        ("child", "a girl of 5", None),
        ("favourite", "colour: blue", ("blue", "thing")),
        ("location", "at the gym", None),
        ("age", "42", None),
        ("plan", "fly to Rome", None),
        ("employer", "the company", None),
        ("home", "東京", ("東京", "place")),
        ("friend", "花子", ("花子", "person")),
        ("likes", "one two three four five six", None),
    ]
)
def test_a_value_names_something_or_nothing(attribute: str, value: str, name: tuple[str, str] | None) -> None:
    """By the attribute; details, articles and words for a relation are no part of a name."""
    assert name_in(attribute, value, native=True) == name
