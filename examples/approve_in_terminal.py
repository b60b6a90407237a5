"""The support desk in a terminal: its stream on the screen, your answers from the keyboard.

    python examples/approve_in_terminal.py "refund order 1001"

Break it off at a question and start it with the same words again: it goes on where it was.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sayso import (
    InteractionResponse,
    InteractiveExecutionEngine,
    ResponseData,
    TaskChunkType,
    TaskRequest,
    TaskStreamChunk,
    UniversalMessage,
)
from sayso.packs.support import support_app

PLACE = Path("desk")


async def main(words: str) -> None:
    said = UniversalMessage(role="user", content=words)
    task = TaskRequest(task_id=words, messages=[said])
    async with InteractiveExecutionEngine(support_app(PLACE), store=PLACE / "sayso.db") as live:
        stream, communicator = await live.start_interactive_session(task)
        async for chunk in stream:
            match chunk.chunk_type:
                case TaskChunkType.RESPONSE:
                    print(chunk.content, end="", flush=True)
                case TaskChunkType.TOOL_APPROVAL_REQUEST:
                    await communicator.send_user_response(await approval(chunk))
                case TaskChunkType.USER_INPUT_REQUEST:
                    await communicator.send_user_response(await choice(chunk))
                case TaskChunkType.ERROR | TaskChunkType.CANCELLED:
                    print(f"\n{chunk.chunk_type}: {chunk.content}")
                case _:
                    pass
    print()


async def approval(chunk: TaskStreamChunk) -> InteractionResponse:
    assert isinstance(chunk.content, dict)
    print(f"\n\n  {chunk.content['tool_name']}")
    for name, value in chunk.content["tool_params"].items():
        print(f"    {name}: {value}")
    said_yes = await typed("  Approve? (y/n) ") == "y"
    reason = None if said_yes else await typed("  Reason for rejecting: ")
    return InteractionResponse(
        interaction_id=str(chunk.metadata["interaction_id"]),
        approved=said_yes,
        user_message=reason,
    )


async def choice(chunk: TaskStreamChunk) -> InteractionResponse:
    assert isinstance(chunk.content, dict)
    print(f"\n\n  {chunk.content.get('question') or chunk.content.get('title')}")
    options = chunk.content.get("options") or []
    for option in options:
        print(f"    {option['id']}  {option['label']} ({option.get('description')})")
    chosen = await typed("  Which? ") if options else None
    notes = await typed("  Anything to add? ")
    return InteractionResponse(
        interaction_id=str(chunk.metadata["interaction_id"]),
        approved=True,
        response_data=ResponseData(selected_option=chosen, additional_notes=notes or None),
    )


async def typed(prompt: str) -> str:
    """A line from the keyboard. In a thread: the engine works on in this loop meanwhile."""
    return (await asyncio.to_thread(input, prompt)).strip()


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "refund order 1001"))
