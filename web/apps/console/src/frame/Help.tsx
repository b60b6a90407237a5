// The keyboard shortcuts, and the switch that disables them.
import { t } from "@sayso/core";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { chooseFor, useChoices } from "./choices.ts";

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { shortcut } = useChoices();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">{t("Keyboard")}</h2>
      {keysByPlace().map(({ where, keys }) => (
        <section key={where} aria-label={where}>
          <h3>{where}</h3>
          <dl>
            {keys.map(([pressed, does]) => (
              <Fragment key={does}>
                <dt>{pressed}</dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
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

function keysByPlace(): { where: string; keys: [pressed: ReactNode, does: string][] }[] {
  return [
    {
      where: t("Everywhere"),
      keys: [
        [<Keys of={["Alt", "Shift", "J"]} />, t("Go to the next card that waits")],
        [<Keys of={["Ctrl", "K"]} />, t("Find anything")],
        [<Keys of={["/"]} />, t("Search here, or write")],
        [<Keys of={["?"]} />, t("Show these keys")],
      ],
    },
    {
      where: t("In the inbox"),
      keys: [
        [<><Keys of={["j", "k"]} /> {t("or")} <Keys of={["↓", "↑"]} /></>, t("Move from row to row")],
        [<Keys of={["e"]} />, t("Press the row’s first button")],
        [<Keys of={["Enter"]} />, t("Open the row, or close it")],
        [<Keys of={["x"]} />, t("Select the row")],
        [<Keys of={["c"]} />, t("Say that you are looking at it, or no longer")],
        [<Keys of={["s"]} />, t("Snooze the row for an hour")],
      ],
    },
    {
      where: t("In a chat"),
      keys: [
        [<Keys of={["Enter"]} />, t("Send the message")],
        [<Keys of={["Shift", "Enter"]} />, t("New line in a message")],
      ],
    },
  ];
}

function Keys({ of }: { of: string[] }) {
  return of.map((key, at) => (
    <Fragment key={key}>
      {at > 0 && " "}
      <kbd>{key}</kbd>
    </Fragment>
  ));
}
