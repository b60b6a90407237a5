// Draws every card in every state. What is on its way or failed is brought about by pressing the card's own buttons.
import { useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import { type JsonObject, speak, t } from "../../../web/packages/core/src/index.ts";
import chinese from "../../../web/locales/zh-Hans.po";
import { CardView, Markdown, Progress, registerCard, ToolRow, type CardMessage } from "../../../web/packages/cards/src/index.ts";
import { NotLoaded, Skeleton } from "../../../web/packages/cards/src/parts/Skeleton.tsx";
import * as cards from "../../../web/packages/cards/src/testing/fixtures.ts";
import cardsCss from "../../../web/packages/cards/src/styles/cards.css?inline";
import galleryCss from "./gallery.css?inline";
import { placeFor } from "./place.ts";

interface Sample {
  state: string;
  message: CardMessage;
  draft?: JsonObject;
  /** Words that buttons begin with, pressed one after the other. */
  press?: string[];
  send?: "never" | "fails" | "works";
}

const { settled } = cards;
const ends = (open: CardMessage, draft: JsonObject = {}): Sample[] => [
  { state: "completed", message: settled(open, "completed", { completed_by: "ana" }) },
  { state: "dismissed", message: settled(open, "dismissed", { completed_by: "ben" }) },
  { state: "expired", message: settled(open, "expired"), draft },
  { state: "cancelled", message: settled(open, "cancelled", { completed_by: "me" }) },
  { state: "superseded", message: settled(open, "superseded") },
];
const elsewhere = (open: CardMessage, draft: JsonObject): Sample => ({
  state: "answered elsewhere while being written",
  message: settled(open, "completed", { completed_by: "ana" }),
  draft,
});
const rejected = (open: CardMessage, title: string): Sample => ({
  state: "rejected",
  message: settled(open, "rejected", { completed_by: "me", ...cards.endings.because(title, "rejected", "the amount is for both items, refund only the teapot") }),
});
const onItsWay = (open: CardMessage, button: string, draft: JsonObject = {}): Sample[] => [
  { state: "sending", message: open, press: [button], send: "never", draft },
  { state: "failed to send", message: open, press: [button], send: "fails", draft },
];

/** As the chat has it after the retry began a new run. */
function triedAgain(shown: CardMessage): Sample {
  const { payload } = shown.metadata["ui_tool"] as unknown as { payload: JsonObject };
  return { state: "tried again", message: settled(shown, "superseded", { completed_by: "me", ...cards.endings.because(String(payload["title"]), "superseded", { code: "settled.tried_again", text: "tried again" }) }) };
}

const formTyped: JsonObject = { values: { on: "2026-11-24", address: { street: "Rua do Sol 3", city: "Lisboa" } } };
const deepTyped: JsonObject = { values: { reference: "x", lines: [{ article: "Teapot", quantity: 0 }, {}], payment: { to: "Ana" } } };
const rowsDecided: JsonObject = {
  rows: { "1": "approved", "2": "left_out", "3": "approved" },
  row_reasons: { "2": "supplier unclear" },
  cells: { "1": { amount: "2400" } },
};

const ownElement = cards.message("ui_tool", { title: "Choose a seat", agent_message: "" }, {}, { ui_tool_id: "SeatPicker" });

const samples: Record<string, Sample[]> = {
  Approval: [
    { state: "pending", message: cards.approval },
    { state: "pending, with time left", message: cards.approvalWithTime },
    { state: "pending, values being changed", message: cards.approval, draft: { edits: { amount: "34.5", reason: "damaged" } } },
    { state: "pending, a change that does not fit", message: cards.approval, draft: { edits: { amount: "420" } }, press: ["Approve"] },
    { state: "pending, revised", message: cards.revised },
    { state: "pending, come back from the tool", message: cards.approvalCameBack },
    { state: "pending, saying why not", message: cards.approval, press: ["Reject"], draft: { reason: "Only the teapot broke." } },
    { state: "pending, no reason given", message: cards.approval, press: ["Reject", "Reject"] },
    { state: "pending, last look", message: cards.irreversible, press: ["Approve"] },
    { state: "pending, things within things", message: cards.nested },
    { state: "pending, the agent acts on it", message: cards.foreignApproval },
    { state: "pending, with always on offer", message: cards.approvalOfMany },
    ...onItsWay(cards.approval, "Approve", { edits: { amount: "34.5" } }),
    rejected(cards.approval, "Refund €42.00 for order 1001"),
    ...ends(cards.approval, { reason: "Only the teapot broke." }),
    elsewhere(cards.approval, { reason: "Only the teapot broke.", suggestions: "Refund €34.50" }),
  ],
  Options: [
    { state: "pending", message: cards.options },
    { state: "pending, chosen", message: cards.options, draft: { selected_option: "mass", additional_notes: "As last time." } },
    { state: "pending, nothing chosen", message: cards.options, press: ["Send"] },
    { state: "pending, free question", message: cards.freeQuestion },
    { state: "pending, many options", message: cards.manyOptions, draft: { selected_option: "portugal" } },
    ...onItsWay(cards.options, "Send", { selected_option: "mass" }),
    ...ends(cards.options, { additional_notes: "I would ask the supplier first." }),
    elsewhere(cards.options, { additional_notes: "I would ask the supplier first." }),
  ],
  Form: [
    { state: "pending", message: cards.form },
    { state: "pending, with errors", message: cards.form, press: ["Change"], draft: { values: { email: "ana", floor: "2.5" } } },
    ...onItsWay(cards.form, "Change", formTyped),
    ...ends(cards.form, formTyped),
    elsewhere(cards.form, formTyped),
  ],
  "Deep form": [
    { state: "pending", message: cards.deepForm },
    { state: "pending, with errors", message: cards.deepForm, draft: deepTyped, press: ["Order"] },
    ...onItsWay(cards.deepForm, "Order"),
    ...ends(cards.deepForm, deepTyped),
  ],
  "Exchanges table": [
    { state: "pending", message: cards.exchanges },
    { state: "pending, decided", message: cards.exchanges, draft: rowsDecided },
    { state: "pending, one row undecided", message: cards.exchanges, draft: { rows: { "1": "approved" } }, press: ["Add"] },
    { state: "pending, many rows", message: cards.exchangesOf(22) },
    ...onItsWay(cards.exchanges, "Add", rowsDecided),
    rejected(cards.exchanges, "Add 3 exchanges to “Fabrication of reinforced concrete”"),
    ...ends(cards.exchanges, { row_reasons: { "2": "supplier unclear" } }),
    elsewhere(cards.exchanges, { row_reasons: { "2": "supplier unclear" } }),
  ],
  Confirmation: [
    { state: "pending", message: cards.confirmation },
    ...onItsWay(cards.confirmation, "Create"),
    rejected(cards.confirmation, "Create the packing checklist?"),
    ...ends(cards.confirmation),
  ],
  Hold: [{ state: "pending", message: cards.hold }, ...onItsWay(cards.hold, "Undo"), ...ends(cards.hold)],
  Requirements: [
    { state: "pending", message: cards.requirements },
    {
      state: "pending, values being changed",
      message: cards.requirements,
      draft: { edits: { trip_duration: { count: "2", unit: "weeks" }, interests: "food\ntemples", pace: "fast", accommodation: "hotel", num_travelers: "3" } },
    },
    { state: "pending, a change that does not fit", message: cards.requirements, draft: { edits: { num_travelers: "0", trip_duration: { count: "", unit: "days" } } }, press: ["Change and show again"] },
    ...onItsWay(cards.requirements, "Create the checklist"),
    { state: "rejected", message: settled(cards.requirements, "rejected", { completed_by: "me" }) },
    ...ends(cards.requirements, { edits: { destination: "Kyoto" } }),
  ],
  "Validation report": [
    { state: "valid", message: cards.validation },
    { state: "not valid", message: cards.invalid },
  ],
  "Critical failure": [
    { state: "shown", message: cards.critical },
    { state: "retry taken", message: cards.critical, press: ["Try again"], send: "works" },
    triedAgain(cards.critical),
    ...onItsWay(cards.critical, "Try again"),
  ],
  "Recoverable error": [
    { state: "shown", message: cards.recoverable },
    { state: "retry taken", message: cards.recoverable, press: ["Try again"], send: "works" },
    triedAgain(cards.recoverable),
    ...onItsWay(cards.recoverable, "Try again", { arguments: { flow_property: "Volume" } }),
  ],
  "Uncertain effect": [
    { state: "pending", message: cards.uncertain },
    { state: "pending, marked as done", message: cards.uncertain, draft: { selected_option: "mark_done", result: "Refund R-77 of 14:02" } },
    ...onItsWay(cards.uncertain, "Send", { selected_option: "skip" }),
    ...ends(cards.uncertain),
  ],
  Artifact: [{ state: "shown", message: cards.artifact }],
  "An application's own": [
    { state: "pending, options", message: cards.uiTool },
    { state: "pending, form", message: cards.uiToolForm },
    { state: "pending, drawn by an element of the page", message: ownElement },
    ...onItsWay(cards.uiTool, "Accept"),
    ...ends(cards.uiTool),
  ],
};

/** What an application brings: an element that draws its own card. */
class SeatPicker extends HTMLElement {
  connectedCallback(): void {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sy-button";
    button.textContent = "Take seat 12A";
    button.addEventListener("click", () => this.dispatchEvent(new CustomEvent("sayso-answer", { detail: { seat: "12A" } })));
    this.replaceChildren(button);
  }
}
customElements.define("seat-picker", SeatPicker);
registerCard("SeatPicker", "seat-picker");

const problem = {
  title: "No connection",
  detail: "The server could not be reached.",
  fix: "Try again when you are connected.",
  code: "unreachable",
};

/** What a card shows when it is open is fetched when one is. */
async function buttonOf(place: { current: HTMLElement | null }, word: string): Promise<HTMLButtonElement> {
  for (;;) {
    const buttons = [...(place.current?.querySelectorAll("button") ?? [])];
    const found = buttons.find(({ textContent: words }) => [word, t(word)].some((said) => words.startsWith(said)));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

function SampleView({ sample }: { sample: Sample }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void (async () => {
      while (place.current?.querySelector(".sy-skeleton")) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const word of sample.press ?? []) {
        (await buttonOf(place, word)).click();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    })();
  }, []);
  const send = (): Promise<void> => {
    if (sample.send === "fails") return Promise.reject(problem);
    return sample.send === "never" ? new Promise(() => undefined) : Promise.resolve();
  };
  return (
    <div className="state" ref={place} data-state={sample.state}>
      <p>{sample.state}</p>
      <CardView message={sample.message} send={send} draft={sample.draft} now={cards.NOW} me="me" openArtifact={() => undefined} />
    </div>
  );
}

const PROSE = `I found **Concrete, ready-mix** and two suppliers of steel rebar, see the [database](https://example.org).

## What comes next

1. Check the *amounts*
2. Choose a supplier for \`Steel rebar\`
   - the first is nearer
   - the second is cheaper

> Nothing is written before you decide.

| Flow | Amount | Unit | Supplier | Location | Comment |
|---|---:|---|---|---|---|
| Concrete | 2400 | kg | Ready-mix plant | Europe | averageoverallplants |
| Steel | 120 | kg | Open | – | – |

\`\`\`json
{"process": "Fabrication of reinforced concrete", "exchanges": 3, "comment": "a line that is longer than a telephone is wide"}
\`\`\`

![a chart](https://example.org/chart.png) <b>not bold</b>`;

function Gallery() {
  return (
    <main>
      <h1>Cards</h1>
      {Object.entries(samples).map(([name, list]) => (
        <section key={name} data-card={name} aria-label={name}>
          <h2>{name}</h2>
          {list.map((sample) => <SampleView key={sample.state} sample={sample} />)}
        </section>
      ))}
      <section data-card="Rows" aria-label="Rows">
        <h2>Tool rows, progress, text</h2>
        <div className="state">
          {cards.toolCalls.map((call, i) => <ToolRow key={i} call={call} />)}
        </div>
        <div className="state">
          <Progress
            progress={{
              stages: [
                { id: "goal", label: "Goal and product", state: "done" },
                { id: "process", label: "Process", state: "done" },
                { id: "exchanges", label: "Exchanges", state: "current" },
                { id: "validation", label: "Validation", state: "todo" },
              ],
              current: "exchanges",
              fraction: 0.5,
              note: "Waits for you.",
            }}
          />
        </div>
        <div className="state"><p>still loading</p><div className="sy-slot"><div className="sy-card"><Skeleton lines={5} /></div></div></div>
        <div className="state"><p>not loaded</p><div className="sy-slot"><div className="sy-card"><NotLoaded retry={() => undefined} /></div></div></div>
        <h3>A message</h3>
        <div className="state"><Markdown text={PROSE} /></div>
      </section>
    </main>
  );
}

if (new URLSearchParams(location.search).get("lang") === "zh-Hans") {
  document.documentElement.lang = "zh-Hans";
  await speak("zh-Hans", chinese);
}
createRoot(placeFor("gallery", cardsCss, galleryCss)).render(<Gallery />);
