"""The product under measurement: a real server with an agent that asks once and then says the
tokens.

Started as `python -m benchmarks.product PORT DIR`.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

import structlog

from benchmarks.work import TOKENS
from sayso import AgentContext, App
from sayso.server.process import serve
from sayso.settings import Settings


async def asks_then_talks(ctx: AgentContext) -> None:
    """One question, then the tokens; "talk" gives the tokens at once."""
    if "talk" not in ctx.task.words:
        await ctx.choose("Shall I go on?", ["yes", "no"])
    for token in TOKENS:
        await ctx.say(token)
        await asyncio.sleep(0)


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    data = Path(sys.argv[2])
    settings = Settings(data_dir=data, port=int(sys.argv[1]))
    app = App({"bench": asks_then_talks}, store=data / "sayso.db")
    serve(app.engine(), settings)


if __name__ == "__main__":
    main()
