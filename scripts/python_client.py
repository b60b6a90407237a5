"""Writes src/sayso/client/api.py from the OpenAPI document of the server.

python scripts/python_client.py

Nothing in it is edited by hand: change a route or a model, write tests/public/openapi.json anew,
and run this.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "tests/public/openapi.json"
TARGET = ROOT / "src/sayso/client/api.py"

HEAD = '''"""The REST API in Python: a call for each operation, what goes in, and what comes out.

Written by scripts/python_client.py from the OpenAPI document. Never edited by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, NotRequired, TypedDict, TypeVar
from urllib.parse import quote

from pydantic import JsonValue

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request; `T` is what its reply holds."""

    method: str
    path: str
    params: Mapping[str, str | int | float] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None


def _given(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _part(given: str) -> str:
    return quote(given, safe="")


'''
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def written() -> str:
    document = json.loads(DOCUMENT.read_text())
    parts = [HEAD, *_models(document["components"]["schemas"]), *_operations(document["paths"])]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"],
        input="".join(parts),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout


def _models(schemas: dict[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        if name == "JsonValue":
            continue
        if "enum" in schema:
            values = ", ".join(json.dumps(value) for value in schema["enum"])
            yield f"{name} = Literal[{values}]\n"
            continue
        yield f"class {name}(TypedDict):\n"
        yield _doc(schema.get("description", ""))
        needed = schema.get("required", [])
        for key, part in schema.get("properties", {}).items():
            what = _type(part)
            yield f"    {key}: {what if key in needed else f'NotRequired[{what}]'}\n"
        if not schema.get("properties"):
            yield "    pass\n"
        yield "\n\n"


def _operations(paths: dict[str, Any]) -> Iterator[str]:
    for path, methods in paths.items():
        for method, operation in methods.items():
            reply = _reply(operation)
            if reply is not None:
                yield from _operation(path, method, operation, reply)


def _reply(operation: dict[str, Any]) -> str | None:
    """Return what a reply holds; None where it is no JSON."""
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            continue
        if status == "204":
            return "None"
        content = response.get("content", {})
        if content.get("application/json", {}).get("schema"):
            return _type(content["application/json"]["schema"])
    return None


def _operation(path: str, method: str, operation: dict[str, Any], reply: str) -> Iterator[str]:
    name = re.sub(r"_api_.*", "", operation["operationId"])
    name = f"{name}_" if keyword.iskeyword(name) else name
    places: dict[str, list[tuple[str, str, str, bool]]] = {"path": [], "query": [], "header": []}
    for given in operation.get("parameters", []):
        argument = given["name"].lower().replace("-", "_")
        what = _type(given["schema"]).removesuffix(" | None")
        needed = given.get("required", False)
        places[given["in"]].append((given["name"], argument, what, needed))
    body = operation.get("requestBody")
    arguments = [f"{argument}: str" for _, argument, _, _ in places["path"]]
    if body is not None:
        what = _type(body["content"]["application/json"]["schema"])
        needed = body.get("required", False)
        optional = what.removesuffix(" | None")
        arguments.append(f"body: {what}" if needed else f"body: {optional} | None = None")
    named = [
        f"{argument}: {what}" if needed else f"{argument}: {what} | None = None"
        for _, argument, what, needed in (*places["query"], *places["header"])
    ]
    if named:
        arguments += ["*", *named]
    yield f"def {name}({', '.join(arguments)}) -> Call[{reply}]:\n"
    yield _doc(operation.get("description") or operation["summary"])
    filled = re.sub(r"\{(\w+)\}", r"{_part(\1)}", path)
    parts = [f'"{method.upper()}"', f'{"f" if filled != path else ""}"{filled}"']
    for place, into in (("query", "params"), ("header", "headers")):
        if places[place]:
            values = ", ".join(f'"{name}": {argument}' for name, argument, _, _ in places[place])
            parts.append(f"{into}=_given({{{values}}})")
    if body is not None:
        parts.append("body=body")
    yield f"    return Call({', '.join(parts)})\n\n\n"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
    match schema.get("type"):
        case "array":
            return f"list[{_type(schema.get('items', {}))}]"
        case "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {_type(values) if isinstance(values, dict) else 'JsonValue'}]"
        case str(kind):
            return SCALARS[kind]
        case _:
            return "JsonValue"


def _doc(text: str) -> str:
    words = " ".join(text.split()).replace('"""', "'''")
    return textwrap.indent(textwrap.fill(f'"""{words}"""', 96), "    ") + "\n" if words else ""


if __name__ == "__main__":
    TARGET.write_text(written())
