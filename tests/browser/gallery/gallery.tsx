// Draws every card in every state. What is on its way or failed is brought about by pressing the card's own buttons.
import { useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import type { JsonObject } from "../../../web/packages/core/src/index.ts";
import { CardView, Markdown, Progress, ToolRow, type CardMessage } from "../../../web/packages/cards/src/index.ts";
import * as cards from "../../../web/packages/cards/src/testing/fixtures.ts";
import "../../../web/packages/cards/src/styles/cards.css";
import "./gallery.css";

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
const rejected = (open: CardMessage, title: string): Sample => ({
  state: "rejected",
  message: settled(open, "rejected", { completed_by: "me", response_summary: `${title} rejected: the amount is for both items, refund only the teapot` }),
});
const onItsWay = (open: CardMessage, button: string, draft: JsonObject = {}): Sample[] => [
  { state: "sending", message: open, press: [button], send: "never", draft },
  { state: "failed to send", message: open, press: [button], send: "fails", draft },
];

const formTyped: JsonObject = { values: { on: "2026-11-24", address: { street: "Rua do Sol 3", city: "Lisboa" } } };
const rowsDecided: JsonObject = {
  rows: { "1": "approved", "2": "left_out", "3": "approved" },
  row_reasons: { "2": "supplier unclear" },
  cells: { "1": { amount: "2400" } },
};

const samples: Record<string, Sample[]> = {
  Approval: [
    { state: "pending", message: cards.approval },
    { state: "pending, with time left", message: cards.approvalWithTime },
    { state: "pending, values being changed", message: cards.approval, draft: { edits: { amount: "34.5", reason: "damaged" } } },
    { state: "pending, a change that does not fit", message: cards.approval, draft: { edits: { amount: "420" } }, press: ["Approve"] },
    { state: "pending, revised", message: cards.revised },
    { state: "pending, saying why not", message: cards.approval, press: ["Reject"], draft: { reason: "Only the teapot broke." } },
    { state: "pending, no reason given", message: cards.approval, press: ["Reject", "Reject"] },
    { state: "pending, last look", message: cards.irreversible, press: ["Approve"] },
    { state: "pending, the agent acts on it", message: cards.foreignApproval },
    ...onItsWay(cards.approval, "Approve", { edits: { amount: "34.5" } }),
    rejected(cards.approval, "Refund €42.00 for order 1001"),
    ...ends(cards.approval, { reason: "Only the teapot broke." }),
  ],
  Options: [
    { state: "pending", message: cards.options },
    { state: "pending, chosen", message: cards.options, draft: { selected_option: "mass", additional_notes: "As last time." } },
    { state: "pending, nothing chosen", message: cards.options, press: ["Send"] },
    { state: "pending, free question", message: cards.freeQuestion },
    ...onItsWay(cards.options, "Send", { selected_option: "mass" }),
    ...ends(cards.options, { additional_notes: "I would ask the supplier first." }),
  ],
  Form: [
    { state: "pending", message: cards.form },
    { state: "pending, with errors", message: cards.form, press: ["Change"], draft: { values: { email: "ana", floor: "2.5" } } },
    ...onItsWay(cards.form, "Change", formTyped),
    ...ends(cards.form, formTyped),
  ],
  "Exchanges table": [
    { state: "pending", message: cards.exchanges },
    { state: "pending, decided", message: cards.exchanges, draft: rowsDecided },
    { state: "pending, one row undecided", message: cards.exchanges, draft: { rows: { "1": "approved" } }, press: ["Approve"] },
    ...onItsWay(cards.exchanges, "Approve", rowsDecided),
    ...ends(cards.exchanges, { row_reasons: { "2": "supplier unclear" } }),
  ],
  Confirmation: [
    { state: "pending", message: cards.confirmation },
    ...onItsWay(cards.confirmation, "Create"),
    rejected(cards.confirmation, "Create the packing checklist?"),
    ...ends(cards.confirmation),
  ],
  "Validation report": [
    { state: "valid", message: cards.validation },
    { state: "not valid", message: cards.invalid },
  ],
  "Critical failure": [
    { state: "shown", message: cards.critical },
    { state: "retry taken", message: cards.critical, press: ["Try"], send: "works" },
    ...onItsWay(cards.critical, "Try"),
  ],
  "Recoverable error": [
    { state: "shown", message: cards.recoverable },
    { state: "retry taken", message: cards.recoverable, press: ["Try"], send: "works" },
    ...onItsWay(cards.recoverable, "Try", { arguments: { flow_property: "Volume" } }),
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
    ...onItsWay(cards.uiTool, "Accept"),
    ...ends(cards.uiTool),
  ],
};

const problem = {
  title: "No connection",
  detail: "The server could not be reached.",
  fix: "Try again when you are connected.",
  code: "unreachable",
};

function SampleView({ sample }: { sample: Sample }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void (async () => {
      for (const word of sample.press ?? []) {
        const buttons = [...(place.current?.querySelectorAll("button") ?? [])];
        buttons.find((button) => button.textContent?.startsWith(word))?.click();
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
        <h3>A message</h3>
        <div className="state"><Markdown text={PROSE} /></div>
      </section>
    </main>
  );
}

const place = document.getElementById("gallery");
if (place === null) throw new Error("index.html has no #gallery");
createRoot(place).render(<Gallery />);
