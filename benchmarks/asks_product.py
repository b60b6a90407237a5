"""A server that tells when the answer to an ask was committed.

Started as `python -m benchmarks.asks_product PORT DIR`.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Any

import structlog
import uvicorn

from benchmarks.product import asks_then_talks
from sayso import App
from sayso.server.app import create_app
from sayso.settings import Settings


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    data = Path(sys.argv[2])
    engine = App({"bench": asks_then_talks}, store=data / "sayso.db").engine()
    committed: dict[str, float] = {}
    answer = engine.store.answer

    async def timed(*args: Any, **kwargs: Any) -> Any:
        outcome = await answer(*args, **kwargs)
        committed[outcome.interaction.id] = time.monotonic()
        return outcome

    engine.store.answer = timed  # type: ignore[method-assign]
    app = create_app(engine, Settings(data_dir=data))

    @app.get("/committed/{interaction_id}")
    async def tell(interaction_id: str) -> dict[str, float]:
        return {"at": committed[interaction_id]}

    # Before the console's, which take everything.
    app.router.routes.insert(0, app.router.routes.pop())
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
