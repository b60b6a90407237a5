// The filters and the order of the inbox, kept in the URL.
import { type InteractionQuery, type PendingCounts, t } from "@sayso/core";
import type { Query, SetQuery } from "../frame/query.ts";
import { SavedFilters } from "../frame/SavedFilters.tsx";
import { Choice, Picks, Search } from "../frame/Search.tsx";
import { agentName, kindWords } from "../words.ts";
import { SOON_MILLISECONDS } from "./Row.tsx";

const KINDS = ["approval", "exchanges", "options", "form", "confirmation", "uncertain_effect", "ui_tool"];
const ORDERS = ["oldest", "newest", "expiring"] as const;
/** Clears all filters; the order is not one. */
export const NO_FILTER = { kind: "", mine: "", soon: "", agent: "", q: "" };

interface Props {
  query: Query;
  setQuery: SetQuery;
  counts: PendingCounts | null;
}

export function Filters({ query, setQuery, counts }: Props) {
  const showsKinds = KINDS.filter((kind) => (counts?.kinds[kind] ?? 0) > 0 || query["kind"] === kind);
  const agents = Object.keys(counts?.agents ?? {}).filter((name) => name !== "");
  return (
    <div className="filters">
      <div role="group" aria-label={t("Show")}>
        <Pill isOn={query["kind"] === undefined} press={() => setQuery({ kind: "" })}>
          {t("All")} {counts?.pending ?? ""}
        </Pill>
        {showsKinds.map((kind) => (
          <Pill key={kind} isOn={query["kind"] === kind} press={() => setQuery({ kind: query["kind"] === kind ? "" : kind })}>
            {kindWords(kind)} {counts?.kinds[kind] ?? 0}
          </Pill>
        ))}
        <Pill isOn={query["mine"] !== undefined} press={() => setQuery({ mine: query["mine"] === undefined ? "1" : "" })}>
          {t("Mine")}
        </Pill>
        <Pill isOn={query["soon"] !== undefined} press={() => setQuery({ soon: query["soon"] === undefined ? "1" : "" })}>
          {t("Expires soon")}
        </Pill>
      </div>
      <SavedFilters list="inbox" names={[...Object.keys(NO_FILTER), "order"]} query={query} setQuery={setQuery} />
      <Picks label={t("Search and sort")} isUsed={["q", "agent", "order"].some((name) => query[name] !== undefined)}>
        <Search label={t("Search")} value={query["q"] ?? ""} onChange={(q) => setQuery({ q })} />
        {(agents.length > 1 || query["agent"] !== undefined) && (
          <Choice
            label={t("Agent")}
            value={query["agent"] ?? ""}
            onChange={(agent) => setQuery({ agent })}
            options={[["", t("All agents")], ...agents.map((name) => [name, agentName(name)] as const)]}
          />
        )}
        <Choice
          label={t("Order")}
          value={orderOf(query)}
          onChange={(next) => setQuery({ order: next === "oldest" ? "" : next })}
          options={ORDERS.map((name) => [name, orderWords(name)] as const)}
        />
      </Picks>
    </div>
  );
}

export function wantedOf(query: Query): InteractionQuery {
  const { kind, agent, q } = query;
  return {
    order: orderOf(query),
    ...(kind === undefined ? {} : { kind }),
    ...(agent === undefined ? {} : { agent }),
    ...(q === undefined ? {} : { q }),
    ...(query["mine"] === undefined ? {} : { assignee: "me" }),
    ...(query["soon"] === undefined ? {} : { expires_before: new Date(Date.now() + SOON_MILLISECONDS).toISOString() }),
  };
}

export function isFiltered(query: Query): boolean {
  return Object.keys(NO_FILTER).some((name) => query[name] !== undefined);
}

export function leadFor(query: Query): string {
  switch (orderOf(query)) {
    case "oldest":
      return t("Waiting for your answer, oldest first");
    case "newest":
      return t("Waiting for your answer, newest first");
    case "expiring":
      return t("Waiting for your answer, least time left first");
  }
}

function Pill({ isOn, press, children }: { isOn: boolean; press: () => void; children: (string | number)[] | string }) {
  return (
    <button type="button" className="pill" aria-pressed={isOn} onClick={press}>
      {children}
    </button>
  );
}

function orderOf(query: Query): (typeof ORDERS)[number] {
  return ORDERS.find((name) => name === query["order"]) ?? "oldest";
}

function orderWords(order: (typeof ORDERS)[number]): string {
  switch (order) {
    case "oldest":
      return t("Oldest first");
    case "newest":
      return t("Newest first");
    case "expiring":
      return t("Least time left first");
  }
}
