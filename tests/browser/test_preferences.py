"""Preferences: kept for the person, there before the page is, and changed by keyboard."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, expect

from tests.browser.console import Console, another_tab, console
from tests.browser.desk import REFUND, Desk, desk_at, looks_well
from tests.browser.waiting import until, until_it_is

DARK, LIGHT = "rgb(22, 21, 19)", "rgb(250, 249, 246)"
#: Where every page begins, and where the one begins that has come.
BESIDE_THE_RAIL = 292
EDGE = "document.querySelector('.page:not(.on-its-way) > h2')?.getBoundingClientRect().x"
#: The page as it is when somebody looks elsewhere, and what it would have told them.
ELSEWHERE = """
window.told = [];
window.Notification = class {
  static permission = "granted";
  static requestPermission = () => Promise.resolve("granted");
  constructor(title, options) { told.push([title, options.tag]); window.last = this; }
  close() {}
};
Object.defineProperty(document, "hidden", { get: () => window.isElsewhere === true });
window.lookElsewhere = (is) => {
  window.isElsewhere = is;
  document.dispatchEvent(new Event("visibilitychange"));
};
"""


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
async def tab(browser: Browser, desk: Desk) -> AsyncIterator[Console]:
    async with console(browser, desk.url) as tab:
        yield tab


async def edge(tab: Console) -> int:
    return int(await tab.page.evaluate(EDGE) or 0)


async def paper(tab: Console) -> str:
    return str(await tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))


async def test_a_theme_is_chosen_by_keyboard_and_holds_on_every_device(
    browser: Browser, desk: Desk, tab: Console
):
    for place in ("/history", "/inbox", "/preferences"):
        await tab.open(place)
        await until_it_is(BESIDE_THE_RAIL, partial(edge, tab))
    await tab.tab_to(tab.page.get_by_role("radio", name="Match system"))
    await tab.page.keyboard.press("ArrowDown")
    await tab.page.keyboard.press("ArrowDown")
    await expect(tab.page.get_by_role("radio", name="Dark")).to_be_checked()
    await until_it_is(DARK, partial(paper, tab))

    async def saved() -> str:
        return str((await desk.server.get("/api/preferences")).get("theme"))

    await until_it_is("dark", saved)
    await tab.page.wait_for_function("() => said.some(([, words]) => words === 'Saved')")

    async with console(browser, desk.url) as other:
        await other.open("/inbox")
        await expect(other.page.locator("html[data-theme=dark]")).to_be_attached()
        await until_it_is(DARK, partial(paper, other))
        await other.open("/preferences")
        await other.page.get_by_role("radio", name="Light").check()
        await until_it_is(LIGHT, partial(paper, other))


async def test_the_theme_is_there_before_the_page_is(desk: Desk, tab: Console):
    await tab.open("/preferences")
    await tab.page.get_by_role("radio", name="Dark").check()
    # As on a slow line: nothing of the console's own code has come yet.
    await tab.page.route("**/assets/*.js", lambda route: route.abort())
    await tab.page.reload(wait_until="commit")
    await tab.page.locator("#app").wait_for(state="attached")
    assert await tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert await tab.page.locator("#app > *").count() == 0
    await until_it_is(DARK, partial(paper, tab))


async def test_what_could_not_be_saved_is_told(desk: Desk, tab: Console):
    await tab.open("/preferences")
    await tab.page.route("**/api/preferences", lambda route: route.abort())
    await tab.page.get_by_role("radio", name="Dark").check()
    await expect(tab.main).to_contain_text("It holds in this browser, but could not be saved")
    await until_it_is(DARK, partial(paper, tab))


async def test_what_is_always_allowed_is_taken_back_by_keyboard(desk: Desk, tab: Console):
    (card,) = await desk.ask("refund 1001")
    chat = card["chat_id"]
    allow = {"key": "always_allow", "value": ["refund", "label_order"]}
    await tab.page.request.put(f"{desk.url}/api/chats/{chat}/preferences", data=allow)
    await tab.open("/preferences")
    allowed = tab.page.get_by_role("region", name="Always allowed")
    await expect(allowed.get_by_role("listitem")).to_have_count(2)
    await tab.tab_to(tab.button("Ask again", allowed.get_by_role("listitem").first))
    await tab.page.keyboard.press("Enter")
    await expect(allowed.get_by_role("listitem")).to_have_count(1)
    await expect(tab.button("Ask again", allowed)).to_be_focused()
    view = await desk.server.get(f"/api/chats/{chat}")
    assert view["preferences"]["always_allow"] == ["label_order"]
    await tab.page.keyboard.press("Enter")
    await expect(allowed).to_contain_text("Every tool asks each time")
    await tab.hears("refund asks again from now on")
    await tab.hears("label_order asks again from now on")


async def test_a_language_is_chosen_and_holds(desk: Desk, tab: Console):
    await tab.open("/preferences")
    await tab.page.get_by_role("combobox", name="Language").select_option("简体中文")
    await expect(tab.main.get_by_role("heading", level=2)).to_have_text("偏好设置")
    await tab.page.reload()
    await expect(tab.main.get_by_role("heading", level=2)).to_have_text("偏好设置")


async def have_told(*tabs: Console) -> None:
    """A tab's questions about locks are answered in their order: then it has told what it tells."""
    for each in tabs:
        await each.page.evaluate(
            "navigator.locks.query().then(() => navigator.locks.request('test', () => undefined))"
        )


async def test_something_new_is_told_once_over_all_tabs_and_a_press_leads_to_it(
    browser: Browser, desk: Desk, tab: Console
):
    await tab.page.context.add_init_script(ELSEWHERE)
    await tab.open("/preferences")
    await tab.page.get_by_role("checkbox", name="Notify me").check()
    other = await another_tab(tab)
    await other.open("/inbox")
    await looked_at(tab.page.context, is_so=True)
    # Somebody looks at one of the tabs: the page itself shows it.
    await tab.page.evaluate("lookElsewhere(true)")
    await desk.ask("refund 1001")
    await expect(other.card(REFUND)).to_be_visible()
    # Both must know of the card before nobody looks: the title tells it, the list may know earlier.
    await expect(tab.page).to_have_title("(1) Preferences · Sayso")
    await expect(other.page).to_have_title("(1) Inbox · Sayso")
    await have_told(tab, other)
    await other.page.evaluate("lookElsewhere(true)")
    await looked_at(tab.page.context, is_so=False)
    (second,) = await desk.ask("refund 1002")

    async def is_told() -> bool:
        return bool(await told(tab, other))

    await until(is_told)
    for each in (tab, other):
        await expect(each.page).to_have_title(
            "(2) Preferences · Sayso" if each is tab else "(2) Inbox · Sayso"
        )
    await have_told(tab, other)
    title = "Needs your answer: Refund €42.00 to order 1002"
    assert await told(tab, other) == [[title, second["interaction_id"]]]
    teller = tab if await tab.page.evaluate("told.length") else other
    await teller.page.evaluate("last.onclick()")
    await teller.page.wait_for_url(f"**/i/{second['interaction_id']}")


async def test_nobody_is_asked_for_leave_to_notify_before_they_press(desk: Desk, tab: Console):
    await tab.page.context.add_init_script(
        "window.asked = 0;"
        "Object.defineProperty(Notification, 'permission', "
        "{ get: () => asked === 0 ? 'default' : 'denied' });"
        "Notification.requestPermission = async () => { asked += 1; return 'denied'; }"
    )
    for path in ("/", "/inbox", "/preferences"):
        await tab.open(path)
        await expect(tab.main.get_by_role("heading", level=2)).to_be_visible()
        assert await tab.page.evaluate("asked") == 0
    await tab.page.get_by_role("checkbox", name="Notify me").click()
    await tab.page.wait_for_function("asked === 1")
    # This browser says no: the page says so, and leaves the box as it was.
    await expect(tab.main).to_contain_text("This browser does not allow notifications")
    await expect(tab.page.get_by_role("checkbox", name="Notify me")).not_to_be_checked()


async def test_it_can_be_installed(desk: Desk, tab: Console):
    await tab.open("/inbox")
    client = await tab.page.context.new_cdp_session(tab.page)
    found = await client.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = json.loads(found["data"])
    assert manifest["start_url"] == "inbox"
    errors = (await client.send("Page.getInstallabilityErrors"))["installabilityErrors"]
    # The tests' browser is one that keeps nothing.
    assert [error["errorId"] for error in errors] in ([], ["in-incognito"])
    for icon in manifest["icons"]:
        answer = await tab.page.request.get(f"{desk.url}/{icon['src']}")
        assert answer.ok
        assert answer.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            width = int.from_bytes((await answer.body())[16:20], "big")
            assert icon["sizes"] == f"{width}x{width}"


async def test_it_is_well_in_every_look(browser: Browser, desk: Desk):
    (card,) = await desk.ask("refund 1001")
    path = f"{desk.url}/api/chats/{card['chat_id']}/preferences"
    which = {"kind": "choose", "title": "Which region?", "options": ["eu-west", "us-east"]}
    await desk.answer(await desk.server.post("/api/asks", which), selected_option="us-east")
    async with console(browser, desk.url) as tab:
        allow = {"key": "always_allow", "value": ["label_order"]}
        await tab.page.request.put(path, data=allow)
    await looks_well(browser, desk, "/preferences", "preferences", "label_order")


async def told(*tabs: Console) -> list[list[str]]:
    return [telling for tab in tabs for telling in await tab.page.evaluate("told")]


async def looked_at(context: BrowserContext, *, is_so: bool) -> None:
    """Until the browser's tabs know whether somebody looks at one of them."""

    async def holds() -> bool:
        held = await context.pages[0].evaluate(
            "navigator.locks.query().then(({held}) => held.some(l => l.name === 'sayso:looked-at'))"
        )
        return bool(held) is is_so

    await until(holds)
