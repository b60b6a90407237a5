"""Where traces go: to OpenAI only where the application has asked for it.

The framework sends them there unless told otherwise. An application that sets trace processors of
its own (`agents.set_trace_processors`) has said where they go, and they go there.
"""

from __future__ import annotations

from agents.tracing import get_trace_provider
from agents.tracing.processors import default_processor


def is_traced_elsewhere() -> bool:
    """Tell whether the application has set where traces go."""
    processors = getattr(get_trace_provider(), "_multi_processor", None)
    found = getattr(processors, "_processors", ())
    return bool(found) and default_processor() not in found
