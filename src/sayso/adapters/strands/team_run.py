"""One segment of a Graph or a Swarm of Strands."""

from __future__ import annotations

import asyncio
from typing import Any

from strands.multiagent.base import MultiAgentResult, Status
from strands.multiagent.graph import Graph

from sayso.adapters.contract import Segment
from sayso.adapters.strands.agent_copy import snapshot_of
from sayso.adapters.strands.run import answer_of, invocation_state
from sayso.adapters.strands.running_agent import RunningAgent
from sayso.adapters.strands.state import CODEC, NAME, StrandsState, StrandsTurn, unwrapped
from sayso.adapters.strands.team_copy import Team, TeamCopy
from sayso.adapters.text_queue import SayText
from sayso.core.errors import AgentFailed
from sayso.core.segments import Completed, SegmentEnd
from sayso.core.sessions import SavedState

#: A team that has not stopped by then is told once more.
CANCEL_AGAIN_SECONDS = 0.5


class StrandsTeamRun:
    """One segment of a Graph or a Swarm."""

    def __init__(self, segment: Segment, team: Team, say_text: SayText) -> None:
        self._segment, self._team, self._say_text = segment, team, say_text

    async def run(self) -> SegmentEnd:
        """Run it in a task of its own, which ends with this one: a Graph waits for its agents with
        `wait_for`, which loses a cancellation on Python 3.11 where one of them has just spoken."""
        work = asyncio.get_running_loop().create_task(self._run())
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            while not work.done():
                work.cancel()
                await asyncio.wait({work}, timeout=CANCEL_AGAIN_SECONDS)
            raise

    async def _run(self) -> SegmentEnd:
        segment = self._segment
        # No agent of a team is the team itself: each speaks in its own name.
        turn = self._turn = StrandsTurn(segment, self._begin(), "", RunningAgent, self._say_text)
        segment.env.checkpoint = self._saved
        with CODEC.reading("this team's state"):
            copies = TeamCopy(turn)
            mine = copies.of(self._team)
        context = invocation_state(await segment.make_deps())
        result: MultiAgentResult | None = None
        try:
            async for event in mine.stream_async(segment.task.words, context):
                result = event.get("result", result)
                if event.get("type") == "multiagent_node_cancel":
                    turn.end_with(
                        AgentFailed(f"'{event['node_id']}' did not run: {event['message']}")
                    )
        except Exception as exc:
            if turn.is_over:
                return turn.end(self._saved)
            raised = unwrapped(exc)
            raise raised from raised.__cause__
        if turn.is_over:
            return turn.end(self._saved)
        assert result is not None
        _check(result)
        last = _last(result)
        await segment.env.flush_text()
        memory = StrandsState({}, kept=self._kept(copies))
        return Completed(output=answer_of(last) if last is not None else "", memory=memory.dump())

    def _begin(self) -> StrandsState:
        segment = self._segment
        if segment.saved is not None:
            return StrandsState.load(segment.saved.blob, segment.saved.version)
        known = segment.agent_state
        if known is None:
            return StrandsState({})
        return StrandsState.load(known.blob, "this team's memory")

    def _kept(self, copies: TeamCopy) -> dict[str, Any]:
        """Return what the agents of a graph remember; those of a swarm begin anew each time."""
        if not isinstance(self._team, Graph):
            return {}
        return {place: snapshot_of(one.agent) for place, one in copies.members.items()}

    def _saved(self) -> SavedState:
        return self._segment.saved_state(NAME, CODEC.written_by(), self._turn.saved())


def _check(result: MultiAgentResult) -> None:
    """Raise what an agent of the team has raised."""
    if result.status is not Status.FAILED:
        return
    for node in result.results.values():
        if isinstance(node.result, Exception):
            raise unwrapped(node.result)
    raise RuntimeError("the team has stopped before its end: see its limits")


def _last(result: Any) -> Any:
    """Return what the agent said that came last."""
    order = getattr(result, "execution_order", None) or getattr(result, "node_history", None) or []
    if not order:
        return None
    found = result.results[order[-1].node_id].result
    return _last(found) if isinstance(found, MultiAgentResult) else found
