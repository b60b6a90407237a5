"""openLCA: model a process with an agent, and allow every entity before it is written.

`sayso serve sayso.packs.openlca:app` works on the demo database; SAYSO_OPENLCA_DB names another
one. With SAYSO_MODEL, a model drives the same tools.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sayso import App, NotSupportedError
from sayso.packs import app_at_first_use, data_dir
from sayso.packs.model_agent import model_agent

if TYPE_CHECKING:
    from sayso.packs.openlca.backend import Backend

__all__ = ["app", "open_database", "openlca_app"]

#: Made at its first use, in SAYSO_DATA_DIR.
app: App

_STARTERS = [
    "model the fabrication of reinforced concrete",
    "model something",
    "search concrete",
    "help",
]
_INSTRUCTIONS = """You help a life cycle assessment practitioner to model a process in openLCA, \
from the goal to a product system: product, process, exchanges, validation, product system.

Search for flows before you name any, and never invent an id. Never invent an amount either: ask.
The creating tools ask the person themselves, so never ask for permission in words, and never say
that something is written before the tool has said so. When a person refuses, take their reason and
suggestions seriously and propose again, changed. Where several flows or providers fit, or a process
has several products and no allocation, use request_user_input with the choices as options and
context {"workflow_stage": ...}. Add all exchanges in one call. Validate before you make a product
system, and say plainly what the warnings mean."""


def openlca_app(database: Backend) -> App:
    """Return the application on one database. With SAYSO_MODEL, a model drives."""
    from sayso.packs.openlca.agent import guided_agent
    from sayso.packs.openlca.tools import openlca_tools

    tools, name = openlca_tools(database), f"openLCA {database.name}"
    model = os.environ.get("SAYSO_MODEL")
    agent = model_agent(model, name, _INSTRUCTIONS) if model else guided_agent
    return App({name: agent}, tools=tools, starters=_STARTERS)


def open_database(folder: Path, name: str) -> Backend:
    """Return the database NAME of the data directory; the demo is made at its first use. An address
    is that of an openLCA that runs.

    Raises NotSupportedError where there is none of that name.
    """
    from sayso.packs.openlca import demo_background
    from sayso.packs.openlca.database import DEMO, Database
    from sayso.packs.openlca.live import Live
    from sayso.packs.openlca.rpc import Rpc

    place = folder / "openlca"
    if name.startswith(("http://", "https://")):
        file = re.sub(r"[^a-z0-9]+", "-", name.lower())
        return Live(Rpc(name), place / f"sent-{file}.sqlite")
    if name == DEMO:
        return demo_background.demo_database(place)
    path = place / f"{name}.db"
    if not path.is_file() or Path(name).name != name:
        known = sorted(found.stem for found in place.glob("*.db"))
        raise NotSupportedError(
            f"There is no openLCA database '{name}' in {place}.",
            fix=f"Set SAYSO_OPENLCA_DB to one of: {', '.join(known) or DEMO}.",
        )
    return Database(path)


def _app() -> App:
    name = os.environ.get("SAYSO_OPENLCA_DB", "demo")
    return openlca_app(open_database(data_dir(), name))


__getattr__ = app_at_first_use(__name__, _app)
