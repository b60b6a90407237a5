"""An agent that speaks Arabic, about things whose names are Latin.

sayso serve tests.browser.arabic_agent:app
"""

from __future__ import annotations

from sayso import AgentContext, App

GREETING = "مرحبًا! وجدت الطلب **1001** من Ana Petrović، ويمكنني ردّ المبلغ كاملًا."
TITLE = "ردّ مبلغ 42.00 € للطلب 1001"
IMPACT = "يُعاد المبلغ إلى بطاقة العميلة فورًا."


async def clerk(ctx: AgentContext) -> None:
    await ctx.say(GREETING)
    await ctx.approve(
        "refund",
        TITLE,
        {"العميلة": "Ana Petrović", "المبلغ": "42.00 EUR", "السبب": "وصل الطرد تالفًا"},
        impact=IMPACT,
    )


app = App({"clerk": clerk})
