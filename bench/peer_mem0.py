"""Run by mem0's own interpreter: keeps texts (``add``), or starts on kept ones and asks (``ask``).

    python peer_mem0.py add FOLDER MODEL_FOLDER TEXTS.json
    python peer_mem0.py ask FOLDER MODEL_FOLDER QUESTIONS.json

No LLM (``infer=False``), the same ONNX model and tokenizer as memd's through the ``langchain`` embedder, embedded
Qdrant on disk, telemetry off. MEM0_DIR is set by the caller. An answer line is printed as soon as the first search is
answered, so that whoever waits can take the time of the start; the figures are the last line.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import resource
import sys
import time
import types
from pathlib import Path

import numpy as np
import onnxruntime
from langchain_core.embeddings import Embeddings
from mem0 import Memory
from tokenizers import Tokenizer

USER = "bench"


def stand_in_for_langchain() -> None:
    """mem0 asks for one class by its place in the large langchain package; langchain-core's is that very class.

    Without the large package mem0 starts faster, which is to its advantage here.
    """
    for name in ("langchain", "langchain.embeddings", "langchain.embeddings.base"):
        sys.modules[name] = types.ModuleType(name)
    vars(sys.modules["langchain.embeddings.base"])["Embeddings"] = Embeddings


class SameModel(Embeddings):
    """memd's model, one text at a time as mem0 asks for it."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(512)

    def embed_query(self, text: str) -> list[float]:
        """One vector."""
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        found = np.asarray(self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0])[0]
        return (found / np.linalg.norm(found)).tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return [self.embed_query(text) for text in texts]


def opened(folder: Path, model: Path) -> Memory:
    """A memory in a folder."""
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True, "collection_name": "bench"}
    return Memory.from_config(
        {
            "embedder": {"provider": "langchain", "config": {"model": SameModel(model), "embedding_dims": 384}},
            "vector_store": {"provider": "qdrant", "config": store},
            "llm": {"provider": "openai", "config": {"api_key": "never used"}},
            "history_db_path": str(folder / "history.db"),
        }
    )


def add(memory: Memory, texts: list[str]) -> dict[str, object]:
    """One by one, as its interface has it; the first is not counted, it also warms up."""
    memory.add(texts[0], user_id=USER, infer=False)
    begin = time.perf_counter()
    for text in texts[1:]:
        memory.add(text, user_id=USER, infer=False)
    seconds = time.perf_counter() - begin
    return {"texts": len(texts), "seconds": seconds, "per_s": (len(texts) - 1) / seconds}


def ask(memory: Memory, questions: list[str]) -> dict[str, object]:
    """The first one on its own, then all, in milliseconds."""
    found = memory.search(questions[0], filters={"user_id": USER})
    print(json.dumps({"answered": len(found["results"])}), flush=True)
    took = []
    for question in questions:
        begin = time.perf_counter()
        memory.search(question, filters={"user_id": USER})
        took.append((time.perf_counter() - begin) * 1000)
    took.sort()
    return {"p50_ms": took[len(took) // 2], "p95_ms": took[len(took) * 95 // 100]}


def main() -> None:
    """Print the figures."""
    stand_in_for_langchain()
    what, folder, model, lines = sys.argv[1:]
    given = json.loads(Path(lines).read_text(encoding="utf-8"))
    memory = opened(Path(folder), Path(model))
    figures = (add if what == "add" else ask)(memory, given)
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
