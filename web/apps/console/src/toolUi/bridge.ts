// The host's side of MCP Apps (2026-01-26), for one frame: answers what the app asks, and gives it its tool's input and result.
// The app's document has no origin, so messages are known by the window that they come from.
import { isObject, type JsonObject, type JsonValue, Problem } from "@sayso/core";
import { fits } from "./fits.ts";

export interface ToolUiGiven {
  tool_input: JsonObject;
  tool_result: JsonValue;
}

/** What this host does for an app. What a person has to agree to resolves once they have said yes or no. */
export interface ToolUiHost {
  /** Theme, language, place: read whenever the app asks, or is told of a change. */
  context: () => JsonObject;
  ready: () => void;
  height: (pixels: number) => void;
  /** `tools/call` and `resources/read` of its own server; fails with a Problem. */
  ask: (method: "tools/call" | "resources/read", params: JsonObject) => Promise<JsonValue>;
  message: (params: JsonObject) => Promise<boolean>;
  note: (params: JsonObject) => boolean;
  openLink: (params: JsonObject) => Promise<boolean>;
  download: (params: JsonObject) => Promise<boolean>;
  /** Return the mode that holds from now on. */
  showAs: (mode: string) => string;
  close: () => void;
}

export interface ServedToolUi {
  /** Tell the app what has changed of its context. */
  changed: () => void;
  /** Tell the app that it goes, and wait until it has heard, for a moment. */
  end: () => Promise<void>;
}

const PROTOCOL = "2026-01-26";
const LEAST_HEIGHT = 80;
const MOST_HEIGHT = 2000;
/** More messages than this in one second are dropped. */
const MOST_A_SECOND = 100;
/** More questions than this at once are refused. */
const MOST_AT_ONCE = 20;
const LARGEST_MESSAGE = 1024 * 1024;
const END_MILLISECONDS = 500;
const FAILED = -32000;
const NO_SUCH_METHOD = -32601;
const NOT_UNDERSTOOD = -32602;

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: JsonObject,
  ) {
    super(message);
  }
}

/** Serve a frame until it is ended. */
export function serveToolUi(frame: Window, given: ToolUiGiven, host: ToolUiHost): ServedToolUi {
  let second = 0;
  let heard = 0;
  let isReady = false;
  let open = 0;
  /** The display modes that the app has declared; it is never shown in another. */
  let modes: readonly JsonValue[] = [];
  let gone: (() => void) | null = null;
  // The document has no origin to name; nothing is sent before the app itself has spoken.
  const send = (message: JsonObject) => frame.postMessage({ jsonrpc: "2.0", ...message }, "*");

  function onMessage({ source, data, timeStamp }: MessageEvent<JsonValue>) {
    if (source !== frame || !isObject(data) || data["jsonrpc"] !== "2.0") return;
    const now = Math.floor(timeStamp / 1000);
    heard = now === second ? heard + 1 : 1;
    second = now;
    if (heard > MOST_A_SECOND) return;
    const { method, id } = data;
    if (typeof method !== "string") return void (id === END_ID && gone?.());
    const params = isObject(data["params"]) ? data["params"] : {};
    if (typeof id === "string" || typeof id === "number") void answer(id, method, params);
    else hear(method, params);
  }

  function hear(method: string, params: JsonObject) {
    if (method === "ui/notifications/initialized" && !isReady) {
      isReady = true;
      send({ method: "ui/notifications/tool-input", params: { arguments: given.tool_input } });
      if (isObject(given.tool_result)) send({ method: "ui/notifications/tool-result", params: given.tool_result });
      host.ready();
    } else if (method === "ui/notifications/size-changed") {
      const { height } = params;
      if (typeof height === "number" && Number.isFinite(height)) {
        host.height(Math.min(Math.max(Math.round(height), LEAST_HEIGHT), MOST_HEIGHT));
      }
    } else if (method === "ui/notifications/request-teardown") host.close();
  }

  async function answer(id: string | number, method: string, params: JsonObject) {
    open += 1;
    try {
      if (open > MOST_AT_ONCE) throw new Refusal(FAILED, "Too many questions are open.");
      if (!fits(params, LARGEST_MESSAGE)) throw new Refusal(NOT_UNDERSTOOD, "This is too large, or is no JSON.");
      send({ id, result: await resultOf(method, params) });
    } catch (error) {
      send({ id, error: errorOf(error) });
    } finally {
      open -= 1;
    }
  }

  async function resultOf(method: string, params: JsonObject): Promise<JsonValue> {
    switch (method) {
      case "ui/initialize": {
        const asked = params["protocolVersion"];
        const declared = isObject(params["appCapabilities"]) ? params["appCapabilities"]["availableDisplayModes"] : undefined;
        modes = Array.isArray(declared) ? declared : [];
        return {
          protocolVersion: typeof asked === "string" ? asked : PROTOCOL,
          hostInfo: { name: "sayso", version: "1" },
          hostCapabilities: CAPABILITIES,
          hostContext: host.context(),
        };
      }
      case "ping":
        return {};
      case "ui/request-display-mode": {
        const mode = params["mode"];
        return { mode: host.showAs(typeof mode === "string" && modes.includes(mode) ? mode : "") };
      }
      case "tools/call":
      case "resources/read":
        return host.ask(method, params);
      case "ui/message":
        return told(await host.message(params));
      case "ui/update-model-context":
        if (!host.note(params)) throw new Refusal(NOT_UNDERSTOOD, "A note is text, and not so long.");
        return {};
      case "ui/open-link":
        return told(await host.openLink(params));
      case "ui/download-file":
        return told(await host.download(params));
      default:
        throw new Refusal(NO_SUCH_METHOD, `This host does not do ${method}.`);
    }
  }

  addEventListener("message", onMessage);
  return {
    changed() {
      if (isReady) send({ method: "ui/notifications/host-context-changed", params: host.context() });
    },
    async end() {
      if (isReady) {
        const heardIt = new Promise<void>((done) => (gone = done));
        const late = new Promise<void>((done) => setTimeout(done, END_MILLISECONDS));
        send({ id: END_ID, method: "ui/resource-teardown", params: {} });
        await Promise.race([heardIt, late]);
      }
      removeEventListener("message", onMessage);
    },
  };
}

const END_ID = "teardown";
const CAPABILITIES: JsonObject = {
  serverTools: {},
  serverResources: {},
  openLinks: {},
  downloadFile: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
};

/** How a host says that a person has said no. */
const told = (isYes: boolean): JsonObject => (isYes ? {} : { isError: true });

function errorOf(error: unknown): JsonObject {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof Problem) return { code: FAILED, message: error.detail, data: { code: error.code } };
  throw error;
}
