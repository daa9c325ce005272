"""Settings: frozen, validated, with the defaults of the specification (15)."""

from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from stratagate_core.errors import InvalidArgument

#: settings that are stored in the database (15)
STORED = ("block_turn_size", "block_decay_lambda", "agent_memory_retrieval_weight")


class Ranking(BaseModel):
    """How much each signal of the raw search counts (04 §4).

    Found on development conversations by leaving one out at a time (docs/evaluation.md).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    text: float = 1.0
    answer: float = 0.98
    before: float = -0.3
    before_2: float = 0.32
    after: float = 0.21
    after_2: float = 0.28
    session: float = 0.92
    block: float = 0.87
    coverage: float = 1.55
    pairs: float = 0.51
    date: float = 2.03
    time_expression: float = 0.77
    figure: float = 0.61
    kind: float = 0.8
    kind_of_speaker: float = 0.72
    kind_touched: float = 0.51
    speaker: float = 0.4
    question: float = -0.75
    length: float = -0.32
    opens: float = 0.27
    telling: float = 0.51
    telling_of_speaker: float = 0.51
    spoken_date: float = 0.68
    # with an embedder only
    dense: float = 1.4
    dense_answer: float = 0.48
    dense_before: float = 1.08
    dense_before_2: float = 0.5
    dense_after: float = 0.72
    dense_session: float = 0.95
    dense_block: float = 1.15
    dense_of_event: float = 1.0


class Settings(BaseModel):
    """How a memory behaves. An invalid value is refused, naming the setting."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    block_turn_size: int = Field(default=12, ge=1, description="turns in a block")
    block_decay_lambda: float = Field(
        default=0.3, ge=0, allow_inf_nan=False, description="how fast blocks fade"
    )
    agent_memory_retrieval_weight: float = Field(default=1.0, ge=0, le=5, allow_inf_nan=False)
    agent_memory_enabled: bool = True
    bm25_k1: float = Field(default=0.9, ge=0, allow_inf_nan=False)
    bm25_b: float = Field(default=0.35, ge=0, le=1)
    ranking: Ranking = Ranking()
    recall_messages: bool = True
    search_weight_factor: float = Field(default=0.1, ge=0, allow_inf_nan=False)
    ingest_subagents: bool = False
    tool_prefix: str = Field(default="memory_", pattern=r"^[A-Za-z0-9_-]*$")
    max_output_tokens: int = Field(default=10_000, ge=256)
    structured_task_timeout: float = Field(default=120.0, ge=1, description="seconds")
    structured_reasoning_effort: Literal["auto", "force-off"] = "auto"
    topics_enabled: bool = True
    dreaming_enabled: bool = True
    recall_enabled: bool = True
    block_views_enabled: bool = True
    recall_budget: int = Field(default=900, ge=0, description="estimated tokens")
    directory_budget: int = Field(default=400, ge=0, description="estimated tokens")
    language: Literal["en", "zh", "auto"] = "en"
    display_timezone: str = "UTC"
    redact_on_write: bool = False
    processing: Literal["inline", "background", "external"] | None = Field(
        default=None, description="None: inline with the offline model, background with a model"
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
                for fault in error.errors()
            )
            raise InvalidArgument(f"invalid settings: {faults}") from error

    @field_validator("display_timezone")
    @classmethod
    def _known_timezone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{name!r} is not an IANA time zone name") from error
        return name

    @property
    def timezone(self) -> ZoneInfo:
        """The display time zone."""
        return ZoneInfo(self.display_timezone)
