// Today's receipts below the inbox.
import { type Interaction, isHold, messageOf, t } from "@sayso/core";
import { CardView } from "@sayso/cards";
import { useEffect, useState } from "react";
import { api } from "../browser.ts";
import type { OverviewStore } from "../frame/overview.ts";
import { Link, pathTo } from "../router.tsx";

const FIRST = 5;
const MOST = 50;

interface Props {
  store: OverviewStore;
  now: Date;
  me: string | undefined;
  /** Ids already shown in the list above. */
  besides: readonly Interaction[];
}

export function SettledToday({ store, now, me, besides }: Props) {
  const [settled, setSettled] = useState<readonly Interaction[]>([]);
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    async function load() {
      timer = null;
      const morning = new Date();
      morning.setHours(0, 0, 0, 0);
      try {
        setSettled((await api.interactions({ order: "settled", settled_after: morning.toISOString(), limit: MOST })).items);
      } catch {
        // It is loaded again on the next hint.
      }
    }
    void load();
    const off = store.onHint(() => void (timer ??= setTimeout(() => void load(), 500)));
    return () => {
      off();
      if (timer !== null) clearTimeout(timer);
    };
  }, [store]);

  const above = new Set(besides.map((row) => row.interaction_id));
  const rows = settled.filter((row) => row.status !== "pending" && !isHold(row) && !above.has(row.interaction_id));
  if (rows.length === 0) return null;
  const shown = isWhole ? rows : rows.slice(0, FIRST);
  return (
    <section className="in-settled" aria-labelledby="settled-today">
      <h3 id="settled-today">{t("Decided today")}</h3>
      <ul>
        {shown.map((row) => (
          <li key={row.interaction_id}>
            <CardView message={messageOf(row)} response={row.response} send={nothing} now={now} me={me} />
          </li>
        ))}
      </ul>
      <p className="row-foot quiet">
        {rows.length > shown.length && (
          <button type="button" className="link" onClick={() => setWhole(true)}>
            {t("Show {n} more", { n: rows.length - shown.length })}
          </button>
        )}
        <Link className="link" to={pathTo.history}>{t("All of the history")}</Link>
      </p>
    </section>
  );
}

/** A receipt sends nothing. */
const nothing = () => Promise.resolve();
