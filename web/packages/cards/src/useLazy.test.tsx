// What is loaded later is drawn whenever it comes, even between a drawing and its effects.
import { cleanup, render, screen } from "@testing-library/preact";
import { afterEach, expect, it, vi } from "vitest";
import { lazy, type Lazy } from "@sayso/core";
import { useLazy } from "./useLazy.ts";

afterEach(cleanup);

function Drawn({ what }: { what: Lazy<string> }) {
  const loaded = useLazy(what);
  if (loaded.is === "failed") return <button type="button" onClick={loaded.retry}>again</button>;
  return <p>{loaded.is === "loaded" ? loaded.value : "…"}</p>;
}

it("draws what came after the drawing and before its effects", async () => {
  let come: (words: string) => void = () => undefined;
  const what = lazy(() => new Promise<string>((resolve) => (come = resolve)));
  void what.load();
  const isFirst = { current: true };
  const early: Lazy<string> = {
    ...what,
    now() {
      // There, but for the first question, which is the first drawing's.
      if (!isFirst.current) return what.now();
      isFirst.current = false;
      return undefined;
    },
  };
  come("here");
  await what.load();
  render(<Drawn what={early} />);
  expect(await screen.findByText("here")).toBeTruthy();
});

it("asks again when it is pressed", async () => {
  let tries = 0;
  const what = lazy(() => (++tries === 1 ? Promise.reject(new Error("away")) : Promise.resolve("here")));
  render(<Drawn what={what} />);
  (await screen.findByRole("button", { name: "again" })).click();
  expect(await screen.findByText("here")).toBeTruthy();
  expect(tries).toBe(2);
});

it("is asked for by itself until it is there, and says only once that it failed", async () => {
  vi.useFakeTimers();
  let tries = 0;
  const what = lazy(() => (++tries < 4 ? Promise.reject(new Error("away")) : Promise.resolve("here")));
  render(<Drawn what={what} />);
  for (const pause of [0, 1000, 2000]) {
    await vi.advanceTimersByTimeAsync(pause);
    expect(screen.getByRole("button", { name: "again" })).toBeTruthy();
  }
  await vi.advanceTimersByTimeAsync(4000);
  expect(screen.getByText("here")).toBeTruthy();
  vi.useRealTimers();
});
