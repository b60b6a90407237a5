"""Which errors are trouble with a model that passes, as the clients of the providers raise them."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import openai
import pytest
from google.genai import errors as google

from sayso.adapters.model_trouble import model_unavailable
from sayso.tools.masking import Secrets

#: Newer clients of OpenAI have an HTTP library of their own; only its shape counts here.
REQUEST: Any = httpx.Request("POST", "http://127.0.0.1/v1/chat/completions")
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}
QUOTA = {"code": "insufficient_quota", "message": "check your plan"}


def status(code: int, body: object = None, **headers: str) -> openai.APIStatusError:
    response: Any = httpx.Response(code, request=REQUEST, headers=headers)
    kind = openai.RateLimitError if code == 429 else openai.InternalServerError
    return kind("not now", response=response, body=body)


def gemini(code: int, *details: object) -> google.APIError:
    return google.APIError(code, {"error": {"code": code, "details": list(details)}})


def raised_from(cause: BaseException) -> RuntimeError:
    error = RuntimeError("the agent stopped")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        status(429),
        status(500),
        status(529),
        openai.APIConnectionError(request=REQUEST),
        openai.APITimeoutError(request=REQUEST),
        openai.APIError("overloaded", REQUEST, body={"code": "server_error"}),
        gemini(429),
        gemini(503),
        raised_from(status(503)),
        ExceptionGroup("all models", [status(503), status(429)]),
    ],
    ids=lambda it: f"{type(it).__name__} {getattr(it, 'status_code', '')}",
)
def test_it_passes(error: Exception):
    assert model_unavailable(error, Secrets()) is not None


@pytest.mark.parametrize(
    "error",
    [
        status(400),
        status(429, QUOTA),
        raised_from(status(401)),
        gemini(403),
        httpx.ConnectError("of a tool"),
        TimeoutError("of the agent itself"),
        ConnectionResetError(),
        ValueError("code 500"),
    ],
    ids=lambda it: f"{type(it).__name__} {getattr(it, 'status_code', '')}",
)
def test_it_does_not_pass(error: Exception):
    assert model_unavailable(error, Secrets()) is None


def test_a_refusal_behind_which_a_connection_had_failed_does_not_pass():
    refused = status(400)
    refused.__context__ = httpx.ConnectError("at first")
    assert model_unavailable(refused, Secrets()) is None


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (status(429, **{"retry-after": "7"}), 7),
        (status(429, **{"retry-after-ms": "250", "retry-after": "7"}), 0.25),
        (raised_from(status(503, **{"retry-after": "7"})), 7),
        (gemini(429, RETRY_INFO), 17),
        (status(429, **{"retry-after": "soon"}), None),
        (status(429), None),
    ],
)
def test_when_to_ask_again(error: Exception, seconds: float | None):
    trouble = model_unavailable(error, Secrets())
    assert trouble is not None
    assert trouble.retry_after == seconds


def test_when_to_ask_again_as_a_date():
    at = datetime.now(UTC) + timedelta(hours=1)
    trouble = model_unavailable(status(429, **{"retry-after": format_datetime(at)}), Secrets())
    assert trouble is not None
    assert trouble.retry_after == pytest.approx(3600, abs=60)
