// The host's side of MCP Apps (2026-01-26), for one frame: answers what the app asks, and gives it its tool's input and result.
// The app's document has no origin, so messages are known by the window that they come from.
import { isObject, type JsonObject, type JsonValue } from "@sayso/core";

export interface ToolUiGiven {
  tool_input: JsonObject;
  tool_result: JsonValue;
}

export interface ToolUiEvents {
  /** The app has said that it is ready. */
  ready: () => void;
  /** The app says how high it is. */
  height: (pixels: number) => void;
}

const PROTOCOL = "2026-01-26";
const LEAST_HEIGHT = 80;
const MOST_HEIGHT = 2000;
/** More messages than this in one second are dropped. */
const MOST_A_SECOND = 100;
const NO_SUCH_METHOD = -32601;

/** Serve a frame until the returned function is called. */
export function serveToolUi(frame: Window, given: ToolUiGiven, context: JsonObject, on: ToolUiEvents): () => void {
  let second = 0;
  let heard = 0;
  let isReady = false;
  // The document has no origin to name; nothing is sent before the app itself has spoken.
  const send = (message: JsonObject) => frame.postMessage({ jsonrpc: "2.0", ...message }, "*");

  function onMessage({ source, data, timeStamp }: MessageEvent<JsonValue>) {
    if (source !== frame || !isObject(data) || data["jsonrpc"] !== "2.0" || typeof data["method"] !== "string") return;
    const now = Math.floor(timeStamp / 1000);
    heard = now === second ? heard + 1 : 1;
    second = now;
    if (heard > MOST_A_SECOND) return;
    const { method, id } = data;
    if (typeof id === "string" || typeof id === "number") send({ id, ...answerTo(method, data["params"], context) });
    else if (method === "ui/notifications/initialized" && !isReady) {
      isReady = true;
      send({ method: "ui/notifications/tool-input", params: { arguments: given.tool_input } });
      if (isObject(given.tool_result)) send({ method: "ui/notifications/tool-result", params: given.tool_result });
      on.ready();
    } else if (method === "ui/notifications/size-changed") {
      const height = isObject(data["params"]) ? data["params"]["height"] : undefined;
      if (typeof height === "number" && Number.isFinite(height)) {
        on.height(Math.min(Math.max(Math.round(height), LEAST_HEIGHT), MOST_HEIGHT));
      }
    }
  }

  addEventListener("message", onMessage);
  return () => {
    removeEventListener("message", onMessage);
    if (isReady) send({ id: "teardown", method: "ui/resource-teardown", params: {} });
  };
}

function answerTo(method: string, params: JsonValue | undefined, context: JsonObject): JsonObject {
  switch (method) {
    case "ui/initialize": {
      const asked = isObject(params) ? params["protocolVersion"] : undefined;
      const version = typeof asked === "string" ? asked : PROTOCOL;
      return {
        result: {
          protocolVersion: version,
          hostInfo: { name: "sayso", version: "1" },
          hostCapabilities: {},
          hostContext: { ...context, displayMode: "inline", availableDisplayModes: ["inline"] },
        },
      };
    }
    case "ui/request-display-mode":
      return { result: { mode: "inline" } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: NO_SUCH_METHOD, message: `This host does not do ${method}.` } };
  }
}
