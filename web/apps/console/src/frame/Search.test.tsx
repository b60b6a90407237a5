// A field that finds while one types: it passes on what was typed, and takes nothing of it away.
import { cleanup, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Search } from "./Search.tsx";

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A list with a filter, and the button that takes it away. */
function draw() {
  const person = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  const asked: string[] = [];
  function List() {
    const [value, setValue] = useState("");
    const ask = (words: string) => {
      asked.push(words);
      setValue(words);
    };
    return (
      <>
        <Search label="Find" value={value} onChange={ask} />
        <button type="button" onClick={() => ask("")}>
          Show everything
        </button>
      </>
    );
  }
  render(<List />);
  return { person, asked, field: screen.getByRole<HTMLInputElement>("searchbox", { name: "Find" }) };
}

const rest = () => vi.advanceTimersByTimeAsync(1000);

describe("a field that finds while one types", () => {
  it("asks once for what was typed, when the fingers rest", async () => {
    const { person, asked, field } = draw();
    await person.type(field, "order");
    await rest();
    expect(asked).toEqual(["order"]);
  });

  it("leaves the space at which the fingers rested", async () => {
    const { person, asked, field } = draw();
    await person.type(field, "wrong ");
    await rest();
    await person.type(field, "list");
    await rest();
    expect(field.value).toBe("wrong list");
    expect(asked).toEqual(["wrong", "wrong list"]);
  });

  it("does not come back with what was just typed after everything was asked for", async () => {
    const { person, asked, field } = draw();
    await person.type(field, "refund");
    await person.click(screen.getByRole("button", { name: "Show everything" }));
    await rest();
    expect(field.value).toBe("");
    expect(asked.at(-1)).toBe("");
  });
});
