"""Which of the errors that end an agent are trouble with its model that passes: 429, 5xx, time-outs
and lost connections, as the clients of the providers raise them.

A client is known by its package, and nothing is imported to ask: errors of HTTP libraries count
only where they were raised beneath one, since a tool or an MCP server may be away as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from traceback import walk_tb

from sayso.core.errors import ModelUnavailable
from sayso.tools.masking import Secrets

#: The packages whose code asks models.
_CLIENTS = (
    "openai",
    "anthropic",
    "google.genai",
    "google.adk.models",
    "mistralai",
    "groq",
    "cohere",
    "huggingface_hub",
    "ollama",
    "litellm",
    "pydantic_ai.models",
    "langchain_core.language_models",
    "langchain_anthropic",
    "langchain_google_genai",
    "langchain_openai",
    "autogen_ext.models",
    "ag2.config",
    "strands.models",
    "botocore",
    "agent_framework_openai",
)
#: How they, and the HTTP libraries beneath them, name a connection that failed.
_NO_CONNECTION = frozenset(
    {
        "openai.APIConnectionError",
        "anthropic.APIConnectionError",
        "groq.APIConnectionError",
        "httpx.TransportError",
        "httpx.StreamError",
        "httpx2.TransportError",
        "httpx2.StreamError",
        "aiohttp.ClientConnectionError",
        "aiohttp.ClientPayloadError",
        "requests.ConnectionError",
        "requests.Timeout",
        "builtins.ConnectionError",
        "builtins.TimeoutError",
    }
)
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
#: What an error within a stream that had begun says of itself, in place of a status.
_PASSING_CODES = (
    "server_error",
    "rate_limit_exceeded",
    "overloaded_error",
    "api_error",
    "timeout",
)
#: A limit that waiting does not lift.
_SPENT = "insufficient_quota"


def model_unavailable(exc: BaseException, secrets: Secrets) -> ModelUnavailable | None:
    """Return what people are told where this, or what it was raised from, is such trouble."""
    chain = list(_chain(exc))
    if not any(_is_of_client(each) for each in chain):
        return None
    # The outermost that knows decides: a client may give up for another reason than it met first.
    cause = next((each for each in chain if _passes(each) is not None), None)
    if cause is None or not _passes(cause):
        return None
    words = secrets.text(f"{type(cause).__name__}: {cause}")
    waits = (seconds for each in chain if (seconds := _retry_after(each)) is not None)
    return ModelUnavailable(words, retry_after=next(waits, None))


def _chain(exc: BaseException) -> Iterator[BaseException]:
    """Yield an error, what it holds, and what it was raised from."""
    seen: set[int] = set()
    waiting = [exc]
    while waiting:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, BaseExceptionGroup):
            waiting.extend(each.exceptions)
        behind = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
        if behind is not None:
            waiting.append(behind)


def _is_of_client(exc: BaseException) -> bool:
    return any(_is_client(cls.__module__) for cls in type(exc).__mro__) or any(
        _is_client(str(frame.f_globals.get("__name__"))) for frame, _ in walk_tb(exc.__traceback__)
    )


def _is_client(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in _CLIENTS)


def _passes(exc: BaseException) -> bool | None:
    """Tell whether the error says that it passes; None where it says neither."""
    status, code = _status(exc), getattr(exc, "code", None)
    if code == _SPENT:
        return False
    if status is not None:
        return status in _PASSING_STATUS
    if any(_name(cls) in _NO_CONNECTION for cls in type(exc).__mro__):
        return True
    says_so = code in _PASSING_CODES or getattr(exc, "type", None) in _PASSING_CODES
    return True if says_so else None


def _name(cls: type) -> str:
    return f"{cls.__module__.split('.')[0]}.{cls.__qualname__}"


def _status(exc: BaseException) -> int | None:
    for name in ("status_code", "http_status", "code"):
        value = getattr(exc, name, None)
        if isinstance(value, int) and 100 <= value < 600:
            return int(value)
    status = getattr(getattr(exc, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def _retry_after(exc: BaseException) -> float | None:
    """Return how many seconds the provider wants to be left alone."""
    headers = getattr(getattr(exc, "response", None), "headers", None)
    if isinstance(headers, Mapping):
        for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
            if (given := headers.get(name)) is not None:
                seconds = _seconds(str(given))
                if seconds is not None:
                    return seconds / unit
    return _retry_info(getattr(exc, "details", None))


def _seconds(given: str) -> float | None:
    try:
        return max(float(given), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _retry_info(body: object) -> float | None:
    """Return the delay in the RetryInfo of an error of Google's APIs: "17s"."""
    error = body.get("error", body) if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    for each in details if isinstance(details, list) else ():
        delay = each.get("retryDelay") if isinstance(each, Mapping) else None
        if isinstance(delay, str):
            return _seconds(delay.removesuffix("s"))
    return None
