// The calls that an app makes of its server: some end at once, some wait for a person, however long.
import { type Api, type JsonObject, type JsonValue, Problem, type UiCall } from "@sayso/core";

export type UiCallsApi = Pick<Api, "askForUi" | "uiCalls" | "uiCall">;

export type UiCalls = ReturnType<typeof createUiCalls>;

/** Whether asking again would be answered in the same way. */
const isFinal = ({ document: { status } }: Problem) => status >= 400 && status < 500 && status !== 429;

/** Follow the calls of one app; `changed` is told all that are open, and how the last one ended. */
export function createUiCalls(api: UiCallsApi, of: string, changed: (open: readonly UiCall[]) => void, pause: () => Promise<void>) {
  const open = new Map<string, UiCall>();
  /** The one that ended last is told until another begins. */
  let last: UiCall | null = null;
  /** One loop a call, however often the app asks for it. */
  const followed = new Map<string, Promise<JsonValue>>();
  let isOver = false;

  function tell(call: UiCall) {
    if (isOver) return;
    last = call.state === "ended" ? call : null;
    if (last === null) open.set(call.id, call);
    else open.delete(call.id);
    changed([...open.values(), ...(last === null ? [] : [last])]);
  }

  function follow(call: UiCall): Promise<JsonValue> {
    const known = followed.get(call.id);
    if (known !== undefined) return known;
    const ended = untilEnded(call).finally(() => followed.delete(call.id));
    followed.set(call.id, ended);
    return ended;
  }

  async function untilEnded(call: UiCall): Promise<JsonValue> {
    for (let at = call; ; ) {
      tell(at);
      if (at.state === "ended") return at.result;
      try {
        at = await api.uiCall(of, at.id, at.state);
      } catch (error) {
        if (error instanceof Problem && isFinal(error)) {
          tell({ ...at, state: "ended" });
          throw error;
        }
        // The call goes on without this page; a connection that broke comes back.
        await pause();
      }
      if (isOver) return null;
    }
  }

  return {
    async ask(method: string, params: JsonObject): Promise<JsonValue> {
      const { result, call } = await api.askForUi(of, method, params);
      return call === null ? result : follow(call);
    },
    /** What was open before this page was: its results go to nobody, but people see how it stands. */
    async find(): Promise<void> {
      for (const call of await api.uiCalls(of)) follow(call).catch(() => undefined);
    },
    stop(): void {
      isOver = true;
    },
  };
}
