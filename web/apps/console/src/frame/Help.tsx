// The keyboard shortcuts, and the switch that disables them.
import { t } from "@sayso/core";
import { useEffect, useRef } from "react";
import { chooseFor, useChoices } from "./choices.ts";

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { shortcut } = useChoices();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">{t("Keyboard")}</h2>
      <dl>
        <dt>
          <kbd>Alt</kbd> <kbd>Shift</kbd> <kbd>J</kbd>
        </dt>
        <dd>{t("Go to the next card that waits")}</dd>
        <dt>
          <kbd>Ctrl</kbd> <kbd>K</kbd>
        </dt>
        <dd>{t("Find anything")}</dd>
        <dt>
          <kbd>↑</kbd> <kbd>↓</kbd> {t("or")} <kbd>k</kbd> <kbd>j</kbd>
        </dt>
        <dd>{t("In the inbox: from row to row")}</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>{t("In the inbox: open the row, or close it")}</dd>
        <dt>
          <kbd>e</kbd>
        </dt>
        <dd>{t("In the inbox: press the row's first button")}</dd>
        <dt>
          <kbd>x</kbd>
        </dt>
        <dd>{t("In the inbox: select the row")}</dd>
        <dt>
          <kbd>c</kbd>
        </dt>
        <dd>{t("In the inbox: say that you are looking at it, or no longer")}</dd>
        <dt>
          <kbd>s</kbd>
        </dt>
        <dd>{t("In the inbox: snooze the row for an hour")}</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{t("Show these keys")}</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>{t("In a chat: send the message")}</dd>
        <dt>
          <kbd>Shift</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>{t("New line in a message")}</dd>
      </dl>
      <label className="row">
        <input
          type="checkbox"
          checked={shortcut}
          // It applies here at once, even if the server cannot be reached.
          onChange={(event) => void chooseFor("shortcut", event.currentTarget.checked).catch(() => undefined)}
        />
        {t("Use shortcuts")}
      </label>
      <form method="dialog">
        <button className="button">{t("Close")}</button>
      </form>
    </dialog>
  );
}
