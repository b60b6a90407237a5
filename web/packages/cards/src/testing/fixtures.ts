// Cards as the server writes them, for the tests and for the gallery.
import type { CardKind, JsonObject, JsonValue, UiTool } from "@sayso/core";
import type { CardMessage, ToolCall } from "../wire.ts";

export const NOW = new Date("2026-11-21T14:21:00Z");
export const DIGEST = "sha256:6f1c0b7a2d94e85b1e4c3a0f9d8e7c6b5a493827161504f3e2d1c0bfae9d8c7b";

/** A message with an open card. */
export function message(kind: CardKind, fields: JsonObject, meta: JsonObject = {}, tool: Partial<UiTool> = {}): CardMessage {
  const asks = !["validation", "critical_failure", "recoverable_error", "artifact"].includes(kind);
  const ui: UiTool = {
    ui_tool_id: kind,
    event_id: `0193-${kind}`,
    display: "inline",
    ui_tool_completed: false,
    ui_tool_status: asks ? "pending" : "shown",
    payload: {
      ...fields,
      sayso: { card: kind, revision: 1, assignees: [], ...(asks ? { interaction_type: typeOf(kind) } : {}), ...meta },
    },
    timestamp: "2026-11-21T14:15:00+00:00",
    ...tool,
  };
  const said = fields["agent_message"];
  return { content: typeof said === "string" ? said : "", metadata: { ui_tool: ui as unknown as JsonObject } };
}

/** The same message after the fold has brought its end. */
export function settled(open: CardMessage, status: UiTool["ui_tool_status"], more: Partial<UiTool> = {}): CardMessage {
  const tool = open.metadata["ui_tool"] as unknown as UiTool;
  const meta = tool.payload["sayso"] as JsonObject;
  const title = tool.payload["title"];
  const name = meta["card"] !== "ui_tool" && typeof title === "string" && title !== "" ? title : tool.ui_tool_id;
  const isYes = status === "completed" && ["approval", "exchanges", "requirements", "confirmation"].includes(String(meta["card"]));
  const end: UiTool = {
    ...tool,
    ui_tool_completed: true,
    ui_tool_status: status,
    response_summary: `${name} ${isYes ? "approved" : status}`,
    completed_at: "2026-11-21T14:20:00+00:00",
    ...(more.response_summary === undefined ? { code: `settled.${isYes ? "approved" : status}`, params: { name } } : {}),
    ...more,
  };
  return { ...open, metadata: { ui_tool: end as unknown as JsonObject } };
}

/** How the server says such an end: `more` of `settled`. */
export const endings = {
  because: (name: string, ended: "rejected" | "superseded", reason: JsonValue) => ({
    response_summary: `${name} ${ended}: ${typeof reason === "string" ? reason : "tried again"}`,
    code: "settled.because",
    params: { ended: { code: `settled.${ended}`, params: { name } }, reason },
  }),
  inWords: (name: string, words: string) => ({
    response_summary: `${name} approved in words: ${words}`,
    code: "settled.in_words",
    params: { ended: approved(name), words },
  }),
  changed: (name: string, fields: string[]) => ({
    response_summary: `${name} approved, with ${fields.join(" and ")} changed`,
    code: "settled.changed",
    params: { ended: approved(name), fields },
  }),
  changedMany: (name: string, n: number) => ({
    response_summary: `${name} approved, with ${n} values changed`,
    code: "settled.changed_many",
    params: { ended: approved(name), n },
  }),
};

function approved(name: string): JsonObject {
  return { code: "settled.approved", params: { name } };
}

function typeOf(kind: CardKind): string {
  if (kind === "approval" || kind === "exchanges") return "tool_approval";
  return kind === "confirmation" || kind === "hold" || kind === "uncertain_effect" ? "confirmation" : "user_input";
}

export const approvalFields: JsonObject = {
  title: "Refund €42.00 for order 1001",
  agent_message: "The parcel arrived damaged. I would refund the whole amount to the card that paid.",
  message: "The parcel arrived damaged. I would refund the whole amount to the card that paid.",
  tool_name: "refund_order",
  tool_params: { order_id: "1001", amount: 42, reason: "damaged" },
  tool_description: "Pays back an order, wholly or in part.",
  entity_type: "refund",
  entity_summary: "Refund €42.00 for order 1001",
  entity_details: {
    order_id: "1001",
    amount: 42,
    reason: "damaged",
    customer: { name: "Ana Petrović", email: "ana@example.org" },
    items: [
      { name: "Teapot, glass", quantity: 1, price: 34.5 },
      { name: "Tea strainer", quantity: 1, price: 7.5 },
    ],
    notify_customer: true,
    voucher: null,
  },
  action: "create",
  impact: "Pays €42.00 back to the card ending 4411. This cannot be taken back.",
  context: {},
  warnings: [],
  approval_options: ["approve", "reject"],
  requires_reason: true,
  final_confirmation: false,
  edit_schema: {
    type: "object",
    properties: {
      amount: { type: "number", title: "Amount", exclusiveMinimum: 0, maximum: 42, description: "In euro, 42 at most." },
      reason: { type: "string", enum: ["damaged", "late", "wrong_item"] },
    },
  },
  changes: [],
  agent_acts: false,
};

export const approval = message("approval", approvalFields, { digest: DIGEST, tool_call_id: "call_1" });

export const approvalWithTime = message("approval", approvalFields, {
  digest: DIGEST,
  expires_at: "2026-11-21T16:00:00+00:00",
  on_expiry: { action: "reject" },
});

/** What was typed into the revision before, and why the tool would not run with it. */
export const approvalCameBack = message(
  "approval",
  { ...approvalFields, typed: { amount: 50 }, errors: [{ path: "edits/amount", message: "€50.00 is more than was paid. At most €42.00 is left." }] },
  { digest: DIGEST, tool_call_id: "call_1", revision: 2 },
);

export const approvalOfMany = message("approval", { ...approvalFields, may_be_remembered: true }, { digest: DIGEST, tool_call_id: "call_1" });

export const revised = message(
  "approval",
  {
    ...approvalFields,
    title: "Refund €34.50 for order 1001",
    tool_params: { order_id: "1001", amount: 34.5, reason: "damaged" },
    entity_details: { order_id: "1001", amount: 34.5, reason: "damaged" },
    impact: "Pays €34.50 back to the card ending 4411. This cannot be taken back.",
    message: "Only the teapot broke, so I would refund the teapot.",
    changes: [{ path: "amount", before: 42, after: 34.5 }, { path: "items/1", before: { name: "Tea strainer" }, after: null }],
    approval_options: ["Refund it", "Don't refund"],
    warnings: ["The customer has had two refunds this month."],
  },
  { digest: DIGEST, revision: 2 },
);

export const irreversible = message(
  "approval",
  {
    ...approvalFields,
    title: "Delete the pod web-7f9c",
    message: "It has restarted 41 times since noon.",
    tool_name: "delete_pod",
    tool_params: { namespace: "shop", pod: "web-7f9c" },
    entity_details: { namespace: "shop", pod: "web-7f9c", restarts: 41 },
    impact: "The pod and its local files are gone. Its deployment starts another one.",
    final_confirmation: true,
    edit_schema: null,
  },
  { digest: DIGEST },
);

/** Arguments as a foreign tool takes them: things within things, and tables within those. */
export const nested = message("approval", {
  ...approvalFields,
  title: "Put the process “Kettle, electric”",
  message: null,
  tool_name: "data_put",
  entity_details: {
    process: {
      name: "Kettle, electric",
      processDocumentation: {
        timeDescription: "Measured throughout the winter of 2025 and the following summer",
        reviews: [{ reviewType: "Independent external", report: { name: "Consistency of background", location: { country: "Netherlands", organisation: "Environment office" } } }],
      },
      exchanges: [
        { flow: "Electricity", amount: 0.11, unit: "kWh", provider: "Transmission", direction: "Consumption" },
        { flow: "Water", amount: 1, unit: "kg", provider: "Waterworks", direction: "Consumption" },
      ],
      allocation: { factors: { economic: { products: [{ product: "Kettle", share: 0.75, remark: "By price" }, { product: "Cardboard", share: 0.25, remark: "Recycled" }] } } },
    },
  },
  tool_params: {},
  edit_schema: null,
  impact: null,
});

/** A foreign tool's request, where the agent itself acts on the answer. */
export const foreignApproval = message("approval", {
  title: "Output product flow: Reinforced concrete",
  agent_message: "Ready to create output product 'Reinforced concrete'",
  message: "Ready to create output product 'Reinforced concrete'",
  tool_name: "create_output_product",
  tool_params: { name: "Reinforced concrete", flow_type: "PRODUCT_FLOW", flow_property: "Mass", category: "Construction materials" },
  tool_description: "",
  entity_type: "output_product",
  entity_summary: "Output product flow: Reinforced concrete",
  entity_details: { name: "Reinforced concrete", flow_type: "PRODUCT_FLOW", flow_property: "Mass", category: "Construction materials" },
  action: "create",
  impact: "Will create a new product flow in the database",
  context: { workflow_stage: "product", process_name: "Fabrication of reinforced concrete" },
  warnings: [],
  approval_options: ["approve", "reject"],
  requires_reason: true,
  final_confirmation: false,
  changes: [],
  agent_acts: true,
});

export const options = message("options", {
  title: "What allocation method would you like to use?",
  agent_message: "What allocation method would you like to use?",
  question: "What allocation method would you like to use?",
  options: [
    { id: "mass", label: "Mass allocation", description: "Allocate based on mass" },
    { id: "economic", label: "Economic allocation", description: "Allocate based on economic value" },
    { id: "energy", label: "Energy allocation", description: "Allocate based on energy content" },
  ],
  context: { workflow_stage: "allocation_selection", process_name: "Steel production" },
  allow_notes: true,
});

/** More options than are seen at one look. */
export const manyOptions = message("options", {
  title: "Which location should the process have?",
  agent_message: "",
  question: "Which location should the process have?",
  options: ["Austria", "Belgium", "Denmark", "Finland", "France", "Germany", "Ireland", "Italy", "Netherlands", "Portugal", "Spain", "Sweden"].map(
    (label) => ({ id: label.toLowerCase(), label, description: `The average of all plants in ${label}` }),
  ),
  context: {},
  allow_notes: true,
});

export const freeQuestion = message("options", {
  title: "Which order do you mean?",
  agent_message: "Which order do you mean?",
  question: "Which order do you mean?",
  options: [],
  context: {},
  allow_notes: true,
});

export const form = message("form", {
  title: "Where should it be delivered?",
  agent_message: "",
  message: "Order 1002 is still in the warehouse, so the address can be changed.",
  response_schema: {
    type: "object",
    required: ["name", "address", "speed", "on"],
    properties: {
      name: { type: "string", title: "Name", minLength: 2 },
      email: { type: "string", format: "email", title: "E-mail", description: "For the tracking link." },
      address: { $ref: "#/$defs/Address" },
      speed: { type: "string", title: "Delivery", enum: ["standard", "express"] },
      floor: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }], title: "Floor" },
      on: { type: "string", format: "date", title: "Day" },
      from: { type: "string", format: "date-time", title: "Not before" },
      days: { type: "array", title: "Days that suit", items: { enum: ["Monday", "Wednesday", "Friday"] } },
      neighbours: { type: "array", title: "Neighbours who may take it", items: { type: "string" } },
      instructions: { type: "string", title: "Instructions", maxLength: 500 },
      leave_at_door: { type: "boolean", title: "Leave it at the door", default: false },
    },
    $defs: {
      Address: {
        type: "object",
        title: "Address",
        required: ["street", "city"],
        properties: { street: { type: "string", title: "Street and number" }, city: { type: "string", title: "City" } },
      },
    },
  },
  values: { name: "Ana Petrović", speed: "standard" },
  context: {},
  submit_label: "Change the delivery",
});

/** Things in a list, one of two shapes, and a thing that may hold one like itself. */
export const deepForm = message("form", {
  title: "What should be ordered?",
  agent_message: "",
  message: "One order may go to several places.",
  response_schema: {
    type: "object",
    required: ["reference", "lines", "payment"],
    properties: {
      reference: { type: "string", title: "Your reference", minLength: 3 },
      lines: {
        type: "array",
        title: "Lines",
        minItems: 1,
        items: { $ref: "#/$defs/Line" },
      },
      payment: {
        title: "Payment",
        oneOf: [
          { type: "object", title: "By invoice", required: ["to"], properties: { to: { type: "string", title: "Invoice to" } }, additionalProperties: false },
          { type: "object", title: "By card", required: ["ends_in"], properties: { ends_in: { type: "string", title: "Card ends in", pattern: "^[0-9]{4}$" } }, additionalProperties: false },
        ],
      },
    },
    $defs: {
      Line: {
        type: "object",
        required: ["article", "quantity"],
        properties: {
          article: { type: "string", title: "Article", enum: ["Teapot", "Tea strainer", "Tea tin"] },
          quantity: { type: "integer", title: "Quantity", minimum: 1 },
          labels: { type: "array", title: "Labels", items: { type: "string" } },
          gift: { type: "boolean", title: "Wrap it" },
        },
      },
    },
  },
  values: { reference: "Shop 7", lines: [{ article: "Teapot", quantity: 2 }], payment: { to: "Ana Petrović" } },
  context: {},
  submit_label: "Order",
});

const exchangeRows: JsonObject[] = [
  { flow_name: "Concrete, ready-mix", amount: 10, is_input: true, is_quantitative_reference: false, default_provider: "Ready-mix plant, RER" },
  { flow_name: "Steel rebar", amount: 120, is_input: true, is_quantitative_reference: false, default_provider: null },
  { flow_name: "Reinforced concrete", amount: 1, is_input: false, is_quantitative_reference: true, default_provider: null },
];

export const exchangesFields: JsonObject = {
  title: "Add 3 exchanges to “Fabrication of reinforced concrete”",
  agent_message: "",
  message: "Nothing is written until you decide. Each row can be changed or left out.",
  tool_name: "add_exchanges_to_process",
  tool_params: { process_id: "4f19f123-7b3b-11dd-ad8b-0800200c9a66", exchanges: exchangeRows },
  tool_description: "",
  entity_type: "exchanges_batch",
  entity_summary: "Add 3 exchanges",
  entity_details: { process_id: "4f19f123-7b3b-11dd-ad8b-0800200c9a66", process_name: "Fabrication of reinforced concrete", exchanges: exchangeRows },
  action: "create",
  impact: "Will add 3 exchanges to the process in the database",
  context: {},
  warnings: [],
  approval_options: ["approve", "reject"],
  requires_reason: true,
  final_confirmation: false,
  edit_schema: {
    type: "object",
    properties: {
      exchanges: {
        type: "array",
        items: { type: "object", properties: { amount: { type: "number", title: "Amount", exclusiveMinimum: 0 } } },
      },
    },
  },
  changes: [],
  agent_acts: false,
  rows_argument: "exchanges",
  columns: [
    { key: "flow_name", label: "Flow name", editable: false },
    { key: "amount", label: "Amount", editable: true },
    { key: "is_input", label: "Type", editable: false },
    { key: "is_quantitative_reference", label: "Quantitative reference", editable: false },
    { key: "default_provider", label: "Default provider", editable: false },
  ],
  rows: exchangeRows.map((values, i) => ({
    row_id: String(i + 1),
    values,
    warnings: i === 1 ? ["Two suppliers; the first would be taken"] : [],
  })),
};

export const exchanges = message("exchanges", exchangesFields, { digest: DIGEST });

/** As many rows as a real process has, every twentieth with a warning. */
export function exchangesOf(n: number): CardMessage {
  const many: JsonObject[] = Array.from({ length: n }, (_, i) => ({
    flow_name: `Flow ${i + 1}`,
    amount: i + 1,
    is_input: i !== n - 1,
    is_quantitative_reference: i === n - 1,
    default_provider: i % 3 === 0 ? "Market for electricity, RER" : null,
  }));
  const fields: JsonObject = {
    ...exchangesFields,
    title: `Add ${n} exchanges to “Cement, at plant”`,
    tool_params: { process_id: "4f19f123-7b3b-11dd-ad8b-0800200c9a66", exchanges: many },
    entity_details: { process_name: "Cement, at plant" },
    impact: `Will add ${n} exchanges to the process in the database`,
    rows: many.map((values, i) => ({
      row_id: String(i + 1),
      values,
      warnings: i % 20 === 4 ? ["No default provider, and two could be meant"] : [],
    })),
  };
  return message("exchanges", fields, { digest: DIGEST });
}

export const confirmation = message("confirmation", {
  title: "Create the packing checklist?",
  agent_message: "",
  message: "I know all I need. This costs one model call.",
  details: [
    { label: "Destination", value: "Kyoto" },
    { label: "Leaving from", value: "Lisbon" },
    { label: "Trip", value: "10 days" },
    { label: "Travellers", value: 2 },
  ],
  impact: "Spends about €0.40.",
  context: {},
  approval_options: ["Create it", "Not now"],
  requires_reason: false,
});

export const requirementsFields: JsonObject = {
  title: "Create the checklist?",
  agent_message: "Create the checklist?",
  message: "Check the values. Every one can be changed.",
  tool_name: "create_checklist",
  tool_params: {
    destination: "Tokyo",
    current_location: "NYC",
    trip_duration: "P10D",
    num_travelers: 1,
    interests: ["food", "museums"],
    pace: "slow",
  },
  action: "create",
  entity_type: "action",
  approval_options: ["create the checklist", "not yet"],
  requires_reason: false,
  edit_schema: {
    type: "object",
    properties: {
      destination: { type: "string", title: "Destination" },
      current_location: { type: "string", title: "Current location" },
      trip_duration: { type: "string", format: "duration", title: "Trip duration" },
      num_travelers: { type: "integer", minimum: 1, title: "Num travelers" },
      interests: { type: "array", items: { type: "string" }, title: "Interests" },
      pace: { $ref: "#/$defs/Pace", $defs: { Pace: { type: "string", enum: ["slow", "fast"] } }, title: "Pace" },
      accommodation: { anyOf: [{ type: "string" }, { type: "null" }], title: "Accommodation" },
    },
  },
  known: [
    { field: "destination", label: "Destination", text: "Tokyo", source: "from your message", quote: "to Tokyo", assumed: false },
    { field: "current_location", label: "Current location", text: "NYC", source: "from your message", quote: "from NYC", assumed: false },
    { field: "trip_duration", label: "Trip duration", text: "10 days", source: "from your message", quote: "for 10 days", assumed: false },
    { field: "num_travelers", label: "Num travelers", text: "1", source: "assumed", quote: "", assumed: true },
    { field: "interests", label: "Interests", text: "food, museums", source: "entered by you", quote: "", assumed: false },
    { field: "pace", label: "Pace", text: "slow", source: "chosen by you", quote: "", assumed: false },
  ],
};

export const requirements = message("requirements", requirementsFields, { digest: DIGEST });

export const validation = message("validation", {
  title: "Fabrication of reinforced concrete is valid",
  agent_message: "",
  status: "validation_complete",
  process_id: "4f19f123-7b3b-11dd-ad8b-0800200c9a66",
  process_name: "Fabrication of reinforced concrete",
  is_valid: true,
  validation_errors: [],
  validation_warnings: ["Input exchange for 'Concrete' has no default provider"],
  exchange_summary: { total_exchanges: 3, input_exchanges: 2, output_exchanges: 1, quantitative_reference_exchanges: 1 },
  next_steps: ["Create the product system", "Add default providers to the input exchanges"],
});

export const invalid = message("validation", {
  title: "Orders of November are not valid",
  agent_message: "",
  status: "validation_complete",
  is_valid: false,
  validation_errors: ["Order 1003 has no delivery address", "Order 1007 was paid twice"],
  validation_warnings: ["Order 1002 waits for 9 days"],
  exchange_summary: { orders: 12, paid: 11 },
  next_steps: ["Ask the customer of order 1003 for an address"],
});

export const criticalFields: JsonObject = {
  title: "OpenLCA client not available",
  agent_message: "",
  status: "critical_failure",
  message: "Cannot connect to the database, so nothing was read or written.",
  details: "ConnectionRefusedError: [Errno 111] Connection refused",
  code: "tool_unavailable",
  resolution_steps: ["Ensure OpenLCA software is running", "Check if IPC server is accessible"],
  retry: { tool_call_id: "call_9", tool_name: "list_processes", arguments: { limit: 20 } },
};

export const critical = message("critical_failure", criticalFields);

export const recoverable = message("recoverable_error", {
  title: "Flow property 'Volumee' not found",
  agent_message: "",
  status: "error",
  message: "Flow property 'Volumee' not found",
  details: "KeyError: 'Volumee'",
  suggestion: "Use a valid flow property name like 'Mass', 'Volume', etc.",
  retry: {
    tool_call_id: "call_7",
    tool_name: "create_flow",
    arguments: { name: "Water", flow_property: "Volumee" },
    arguments_schema: {
      type: "object",
      required: ["name", "flow_property"],
      properties: { name: { type: "string" }, flow_property: { type: "string" } },
    },
  },
});

export const away = message("recoverable_error", {
  title: "The model is not available",
  agent_message: "",
  status: "error",
  message: "desk could not reach its model, tried again several times, and stopped.",
  details: "RateLimitError: too many requests",
  suggestion: "Try again in a while: it goes on from where it was, and nothing is done twice.",
  retry_run: "run-1",
});

export const hold = message(
  "hold",
  {
    title: "Refund €42.00 for order 1001",
    agent_message: "Refund €42.00 for order 1001",
    tool_name: "refund_order",
    details: [{ label: "amount", value: 42 }],
    approval_options: ["run now", "undo"],
  },
  { expires_at: "2026-11-21T14:00:10+00:00", on_expiry: { action: "answer" } },
);

export const uncertain = message("uncertain_effect", {
  title: "Did the refund for order 1001 go through?",
  agent_message: "",
  tool_name: "refund_order",
  tool_params: { order_id: "1001", amount: 42 },
  started_at: "2026-11-21T14:02:00+00:00",
  attempt: 1,
  options: [
    { id: "run_again", label: "Run it again" },
    { id: "mark_done", label: "It was done" },
    { id: "skip", label: "Skip it" },
  ],
});

export const artifact = message("artifact", {
  title: "Packing checklist, Kyoto",
  agent_message: "The checklist stands beside the chat; you can change it there.",
  artifact_id: "art_1",
  version: 3,
});

export const uiTool = message(
  "ui_tool",
  {
    title: "Approve the action plan",
    agent_message: "Three steps, about **two days** of work.",
    steps: ["Collect the readings", "Compare with last year", "Write the report"],
    budget: { amount: 1200, currency: "EUR" },
    options: [{ id: "accept", label: "Accept the plan" }, { id: "shorter", label: "Make it shorter" }],
  },
  {},
  { ui_tool_id: "ActionPlanApprovalForm" },
);

export const uiToolForm = message(
  "ui_tool",
  { title: "Rate the answer", agent_message: "" },
  {
    response_schema: {
      type: "object",
      required: ["stars"],
      properties: { stars: { type: "integer", minimum: 1, maximum: 5, title: "Stars" }, comment: { type: "string", title: "Comment" } },
    },
  },
  { ui_tool_id: "RatingForm" },
);

export const toolCalls: ToolCall[] = [
  {
    name: "explore_available_product_flows",
    arguments: { query: "reinforced concrete", limit: 20 },
    ran_seconds: 0.021,
    status: "done",
    result: { count: 14, first: "Concrete, ready-mix" },
  },
  {
    name: "refund_order",
    arguments: { order_id: "1001", amount: 34.5 },
    asked_arguments: { order_id: "1001", amount: 42 },
    ran_seconds: 1.4,
    status: "done",
    result: "Refunded.",
  },
  { name: "list_processes", arguments: {}, status: "running" },
  {
    name: "create_flow",
    arguments: { name: "Water" },
    ran_seconds: 3,
    status: "failed",
    error: "Flow property 'Volumee' not found",
  },
  { name: "delete_pod", arguments: { pod: "web-7f9c" }, status: "uncertain" },
];
