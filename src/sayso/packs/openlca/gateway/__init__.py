"""A door before an openLCA: reads pass, and each write of any client waits until a person has
allowed exactly it. Here it is put together: what is behind it, who is asked, what it remembers."""

from __future__ import annotations

import re
from pathlib import Path

from sayso.client.connection import AsyncClient, find_server
from sayso.core.errors import InvalidInput
from sayso.packs.openlca import open_database
from sayso.packs.openlca.answering import Answering
from sayso.packs.openlca.database import Database
from sayso.packs.openlca.gateway.app import Gateway
from sayso.packs.openlca.gateway.book import Book
from sayso.packs.openlca.gateway.decisions import AskClient, Decisions
from sayso.packs.openlca.gateway.write import Upstream
from sayso.packs.openlca.rpc import WRITE_SECONDS, Rpc


def gateway_before(
    folder: Path, *, upstream: str, db: str, on: str | None = None, data: Path | None = None
) -> Gateway:
    """Return the gateway before the server at `upstream`, else before the database of this name.

    Raises NoServer where nobody could be asked.
    """
    asks = AsyncClient(find_server(on, data))
    behind = _server(upstream) if upstream else _database(folder, db)
    name = re.sub(r"[^a-z0-9]+", "-", (upstream or db).lower())
    return gateway(behind, asks, folder / "openlca" / f"gateway-{name}.sqlite")


def gateway(behind: Upstream, asks: AskClient, book: Path) -> Gateway:
    return Gateway(behind, Decisions(behind, asks, Book(book), client="openLCA gateway"))


def _server(url: str) -> Upstream:
    rpc = Rpc(url)
    return lambda method, params: rpc.call(method, params, WRITE_SECONDS)


def _database(folder: Path, name: str) -> Upstream:
    found = open_database(folder, name)
    if not isinstance(found, Database):
        raise InvalidInput(f"{name} is the address of a server.", fix="Give it as --upstream.")
    return Answering(found)
