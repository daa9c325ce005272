"""StrataGate for LangChain and LlamaIndex.

``stratagate_lc.langchain`` and ``stratagate_lc.llama_index`` load nothing of their framework
before one of their classes is used.
"""

from stratagate_lc import langchain, llama_index

__all__ = ["langchain", "llama_index"]
