"""Tiny data sets in the formats that are read, made up for these tests."""

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

#: one question whose turn is marked, one whose session is named only, one that cannot be answered
INSTANCES: list[dict[str, Any]] = [
    {
        "question_id": "made_q1",
        "question_type": "single-session-user",
        "question": "Which instrument did I start to learn?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer": "the cello",
        "answer_session_ids": ["answer_made_1"],
        "haystack_dates": ["2023/05/22 (Mon) 08:15", "2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["answer_made_1", "made_filler"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I started to learn the cello.", "has_answer": True},
                {"role": "assistant", "content": "What a warm sound it has.", "has_answer": False},
            ],
            [
                {"role": "user", "content": "How long do lentils cook?"},
                {"role": "assistant", "content": "About twenty minutes."},
                {"role": "user", "content": "And red ones?"},
            ],
        ],
    },
    {
        "question_id": "made_q2",
        "question_type": "multi-session",
        "question": "How many bridges did I sketch?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer": 2,
        "answer_session_ids": ["answer_made_2", "lost_session"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["answer_made_2"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I sketched two bridges today."},
                {"role": "assistant", "content": "Both over the canal?"},
            ]
        ],
    },
    {
        "question_id": "made_q3_abs",
        "question_type": "single-session-user",
        "question": "Which drum did I buy?",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer": "You did not mention a drum.",
        "answer_session_ids": ["answer_made_3"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["answer_made_3"],
        "haystack_sessions": [
            [{"role": "user", "content": "I bought a flute.", "has_answer": True}],
        ],
    },
]

#: a chat as it stands in the authors' repository
CHAT: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 0,
                    "time_anchor": "March-15-2024",
                    "index": "1,1",
                    "question_type": "main_question",
                    "content": "I plan a greenhouse with twelve panes. ->-> 1,1",
                },
                {"role": "assistant", "id": 1, "content": "Then measure the frame first."},
            ],
            [
                {"role": "user", "id": 2, "content": "The frame is cedar. ->-> 1,2"},
                {"role": "assistant", "id": 3, "content": "Cedar lasts."},
            ],
        ],
    },
    {
        "batch_number": 2,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 4,
                    "time_anchor": "None",
                    "content": "I now want fourteen panes in the greenhouse.",
                },
                {"role": "assistant", "id": 4, "content": "Noted, two more."},
            ]
        ],
    },
    {
        "batch_number": 3,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 6,
                    "time_anchor": "April-02-2024",
                    "content": "Which wood did I choose?",
                }
            ]
        ],
    },
]
PROBES: dict[str, Any] = {
    "abstention": [{"question": "Who paid for the greenhouse?", "rubric": ["not said"]}],
    "information_extraction": [
        {"question": "Which wood is the frame?", "answer": "cedar", "source_chat_ids": [2, 2]}
    ],
    "knowledge_update": [
        {
            "question": "How many panes does the greenhouse have?",
            "source_chat_ids": {"original_info": [0], "updated_info": [4, "4", 99]},
        }
    ],
}


def write(path: Path, value: Any) -> Path:
    """The value as a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_chat(folder: Path) -> Path:
    """The chat with its questions beside it; gives the chat's file."""
    write(folder / "probing_questions" / "probing_questions.json", PROBES)
    return write(folder / "chat.json", CHAT)
