"""What a model is told while its turn is being settled (06 §7), in both languages."""

from collections.abc import Sequence

from stratagate_core.text.language import Language

_CLOSE = {
    "en": (
        "These retrieval batches are still unresolved: {ids}. Close each of them with {tool}: "
        "pass its batch_id and the evidence refs you adopted, or [] if you used none. This is "
        "bookkeeping only. Do not answer the user now; you will be asked for the answer "
        "afterwards."
    ),
    "zh": (
        "以下检索批次尚未结清：{ids}。请用 {tool} 逐一关闭：传入其 batch_id 和已采用的证据引用，"
        "没有采用则传 []。这只是登记工作。现在不要回答用户，之后会再请你作答。"
    ),
}
_CLOSED = {
    "en": "All retrieval batches are settled. You will now be asked for the answer.",
    "zh": "所有检索批次均已结清，接下来会请你作答。",
}
_ANSWER = {
    "en": (
        "Resume the user's actual request and give the complete answer again, even if you gave "
        "it before. Use only the evidence you adopted. Call no tools, and do not mention "
        "batches or receipts."
    ),
    "zh": (
        "请回到用户的实际请求，重新给出完整回答，即使之前已经答过。只使用已采用的证据，"
        "不要调用任何工具，也不要提及批次或回执。"
    ),
}
_REPEAT = {
    "en": "The last reply was not a complete answer. Give the complete answer as text.",
    "zh": "上一条回复不是完整的回答。请以文本给出完整回答。",
}


def close_batches(batch_ids: Sequence[str], language: Language, record_use_tool: str) -> str:
    """To settle these batches, and nothing else for now."""
    if not batch_ids:
        return _CLOSED[language]
    return _CLOSE[language].format(ids=", ".join(batch_ids), tool=record_use_tool)


def final_answer(language: Language) -> str:
    """To give the complete answer, from adopted evidence only."""
    return _ANSWER[language]


def repeat_answer(language: Language) -> str:
    """To answer again after a reply that was no complete answer."""
    return _REPEAT[language]
