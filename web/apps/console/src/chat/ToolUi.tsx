// The button that opens a tool's own UI.
import { t, type ToolCallItem } from "@sayso/core";
import { useRef, useState } from "react";
import { lazyPart } from "../frame/lazyComponent.tsx";

const ToolUiDialog = lazyPart(
  () => import("./ToolUiDialog.tsx"),
  (file) => file.ToolUiDialog,
);

export function ToolUi({ call }: { call: ToolCallItem }) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button ref={button} type="button" className="link" onClick={() => setIsOpen(true)}>
        {t("{name} UI", { name: call.name })}
      </button>
      {isOpen && (
        <ToolUiDialog
          call={call}
          close={() => {
            setIsOpen(false);
            button.current?.focus();
          }}
        />
      )}
    </>
  );
}
