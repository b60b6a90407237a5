// The app's side of MCP Apps (2026-01-26). The host is known by its window: this document has no origin.
const host = { canCall: false, given: {}, onResult() {}, onProblem() {}, onContext() {}, onEnd() {} };
const asked = new Map();
let lastId = 0;
let saidHeight = 0;

const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function ask(method, params) {
  const id = ++lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => asked.set(id, { resolve, reject }));
}

/** Call a tool of this app's server. What it refuses, or whoever stands before it, is an error with its words. */
async function callTool(name, given) {
  const result = await ask("tools/call", { name, arguments: given });
  if (result.isError) throw new Error(textOf(result));
  return result;
}

function textOf(result) {
  return (result.content || []).filter((one) => one.type === "text").map((one) => one.text).join("\n");
}

function setContext(context) {
  if (!context) return;
  if (context.theme === "dark" || context.theme === "light") document.documentElement.dataset.theme = context.theme;
  if (context.locale) setLocale(context.locale);
  host.onContext();
}

const HEARD = {
  "ui/notifications/tool-input": (params) => { host.given = params.arguments || {}; },
  "ui/notifications/tool-result": (params) => (params.isError ? host.onProblem(textOf(params)) : host.onResult(params)),
  "ui/notifications/tool-cancelled": (params) => host.onProblem(params.reason || t("The call was cancelled.")),
  "ui/notifications/host-context-changed": (params) => setContext(params),
  "ui/resource-teardown": () => host.onEnd(),
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data === null || typeof data !== "object" || data.jsonrpc !== "2.0") return;
  if (data.method !== undefined) {
    HEARD[data.method]?.(data.params || {});
    if (data.id !== undefined) send({ id: data.id, result: {} });
    return;
  }
  const waits = asked.get(data.id);
  asked.delete(data.id);
  if (data.error) waits?.reject(new Error(data.error.message));
  else waits?.resolve(data.result || {});
});

async function connect() {
  const { hostCapabilities, hostContext } = await ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "sayso-pods", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  host.canCall = Boolean(hostCapabilities && hostCapabilities.serverTools);
  setContext(hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === saidHeight) return;
    saidHeight = height;
    send({ method: "ui/notifications/size-changed", params: { width: document.body.clientWidth, height } });
  }).observe(document.body);
}
