"""A reranker by the real command: an endpoint, the audit of what was sent, what is never sent, a model in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memd.tests.memory.small_models import write_cross_encoder
from memd.tests.openai_server.faults import BROKEN
from memd.tests.openai_server.server import Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

RERANK = "/v1/rerank"


def use(memd: Memd, **sections: Mapping[str, object]) -> None:
    """Write the settings."""
    lines = [
        line
        for section, settings in sections.items()
        for line in [f"[{section}]", *(f"{name} = {json.dumps(value)}" for name, value in settings.items())]
    ]
    Path(memd.environment["MEMD_CONFIG"]).write_text("\n".join(lines))


def speakers(result: Any) -> list[str]:
    """The texts of the hits."""
    return [hit["text"] for hit in result["hits"]]


def test_an_endpoint_reranks_and_is_audited(memd: Memd, chat: Path) -> None:
    """Its order is followed, unless the flag or a failure says otherwise; `memd audit` shows what was sent, forgetting
    removes it, and of a conversation that stays here nothing is sent.
    """
    assert memd("ingest", str(chat), "--me", "Ann").returncode == 0
    question = ("query", "Lisbon or Oslo or where do you live now")
    memd.environment["MEMD_QUERY_CONTEXT"] = "0"
    first = speakers(memd.json(*question))
    assert len(first) > 1
    with Server(key="sesame") as server:
        server.routes[RERANK] = lambda body: {
            "results": [{"index": at, "relevance_score": float(at)} for at in range(len(body["documents"]))]
        }
        rerank = {"provider": "http", "model": "m", "base_url": server.base_url, "api_key_env": "KEY", "weight": 1.0}
        memd.environment["KEY"] = "sesame"
        use(memd, rerank=rerank)
        result = memd.json(*question, "--explain")
        assert (speakers(result), result["degraded"][1:]) == (first[::-1], [])
        assert result["hits"][0]["scores"]["rerank"] == len(first) - 1
        assert speakers(memd.json("query", question[1], "--no-rerank")) == first
        assert "rerank" in memd(*question, "--explain").stdout.decode()
        (entry, *_) = memd.json("audit")["sent"]
        assert entry["purpose"] == "rerank"
        server.fail_always(BROKEN, path=RERANK)
        failed = memd.json(*question)
        assert (speakers(failed), failed["degraded"][1:]) == (first, ["rerank"])
        assert "did not take part" in memd(*question).stdout.decode()
        server.heal()
        sent = len(server.requests)
        use(memd, rerank=rerank, llm={"keep_sources": [result["hits"][0]["source"]]})
        assert speakers(memd.json(*question)) == first
        assert len(server.requests) == sent
        assert memd("forget", "--document", result["hits"][0]["document_id"], "--yes").returncode == 0
        assert all("Lisbon" not in path.read_bytes().decode("latin1") for path in memd.data.glob("llm.db*"))


def test_a_cross_encoder_in_a_folder_reranks(memd: Memd, chat: Path, tmp_path: Path) -> None:
    """It reads question and message; a folder without one is a wrong setting."""
    assert memd("ingest", str(chat), "--me", "Ann").returncode == 0
    write_cross_encoder(tmp_path / "model", letter="v")
    use(memd, rerank={"provider": "onnx", "model": str(tmp_path / "model"), "weight": 1.0})
    result = memd.json("query", "Lisbon or Oslo or where do you live now")
    numbers = [hit["scores"]["rerank"] for hit in result["hits"]]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] > numbers[-1]
    use(memd, rerank={"provider": "onnx", "model": str(tmp_path / "nowhere")})
    done = memd("query", "where?")
    assert done.returncode == 2
    assert b"rerank.model" in done.stderr
