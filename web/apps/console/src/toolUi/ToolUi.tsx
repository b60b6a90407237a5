// The button that opens a tool's own UI, over the chat or in it.
import { t, type ToolCallItem } from "@sayso/core";
import { useRef, useState } from "react";
import { lazyPart } from "../frame/lazyComponent.tsx";
import type { ChatForUis } from "./chatForUis.ts";

const ToolUiDialog = lazyPart(
  () => import("./ToolUiDialog.tsx"),
  (file) => file.ToolUiDialog,
);
export function ToolUi({ call, chat }: { call: ToolCallItem; chat: ChatForUis }) {
  const [place, setPlace] = useState<"nowhere" | "over" | "in">("nowhere");
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setPlace("nowhere");
    button.current?.focus();
  };
  const name = t("{name} UI", { name: call.name });
  return (
    <>
      <button
        ref={button}
        type="button"
        className="link"
        aria-expanded={place === "in" ? true : undefined}
        onClick={() => (place === "in" ? setPlace("nowhere") : setPlace("over"))}
      >
        {name}
      </button>
      {place !== "nowhere" && <ToolUiDialog call={call} chat={chat} place={place} close={close} moveIntoChat={() => setPlace("in")} />}
    </>
  );
}
