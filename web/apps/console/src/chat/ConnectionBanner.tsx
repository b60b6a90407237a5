// A banner while the connection is lost. Not a live region: the announcer speaks.
import { type Connection, t } from "@sayso/core";
import { useEffect, useState } from "react";
import { useUnreachable } from "./useUnreachable.ts";

/** Most interruptions end before a banner could be read. */
const SHOWS_AFTER_MILLISECONDS = 700;

export function ConnectionBanner({ connection, retry }: { connection: Connection; retry: () => void }) {
  const isLost = connection.state === "lost";
  const isUnreachable = useUnreachable();
  const [shows, setShows] = useState(false);
  useEffect(() => {
    if (!isLost) return setShows(false);
    const timer = setTimeout(() => setShows(true), SHOWS_AFTER_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isLost]);

  if (connection.state === "closed") {
    return (
      <section className="banner" aria-label={t("Connection")}>
        <p>{connection.problem?.detail ?? t("This page is no longer connected.")}</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          {t("Reload")}
        </button>
      </section>
    );
  }
  if (!isUnreachable && (!isLost || !shows)) return null;
  return (
    <section className="banner" aria-label={t("Connection")}>
      <p>{t("No connection. What you write is kept, and sent when it is back.")}</p>
      <button type="button" className="button" onClick={retry}>
        {t("Try now")}
      </button>
    </section>
  );
}
