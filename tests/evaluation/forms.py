"""Small data sets of our own making, in the forms of the published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CHAT: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "The kiln arrived in Malmö."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Look at my boat", "blip_caption": "a red boat"},
            {"speaker": "Ann", "dia_id": "D1:3", "text": "I sail on Sundays."},
        ],
        "session_2_date_time": "9:00 am on 1 June, 2023",
        "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "The boat is sold."}],
        "session_3_date_time": "9:00 am on 2 June, 2023",
    },
    "qa": [
        {"question": "Where is the kiln?", "answer": "Malmö", "evidence": ["D1:1"], "category": 4},
        {"question": "How many boats?", "answer": 1, "evidence": ["D1:2; D2:1"], "category": 1},
        {"question": "Whose cat?", "adversarial_answer": "Ann's", "evidence": ["D1:03"], "category": 5},
        {"question": "When?", "answer": "never", "evidence": [], "category": 2},
        {"question": "Who?", "answer": "nobody", "evidence": ["D", "D:11:26"], "category": 3},
    ],
}
TALK: dict[str, Any] = {
    "name": {"speaker_1": "Ann", "speaker_2": "Bob"},
    "session_1": [
        {
            "clean_text": f"word {number}",
            "speaker": "Ann",
            "date_time": "29.12.2023, 00:51:12",
            "dia_id": f"D1:{number}",
        }
        for number in range(1, 9)
    ],
    "session_1_date_time": "29.12.2023, 00:51:12",
    "qa": [
        {"question": "a", "answer": "b", "evidence": ["D1:2-D1:4;D 1:7", "D1:1."], "category": 1},
        {"question": "c", "answer": "d", "evidence": ["D9:1"], "category": 3},
    ],
}
HISTORY: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "What did I buy?",
    "answer": 7,
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_session_ids": ["s1", "s2", "s1"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21", ""],
    "haystack_sessions": [
        [
            {"role": "user", "content": "I bought a lamp.", "has_answer": True},
            {"role": "assistant", "content": "Nice.", "has_answer": False},
        ],
        [{"role": "user", "content": "Hello."}],
        [{"role": "user", "content": " "}, {"role": "user", "content": "Again."}],
    ],
    "answer_session_ids": ["s1"],
}
BELIEFS: list[dict[str, Any]] = [
    {
        "_id": name,
        "user_id": user,
        "canonical_name": name,
        "aliases": aliases,
        "content": content,
        "why_it_matters": "",
        "scope": [scope],
        "type": kind,
        "participants": ["b-bike", "b-rule"] if kind == "relation" else None,
        "pinned": pinned,
        "created_at": "2026-01-01T00:00:00Z",
    }
    for name, user, aliases, content, scope, kind, pinned in (
        ("b-oven", "test-user", ["stove"], "Bakes with steam.", "domain:home", "preference", False),
        ("b-bike", "test-user", [], "Rides a steel bicycle.", "domain:home", "preference", False),
        ("b-rule", "test-user", [], "Never buys plastic.", "domain:home", "preference", True),
        ("b-pair", "test-user", ["lock"], "The lock belongs to the bicycle.", "domain:home", "relation", False),
        ("b-other", "other-user", [], "Bakes without salt.", "domain:home", "preference", False),
    )
]
CASES: list[dict[str, Any]] = [
    {
        "caseId": "alias",
        "category": "Alias",
        "scope": ["domain:home"],
        "query": "how hot is my stove?",
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["b-oven"]}},
    },
    {
        "caseId": "nothing",
        "category": "Scope",
        "scope": ["domain:work"],
        "query": "bicycle?",
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": []}},
    },
    {
        "caseId": "leak",
        "category": "Isolation",
        "scope": ["domain:home"],
        "query": "who bakes plastic?",
        "expect": {"relevantBeliefs": {"mustExclude": ["b-other"], "mustInclude": ["b-rule"]}},
    },
    {
        "caseId": "pair",
        "category": "Relation",
        "scope": ["domain:home"],
        "query": "lock?",
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["b-pair", "b-bike"]}},
    },
    {
        "caseId": "full",
        "category": "Edge",
        "scope": ["domain:home"],
        "query": "oven",
        "budget": {"maxBeliefs": 1},
        "expect": {},
    },
    {"caseId": "blank", "category": "Edge", "scope": [], "query": " ", "expect": {}},
]
PROBES: dict[str, Any] = {
    "abstention": [{"question": "My shoe size?", "ideal_response": "There is no information."}],
    "knowledge_update": [
        {"question": "How fast?", "answer": "250 ms", "source_chat_ids": {"original": [0], "updated": [2, 99]}}
    ],
    "summarization": [{"question": "Sum up", "ideal_summary": "All of it", "source_chat_ids": [1]}],
}
BATCHES: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "It takes 400 ms. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Noted."},
            ],
            [{"role": "user", "id": 2, "content": "Now it takes 250 ms."}],
        ],
    }
]
ENTRIES: dict[str, Any] = {
    "entries": [
        {"path": "a.md", "content": "# Pumps\n\nThe pump stands behind the barn.\n", "chunks_expected": 1},
        {"path": "b.md", "content": "# Hens\n\nTwelve hens lay ten eggs.\n", "chunks_expected": 1},
        {
            "path": "chat",
            "messages": [
                {"id": "m1", "speaker": "Ann", "content": "The ferry leaves at noon.", "time": "2024-01-01T10:00:00Z"},
                {"id": "m2", "speaker": "Bob", "content": "Thanks!", "time": "2024-01-01T10:01:00Z"},
            ],
        },
    ],
    "qa": [
        {"question": "Where is the pump?", "answer": "behind the barn", "category": 4, "expected_chunk": "a.md"},
        {"question": "How many hens?", "answer": "twelve", "category": 2, "expected_text": "twelve hens"},
        {"question": "When does the ferry leave?", "answer": "at noon", "category": 4, "expected_chunk": ["m1"]},
        {"question": "Who owns the goat?", "answer": "leaks", "category": 5},
    ],
}


def write(path: Path, content: object) -> Path:
    """Write JSON, with the folders above it; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
