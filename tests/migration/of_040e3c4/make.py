"""Made the files beside this one, with the code of commit 040e3c4: a database whose run waits for
cards that showed a digest, a later revision and none at all, and the state of a task that waits.

    git worktree add ../old 040e3c4
    PYTHONPATH=../old/src:. python tests/migration/of_040e3c4/make.py
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from sayso import (
    ExecutionEngine,
    InteractionResponse,
    InteractiveExecutionEngine,
    TaskRequest,
    UniversalMessage,
)
from sayso.core.interactions import ResponseData
from tests.migration.of_040e3c4 import desk

HERE = Path(__file__).parent
TASK = TaskRequest(task_id="desk", messages=[UniversalMessage(role="user", content="go")])
SAVINGS = ResponseData(additional_notes="savings")


async def database(path: Path) -> None:
    desk.price[0] = 10
    async with InteractiveExecutionEngine(desk.app(), store=path) as live:
        stream, communicator = await live.start_interactive_session(TASK)
        opened, asked = 0, ""
        async for chunk in stream:
            opened += "interaction_id" in chunk.metadata
            payload = chunk.metadata.get("payload")
            if isinstance(payload, dict) and payload["title"] == "Which account?" and opened < 6:
                asked = str(chunk.metadata["interaction_id"])
            if opened == 5:
                desk.price[0] = 12  # the lamp's card is drawn again, as revision 2
                answer = InteractionResponse(
                    interaction_id=asked, approved=True, response_data=SAVINGS
                )
                await communicator.send_user_response(answer)
                opened += 1
            if opened == 7:
                return


async def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sayso.db"
        await database(path)
        with closing(sqlite3.connect(path)) as raw:
            lines = [line for line in raw.iterdump() if line]
        (HERE / "database.sql").write_text("\n".join(lines) + "\n")
    desk.price[0] = 10
    waiting = await ExecutionEngine(desk.app()).execute_task(TASK)
    assert waiting.state is not None
    (HERE / "task.json").write_bytes(waiting.state)


if __name__ == "__main__":
    asyncio.run(main())
