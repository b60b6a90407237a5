// The filters of a list that a person keeps by name, on all their devices.
import { isObject, type JsonObject, t } from "@sayso/core";
import { type FormEvent, useRef, useState } from "react";
import { announce } from "./announce.tsx";
import { chooseFor, useChoices } from "./choices.ts";
import { describeError } from "./hooks.ts";
import type { Query, SetQuery } from "./query.ts";

interface Props {
  list: "inbox" | "history";
  /** The parameters that are kept. */
  names: readonly string[];
  query: Query;
  setQuery: SetQuery;
}

export function SavedFilters({ list, names, query, setQuery }: Props) {
  const all = parsed(useChoices().filters);
  const kept = isObject(all[list]) ? all[list] : {};
  const here = searchOf(names, query);
  const name = Object.keys(kept).find((each) => kept[each] === here);
  const [isNaming, setNaming] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  function keep(next: JsonObject, words: string) {
    setNaming(false);
    setTimeout(() => button.current?.focus());
    chooseFor("filters", JSON.stringify({ ...all, [list]: next })).then(
      () => announce(words),
      (error: unknown) => announce(describeError(error).detail, "assertive"),
    );
  }

  function save(event: FormEvent) {
    event.preventDefault();
    const given = field.current?.value.trim() ?? "";
    if (given !== "") keep({ ...kept, [given]: here }, t("Saved"));
  }

  function forget() {
    const { [name ?? ""]: _, ...rest } = kept;
    keep(rest, t("Removed"));
  }

  return (
    <>
      <div role="group" aria-label={t("Saved filters")}>
        {Object.entries(kept).map(([each, search]) => (
          <button
            key={each}
            type="button"
            className="pill"
            dir="auto"
            aria-pressed={each === name}
            onClick={() => setQuery({ ...blank(names), ...(each === name ? {} : Object.fromEntries(new URLSearchParams(String(search)))) })}
          >
            {each}
          </button>
        ))}
      </div>
      {isNaming ? (
        <form onSubmit={save} onKeyDown={(event) => event.key === "Escape" && setNaming(false)}>
          <label className="pick">
            <span>{t("Name of this filter")}</span>
            <input ref={field} type="text" required maxLength={40} autoFocus />
          </label>
          <button type="submit" className="button">{t("Save")}</button>
        </form>
      ) : (
        here !== "" && (
          <button ref={button} type="button" className="link" onClick={name === undefined ? () => setNaming(true) : forget}>
            {name === undefined ? t("Save this filter") : t("Remove the filter “{name}”", { name })}
          </button>
        )
      )}
    </>
  );
}

function searchOf(names: readonly string[], query: Query): string {
  const given = [...names].sort().flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]));
  return new URLSearchParams(given).toString();
}

const blank = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ""]));

/** What is kept comes from the browser's storage, and may be anything. */
function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as JsonObject) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
