// The console draws its frame.
import { render, screen } from "@testing-library/preact";
import { expect, it } from "vitest";
import { App } from "./App.tsx";

it("names itself", () => {
  render(<App />);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Sayso");
});
