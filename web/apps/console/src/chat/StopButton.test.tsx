// Where the focus goes when a run ends, and the button that stops it with it.
import { cleanup, render, screen } from "@testing-library/preact";
import { afterEach, expect, it, vi } from "vitest";
import { StopButton } from "./StopButton.tsx";

afterEach(cleanup);

const page = (isRunning: boolean, after: () => void) => (
  <>
    {isRunning && <StopButton cancel={() => Promise.resolve()} runId="r1" waiting={[]} after={after} />}
    <textarea />
  </>
);

it("is led on from the button that goes", () => {
  const after = vi.fn();
  const { rerender } = render(page(true, after));
  screen.getByRole("button", { name: "Stop" }).focus();
  rerender(page(false, after));
  expect(after).toHaveBeenCalledOnce();
});

it("stays where it is, though it was on the button when that was last drawn", () => {
  const after = vi.fn();
  const { rerender } = render(page(true, after));
  screen.getByRole("button", { name: "Stop" }).focus();
  rerender(page(true, after));
  screen.getByRole("textbox").focus();
  rerender(page(false, after));
  expect(after).not.toHaveBeenCalled();
});
