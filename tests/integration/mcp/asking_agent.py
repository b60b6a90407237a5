"""An agent that calls the tool which a person names, for a thing that they name."""

from sayso import AgentContext, App


async def desk(ctx: AgentContext, message: str) -> None:
    tool, _, name = ctx.message.partition(" ")
    await ctx.say(str(await ctx.call(tool, name=name)))


app = App(desk)
