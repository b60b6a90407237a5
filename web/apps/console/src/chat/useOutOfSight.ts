// Counts the waiting cards that are out of sight: scrolled away or in a closed panel.
import type { MessageItem } from "@sayso/core";
import { useEffect, useState } from "react";

export function useOutOfSight(waiting: readonly MessageItem[], place: { readonly current: HTMLElement | null }): number {
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set());
  const ids = waiting.map((message) => message.event_id).join(" ");

  useEffect(() => {
    if (typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver((changes) =>
      setUnseen((before) => {
        const now = new Set(before);
        for (const { target, isIntersecting } of changes) isIntersecting ? now.delete(target.id) : now.add(target.id);
        return now;
      }),
    );
    for (const { event_id } of waiting) {
      const card = place.current?.querySelector(`#${CSS.escape(`card-${event_id}`)}`);
      if (card != null) observer.observe(card);
    }
    return () => observer.disconnect();
  }, [ids]);

  return waiting.filter(({ event_id }) => unseen.has(`card-${event_id}`)).length;
}
