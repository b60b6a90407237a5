"""The web console: built files out of the package, under a policy that lets nothing else run.

Hashed files never change, so they are kept for a year; the page itself is asked for each time, and
says how far above its address they lie.
The elements under /elements are for other people's pages, so any origin may load them: they are
code, and what they show still needs a token.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from sayso.server.problems import problem
from sayso.server.tool_ui_frames import frame_origin, origin_of

STATIC = Path(__file__).parents[1] / "console" / "static"

ELEMENTS_ENTRY = "sayso.js"
_FOR_ANY_PAGE = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
PAGES = (
    *("/", "/chats/{rest:path}", "/inbox", "/i/{rest:path}"),
    *("/history", "/admin", "/preferences"),
)
#: Not in every machine's table of types.
MANIFEST = "application/manifest+json"
YEAR = "public, max-age=31536000, immutable"


def is_built(static: Path = STATIC) -> bool:
    return (static / "index.html").is_file()


def policy(host: str, frames: str = "'none'") -> str:
    """Return the Content-Security-Policy. `ws:` only to the host that the page came from."""
    # 'self' covers WebSockets in today's browsers; older ones need the address itself.
    connect = f"'self' ws://{host} wss://{host}" if _is_plain(host) else "'self'"
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "manifest-src 'self'",
            f"connect-src {connect}",
            # Tools' own UIs, which can lead their frame nowhere else either.
            f"frame-src {frames}",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        )
    )


def routes(static: Path) -> APIRouter:
    """Make the routes of the console, and its default, which answers where there is no route. They
    are mounted last: a more specific route wins."""

    async def page(request: Request) -> Response:
        return send_page(request, 200)

    def send_page(request: Request, status: int) -> Response:
        if not is_built(static):
            return problem(
                503,
                "console_not_built",
                "The console is not built",
                "This Sayso runs from its sources, and its web console has not been built yet.",
                fix="Run `make web` in the repository, or install the wheel, which has it inside.",
            ).response()
        headers = {
            "Content-Security-Policy": policy(request.headers.get("host", ""), _frames(request)),
            "Cache-Control": "no-cache",
            "X-Frame-Options": "DENY",
        }
        html = (static / "index.html").read_bytes().replace(b'="./', b'="' + _way_home(request))
        return Response(html, status, headers, "text/html; charset=utf-8")

    async def file(rest: str) -> Response:
        found = _inside(static / "assets", rest)
        if found is None:
            raise HTTPException(404, "There is no such file of the console.")
        return FileResponse(found, 200, {"Cache-Control": YEAR})

    async def element(rest: str) -> Response:
        found = _inside(static / "elements", rest)
        if found is None or found.name == "manifest.json":
            raise HTTPException(404, "There is no such file of the elements.")
        caching = "no-cache" if rest == ELEMENTS_ENTRY else YEAR
        return FileResponse(found, 200, {"Cache-Control": caching, **_FOR_ANY_PAGE})

    def missing(request: Request) -> Response:
        """A person who mistyped is told by the page, which leads on; a program by a problem."""
        path, wanted = request.url.path, request.headers.get("accept", "")
        is_page = request.method == "GET" and "." not in path and not path.startswith("/api/")
        if not (is_page and "text/html" in wanted):
            raise HTTPException(404)
        return send_page(request, 404)

    async def lost(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await router.not_found(scope, receive, send)
        await missing(Request(scope))(scope, receive, send)

    async def top_file(request: Request, name: str) -> Response:
        found = _inside(static, name)
        if found is None or found.name in ("index.html", "manifest.json"):
            return missing(request)
        kind = MANIFEST if found.suffix == ".webmanifest" else None
        return FileResponse(found, 200, {"Cache-Control": "no-cache"}, kind)

    router = APIRouter(include_in_schema=False, default=lost)
    for path in PAGES:
        router.add_api_route(path, page, methods=["GET"])
    router.add_api_route("/assets/{rest:path}", file, methods=["GET"])
    router.add_api_route("/elements/{rest:path}", element, methods=["GET"])
    router.add_api_route("/{name}", top_file, methods=["GET"])
    return router


def _way_home(request: Request) -> bytes:
    """Return the way from this address to the root of the console, wherever a proxy or another
    application has put it: only what lies below that is looked at."""
    path = (
        request.scope.get("raw_path") or quote(request.url.path).encode()
    )  # as the browser has it
    below = path.removeprefix(quote(request.scope.get("root_path", "")).encode())
    return b"../" * (below.count(b"/") - 1) or b"./"


def _inside(static: Path, name: str) -> Path | None:
    """Return the file of this name, if it is in the folder of the console."""
    try:
        found = (static / name).resolve()
        return found if found.is_relative_to(static.resolve()) and found.is_file() else None
    except (OSError, ValueError):
        return None


def _frames(request: Request) -> str:
    """Return where tools' own UIs may be framed from, as a source of the policy."""
    if not _is_plain(request.headers.get("host", "")):
        return "'none'"
    named = request.app.state.service.settings.tool_ui_origin
    return frame_origin(origin_of(request), named) or "'none'"


def _is_plain(host: str) -> bool:
    """Return whether a Host header can be put into a policy as it is."""
    return bool(host) and all(c.isalnum() or c in ".-:[]" for c in host)
