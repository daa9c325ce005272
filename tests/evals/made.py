"""A tiny conversation in the LoCoMo format, made up for these tests."""

import json
from pathlib import Path
from typing import Any

CONVERSATION: dict[str, Any] = {
    "sample_id": "made-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a tortoise called Miso."},
            {"speaker": "Ana", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a green shell"},
            {"speaker": "Ben", "dia_id": "D1:3", "text": "Wonderful. I bought a kayak."},
            {"speaker": "Ben", "dia_id": "D1:4", "text": "It is red."},
            {"speaker": "Ana", "dia_id": "D1:5", "text": "Where will you paddle?"},
        ],
        "session_10_date_time": "12:05 am on 1 June, 2023",
        "session_10": [
            {"speaker": "Ben", "dia_id": "D10:1", "text": "On the river near Ghent."},
        ],
        "session_11_date_time": "9:00 am on 2 June, 2023",
    },
    "qa": [
        {
            "question": "Who is the tortoise that Ana adopted?",
            "answer": "x",
            "evidence": ["D1:1"],
            "category": 4,
        },
        {
            "question": "Where and with what does Ben paddle?",
            "answer": "x",
            "evidence": ["D1:3; D10:01", "D"],
            "category": 1,
        },
        {"question": "When?", "answer": "x", "evidence": ["D:10:1", "D99:1"], "category": 2},
        {"question": "Why?", "answer": "x", "evidence": [], "category": 3},
        {"question": "Who?", "adversarial_answer": "x", "evidence": ["D7:7"], "category": 5},
    ],
}


def write_made(folder: Path) -> Path:
    """The conversation, twice under two names, as a file."""
    path = folder / "made.json"
    path.write_text(json.dumps([CONVERSATION, {**CONVERSATION, "sample_id": "made-2"}]))
    return path
