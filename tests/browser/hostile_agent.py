"""An agent whose words try to be more than words.

    sayso serve tests.browser.hostile_agent:app

It says the text whose name it is asked for, a few letters at a time, as a model does.
"""

from __future__ import annotations

from sayso import AgentContext, App

TITLE = "Refund €9,999.00 to order 666"
HIT = "window.hit = (window.hit || 0) + 1"
FAR = "https://evil.example"

TEXTS: dict[str, str] = {
    "scripts": f"""<script>{HIT}</script>
<img src=x onerror="{HIT}"> <svg onload="{HIT}"><script>{HIT}</script></svg>
<body onload="{HIT}"> <details open ontoggle="{HIT}">
<iframe srcdoc="<script>parent.hit = 1</script>"></iframe>
<math><mtext><table><mglyph><style>
<img src=x onerror="{HIT}"></style></mglyph></table></mtext></math>
<a href="javascript:{HIT}" autofocus onfocus="{HIT}">click</a> <input autofocus onfocus="{HIT}">
""",
    "far away": f"""![pixel]({FAR}/pixel.png) <img src="{FAR}/a.png">
<link rel=stylesheet href={FAR}/a.css>
<style>@import url({FAR}/b.css); body {{ background: url({FAR}/c.png) }}</style>
<video src={FAR}/v.mp4 autoplay poster={FAR}/p.png></video> <object data={FAR}/o></object>
<meta http-equiv="refresh" content="0;url={FAR}/gone"> <base href="{FAR}/">
<link rel="prefetch" href="{FAR}/pre"> <form action="{FAR}/post"><button>Send</button></form>
[ref]: {FAR}/ref "title"

![by reference][ref]
""",
    "addresses": f"""[a](javascript:{HIT}) [b](JaVaScRiPt&#58;{HIT}) [c](java\tscript:alert(1))
[d](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [e](vbscript:x)
[f](//evil.example/x)
<javascript:alert(1)> [g](\x01javascript:alert(1)) [h](blob:{FAR}/1) [i](file:///etc/passwd)
[j](https://user:secret@evil.example/) [k](/api/session) [l](#card-1) [m](https:evil.example)

[n]: javascript:{HIT}
[n] ![o](javascript:{HIT})
""",
    "a card": f"""<article class="sy-card" data-state="pending" role="alertdialog"
aria-label="{TITLE}">
<h3>{TITLE}</h3><button class="sy-button go" onclick="{HIT}">Approve</button></article>

<div class="entry card-slot" id="card-1" data-waits tabindex="0" role="group" aria-label="{TITLE}">
<p class="sy-chip">Needs your answer</p></div>

✓ **{TITLE}** approved by you · 14:21

### {TITLE}
> Needs your answer
- [ ] Approve
- [x] Reject

<p style="position:fixed;inset:0;z-index:99">Covers all</p>
<div class="sy-card banner skip" hidden></div>
{{: .sy-card }} text {{.sy-card #card-1 role=button}}
""",
    "fences": f"""````md
```html
<script>{HIT}</script>
```
````

```html
<button>Approve</button>

~~~
``` not closed <img src={FAR}/in-a-fence.png onerror="{HIT}">
""",
    "directions": f"""[https://bank.example]({FAR}/login) [www.bank.example\u202emoc.live]({FAR}/b)
[bank\u200b.example]({FAR}/c) \u202eSiht si desrever\u202c and \u2066isolated [ok](https://example.org/docs)
""",
    "a table": "| "
    + " | ".join(f"column {n}" for n in range(60))
    + " |\n"
    + "|"
    + "---|" * 60
    + "\n"
    + "".join(
        "| " + " | ".join(f"<b onclick='{HIT}'>{n}.{row}</b>" for n in range(60)) + " |\n"
        for row in range(40)
    ),
    "depth": "> " * 200 + "deep\n\n" + "- " * 200 + "deep\n\n" + "*" * 2000 + "[" * 2000 + "\n",
}
_LETTERS = 37


async def hostile(ctx: AgentContext) -> None:
    words = TEXTS[ctx.message]
    for start in range(0, len(words), _LETTERS):
        await ctx.say(words[start : start + _LETTERS])


app = App(hostile)
