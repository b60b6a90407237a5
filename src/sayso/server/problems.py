"""Every error as a problem document (RFC 9457): the one place that maps error classes to HTTP.

`type` and `code` are stable; `detail` says what happened, `fix` what to do. REST answers with it, a
WebSocket acknowledges with it, a stream ends with it.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from sayso.core import errors
from sayso.core.digest import JsonObject
from sayso.core.messages import detail_coded, message
from sayso.logs import logger
from sayso.server.requests import invalid_fields

log = logger("sayso.server")

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1


class NotSignedIn(errors.UserMistake):
    """Only HTTP knows of this one: the engine is never asked without a person."""

    code = "not_signed_in"
    title = "Sign in"
    remedy = "Send `Authorization: Bearer TOKEN`, or sign in on the page."


#: The nearest class in an error's ancestry decides. What is not listed is our fault: 500.
STATUS: dict[type[errors.SaysoError], int] = {
    errors.NotFound: 404,
    errors.InvalidInput: 422,
    errors.AnswerInvalid: 422,
    errors.AnswerAlone: 403,
    errors.IdempotencyKeyReused: 422,
    errors.NotSupportedError: 422,
    errors.AgentNotLoaded: 500,
    errors.StaleDigest: 409,
    errors.AlreadySettled: 409,
    errors.NotApproved: 409,
    errors.AlreadyStarted: 409,
    errors.AlreadyClaimed: 409,
    errors.VersionConflict: 409,
    errors.MessageIdReused: 409,
    errors.TaskIdReused: 409,
    errors.Forbidden: 403,
    errors.TooLarge: 413,
    errors.TooDeep: 422,
    errors.RateLimited: 429,
    errors.Recoverable: 503,
    errors.StoreReadOnly: 503,
    errors.DatabaseTooNew: 503,
    errors.SaysoError: 500,
    NotSignedIn: 401,
}

#: What the framework refuses before our code is asked: code, title and fix by status.
_REFUSALS: dict[int, tuple[str, str, str]] = {
    400: ("malformed_request", "The request could not be read", "Check how the request is built."),
    404: ("unknown_route", "No such address", "See docs/reference/wire.md for the routes."),
    405: ("method_not_allowed", "Not this way", "Use one of the methods named in `Allow`."),
    406: ("not_acceptable", "Not in this form", "Ask for one of the forms named in the detail."),
    413: ("too_large", errors.TooLarge.title, "Send less, or raise SAYSO_MAX_BODY_BYTES."),
    415: ("unsupported_media_type", "Not JSON", "Send `Content-Type: application/json`."),
}


class Problem(Exception):
    """A problem document with its status and the headers that belong to it."""

    def __init__(self, document: JsonObject, headers: Mapping[str, str]) -> None:
        super().__init__(document["detail"])
        self.document, self.headers = document, headers

    @property
    def status(self) -> int:
        status = self.document["status"]
        assert isinstance(status, int)
        return status

    def response(self) -> Response:
        return Response(
            orjson.dumps(self.document), self.status, dict(self.headers), media_type=MEDIA_TYPE
        )


def problem_of(exc: Exception) -> Problem:
    """Return the problem document for any exception. An unexpected one is logged, and is a 500."""
    if isinstance(exc, Problem):
        return exc
    if isinstance(exc, errors.SaysoError):
        return _of_ours(exc)
    if isinstance(exc, RequestValidationError):
        return _of_validation(exc)
    if isinstance(exc, HTTPException):
        return _of_framework(exc)
    if isinstance(exc, RecursionError):
        return _of_ours(errors.InvalidInput(message("problem.too_deep")))
    log.error("server.broke", error=repr(exc), traceback=stack_of(exc))
    return problem(
        500,
        "internal",
        "Something went wrong here",
        "The server met an error it did not expect; nothing more was done.",
        fix="Try again. If it stays, look for `server.broke` in the server's log.",
    )


def problem(
    status: int,
    code: str,
    title: str,
    detail: str,
    *,
    fix: str = "",
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> Problem:
    """Build a problem document from its parts. `more` never hides a standard member."""
    document: JsonObject = {"type": f"urn:sayso:problem:{code}", "title": title}
    document |= {"status": status, "detail": detail, "code": code, **detail_coded(detail)}
    if fix:
        document["fix"] = fix
    return Problem({**_json(more or {}), **document}, headers or {})


def stack_of(exc: BaseException) -> str:
    """Return the traceback as plain text: a renderer that draws local variables would take
    seconds, hold the loop, and reveal secrets."""
    return "".join(traceback.format_exception(exc))


def install(app: FastAPI) -> None:
    """Make every error in `app` a problem document."""

    async def answer(request: Request, exc: Exception) -> Response:
        found = problem_of(exc)
        if found.document["code"] in ("unknown_route", "method_not_allowed"):
            asked = f"{request.method} {request.url.path}"
            found.document["detail"] = f"{asked} is nothing that this server knows."
        return found.response()

    for kind in (errors.SaysoError, Problem, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)


def _of_ours(exc: errors.SaysoError) -> Problem:
    status = next(STATUS[cls] for cls in type(exc).__mro__ if cls in STATUS)
    headers: dict[str, str] = {}
    if status in (429, 503):
        headers["Retry-After"] = str(exc.context.get("retry_after", RETRY_SECONDS))
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="sayso"'
    if status >= 500:
        log.error("server.failed", code=exc.code, detail=exc.detail)
    return problem(
        status, exc.code, exc.title, exc.detail, fix=exc.fix, headers=headers, more=exc.context
    )


def _of_validation(exc: RequestValidationError) -> Problem:
    found = exc.errors()
    if found and found[0]["type"] == "json_invalid":
        reason = found[0].get("ctx", {}).get("error", "")
        return problem(
            400,
            "malformed_json",
            "This is not JSON",
            f"The body could not be read as JSON: {reason}.",
            fix="Check the quotes, commas and brackets, and that the text is UTF-8.",
        )
    return _of_ours(invalid_fields([(_where(error["loc"]), error["msg"]) for error in found]))


def _of_framework(exc: HTTPException) -> Problem:
    title = HTTPStatus(exc.status_code).phrase
    code, title, fix = _REFUSALS.get(exc.status_code, (title.lower().replace(" ", "_"), title, ""))
    detail = exc.detail if exc.detail != HTTPStatus(exc.status_code).phrase else f"{title}."
    return problem(exc.status_code, code, title, detail, fix=fix, headers=exc.headers)


def _where(loc: Sequence[object]) -> Sequence[object]:
    """Return a field of the body by its path in it; a parameter keeps the word for where it is."""
    return loc[1:] if len(loc) > 1 and loc[0] == "body" else loc


def _json(context: Mapping[str, object]) -> JsonObject:
    """Return what an error carries as JSON, whatever it holds."""
    read: JsonObject = json.loads(orjson.dumps(dict(context), default=str))
    return read
