// One approval. An answer is on its way until the test says that it "arrives"; or somebody else has "answered-elsewhere".
// With ?rows=N it is a table of N rows.
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { CardView } from "../../../web/packages/cards/src/index.ts";
import css from "../../../web/packages/cards/src/styles/cards.css?inline";
import { approval, endings, exchangesOf, NOW, settled } from "../../../web/packages/cards/src/testing/fixtures.ts";
import { placeFor } from "./place.ts";

function One() {
  const rows = Number(new URLSearchParams(location.search).get("rows"));
  const [message, setMessage] = useState(rows > 0 ? exchangesOf(rows) : approval);
  useEffect(() => {
    addEventListener("answered-elsewhere", () => setMessage(settled(approval, "completed", { completed_by: "ana" })));
  }, []);
  return (
    <CardView
      message={message}
      now={NOW}
      me="me"
      send={async (action) => {
        await new Promise((resolve) => addEventListener("arrives", resolve, { once: true }));
        if (action.type !== "answer") return;
        const { approved, user_message } = action.body;
        const title = "Refund €42.00 for order 1001";
        const end = approved
          ? settled(approval, "completed", { completed_by: "ana" })
          : settled(approval, "rejected", { completed_by: "ana", ...endings.because(title, "rejected", user_message ?? "") });
        setMessage(end);
      }}
    />
  );
}

createRoot(placeFor("place", css)).render(<One />);
