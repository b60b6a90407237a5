"""An agent that calls the tool which a person names, for a thing if they name one."""

from sayso import AgentContext, App


async def desk(ctx: AgentContext, message: str) -> None:
    tool, _, name = ctx.message.partition(" ")
    result = await ctx.call(tool, **({"name": name} if name else {}))
    await ctx.say(str(result))


app = App(desk)
