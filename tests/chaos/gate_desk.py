"""The gated application that gets killed: one action, whose body writes a line that survives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sayso import App, ToolContext
from tests.gate_app import Checklist

#: What the lives will be told: whoever has read it once reads it quickly.
SAID_BEFORE = (
    "I'm flying from NYC to Tokyo for 10 days with my wife",
    "create the checklist",
    "make it 12 days",
    "create the brochure",
)


def make_app(data: Path, crash_point: object = None) -> App:
    """A checklist over a data directory; each trigger is an action of its own."""
    crash = crash_point if callable(crash_point) else lambda name: None
    return with_actions(App(store=data / "sayso.db"), data, crash)


def with_actions(app: App, data: Path, crash: Callable[[str], object]) -> App:
    """The app, with its two actions."""

    def write(req: Checklist, ctx: ToolContext, action: str) -> str:
        crash("body.before")
        done = f"{action} {req.destination} {req.trip_duration.days} {req.num_travelers}"
        with (data / "done.txt").open("a") as file:
            file.write(f"{ctx.idempotency_key} {done}\n")
        crash("body.after")
        return f"Here's your {req.destination} travel {action}!"

    @app.action("checklist", requires=Checklist, phrases=["create the checklist"])
    async def create_checklist(req: Checklist, ctx: ToolContext) -> str:
        return write(req, ctx, "checklist")

    @app.action("brochure", requires=Checklist, trigger="explicit", phrases=["create the brochure"])
    async def create_brochure(req: Checklist, ctx: ToolContext) -> str:
        return write(req, ctx, "brochure")

    return app
