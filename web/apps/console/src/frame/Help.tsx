// What the keyboard can do, and the switch for the one shortcut there is.
import { useEffect, useRef, useState } from "react";
import { messages as texts } from "../messages.ts";
import { setShortcut, shortcutIsOn } from "./nextCard.ts";

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(shortcutIsOn);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">{texts.help.title}</h2>
      <dl>
        <dt>
          <kbd>Alt</kbd> <kbd>Shift</kbd> <kbd>J</kbd>
        </dt>
        <dd>{texts.help.next}</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>{texts.help.send}</dd>
        <dt>
          <kbd>Shift</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>{texts.help.line}</dd>
      </dl>
      <label className="row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setShortcut(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />
        {texts.help.use}
      </label>
      <form method="dialog">
        <button className="button">{texts.help.close}</button>
      </form>
    </dialog>
  );
}
