"""The memory tools of an agent, defined once for every framework.

A `ToolSpec` holds what the model sees and what the tool does; `call` runs it and gives errors
back as values.
"""

from stratagate_core.tools.catalogue import tool_specs
from stratagate_core.tools.protocol import PROTOCOL, protocol
from stratagate_core.tools.spec import ToolResult, ToolSpec, call, error_result, unfit_arguments

__all__ = [
    "PROTOCOL",
    "ToolResult",
    "ToolSpec",
    "call",
    "error_result",
    "protocol",
    "tool_specs",
    "unfit_arguments",
]
