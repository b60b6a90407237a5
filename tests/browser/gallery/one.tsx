// One approval, settled a moment after it is answered, as the chat would do it.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { CardView } from "../../../web/packages/cards/src/index.ts";
import css from "../../../web/packages/cards/src/styles/cards.css?inline";
import { approval, NOW, settled } from "../../../web/packages/cards/src/testing/fixtures.ts";

function One() {
  const [message, setMessage] = useState(approval);
  return (
    <CardView
      message={message}
      now={NOW}
      send={async (action) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (action.type !== "answer") return;
        const { approved, user_message } = action.body;
        const title = "Refund €42.00 for order 1001";
        const end = approved
          ? settled(approval, "completed", { completed_by: "ana" })
          : settled(approval, "rejected", { completed_by: "ana", response_summary: `${title} rejected: ${user_message}` });
        setTimeout(() => setMessage(end), 50);
      }}
    />
  );
}

const place = document.getElementById("place");
if (place === null) throw new Error("one.html has no #place");
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
if (location.hash === "#shadow") {
  const shadow = place.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheet];
  const inside = document.createElement("div");
  shadow.append(inside);
  createRoot(inside).render(<One />);
} else {
  document.adoptedStyleSheets = [sheet];
  createRoot(place).render(<One />);
}
