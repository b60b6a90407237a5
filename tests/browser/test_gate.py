"""The gate in the console: what is known stands beside the chat, and nothing runs before it is told
to; in each mode, the card by click and by word."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.browser.console import Console, console
from tests.browser.reach import LOOKS, PHONE, Look
from tests.browser.server_process import ServerProcess, running
from tests.browser.waiting import until, until_it_is

FLIGHT = "I'm flying from NYC to Tokyo for 10 days with my wife"
CARD = "Create the checklist?"
KNOWN_OF_THE_FLIGHT = [
    "✅ Destination: Tokyo",
    "✅ Current location: NYC",
    "✅ Trip duration: 10 days",
    "✅ Num travelers: 2",
]
ASKS_ALL = (
    "I have all the information needed to create the checklist. Just say 'create the checklist'"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is said, what comes back, and what the panel ends with then."""

    words: str
    answer: str
    line: str
    action: str = "Checklist"


PARIS = [
    Turn("Plan a trip to Paris", "How long is the trip?", "Add current location"),
    Turn("5 days, solo", "Where will you be traveling from?", "Add current location"),
    Turn("From London", ASKS_ALL, "Ready to create the checklist"),
]
JAPAN = [
    Turn("I want to visit Japan", "How long is the trip?", "Add current location"),
    Turn("2 weeks with my partner", "Where will you be traveling from?", "Add current location"),
    Turn("From New York", ASKS_ALL, "Ready to create the checklist"),
]
TALK = {
    "without a trigger": [
        Turn("I want to travel", "Where are you going? How long is the trip?", "Add destination"),
    ],
    "complete, without a trigger": [Turn(FLIGHT, ASKS_ALL, "Ready to create the checklist")],
    "a trigger, incomplete": [
        Turn("create the checklist", "I need a few more details: Where are you", "Add destination"),
    ],
    "several actions": [
        Turn(
            "Create an itinerary and budget for my Rome trip",
            "I need a few more details",
            "Add total budget",
            "Budget",
        ),
    ],
}
RUNS = {
    "complete": ([Turn(FLIGHT, ASKS_ALL, "Ready to create")], "Tokyo", "checklist Tokyo 10 2"),
    "gradual": (PARIS, "Paris", "checklist Paris 5 1"),
    "the example flow": (JAPAN, "Japan", "checklist Japan 14 2"),
}


class Gate:
    """A chat with the gated application, in one tab."""

    def __init__(self, server: ServerProcess, tab: Console, ledger: Path) -> None:
        self.server, self.tab, self._ledger = server, tab, ledger
        self._before = len(self._entries())

    async def begin(self) -> None:
        chat = await self.server.post("/api/chats", {})
        await self.tab.open(f"/chats/{chat['id']}")
        await self.tab.until_connected()

    async def say(self, words: str) -> None:
        """Says it, and waits until nothing goes on any more."""
        before = _said(await self.view())
        await self.tab.say(words)
        await self.rests(said=before + 1)

    async def rests(self, *, said: int = 0) -> None:
        async def done() -> bool:
            view = await self.view()
            run = view.get("run") or {"status": "ready"}
            return run["status"] not in ("ready", "running") and _said(view) >= said

        await until(done)

    async def view(self) -> dict[str, Any]:
        view: dict[str, Any] = await self.server.get(f"/api/chats/{self.tab.chat_id}")
        return view

    def known(self, action: str = "Checklist") -> Locator:
        return self.tab.page.get_by_role("region", name=f"{action}: what is known")

    def rows(self, action: str = "Checklist") -> Locator:
        """The lines of the panel; what can be left out and was not said is not among them."""
        rows = self.known(action).locator(".known-head")
        return rows.filter(has_not=self.tab.page.get_by_text("(optional)"))

    async def lines(self, action: str = "Checklist") -> list[str]:
        rows = await self.rows(action).all()
        return [
            " ".join(
                [await row.locator(".known-mark").inner_text(), await row.locator("p").inner_text()]
            )
            for row in rows
        ]

    async def press(self, name: str, within: Locator | None = None) -> None:
        await self.tab.press(name, within)

    def edit(self, label: str, verb: str = "Edit", action: str = "Checklist") -> Locator:
        words = re.compile(f"^{verb} ?: {label}, {action}$")
        return self.known(action).get_by_role("button", name=words)

    @property
    def card(self) -> Locator:
        return self.tab.cards

    @property
    def done(self) -> list[str]:
        """What has run since this chat was opened."""
        return self._entries()[self._before :]

    def _entries(self) -> list[str]:
        return self._ledger.read_text().splitlines() if self._ledger.exists() else []


def _said(view: dict[str, Any]) -> int:
    return sum(message["role"] == "user" for message in view["messages"])


@asynccontextmanager
async def gated(data: Path, app: str) -> AsyncIterator[tuple[ServerProcess, Path]]:
    """A server of that application, and the ledger of what it has done."""
    ledger = data / "ledger"
    environment = {"GATE_LEDGER": str(ledger)}
    async with running(data / "data", "serve", app, environment=environment) as server:
        yield server, ledger


Modes = Callable[[str], Awaitable[tuple[ServerProcess, Path]]]


@pytest.fixture(scope="module")
async def modes(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Modes]:
    """The application in each of its modes, started when a test first needs it; each test has a
    chat of its own."""
    started: dict[str, tuple[ServerProcess, Path]] = {}
    async with AsyncExitStack() as servers:

        async def start(mode: str) -> tuple[ServerProcess, Path]:
            if mode not in started:
                data = tmp_path_factory.mktemp(mode)
                app = gated(data, f"tests.gate_app:{mode}")
                started[mode] = await servers.enter_async_context(app)
            return started[mode]

        yield start


@pytest.fixture
async def gate(
    request: pytest.FixtureRequest, modes: Modes, browser: Browser
) -> AsyncIterator[Gate]:
    mode, look = request.param if isinstance(request.param, tuple) else (request.param, {})
    server, ledger = await modes(mode)
    async with console(browser, server.url, **look) as tab:
        found = Gate(server, tab, ledger)
        await found.begin()
        yield found


def in_mode(*modes: object) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("gate", modes, indirect=True)


async def talk(gate: Gate, turns: list[Turn]) -> None:
    for turn in turns:
        await gate.say(turn.words)
        await expect(gate.tab.log).to_contain_text(turn.answer)
        await expect(gate.known(turn.action)).to_contain_text(turn.line)
        assert gate.done == []
        await expect(gate.card).to_have_count(0)


@pytest.mark.parametrize("name", TALK)
@in_mode("confirm", "explicit")
async def test_talk_runs_nothing_and_says_what_is_missing(gate: Gate, name: str) -> None:
    await talk(gate, TALK[name])


@pytest.mark.parametrize("name", RUNS)
@in_mode("explicit")
async def test_a_phrase_is_enough_where_the_application_says_so(gate: Gate, name: str) -> None:
    turns, place, ran = RUNS[name]
    await talk(gate, turns)
    await gate.say("create the checklist")
    await expect(gate.tab.log).to_contain_text(f"Here's your {place} travel checklist!")
    assert gate.done == [ran]


@pytest.mark.parametrize("name", RUNS)
@in_mode("confirm")
async def test_a_phrase_opens_the_card_and_a_click_runs_it(gate: Gate, name: str) -> None:
    turns, place, ran = RUNS[name]
    await talk(gate, turns)
    await gate.say("create the checklist")
    await expect(gate.card).to_have_count(1)
    assert gate.done == []
    await gate.press("Create the checklist", gate.card)
    await expect(gate.tab.log).to_contain_text(f"Here's your {place} travel checklist!")
    await expect(gate.tab.receipt(CARD)).to_contain_text("approved by you")
    assert gate.done == [ran]


@in_mode("auto")
async def test_with_an_automatic_trigger_it_runs_as_soon_as_all_is_known(gate: Gate) -> None:
    await talk(gate, PARIS[:2])
    await gate.say("From London")
    await expect(gate.tab.log).to_contain_text("Here's your Paris travel checklist!")
    await gate.begin()
    await gate.say(FLIGHT)
    await expect(gate.tab.log).to_contain_text("Here's your Tokyo travel checklist!")
    assert gate.done == ["checklist Paris 5 1", "checklist Tokyo 10 2"]


@in_mode("confirm", "explicit")
async def test_several_actions_are_asked_for_and_created_together(
    gate: Gate, request: pytest.FixtureRequest
) -> None:
    await gate.say("I need a checklist and itinerary for Rome")
    await gate.say("5 days, solo")
    for action in ("Checklist", "Itinerary"):
        await expect(gate.known(action).get_by_role("list")).to_be_visible()
    await expect(gate.known("Budget").get_by_role("list")).to_be_hidden()
    await gate.edit("Current location", "Add").click()
    await gate.tab.page.get_by_role("textbox", name="Current location").fill("London")
    await gate.tab.page.keyboard.press("Enter")
    await expect(gate.known()).to_contain_text("Ready to create the checklist")
    await gate.edit("Interests", "Add", "Itinerary").click()
    await gate.tab.page.get_by_role("textbox", name="Interests").fill("food\nmuseums")
    await gate.press("Save", gate.known("Itinerary"))
    await expect(gate.known("Itinerary")).to_contain_text("Ready to create the itinerary")
    # Until the checklist and the itinerary are wanted, both only stand there.
    assert gate.done == []
    await gate.say("create both")
    if "confirm" in request.node.name:
        await expect(gate.card).to_contain_text("Create the checklist and create the itinerary?")
        assert gate.done == []
        await gate.press("Create the checklist and create the itinerary", gate.card)
    await expect(gate.tab.log).to_contain_text("Here's your Rome travel checklist!")
    await expect(gate.tab.log).to_contain_text("Here's your Rome itinerary!")
    assert sorted(gate.done) == ["checklist Rome 5 1", "itinerary Rome 5"]


@in_mode("confirm")
async def test_the_card_says_where_every_value_came_from_and_a_spoken_yes_answers_it(
    gate: Gate,
) -> None:
    await gate.say(FLIGHT)
    await gate.say("create the checklist")
    await expect(gate.card).to_contain_text("from your message: “10 days”")
    await gate.say("yes")
    await expect(gate.tab.log).to_contain_text("Here's your Tokyo travel checklist!")
    await expect(gate.tab.log).to_contain_text("approved by you: “yes”")
    assert gate.done == ["checklist Tokyo 10 2"]


@in_mode("confirm")
async def test_a_change_shows_the_card_again_and_runs_nothing(gate: Gate) -> None:
    await gate.say(FLIGHT)
    await gate.say("create the checklist")
    await gate.say("yes, but make it 12 days")
    await expect(gate.card).to_contain_text("12 days")
    await gate.press("Change: Trip duration", gate.card)
    await gate.card.get_by_role("textbox", name="Trip duration: how many").fill("2")
    await gate.card.get_by_role("combobox", name="Trip duration: of what").select_option("weeks")
    await gate.press("Change and show again", gate.card)
    await expect(gate.card).to_contain_text("entered by you")
    await expect(gate.known()).to_contain_text("Trip duration: 2 weeks")
    assert gate.done == []
    await gate.press("Create the checklist", gate.card)
    await expect(gate.tab.log).to_contain_text("Here's your Tokyo travel checklist!")
    assert gate.done == ["checklist Tokyo 14 2"]


@in_mode("confirm")
async def test_not_yet_runs_nothing(gate: Gate) -> None:
    await gate.say(FLIGHT)
    await gate.say("create the checklist")
    await gate.press("Not yet", gate.card)
    await expect(gate.tab.receipt(CARD)).to_contain_text("rejected")
    await gate.rests()
    assert gate.done == []
    await until_it_is(KNOWN_OF_THE_FLIGHT, gate.lines)


@in_mode("confirm")
async def test_the_panel_shows_what_is_known_and_a_change_in_it_shows_the_card_again(
    gate: Gate,
) -> None:
    await gate.say("I want to visit Japan")
    await expect(gate.known()).to_contain_text("2 of 4 known")
    known = [
        "✅ Destination: Japan",
        "❌ Current location: Not specified",
        "❌ Trip duration: Not specified",
        "✅ Num travelers: 1",
    ]
    await until_it_is(known, gate.lines)
    await expect(gate.known()).to_contain_text("assumed, not said")
    await expect(gate.known()).to_contain_text("from your message: “Japan”")
    await gate.tab.hears("Known now: Destination: Japan")
    await gate.say("2 weeks with my partner")
    await gate.say("From New York")
    await gate.say("create the checklist")
    await expect(gate.card).to_contain_text("New York")
    await gate.edit("Num travelers").click()
    count = gate.known().get_by_role("textbox", name="Num travelers")
    await count.fill("0")
    await count.press("Enter")
    await expect(count).to_have_attribute("aria-invalid", "true")
    await count.fill("3")
    await count.press("Enter")
    await expect(gate.edit("Num travelers")).to_be_focused()
    await expect(gate.tab.receipt(CARD)).to_be_visible()
    await expect(gate.card.locator(".sy-pair", has_text="Num travelers")).to_contain_text("3")
    assert gate.done == []
    await gate.press("Create the checklist", gate.card)
    await expect(gate.tab.log).to_contain_text("Here's your Japan travel checklist!")
    assert gate.done == ["checklist Japan 14 3"]


@in_mode("confirm")
async def test_all_of_it_by_keyboard(gate: Gate) -> None:
    tab, keys = gate.tab, gate.tab.page.keyboard
    await gate.say(FLIGHT)
    await tab.tab_to(gate.edit("Current location"))
    await keys.press("Enter")
    await expect(gate.known().get_by_role("textbox", name="Current location")).to_be_focused()
    await keys.press("Escape")
    await expect(gate.edit("Current location")).to_be_focused()
    await keys.press("Enter")
    await tab.tab_to(gate.edit("Current location", "Clear"))
    await keys.press("Enter")
    await expect(gate.edit("Current location", "Add")).to_be_focused()
    await expect(gate.known()).to_contain_text("Add current location")
    await gate.tab.hears("No longer known: Current location: NYC")
    await keys.press("Enter")
    await expect(gate.known().get_by_role("textbox", name="Current location")).to_be_focused()
    await keys.type("Oslo")
    await keys.press("Enter")
    await expect(gate.edit("Current location")).to_be_focused()
    await expect(gate.known()).to_contain_text("Current location: Oslo")
    await gate.say("create the checklist")
    await expect(gate.card).to_have_count(1)
    await tab.tab_to(tab.button("Create the checklist", gate.card), key="Shift+Tab")
    await keys.press("Enter")
    await expect(tab.log).to_contain_text("Here's your Tokyo travel checklist!")
    assert gate.done == ["checklist Tokyo 10 2"]


@in_mode("confirm")
async def test_start_over_asks_first_and_then_forgets(gate: Gate) -> None:
    await gate.say(FLIGHT)
    await gate.say("create the checklist")
    await expect(gate.card).to_have_count(1)
    await gate.press("Start over…")
    await expect(gate.tab.page.get_by_role("group", name="Forget everything")).to_be_focused()
    await gate.press("Keep it")
    await expect(gate.tab.button("Start over…")).to_be_focused()
    await until_it_is(KNOWN_OF_THE_FLIGHT, gate.lines)
    await gate.press("Start over…")
    await gate.press("Yes, start over")
    await expect(gate.tab.button("Start over…")).to_be_focused()
    await expect(gate.known()).to_contain_text("1 of 4 known")
    await expect(gate.card).to_have_count(0)
    await gate.tab.hears("Started over")
    await gate.say("yes")
    assert gate.done == []
    await expect(gate.tab.log).to_contain_text(FLIGHT)


@in_mode("confirm")
async def test_a_reload_and_a_kill_change_nothing_of_what_is_known(gate: Gate) -> None:
    await gate.say("Plan a trip to Paris")
    await gate.say("5 days, solo")
    await expect(gate.known()).to_contain_text("3 of 4 known")
    before = await gate.known().aria_snapshot()
    await gate.tab.page.reload()
    await gate.tab.until_connected()
    await expect(gate.known()).to_contain_text("3 of 4 known")
    await until_it_is(before, gate.known().aria_snapshot)
    count = await gate.tab.connections()
    await gate.server.restart_after_kill()
    await gate.tab.comes_online()
    await gate.tab.until_connected(after=count)
    await until_it_is(before, gate.known().aria_snapshot)
    await gate.say("From London")
    await gate.say("create the checklist")
    await expect(gate.card).to_have_count(1)
    shown = await gate.card.aria_snapshot()
    count = await gate.tab.connections()
    await gate.server.restart_after_kill()
    await gate.tab.comes_online()
    await gate.tab.until_connected(after=count)
    await until_it_is(shown, gate.card.aria_snapshot)
    await gate.press("Create the checklist", gate.card)
    await expect(gate.tab.log).to_contain_text("Here's your Paris travel checklist!")
    assert gate.done == ["checklist Paris 5 1"]


@pytest.mark.parametrize(
    ("gate", "look"),
    [(("confirm", {"width": look.width, "scheme": look.scheme}), look) for look in LOOKS],
    indirect=["gate"],
    ids=[look.name for look in LOOKS],
)
async def test_it_is_accessible_on_every_screen(gate: Gate, look: Look) -> None:
    tab = gate.tab
    await gate.say(FLIGHT)
    await gate.say("create the checklist")
    await expect(gate.card).to_have_count(1)
    await tab.picture(f"gate-{look.name}-card")
    assert await tab.violations() == []
    assert await tab.sideways_pixels() <= 0
    if look is PHONE:
        # The conversation has the height: its name, and both buttons beside each other.
        head = await tab.main.locator(".top > .button").evaluate_all(
            "all => all.map(button => button.getBoundingClientRect().top)"
        )
        assert len(head) == 2
        assert head[0] == head[1]
        await gate.press("What is known")
    await expect(gate.known()).to_be_visible()
    await gate.edit("Trip duration").click()
    await tab.picture(f"gate-{look.name}-edit")
    await gate.press("Start over…")
    assert await tab.violations() == []
    assert await tab.sideways_pixels() <= 0
    await tab.picture(f"gate-{look.name}-panel")
    if look is PHONE:
        # Its name goes on with how many cards wait there.
        await tab.main.get_by_role("button", name=re.compile("^Back to the chat")).click()
        await expect(tab.log).to_be_visible()


@in_mode(("confirm", {"locale": "zh-CN"}))
async def test_it_is_accessible_in_chinese(gate: Gate) -> None:
    tab = gate.tab
    message = {"content": FLIGHT, "client_message_id": "m1"}
    await gate.server.post(f"/api/chats/{tab.chat_id}/messages", message)
    await gate.rests(said=1)
    await expect(tab.page.get_by_role("region", name="Checklist：已知内容")).to_be_visible()
    await expect(tab.page.get_by_text("已知 4/4")).to_be_visible()
    await expect(tab.page.get_by_text("来自您的消息：“10 days”").first).to_be_visible()
    assert await tab.violations() == []
    await tab.picture("gate-chinese")


@in_mode(("confirm", {"width": PHONE.width}))
async def test_what_is_pressed_and_what_stands_beside_it_keep_their_places(gate: Gate) -> None:
    await gate.say(FLIGHT)
    await gate.say("create the checklist")
    go, wait = (gate.tab.button(name, gate.card) for name in ("Create the checklist", "Not yet"))
    await expect(go).to_be_visible()  # the server rests before the page has heard of it
    # It stays on its way for as long as nobody takes it.
    await gate.server.kill()
    await expect(gate.tab.banner).to_be_visible()
    await go.scroll_into_view_if_needed()
    places = [await one.bounding_box() for one in (go, wait)]
    at = places[0]
    assert at is not None
    # As a finger does it: Playwright's own click scrolls to what sticks although it is in view.
    await gate.tab.page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    sending = gate.tab.button("Sending…", gate.card)
    await expect(sending).to_be_visible()
    assert [await one.bounding_box() for one in (sending, wait)] == places
    await gate.server.start()


async def test_the_choices_of_a_question_can_be_pressed(browser: Browser, tmp_path: Path) -> None:
    async with (
        running(tmp_path / "data", "serve", "tests.browser.choices_app:app") as server,
        console(browser, server.url) as tab,
    ):
        gate = Gate(server, tab, tmp_path / "none")
        await gate.begin()
        await gate.say("plan the walk")
        asked = tab.page.get_by_role("group", name="How fast do you walk?")
        await expect(asked.get_by_role("button")).to_have_text(["slow", "steady", "fast"])
        assert await tab.violations() == []
        await tab.picture("gate-choices")
        await asked.get_by_role("button", name="steady").press("Enter")
        await expect(tab.composer).to_be_focused()
        await expect(gate.known("Walk")).to_contain_text("Pace: steady")
        await expect(asked).to_have_count(0)
        await expect(tab.log).to_contain_text("steady")
        # The other question by its row beside the chat.
        row = gate.known("Walk").get_by_role("group", name="Company, Walk")
        await row.get_by_role("button", name="friends").click()
        await expect(gate.known("Walk")).to_contain_text("Company: friends")
        await expect(gate.edit("Company", action="Walk")).to_be_focused()
        await expect(gate.known("Walk")).to_contain_text("Walk: ready")


async def test_an_offer_taken_up_says_so_on_the_card_and_a_yes_to_small_talk_is_none(
    browser: Browser, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    async with (
        running(
            tmp_path / "data",
            *("serve", "tests.concierge_app:confirm"),
            environment={"GATE_LEDGER": str(ledger)},
        ) as server,
        console(browser, server.url) as tab,
    ):
        gate = Gate(server, tab, ledger)
        await gate.begin()
        await gate.say("Find me something?")
        await expect(gate.known("Booking")).to_contain_text("1 of 3 known")
        await gate.say("that sounds great")
        hotel = "offered as “Grand Hotel”, accepted by your “that sounds great”"
        await expect(gate.known("Booking")).to_contain_text(hotel)
        await gate.say("Ask for it?")
        card = gate.card
        await expect(card).to_contain_text(hotel)
        await expect(card).to_contain_text("offered as “5 January”")
        assert await tab.violations() == []
        await tab.picture("gate-offered")
        await gate.say("Talk about coffee?")
        await expect(card).to_have_count(0)
        await gate.say("yes")
        await expect(tab.log).to_contain_text("Very well.")
        assert gate.done == []
        await gate.say("yes, create it")
        await expect(card).to_have_count(1)
        await gate.say("yes")
        await expect(tab.log).to_contain_text("Booked: Grand Hotel.")
        assert [line.split()[:3] for line in gate.done] == [["booking", "Grand", "Hotel"]]
