"""Tells the story of the demo part by part, each when a test lets it: none has to catch it passing.

    sayso serve tests.browser.teller_agent:app

How many parts may be told stands in the file TELLER_MAY.
"""

from __future__ import annotations

import asyncio
import os
import re
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from sayso import AgentContext, App

TELLER = ("serve", "tests.browser.teller_agent:app")
#: The words at which a part ends: each is more than a window full, also on a wide screen.
_ENDS = (0, 800, 1400, None)
_LOOK_AGAIN_SECONDS = 0.02
_WORD_SECONDS = 0.001


async def teller(ctx: AgentContext) -> None:
    if "story" not in ctx.message:
        return await ctx.say("Hello! I know a story.")
    story = files("sayso.packs.support").joinpath("story.md").read_text(encoding="utf-8")
    words = re.findall(r"\S+\s*", story)
    for part, (start, end) in enumerate(pairwise(_ENDS), start=1):
        while _may_tell() < part:  # noqa: ASYNC110 - another process cannot set our event
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        for word in words[start:end]:
            await ctx.say(word)
            await asyncio.sleep(_WORD_SECONDS)


def let_tell(parts: int, data: Path) -> None:
    """From now on, to the server over this data."""
    whole = data / "may.new"
    whole.write_text(str(parts))
    whole.rename(data / "may")


def _may_tell() -> int:
    return int(Path(os.environ["TELLER_MAY"]).read_text())


app = App({"Teller": teller})
