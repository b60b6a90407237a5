"""A conversation with a bit of everything, for whoever looks at it from outside."""

from sayso.core.events import ArtifactChanged, ToolCalled, ToolCallStatus, ToolReturned
from tests.integration.world import World, refund, which


async def a_conversation(world: World, chat_id: str) -> None:
    """Text, a tool, an artifact, three cards at once, answers, more text."""
    hold = await world.start(chat_id)
    for word in ("Let ", "me ", "look ", "at ", "this. "):
        await hold.say(word)
    call = ToolCalled(tool_call_id="t1", name="look", arguments={"a": None}, run_id=hold.run.id)
    done = ToolReturned(tool_call_id="t1", status=ToolCallStatus.DONE, result={"x": [1, None]})
    await hold.show(call, done)
    await hold.say("Three things. ")
    plan = ArtifactChanged(id=f"a-{chat_id}", ui_tool_id="plan", title="P", content=1, version=1)
    await hold.show(plan)
    await hold.ask(refund("one"), refund("two"), which("three", "red", "blue"))
    one, two, three = await world.pending(chat_id, 3)
    for it, body in (
        (two, {"decision": "approve"}),
        (three, {"selected_option": "red"}),
        (one, {"decision": "reject", "reason": "no"}),
    ):
        path = f"/api/interactions/{it['interaction_id']}/response"
        assert (await world.http.post(path, json=body)).status_code == 200
    hold = await world.puppet.hold(hold.run.id, hold.run.fence)
    await hold.say("All ")
    await hold.say("done.")
    await hold.finish()
