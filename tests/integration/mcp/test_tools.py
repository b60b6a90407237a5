"""The tools of a server of 2026 through the toolbox, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from sayso.adapters.scripted import CallTool
from sayso.core.cards import ApprovalCard
from sayso.core.events import ProgressMade, ToolCallStatus
from sayso.core.policy_rules import Rule, Verdict
from sayso.core.segments import Waiting
from sayso.mcp import Servers
from sayso.testing.recorder import MemoryRun
from tests.integration.mcp.world import PATIENT, lines, listening, program, ran, registry, until
from tests.ports import free_port


async def test_a_read_only_tool_runs_unasked(desk: Servers) -> None:
    run = await ran(desk, CallTool("add", {"a": 2, "b": 3}))
    assert run.said == '["5"]'
    [status] = desk.statuses()
    assert (status.state, status.protocol, status.held) == ("ready", "2026-07-28", ())


async def test_a_tool_of_apps_alone_is_not_offered(desk: Servers) -> None:
    names = {tool.name for tool in await desk.tools("ada")}
    assert {"add", "pods_list"} <= names
    assert "poll" in desk.pins.agreed("desk")
    assert "poll" not in names
    run = await ran(desk, CallTool("poll", {}))
    assert run.returns[0].status is ToolCallStatus.FAILED
    assert "poll" in str(run.returns[0].error)


async def test_a_destructive_tool_asks_and_runs_once_it_is_approved(
    desk: Servers, done: Path
) -> None:
    before = lines(done).count("delete web-1")
    agent = program(desk, CallTool("delete_pod", {"name": "web-1"}))
    run = MemoryRun()
    assert isinstance(await run.go(agent), Waiting)
    assert lines(done).count("delete web-1") == before
    run.approve("delete_pod")
    await run.go(agent)
    assert run.said == '["deleted web-1"]'
    assert lines(done).count("delete web-1") == before + 1


async def test_a_rule_decides_for_a_tool_that_says_nothing(desk: Servers) -> None:
    rule = Rule(tool="restart", then=Verdict.DENY, reason="Not on Fridays.")
    run = await ran(desk, CallTool("restart", {"name": "x"}), policy=[rule])
    assert run.returns[0].status is ToolCallStatus.DENIED


async def test_arguments_are_checked_here(desk: Servers, done: Path) -> None:
    before = lines(done)
    run = await ran(desk, CallTool("add", {"a": "two", "b": 3}))
    assert run.returns[0].status is ToolCallStatus.FAILED
    assert lines(done) == before


async def test_a_long_result_is_cut_for_the_model_and_whole_for_people(desk: Servers) -> None:
    run = await ran(desk, CallTool("long_text", {"characters": 5000}))
    assert run.returns[0].result == "x" * 5000
    [told] = json.loads(run.said)
    assert told == f"{'x' * 2000}\n[cut: 2,000 of 5,000 characters]"


async def test_meta_reaches_nobody_but_an_app(desk: Servers) -> None:
    run = await ran(desk, CallTool("secret_meta", {}))
    assert run.said == '["seen"]'
    assert "for-the-app-alone" not in repr(run.recorder.events)


async def test_a_failure_is_the_tools_own(desk: Servers) -> None:
    run = await ran(desk, CallTool("fail", {"words": "no such pod"}))
    [returned] = run.returns
    assert returned.status is ToolCallStatus.FAILED
    assert "no such pod" in str(returned.error)


async def test_a_result_in_the_shape_of_an_approval_is_a_card(desk: Servers) -> None:
    run = MemoryRun()
    end = await run.go(program(desk, CallTool("propose", {"name": "Steel"})))
    assert isinstance(end, Waiting)
    card = run.pending[0].card
    assert isinstance(card, ApprovalCard)
    assert card.message == "Create Steel?"


async def test_progress_is_told_while_the_call_runs(desk: Servers, done: Path) -> None:
    run = MemoryRun()
    going = asyncio.create_task(run.go(program(desk, CallTool("slow", {"name": "one"}))))
    await until(lambda: any(isinstance(e, ProgressMade) for e in run.recorder.events))
    done.with_name("let-one-go").touch()
    await going
    done.with_name("let-one-go").unlink()
    made = next(e for e in run.recorder.events if isinstance(e, ProgressMade))
    assert (made.fraction, made.note) == (0.25, "slow: a quarter")
    assert run.said == '["at last"]'


async def test_a_cancelled_segment_cancels_the_call_there(desk: Servers, done: Path) -> None:
    before = lines(done).count("slow two cancelled")
    began = lines(done).count("slow two began")
    run = MemoryRun()
    going = asyncio.create_task(run.go(program(desk, CallTool("slow", {"name": "two"}))))
    await until(lambda: lines(done).count("slow two began") > began)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    await until(lambda: lines(done).count("slow two cancelled") > before)
    assert (await ran(desk, CallTool("add", {"a": 1, "b": 1}))).said == '["2"]'


async def test_a_tool_that_a_server_of_2026_tells_of_is_held(desk: Servers) -> None:
    await ran(desk, CallTool("grow", {"name": "more"}))
    await until(lambda: [held.now.name for held in desk.held()] == ["more"])
    assert "more" not in [tool.name for tool in desk.known]
    desk.agree("desk", "more")
    assert "more" in [tool.name for tool in desk.known]


async def test_an_http_server_that_is_away_has_done_nothing_and_is_found_again(
    tmp_path: Path,
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    done = tmp_path / "done"
    async with registry({"desk": {"url": url, "sayso": PATIENT}}) as servers:
        with listening(done, port):
            await ran(servers, CallTool("restart", {"name": "a"}))
        away = await ran(servers, CallTool("restart", {"name": "b"}))
        assert away.returns[0].status is ToolCallStatus.NOT_EXECUTED
        with listening(done, port):
            await ran(servers, CallTool("restart", {"name": "c"}))
    assert lines(done) == ["restart a", "restart c"]
