"""An MCP server of before 2026 over stdio, in a page of plain Python: it starts in no time.

What it has done it writes to the file of its first argument. `{"offer": [...]}` there names the
tools that it offers; a line on the file `ping` makes it look again, and tell of a change.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])


def tools() -> list[dict[str, Any]]:
    file = FOLDER / "offer.json"
    return list(json.loads(file.read_text())) if file.exists() else [tool("look"), tool("act")]


def tool(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    return {
        "name": name,
        "description": f"{name} at it",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": name == "look"},
    }


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    with (FOLDER / "done").open("a") as file:
        file.write(f"{line}\n")


def call(name: str, arguments: dict[str, Any]) -> str:
    note(f"{name} {arguments.get('x', '')}")
    match name:
        case "die":
            os._exit(3)
        case "hush":
            raise TimeoutError
        case "change":
            send({"method": "notifications/tools/list_changed"})
            return "changed"
        case "secret":
            sys.stderr.write(f"my key is {os.environ['KEY']}\n")
            sys.stderr.flush()
            raise ValueError(f"no good key: {os.environ['KEY']}")
        case _:
            return f"{os.environ.get('KEY', 'nobody')}: {name} {arguments.get('x', '')}"


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {"listChanged": True}, "resources": {}},
                "serverInfo": {"name": "old", "version": "1"},
            }
        case "tools/list":
            return {"tools": tools()}
        case "resources/read":
            name = params["uri"].removeprefix("ui://").partition("/")[0]
            if (schema := FOLDER / f"{name}.schema.json").exists():
                page = {"uri": params["uri"], "mimeType": "application/schema+json"}
                return {"contents": [{**page, "text": schema.read_text()}]}
            page = {"uri": params["uri"], "mimeType": "text/html;profile=mcp-app"}
            return {"contents": [{**page, "text": (FOLDER / f"{name}.html").read_text()}]}
        case "resources/list":
            return {"resources": []}
        case "tools/call":
            text = call(params["name"], params.get("arguments") or {})
            data = FOLDER / f"{params['name']}.data.json"
            more = {"structuredContent": json.loads(data.read_text())} if data.exists() else {}
            return {"content": [{"type": "text", "text": text}], **more}
        case _:
            raise LookupError(method)


def main() -> None:
    note("began")
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        try:
            send({"id": message["id"], "result": answer(message["method"], message["params"])})
        except TimeoutError:
            continue  # it never answers
        except LookupError as exc:
            send({"id": message["id"], "error": {"code": -32601, "message": f"no {exc}"}})
        except ValueError as exc:
            send({"id": message["id"], "error": {"code": -32000, "message": str(exc)}})


if __name__ == "__main__":
    main()
