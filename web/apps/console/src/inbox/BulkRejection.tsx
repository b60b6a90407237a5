// Rejects several proposals in one step, with one reason for all of them.
import { type Interaction, t } from "@sayso/core";
import { useRef, useState } from "react";
import { askedBy } from "./askedBy.ts";
import { BulkDialog, type BulkProps } from "./BulkDialog.tsx";
import { Reason } from "./Reason.tsx";

export function BulkRejection(props: BulkProps) {
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const isRequired = props.chosen.some((it) => it.payload["requires_reason"] !== false);

  function answerNow() {
    if (!isRequired || reason.trim() !== "") return () => ({ approved: false, reason: reason.trim() });
    setMissing(true);
    box.current?.focus();
    return null;
  }

  return (
    <BulkDialog
      {...props}
      act={t("{n, plural, one {Reject # proposal} other {Reject # proposals}}", { n: props.chosen.length })}
      lead={t("None of them runs. Each agent is told the reason.")}
      done={t("rejected")}
      resultWords={(done, failed) =>
        failed === 0
          ? t("{n, plural, one {# proposal rejected} other {# proposals rejected}}", { n: done })
          : t("{done} rejected, {failed} not", { done, failed })
      }
      answerNow={answerNow}
      one={(interaction) => <One interaction={interaction} />}
    >
      <Reason reason={reason} setReason={setReason} isRequired={isRequired} isMissing={isMissing} boxRef={box} />
    </BulkDialog>
  );
}

function One({ interaction }: { interaction: Interaction }) {
  return (
    <div className="bulk-one">
      <h3 dir="auto">{interaction.title}</h3>
      <p className="quiet">{askedBy(interaction)}</p>
    </div>
  );
}
