"""Nobody is shut out by their language, their direction of writing or how they have set their
screen: Chinese, right to left, forced colours, reduced motion, large text, narrow and wide screens.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Request, expect

from sayso.packs.support.orders import OrderBook
from scripts import web
from tests.browser.accessibility import picture
from tests.browser.arabic_agent import GREETING, TITLE
from tests.browser.console import Console, console
from tests.browser.hosting import hosted, page_with
from tests.browser.reach import (
    CUT,
    DARK,
    LIGHT,
    LOOKS,
    PHONE,
    SPACE_OUT,
    look_at,
    told_without_colours,
)
from tests.browser.server_process import ServerProcess, running
from tests.browser.test_gallery import all_is_drawn

REFUND = "Refund €42.00 for order 1001"
#: The gate's question about an action whose verb is English.
ASKED = "要执行“create the checklist”吗？"

# Every text that is drawn or read out, but for what an agent names: its data and its stages.
WORDS = """(element) => {
    const root = element?.shadowRoot ?? document.body;
    const own = (element) =>
        !element.closest('dt, .sy-cell-label, [data-not-ours]')
        && !element.matches('.sy-stages li > span');
    const found = [];
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        if (own(walk.currentNode.parentElement)) found.push(walk.currentNode.data);
    }
    for (const element of root.querySelectorAll('*')) {
        for (const name of ['aria-label', 'placeholder', 'title', 'alt']) {
            const said = element.getAttribute(name);
            if (said !== null && own(element)) found.push(said, said.split(': ')[0]);
        }
    }
    return [...new Set(found.map((text) => text.trim()).filter((text) => text !== ''))];
}"""


# What the gallery's agents and its broken server say, in words that the console has too.
OF_THE_GALLERY = {
    "Cannot connect to the database, so nothing was read or written.",
    "Order 1007 was paid twice",
    "€50.00 is more than was paid. At most €42.00 is left.",
    *("Reason", "10 days", "保留 10 days", "two days", "Order 1002 waits for 9 days", "Open"),
    *("Run it again", "It was done", "Skip it"),
    *("No connection", "The server could not be reached."),
    "E-mail",  # the title of a field of an agent's form, and a word of ours too
    *("Options", "Critical failure", "Rows", "Order", "Add"),
    *("Create the packing checklist?", "Create it", "Create it: Create the packing checklist?"),
    "Create the product system",
}


@pytest.fixture(scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerProcess]:
    async with running(tmp_path_factory.mktemp("desk")) as server:
        yield server


# ── Chinese ──


async def test_the_main_story_in_chinese(browser: Browser, tmp_path: Path) -> None:
    async with (
        running(tmp_path) as server,
        console(browser, server.url, locale="zh-CN") as tab,
    ):
        box = await begin(tab, "refund order 1001")
        card = tab.card(REFUND)
        await expect(card).to_contain_text("需要您答复")
        await expect(tab.page.locator("html")).to_have_attribute("lang", "zh-Hans")
        await tab.hears(f"需要您答复：{REFUND}")
        await expect(tab.state).to_contain_text("等您答复")
        await expect(tab.page).to_have_title("(1) Refund order 1001 · Sayso")
        await expect(tab.page.get_by_role("link", name="收件箱 1 项等待答复")).to_be_visible()

        await tab.page.get_by_role("button", name=f"拒绝…: {REFUND}").click()
        await expect(card.get_by_role("textbox", name="为什么不同意？")).to_be_focused()
        await tab.page.get_by_role("button", name=f"拒绝: {REFUND}").click()
        await expect(card).to_contain_text("请写明原因，以便智能体改进。")
        await tab.page.get_by_role("button", name=f"返回: {REFUND}").click()
        await tab.picture("chinese-card")
        assert await english_in(tab.page) == []
        assert await tab.violations() == []

        await tab.page.get_by_role("button", name=f"批准: {REFUND}").click()
        await expect(tab.receipt(REFUND)).to_contain_text(f"{REFUND} 由您批准 · 已完成 · ")
        await expect(tab.state).to_contain_text("已完成")
        assert OrderBook(tmp_path / "orders.db").refunds() == [("1001", 4200)]
        await tab.hears("回复已完成")
        await tab.receipt(REFUND).locator("summary").click()
        await expect(tab.receipt(REFUND)).to_contain_text("校验摘要")
        await expect(box).to_be_visible()
        await tab.picture("chinese-receipt")
        assert await english_in(tab.page) == []


async def test_no_view_of_the_console_speaks_english_to_a_chinese_reader(
    browser: Browser, desk: ServerProcess
) -> None:
    async with console(browser, desk.url, locale="zh-CN", width=320) as tab:
        await begin(tab, "refund order 1002")
        await expect(tab.cards).to_have_count(1)
        pending = (await desk.get("/api/interactions?status=pending"))["interactions"]
        (this,) = (each for each in pending if "1002" in each["title"])
        for path in ("/", "/inbox", f"/i/{this['interaction_id']}", "/i/none", "/chats/none"):
            await tab.open(path)
            await expect(tab.page.get_by_role("heading", level=2).last).to_contain_text(
                re.compile("[一-鿿]")
            )
            await tab.page.get_by_role("button", name=re.compile("菜单")).click()
            await tab.page.get_by_role("button", name="键盘操作").click()
            await expect(tab.page.get_by_role("heading", name="键盘操作")).to_be_visible()
            assert await english_in(tab.page) == [], path
            await tab.page.get_by_role("button", name="关闭").click()
            assert await tab.sideways_pixels() <= 0, path
        await tab.open("/inbox")
        await expect(tab.page.locator("[data-waits]")).to_have_count(len(pending))
        await tab.picture("chinese-inbox.320")


async def test_the_gate_speaks_chinese_to_a_chinese_reader(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        running(tmp_path, "serve", "tests.gate_app:confirm") as server,
        console(browser, server.url, locale="zh-CN") as tab,
    ):
        box = await begin(tab, "I want to visit Japan")
        panel = tab.page.get_by_role("region", name="Checklist：已知内容")
        await expect(panel).to_contain_text("还需提供：current location和trip duration")
        await tab.may_send()
        await box.fill("create the checklist")
        await box.press("Enter")
        await expect(tab.log).to_contain_text("我还需要了解：How long is the trip?")
        await expect(tab.state).to_contain_text("已完成")
        await tab.may_send()
        await box.fill("10 days from New York with my wife")
        await box.press("Enter")
        card = tab.card(ASKED)
        await expect(card).to_contain_text("请核对这些值，每个都可以修改。")
        await expect(card).to_contain_text("10 天")
        await expect(panel).to_contain_text("可以执行“create the checklist”了")
        await expect(panel).to_contain_text("Trip duration: 10 天")
        await tab.hears(f"需要您答复：{ASKED}")
        assert await english_in(tab.page) == []
        await tab.picture("chinese-gate")
        chat = tab.page.url
        await tab.open("/inbox")
        await expect(tab.page.locator("[data-waits]")).to_contain_text(ASKED)
        assert await english_in(tab.page) == []
        await tab.page.goto(chat)
        await card.get_by_role("button", name="Create the checklist: 要执行").click()
        receipt = tab.receipt(ASKED)
        await expect(receipt).to_contain_text(f"{ASKED} 由您批准 · 已完成")
        await receipt.locator("summary").click()
        await expect(receipt).to_contain_text("10 天 (来自您的消息：“10 days”)")
        assert await english_in(tab.page) == []
        await tab.page.get_by_role("button", name="重新开始…").click()
        await tab.page.get_by_role("button", name="是，重新开始").click()
        await expect(panel).to_contain_text("还需提供：")
        await tab.open("/history")
        await expect(tab.main).to_contain_text(f"{ASKED} 由您批准")
        assert await english_in(tab.page) == []


async def test_what_the_server_refuses_or_ends_is_said_in_chinese(
    browser: Browser, tmp_path: Path
) -> None:
    async with (
        running(tmp_path, "serve", "tests.gate_app:confirm") as server,
        console(browser, server.url, locale="zh-CN") as tab,
    ):
        box = await begin(tab, "create the checklist for Tokyo, 10 days from New York, solo")
        await expect(tab.cards).to_have_count(1)
        await tab.page.get_by_role("button", name="重新开始…").click()
        await tab.page.get_by_role("button", name="是，重新开始").click()
        await expect(tab.log).to_contain_text("已停止：已重新开始。")
        await expect(box).to_be_visible()
        panel = tab.page.get_by_role("region", name="Checklist：已知内容")
        await panel.get_by_role("button", name=re.compile("添加 ?: Destination, Checklist")).click()
        # Somebody else has just been here.
        refusal = {"type": "x", "title": "T", "status": 409, "detail": "D", "code": "grant_void"}
        await tab.page.route(
            "**/requirements",
            lambda route: route.fulfill(
                status=409, json=refusal, content_type="application/problem+json"
            ),
        )
        await tab.page.get_by_role("textbox", name="Destination").fill("Rome")
        await tab.page.keyboard.press("Enter")
        await expect(panel).to_contain_text("某个值已更改，或该许可已经用过。")


async def test_a_language_is_chosen_for_a_person_on_all_their_devices(
    browser: Browser, desk: ServerProcess
) -> None:
    async with console(browser, desk.url) as tab, console(browser, desk.url) as other:
        await tab.open()
        await expect(tab.composer).to_be_visible()
        await tab.page.request.put(f"{desk.url}/api/preferences", data={"language": "zh-Hans"})
        try:
            await other.open()
            await expect(other.page.get_by_role("textbox", name="消息")).to_be_visible()
            await expect(other.page.locator("html")).to_have_attribute("lang", "zh-Hans")
        finally:
            await tab.page.request.put(f"{desk.url}/api/preferences", data={"language": None})


async def test_english_readers_do_not_load_chinese(browser: Browser, desk: ServerProcess) -> None:
    for locale, wanted in (("en-GB", 0), ("de-DE", 0), ("zh-TW", 0), ("zh-CN", 2)):
        async with console(browser, desk.url, locale=locale) as tab:
            loaded: list[str] = []

            def note(request: Request, loaded: list[str] = loaded) -> None:
                loaded.append(request.url)

            tab.page.on("request", note)
            await tab.open()
            await expect(tab.page.get_by_role("textbox")).to_be_visible()
            assert sum("zh-Hans" in url for url in loaded) == wanted, locale


async def test_every_card_in_every_state_in_chinese(browser: Browser, gallery_url: str) -> None:
    context = await browser.new_context(viewport={"width": 1024, "height": 900})
    page = await context.new_page()
    await page.goto(f"{gallery_url}?lang=zh-Hans")
    await all_is_drawn(page)
    await page.evaluate(
        """() => document.querySelectorAll('.state > p, h1, h2, main > section > h3')
        .forEach((element) => element.dataset.notOurs = '')"""
    )
    await picture(page, "chinese-gallery", full_page=True)
    assert set(await english_in(page)) <= OF_THE_GALLERY
    await context.close()


async def test_elements_speak_the_language_of_the_page_they_stand_in(
    browser: Browser, tmp_path: Path
) -> None:
    async with hosted(tmp_path) as (server, host), console(browser, host) as tab:
        chat = await server.post("/api/chats", {})
        words = {"content": "refund order 1001", "client_message_id": "m1"}
        await server.post(f"/api/chats/{chat['id']}/messages", words)
        await tab.page.goto(page_with(host, server, "sayso-chat", chat=chat["id"]))
        await expect(tab.page.get_by_role("button", name=f"Approve: {REFUND}")).to_be_visible()
        await tab.page.evaluate("document.documentElement.lang = 'zh-CN'")
        await expect(tab.page.get_by_role("button", name=f"批准: {REFUND}")).to_be_visible()
        root = tab.page.locator("sayso-chat .sy-root")
        await expect(root).to_have_attribute("lang", "zh-Hans")
        for look in LOOKS:
            await look_at(tab.page, look)
            drawn = await tab.page.locator("sayso-chat").evaluate(WORDS)
            assert english_among(drawn) == [], look
        await tab.page.evaluate("document.documentElement.lang = 'en'")
        await expect(tab.page.get_by_role("button", name=f"Approve: {REFUND}")).to_be_visible()


# ── right to left ──


async def test_a_page_that_is_read_from_right_to_left(browser: Browser, tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "serve", "tests.browser.arabic_agent:app")
    await server.start()
    try:
        for width in (320, 1280):
            async with console(browser, server.url, width=width) as tab:
                await tab.begin("hello")
                await expect(tab.card(TITLE)).to_be_visible()
                greeting = tab.log.locator(".sy-md > div", has_text="Ana Petrović").first
                await expect(greeting).to_have_text(GREETING.replace("**", ""))
                assert await direction(greeting) == "rtl", "Arabic words on an English page"
                await tab.picture(f"arabic.{width}")
                assert await tab.sideways_pixels() <= 0

                await tab.page.evaluate("document.documentElement.dir = 'rtl'")
                assert await direction(tab.log.locator(".said-by-you p")) == "ltr"
                await tab.press("Reject…", tab.card(TITLE))
                for look in (LIGHT, DARK):
                    await tab.page.emulate_media(color_scheme=look.scheme)
                    await tab.picture(f"right-to-left.{width}.{look.name}")
                    assert await tab.sideways_pixels() <= 0
                    assert await tab.violations() == []
    finally:
        await server.stop()


async def test_arrows_point_where_the_reading_goes(browser: Browser, gallery_url: str) -> None:
    context = await browser.new_context(viewport={"width": 320, "height": 900})
    page = await context.new_page()
    await page.goto(gallery_url)
    await all_is_drawn(page)
    arrow = page.locator(".sy-arrow").first
    assert await arrow.evaluate("element => getComputedStyle(element).scale") == "none"
    await page.evaluate("document.documentElement.dir = 'rtl'")
    assert await arrow.evaluate("element => getComputedStyle(element).scale") == "-1 1"
    await picture(page, "right-to-left-gallery.320", full_page=True)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await context.close()


# ── how a reader has set the screen ──


async def test_forced_colours_keep_borders_focus_and_states(
    browser: Browser, desk: ServerProcess, gallery_url: str
) -> None:
    async with console(browser, desk.url, forced_colors="active") as tab:
        await tab.begin("refund order 1006")
        await expect(tab.cards).to_have_count(1)
        for look in LOOKS:
            await look_at(tab.page, look)
            await tab.picture(f"forced-colours.{look.name}")
            assert await told_without_colours(tab.page, stops=12) == [], look
        await tab.press("Skip")

        for place in ("index.html", "hostile.html#shadow"):
            await tab.page.goto(gallery_url + place)
            await all_is_drawn(tab.page)
            for look in LOOKS:
                await look_at(tab.page, look)
                name = f"forced-colours-gallery.{place.partition('.')[0]}.{look.name}"
                await picture(tab.page, name, full_page=True)
                assert await told_without_colours(tab.page, stops=0) == [], (place, look)
                chosen, other = [
                    await tab.page.locator(
                        ".sy-option", has=tab.page.locator(f"input{state}")
                    ).first.evaluate("element => getComputedStyle(element).border")
                    for state in (":checked", ":not(:checked)")
                ]
                assert chosen != other, (place, look)


async def test_who_wants_no_motion_sees_none(browser: Browser, desk: ServerProcess) -> None:
    async with console(browser, desk.url) as tab:
        await tab.begin("tell me a story")
        await expect(tab.log).to_contain_text("At the narrow end")
        running_now = await tab.page.evaluate(
            """() => [document.getAnimations().length, getComputedStyle(
            document.querySelector('[role=log]')).scrollBehavior]"""
        )
        assert running_now == [0, "auto"]


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
async def test_large_and_spaced_text_loses_nothing(
    browser: Browser, desk: ServerProcess, locale: str
) -> None:
    order = {"en-GB": 1007, "zh-CN": 1008}[locale]
    async with console(browser, desk.url, locale=locale, width=640, height=900) as tab:
        await begin(tab, f"refund order {order}")
        await expect(tab.cards).to_have_count(1)
        chat = tab.page.url
        for path in (chat, f"{desk.url}/inbox", f"{desk.url}/"):
            await tab.page.set_viewport_size({"width": 640, "height": 900})
            await tab.page.goto(path)
            await expect(tab.page.get_by_role("heading", level=2).last).to_be_visible()
            await tab.page.evaluate("document.documentElement.style.fontSize = '200%'")
            await nothing_is_lost(tab)
            await tab.page.evaluate("document.documentElement.style.fontSize = ''")
            await tab.page.evaluate(SPACE_OUT)
            await nothing_is_lost(tab)
            await tab.page.set_viewport_size({"width": PHONE.width, "height": 900})
            await nothing_is_lost(tab)


async def test_a_line_stays_readable_from_320_px_to_4k(
    browser: Browser, desk: ServerProcess
) -> None:
    async with console(browser, desk.url) as tab:
        await tab.begin("hello")
        await expect(tab.state).to_contain_text("Done")
        for width, height in ((320, 640), (1280, 800), (3840, 2160)):
            await tab.page.set_viewport_size({"width": width, "height": height})
            letters = await tab.log.locator(".sy-md p").first.evaluate(
                "p => p.clientWidth / parseFloat(getComputedStyle(p).fontSize) / 0.5"
            )
            assert 24 <= letters <= 110, (width, letters)
            assert await tab.sideways_pixels() <= 0
            await tab.picture(f"conversation.{width}")
        # Every page begins at the same edge.
        edges = set()
        for path in ("/inbox", "/history", "/preferences", "/admin", "/i/none"):
            await tab.open(path)
            heading = tab.main.get_by_role("heading", level=2)
            # A page that has drawn nothing yet has no "Loading…" either.
            await expect(heading).to_have_text(re.compile("^(?!Loading…)."))
            box = await heading.bounding_box()
            assert box is not None
            edges.add(round(box["x"]))
        assert len(edges) == 1, edges


# ── words of this suite ──


async def begin(tab: Console, words: str) -> Any:
    """A new chat, whatever the language; gives the composer."""
    await tab.open()
    box = tab.page.get_by_role("textbox")
    await box.fill(words)
    await box.press("Enter")
    await tab.page.wait_for_url(re.compile("/chats/"))
    return tab.page.locator(".composer textarea")


async def nothing_is_lost(tab: Console) -> None:
    for look in (LIGHT, DARK):
        await tab.page.emulate_media(color_scheme=look.scheme)
        assert await tab.sideways_pixels() <= 0, (tab.page.url, look)
        assert await tab.page.evaluate(CUT) == [], (tab.page.url, look)


async def direction(place: Any) -> str:
    found: str = await place.evaluate("element => getComputedStyle(element).direction")
    return found


async def english_in(page: Page) -> list[str]:
    """The console's own English sentences that stand in this page."""
    return english_among(await page.evaluate(WORDS))


def english_among(words: list[str]) -> list[str]:
    return [text for text in words if any(form.fullmatch(text) for form in english())]


@cache
def english() -> list[re.Pattern[str]]:
    """The sentences of the catalog, with anything in their places."""
    source = (web.WEB / "locales/en.po").read_text()
    sentences = [json.loads(found) for found in re.findall(r'^msgid (".+")$', source, re.MULTILINE)]
    return [_pattern(sentence) for sentence in sentences if len(_letters(sentence)) > 2]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)(?:, plural, one \{([^{}]*)\} other \{([^{}]*)\})?\}", sentence)
    found = re.escape(parts[0])
    for _, one, other, after in zip(*(parts[n::4] for n in range(1, 5)), strict=True):
        forms = [re.escape(form).replace(r"\#", r"[\d,]+") for form in (one, other) if form]
        found += (f"(?:{'|'.join(forms)})" if forms else ".+") + re.escape(after)
    return re.compile(found, re.DOTALL)


def _letters(sentence: str) -> str:
    return re.sub(r"\{\w+\}|[^A-Za-z]", "", sentence)
