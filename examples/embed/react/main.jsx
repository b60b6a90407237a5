// Everything that waits, drawn by Sayso's cards in your own React page, answered over Sayso's REST API.
import { CardView } from "@sayso/cards";
import { createApi, messageOf, speak } from "@sayso/cards/core";
import "@sayso/cards/cards.css";
import { useCallback, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const api = createApi({ fetch: (path, init) => fetch(path, init), uuid: () => crypto.randomUUID() });

function Approvals() {
  const [items, setItems] = useState(null);
  const load = useCallback(async () => setItems((await api.interactions({ limit: 50 })).items), []);

  useEffect(() => {
    load();
    // One line per change in any chat; what changed is asked for.
    const hints = new EventSource("/api/stream");
    hints.addEventListener("chat.changed", load);
    return () => hints.close();
  }, [load]);

  if (items === null) return <p>Loading…</p>;
  return (
    <>
      <h1>{items.filter(({ status }) => status === "pending").length} waiting</h1>
      {items.map((interaction) => (
        <CardView
          key={interaction.interaction_id}
          message={messageOf(interaction)}
          send={(action) => answered(interaction.interaction_id, action).then(load)}
          response={interaction.response}
          now={new Date()}
        />
      ))}
    </>
  );
}

/** What a card sends, by the route that takes it. */
async function answered(id, action) {
  if (action.type === "answer") await api.answer(id, action.body);
  if (action.type === "dismiss") await api.dismiss(id, action.reason);
  if (action.type === "extend") await api.extend(id, action.seconds);
  if (action.type === "retry") await api.retry(action.tool_call_id, action.arguments);
}

// The cards speak English until they are told otherwise, before they are drawn.
if (navigator.language.startsWith("zh")) {
  const { default: catalog } = await import("@sayso/cards/zh-Hans");
  await speak("zh-Hans", catalog, [navigator.language]);
}
createRoot(document.getElementById("app")).render(<Approvals />);
