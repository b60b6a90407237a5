// A view that is loaded late: it says so, takes the focus along, and can be asked for again.
import { cleanup, render, screen, waitFor } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ComponentType } from "react";
import { Announcer } from "./announce.tsx";
import { lazyPage } from "./lazyComponent.tsx";

const View = () => <h2 tabIndex={-1}>The view</h2>;

afterEach(cleanup);

/** Loads that are settled by hand, one by one. */
function byHand() {
  const asked: { come: () => void; fail: () => void }[] = [];
  const load = () =>
    new Promise<ComponentType<object>>((resolve, reject) =>
      asked.push({ come: () => resolve(View), fail: () => reject(new TypeError("no such file")) }),
    );
  const Late = lazyPage(load, (view) => view);
  const draw = () =>
    render(
      <>
        <Announcer />
        <main>
          <Late />
        </main>
      </>,
    );
  return { asked, Late, draw };
}

const heading = (name: string) => screen.findByRole("heading", { name });

describe("a view that is loaded late", () => {
  it("takes the focus along from the skeleton's heading", async () => {
    const { asked, draw } = byHand();
    draw();
    (await heading("Loading…")).focus();
    asked[0]?.come();
    await waitFor(async () => expect(document.activeElement).toBe(await heading("The view")));
  });

  it("leaves the focus where it is when it is elsewhere", async () => {
    const { asked, draw } = byHand();
    draw();
    await heading("Loading…");
    asked[0]?.come();
    await heading("The view");
    expect(document.activeElement).toBe(document.body);
  });

  it("is there at once when it was fetched before", async () => {
    const { asked, Late, draw } = byHand();
    const fetched = Late.preload();
    asked[0]?.come();
    await fetched;
    draw();
    expect(screen.getByRole("heading", { name: "The view" })).toBeTruthy();
  });

  it("says that it did not come, and is asked for again", async () => {
    const { asked, draw } = byHand();
    draw();
    await heading("Loading…");
    asked[0]?.fail();
    await heading("This part of the page could not be loaded.");
    expect(document.getElementById("announce-assertive")?.textContent).toBe("This part of the page could not be loaded.");
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(async () => expect(document.activeElement).toBe(await heading("Loading…")));
    asked[1]?.come();
    await waitFor(async () => expect(document.activeElement).toBe(await heading("The view")));
  });

  it("comes by itself after a while, however often it did not", async () => {
    vi.useFakeTimers();
    const { asked, draw } = byHand();
    draw();
    for (const pause of [0, 1000, 2000, 4000]) {
      await vi.advanceTimersByTimeAsync(pause);
      asked.at(-1)?.fail();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
    expect(document.getElementById("announce-assertive")?.childElementCount).toBe(1);
    await vi.advanceTimersByTimeAsync(8000);
    asked.at(-1)?.come();
    await vi.advanceTimersByTimeAsync(0);
    expect(screen.getByRole("heading", { name: "The view" })).toBeTruthy();
    vi.useRealTimers();
  });

  it("offers a reload when it does not come again", async () => {
    const { asked, draw } = byHand();
    const reload = vi.fn();
    vi.stubGlobal("location", { reload });
    draw();
    asked[0]?.fail();
    await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
    await waitFor(() => expect(asked).toHaveLength(2));
    asked[1]?.fail();
    await userEvent.click(await screen.findByRole("button", { name: "Reload the page" }));
    expect(reload).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });
});
