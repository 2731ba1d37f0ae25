"""Run by mem0's own interpreter: adds texts to a new memory (``add``), or opens that memory and asks it (``ask``).

    python peer_mem0.py add|ask JOB.json

A job is an object: ``folder`` of the memory, ``model``, ``tokenizer``, ``window`` and ``prefix`` of the embedder,
``texts`` to add or to ask for, ``limit`` of hits. The figures are printed as one JSON object.

No LLM (``infer=False``), memd's ONNX model and sentence pieces through the ``langchain`` embedder, embedded Qdrant on
disk. MEM0_DIR is set by the caller. Nothing here uses the network: mem0's and onnxruntime's telemetry are off.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import resource
import sys
import time
import types
from pathlib import Path
from typing import Any

os.environ |= {"ORT_DISABLE_TELEMETRY": "1", "MEM0_TELEMETRY": "False"}  # both are read when the library is imported

import numpy as np
import onnxruntime
from langchain_core.embeddings import Embeddings
from mem0 import Memory
from sentencepiece import SentencePieceProcessor

Job = dict[str, Any]
SCOPE = {"user_id": "bench"}


def stand_in_for_langchain() -> None:
    """Stand in for the large langchain package, of which mem0 asks for one class; langchain-core's is that very class.

    Without the large package mem0 starts faster, which is to its advantage here.
    """
    for name in ("langchain", "langchain.embeddings", "langchain.embeddings.base"):
        sys.modules[name] = types.ModuleType(name)
    vars(sys.modules["langchain.embeddings.base"])["Embeddings"] = Embeddings


class SameModel(Embeddings):
    """The model of memd, one text at a time as mem0 calls it."""

    def __init__(self, job: Job) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # As memd runs it. By default the threads of a session spin, and on busy cores mem0 embedded half as many texts.
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(job["model"], options, providers=["CPUExecutionProvider"])
        self._pieces = SentencePieceProcessor(model_file=job["tokenizer"])
        self._first, self._last = (self._pieces.piece_to_id(piece) for piece in ("<s>", "</s>"))
        self._room = job["window"] - 2
        self._prefix = job["prefix"]

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of a text. mem0 calls this for questions and for memories."""
        pieces = self._pieces.encode(self._prefix + text)[: self._room]
        ids = np.array([[self._first, *pieces, self._last]], np.int64)
        vector = np.asarray(self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0])[0]
        return (vector / np.linalg.norm(vector)).tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector for each text."""
        return [self.embed_query(text) for text in texts]


def opened(job: Job, model: SameModel) -> Memory:
    """Open the memory in the job's folder."""
    folder = Path(job["folder"])
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True, "collection_name": "bench"}
    return Memory.from_config(
        {
            "embedder": {"provider": "langchain", "config": {"model": model, "embedding_dims": 384}},
            "vector_store": {"provider": "qdrant", "config": store},
            "llm": {"provider": "openai", "config": {"api_key": "never used"}},
            "history_db_path": str(folder / "history.db"),
        }
    )


def add(memory: Memory, job: Job) -> dict[str, object]:
    """Add the texts one by one, as mem0's interface takes them. The first one warms up and is not timed."""
    texts = job["texts"]
    memory.add(texts[0], infer=False, **SCOPE)
    begin = time.perf_counter()
    for text in texts[1:]:
        memory.add(text, infer=False, **SCOPE)
    seconds = time.perf_counter() - begin
    kept = memory.get_all(filters=SCOPE, top_k=len(texts) + 1)["results"]
    if sorted(each["memory"] for each in kept) != sorted(texts):
        sys.exit(f"{len(kept)} of {len(texts)} memories are as they were added")
    return {"per_s": (len(texts) - 1) / seconds}


def ask(memory: Memory, job: Job) -> dict[str, object]:
    """Return the moment of the first answer on the system's monotonic clock, seconds of each search, and all hits."""
    texts = job["texts"]
    memory.search(texts[0], filters=SCOPE, top_k=job["limit"])
    answered_at = time.monotonic()
    seconds, hits = [], []
    for text in texts:
        begin = time.perf_counter()
        answer = memory.search(text, filters=SCOPE, top_k=job["limit"])
        seconds.append(time.perf_counter() - begin)
        hits.append([each["memory"] for each in answer["results"]])
    return {"answered_at": answered_at, "seconds": seconds, "hits": hits}


def main() -> None:
    """Do what the command line says."""
    stand_in_for_langchain()
    verb, path = sys.argv[1:]
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    model = SameModel(job)
    figures = (add if verb == "add" else ask)(opened(job, model), job)
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["vector"] = model.embed_query(job["texts"][0])
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
