"""An agent that says what one may begin with, and falls over when it is told to.

sayso serve tests.browser.first_steps_agent:app
"""

from sayso import AgentContext, App


async def clerk(ctx: AgentContext) -> None:
    if ctx.message == "fall over":
        raise ValueError("the *till* is locked")
    await ctx.say(f"You began with: {ctx.message}")


app = App(clerk, name="Clerk", starters=["say hello", "fall over"])
