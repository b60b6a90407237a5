"""Whether a rule that a person wrote answers for them, at a call that would ask.

A call that was asked about once stays asked: a rule written while its card waits is for the next.
"""

from __future__ import annotations

from sayso.core.policy import Decision, ToolFacts, Verdict
from sayso.core.standing_rules import StandingRule, rule_for
from sayso.tools.calls import Call, ToolCaller
from sayso.tools.execution import NotPrepared, prepare
from sayso.tools.segment_env import SegmentEnv


async def answering_rule(
    caller: ToolCaller, env: SegmentEnv, call: Call, decision: Decision
) -> StandingRule | None:
    """Return the rule that answers this call; None where a person is asked."""
    may_answer = decision.asking is not None and decision.asking.may_be_ruled
    if not may_answer or call.key in env.journal.asked:
        return None
    facts = ToolFacts(tool_name=call.tool.name, arguments=call.arguments)
    rule = rule_for(await env.recorder.standing_rules(), facts, call.agent_name)
    if rule is None or rule.rule.then is Verdict.DENY:
        return rule
    return rule if await _is_plain(caller, env, call) else None


async def _is_plain(caller: ToolCaller, env: SegmentEnv, call: Call) -> bool:
    """Return whether its card would say nothing that a person has to see: no warning, no rows."""
    found = await prepare(caller, env, call)
    if isinstance(found, NotPrepared):
        return False
    return found is None or not (found.warnings or found.rows)
