// Several requests that differ in one argument, as one table: each row is approved, rejected or left on its own.
import { formatted, labelOf } from "@sayso/cards";
import { cardMetaOf, type Interaction, t } from "@sayso/core";
import { useId, useRef, useState } from "react";
import { type Alike, valueOf } from "./alike.ts";
import { BulkDialog, type BulkProps } from "./BulkDialog.tsx";
import { Reason } from "./Reason.tsx";
import { summaryOf } from "./summary.ts";

type Word = "approve" | "reject";

export function AlikeTable({ alike, ...bulk }: Omit<BulkProps, "chosen" | "leaveOut"> & { alike: Alike }) {
  const [said, setSaid] = useState<ReadonlyMap<string, Word>>(new Map());
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  // As they were when it was opened: what is settled elsewhere meanwhile is told row by row.
  const { rows } = alike;
  const decided = rows.filter((row) => said.has(row.interaction_id));
  const rejected = decided.filter((row) => said.get(row.interaction_id) === "reject");
  const isRequired = rejected.some((row) => row.payload["requires_reason"] !== false);

  function answerNow() {
    if (decided.length === 0) return null;
    if (isRequired && reason.trim() === "") {
      setMissing(true);
      box.current?.focus();
      return null;
    }
    return ({ interaction_id: id }: Interaction) => {
      const word = said.get(id);
      return word === undefined ? undefined : word === "approve" ? { approved: true } : { approved: false, reason: reason.trim() };
    };
  }

  return (
    <BulkDialog
      {...bulk}
      chosen={rows}
      act={t("{n, plural, one {Send # decision} other {Send # decisions}}", { n: decided.length })}
      lead={t("These differ in {argument}. Each row is decided on its own; what you leave waits on.", { argument: labelOf(alike.argument) })}
      done={t("decided")}
      resultWords={(done, failed) =>
        failed === 0
          ? t("{n, plural, one {# decision sent} other {# decisions sent}}", { n: done })
          : t("{done} sent, {failed} not", { done, failed })
      }
      answerNow={answerNow}
      one={(row) => (
        <OneRow
          row={row}
          argument={alike.argument}
          said={said.get(row.interaction_id)}
          say={(word) => setSaid((old) => withWord(old, row.interaction_id, word))}
        />
      )}
    >
      {rejected.length > 0 && <Reason reason={reason} setReason={setReason} isRequired={isRequired} isMissing={isMissing} boxRef={box} />}
    </BulkDialog>
  );
}

interface RowProps {
  row: Interaction;
  argument: string;
  said: Word | undefined;
  say: (word: Word | undefined) => void;
}

function withWord(said: ReadonlyMap<string, Word>, id: string, word: Word | undefined): ReadonlyMap<string, Word> {
  const others = [...said].filter(([other]) => other !== id);
  return new Map(word === undefined ? others : [...others, [id, word]]);
}

function OneRow({ row, argument, said, say }: RowProps) {
  const name = useId();
  const value = formatted(valueOf(row, argument), cardMetaOf(row.payload).formats?.[argument]);
  return (
    <fieldset className="bulk-one">
      <legend dir="auto">
        <b>{value}</b> <span className="quiet">{row.title}</span>
      </legend>
      <p className="quiet">{summaryOf(row).parts.join(" · ")}</p>
      <div className="alike-words">
        {(["approve", "reject", undefined] as const).map((word) => (
          <label key={word ?? "leave"}>
            <input type="radio" name={name} checked={said === word} onChange={() => say(word)} />{" "}
            {word === "approve" ? t("Approve") : word === "reject" ? t("Reject") : t("Leave it waiting")}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
