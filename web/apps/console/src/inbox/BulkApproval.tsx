// Approves several proposals in one step, where a policy allows it: each is shown in full before, and its outcome after.
import { cardBodyOf, type Interaction, t } from "@sayso/core";
import { Values } from "@sayso/cards";
import { agentName } from "../words.ts";
import { BulkDialog, type BulkProps } from "./BulkDialog.tsx";
import { valuesUnderApproval } from "./summary.ts";

export function BulkApproval(props: BulkProps) {
  return (
    <BulkDialog
      {...props}
      act={t("{n, plural, one {Approve # proposal} other {Approve # proposals}}", { n: props.chosen.length })}
      lead={t("Each one runs exactly as shown here. Exclude those you want to review one by one.")}
      done={t("approved")}
      resultWords={(done, failed) =>
        failed === 0
          ? t("{n, plural, one {# proposal approved} other {# proposals approved}}", { n: done })
          : t("{done} approved, {failed} not", { done, failed })
      }
      answerNow={() => () => ({ approved: true })}
      isGo
      one={(interaction) => <One interaction={interaction} />}
    />
  );
}

function One({ interaction }: { interaction: Interaction }) {
  const body = cardBodyOf(interaction.payload);
  const card = body.kind === "approval" ? body.fields : null;
  const lead = (card?.message ?? "").trim();
  return (
    <div className="bulk-one">
      <h3 dir="auto">{interaction.title}</h3>
      <p className="quiet">{agentName(interaction.agent_name)}</p>
      {lead !== "" && lead !== interaction.title && <p dir="auto">{lead}</p>}
      {valuesUnderApproval(interaction).map(({ heading, values }) => (
        <div key={heading}>
          {heading !== "" && <h4>{heading}</h4>}
          <Values values={values} />
        </div>
      ))}
      {card?.impact != null && <p className="notice">{card.impact}</p>}
      {Object.keys(card?.context ?? {}).length > 0 && <Values values={card?.context ?? {}} />}
    </div>
  );
}
