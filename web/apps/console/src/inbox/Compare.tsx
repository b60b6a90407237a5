// Two cards that ask for the same, side by side: who asked each, where and when, and a way to open it.
import { type Interaction, t } from "@sayso/core";
import { clock, Values } from "@sayso/cards";
import { useEffect, useRef } from "react";
import { Link, pathTo } from "../router.tsx";
import { askedBy } from "./askedBy.ts";
import { valuesUnderApproval } from "./summary.ts";

interface Props {
  earlier: Interaction;
  later: Interaction;
  now: Date;
  close: () => void;
}

export function Compare({ earlier, later, now, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    heading.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} className="bulk" aria-labelledby="compare-title" onClose={close}>
      <h2 id="compare-title" ref={heading} tabIndex={-1}>
        {t("Two requests for the same")}
      </h2>
      <p className="quiet">{t("Their values are equal. If you approve both, it is done twice.")}</p>
      <h3 dir="auto">{later.title}</h3>
      {valuesUnderApproval(later).map(({ heading: of, values }) => (
        <Values key={of} values={values} />
      ))}
      <ol className="bulk-list compare">
        <One interaction={earlier} now={now} name={t("Asked first")} />
        <One interaction={later} now={now} name={t("Asked again")} />
      </ol>
      <form method="dialog" className="row bulk-foot">
        <button className="button">{t("Close")}</button>
      </form>
    </dialog>
  );
}

function One({ interaction, now, name }: { interaction: Interaction; now: Date; name: string }) {
  const of = <span className="unseen">: {name}</span>;
  return (
    <li>
      <h3>{name}</h3>
      <p className="quiet">
        {askedBy(interaction)} · {clock(interaction.created_at, now)}
      </p>
      <p className="row">
        <Link className="link" to={pathTo.interaction(interaction.interaction_id)}>
          {t("Open it")}
          {of}
        </Link>
        <Link className="link" to={pathTo.chat(interaction.chat_id)}>
          {t("Open the chat")}
          {of}
        </Link>
      </p>
    </li>
  );
}
