"""A run's own copy of a Graph or a Swarm, whose agents run within the segment.

A team is run again from its start where it goes on: agents that have ended give what they said, and
the one that waited goes on where it was. Who hands over to whom in a Swarm is read from what its
agents have said.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from copy import copy
from dataclasses import replace
from typing import Any

from strands import Agent
from strands.agent.agent_result import AgentResult
from strands.interrupt import Interrupt
from strands.multiagent import Swarm
from strands.multiagent.graph import Graph, GraphState
from strands.telemetry.metrics import EventLoopMetrics

from sayso.adapters.strands.agent_copy import copy_of, hooks_without, load
from sayso.adapters.strands.interrupts import PREFIX, asked_by
from sayso.adapters.strands.native_tool import OfferedTool
from sayso.adapters.strands.state import Running, StrandsEnclosing, StrandsTurn
from sayso.tools.suspension import Suspend

Team = Graph | Swarm
HANDOFF = "handoff_to_agent"


def members(team: Team) -> list[tuple[str, Agent]]:
    """Return the agents of a team, and of teams within it, each with where it is."""
    found: list[tuple[str, Agent]] = []
    for name, node in team.nodes.items():
        executor: Any = node.executor
        if isinstance(executor, Agent):
            found.append((name, executor))
        elif isinstance(executor, Graph | Swarm):
            found += [(f"{name}/{inner}", agent) for inner, agent in members(executor)]
    return found


class TeamCopy:
    """The copy of one team, and of those within it."""

    def __init__(self, turn: StrandsTurn) -> None:
        self._turn = turn
        #: Its agents, by where they are.
        self.members: dict[str, Running] = {}

    def of(self, team: Team, prefix: str = "") -> Team:
        mine: Any = copy(team)
        mine.session_manager = None
        mine.hooks = hooks_without(team.hooks, team.session_manager)
        mine._interrupt_state = _questions_of(team, self._turn, prefix)
        mine.nodes = {
            name: self._node(node, mine, prefix + name) for name, node in team.nodes.items()
        }
        if isinstance(team, Graph):
            self._join(team, mine)
        else:
            mine.shared_context = type(team.shared_context)()
            mine._turn = None
            handoff = mine._create_handoff_tool()
            for node in mine.nodes.values():
                node.executor.tool_registry.registry[HANDOFF] = handoff
        made: Team = mine
        return made

    def _join(self, team: Graph, mine: Any) -> None:
        mine.state = GraphState()
        mine._resume_next_nodes = []
        mine.edges = {
            replace(
                edge,
                from_node=mine.nodes[edge.from_node.node_id],
                to_node=mine.nodes[edge.to_node.node_id],
            )
            for edge in team.edges
        }
        mine.entry_points = {mine.nodes[node.node_id] for node in team.entry_points}

    def _node(self, given: Any, team: Any, place: str) -> Any:
        node = copy(given)
        if isinstance(given.executor, Graph | Swarm):
            node.executor = self.of(given.executor, f"{place}/")
        elif isinstance(given.executor, Agent):
            node.executor = self._member(given.executor, team, place)
        if hasattr(node, "dependencies"):
            node.dependencies = set(node.dependencies)
        if hasattr(node, "swarm"):
            node.swarm = team
        return node

    def _member(self, agent: Agent, team: Any, place: str) -> Agent:
        turn, mine = self._turn, copy_of(agent)
        for tool in turn.ours.values():
            if tool.name not in mine.tool_registry.registry:
                mine.tool_registry.register_tool(OfferedTool(tool))
        if isinstance(team, Graph) and place in turn.state.kept:
            load(mine, turn.state.kept[place])
        # Each has an enclosing of its own: one that waits does not stop those beside it.
        running = self.members[place] = turn.take(mine, StrandsEnclosing(turn))
        running.place = place
        run = mine.stream_async

        async def stream_async(prompt: Any = None, **options: Any) -> AsyncIterator[Any]:
            try:
                async for event in running.stream_within(prompt, run, options):
                    if "result" in event and isinstance(team, Swarm):
                        _hand_over_again(team, mine)
                    yield event
            except Suspend:
                yield {"result": _waiting(mine, place)}

        mine.stream_async = stream_async  # type: ignore[method-assign]
        return mine


def _waiting(agent: Agent, place: str) -> AgentResult:
    """Return what tells a team that one of its agents waits: then it stops."""
    return AgentResult(
        stop_reason="interrupt",
        message=agent.messages[-1] if agent.messages else {"role": "assistant", "content": []},
        metrics=EventLoopMetrics(),
        state={},
        interrupts=[Interrupt(f"{PREFIX}{place}", PREFIX)],
    )


def _hand_over_again(swarm: Any, agent: Agent) -> None:
    """Make the handover of an agent that said it in an earlier segment."""
    if swarm.state.handoff_node is not None:
        return
    blocks = [block for message in agent.messages for block in message["content"]]
    told = {
        block["toolResult"]["toolUseId"]: str(block["toolResult"]["content"])
        for block in blocks
        if "toolResult" in block
    }
    for block in blocks:
        call = block.get("toolUse")
        if call is None or call["name"] != HANDOFF:
            continue
        if "Handing off to" in told.get(call["toolUseId"], ""):
            again: Any = agent.tool_registry.registry[HANDOFF]
            again(**call["input"])


# ── what its hooks ask before one of its agents runs ──


def _questions_of(team: Any, turn: StrandsTurn, place: str) -> Any:
    """Return what a copy of this team has in place of its interrupts."""
    state: Any = type(team._interrupt_state)()
    state.interrupts = asked = TeamQuestions(turn, team, place)
    forget = state.deactivate

    def deactivate() -> None:  # a Swarm does after each of its agents
        forget()
        state.interrupts = asked

    state.deactivate = deactivate
    return state


class TeamQuestions(dict[str, Any]):
    """The interrupts of one team, where the framework looks for the answer to one of them. Its
    hooks run again with it: each time that they ask, they find the answer that was given to that
    time, or a card is opened."""

    def __init__(self, turn: StrandsTurn, team: Any, place: str) -> None:
        super().__init__()
        self._turn, self._team, self._place = turn, team, place
        self._asked: dict[str, int] = {}

    def setdefault(self, id: str, interrupt: Any = None) -> Interrupt:
        number = self._asked[id] = self._asked.get(id, 0) + 1
        key = f"{self._place}:interrupt:{id}" + (f"#{number}" if number > 1 else "")
        asked = asked_by(self._team, interrupt, key, self._turn.segment.agent_name)
        answer = self._turn.segment.answers.get(key)
        if answer is None:
            self._turn.requests[key] = asked.request
        else:
            interrupt.response = asked.read(answer)
        self[id] = interrupt
        found: Interrupt = interrupt
        return found
