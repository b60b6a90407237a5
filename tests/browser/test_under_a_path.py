"""The console and the elements at a path of somebody else's site: all they ask for lies there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from playwright.async_api import Browser, expect

from sayso import AgentContext, App
from sayso.server.process import SaysoServer, address_of, bind, config
from sayso.settings import Settings
from tests.browser.console import console
from tests.integration.world import running

PATH = "/tools/sayso"
HOST_PAGE = f"""<!doctype html><title>Tools</title>
<script type="module" src="{PATH}/elements/sayso.js"></script>
<sayso-chat style="height: 90vh" chat="CHAT"></sayso-chat>"""


async def cook(ctx: AgentContext) -> None:
    dish = await ctx.choose("What shall we cook?", ["soup", "dumplings"])
    await ctx.say(f"Then {dish.id} it is.")


@pytest.fixture(scope="module")
async def site() -> AsyncIterator[str]:
    settings = Settings(port=0)
    async with running(settings, programs=App({"cook": cook}).programs()) as world:
        around = FastAPI()
        around.mount(PATH, world.app)

        @around.get("/page/{chat}")
        async def page(chat: str) -> HTMLResponse:
            return HTMLResponse(HOST_PAGE.replace("CHAT", chat))

        listening = bind("127.0.0.1", 0)
        server = SaysoServer(config(around, settings), world.app)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield address_of(listening)
        server.should_exit = True
        await serving
        listening.close()


async def test_the_console_works_at_a_path(browser: Browser, site: str) -> None:
    async with console(browser, site + PATH) as tab:
        page, requested = tab.page, list[str]()
        page.on("request", lambda request: requested.append(request.url))
        await tab.begin("dinner")
        assert page.url.startswith(f"{tab.url}/chats/")
        chat = page.url
        await page.goto(chat)
        question = tab.card("What shall we cook?")
        await expect(question).to_be_visible()
        export = await page.get_by_role("link", name="Export").first.get_attribute("href")
        assert (await page.request.get(site + str(export))).ok

        waiting = await page.request.get(f"{tab.url}/api/interactions?status=pending")
        card = (await waiting.json())["interactions"][0]["interaction_id"]
        await tab.open(f"/i/{card}")
        await expect(question).to_be_visible()
        await page.get_by_role("link", name="Inbox").first.click()
        await page.wait_for_url(f"{tab.url}/inbox")
        await page.get_by_role("link", name="History", exact=True).click()
        await expect(page.get_by_role("heading", name="History")).to_be_visible()
        await page.goto(chat)
        await question.get_by_role("radio", name="soup").check()
        await tab.press("Send answer", question)
        await expect(tab.log).to_contain_text("Then soup it is.")
        client = await page.context.new_cdp_session(page)
        assert (await client.send("Page.getAppManifest"))["errors"] == []
        assert [url for url in requested if not url.startswith((f"{tab.url}/", "data:"))] == []


async def test_an_element_asks_the_server_that_it_came_from(browser: Browser, site: str) -> None:
    async with console(browser, site + PATH) as tab:
        chat = await tab.begin("dinner")
        await tab.page.goto(f"{site}/page/{chat}")
        await expect(tab.card("What shall we cook?")).to_be_visible()
