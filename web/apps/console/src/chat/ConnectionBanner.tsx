// Says that the connection is gone, for as long as it is; the words of others are told by the announcer.
import type { Connection } from "@sayso/core";
import { useEffect, useState } from "react";
import { messages as texts } from "../messages.ts";

/** Most cuts heal faster than a banner is read. */
const SHOWS_AFTER_MILLISECONDS = 700;

export function ConnectionBanner({ connection, retry }: { connection: Connection; retry: () => void }) {
  const isLost = connection.state === "lost";
  const [shows, setShows] = useState(false);
  useEffect(() => {
    if (!isLost) return setShows(false);
    const timer = setTimeout(() => setShows(true), SHOWS_AFTER_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isLost]);

  if (connection.state === "closed") {
    return (
      <section className="banner" aria-label={texts.connection.region}>
        <p>{connection.problem?.detail ?? texts.connection.closed}</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          {texts.connection.reload}
        </button>
      </section>
    );
  }
  if (!isLost || !shows) return null;
  return (
    <section className="banner" aria-label={texts.connection.region}>
      <p>{texts.connection.lost}</p>
      <button type="button" className="button" onClick={retry}>
        {texts.connection.retry}
      </button>
    </section>
  );
}
