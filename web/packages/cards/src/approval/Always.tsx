// "Always allow in this chat": offered if the policy permits it, and part of the same approval.
import { t } from "@sayso/core";
import type { CardProps } from "../card.ts";
import type { ApprovalPayload } from "../wire.ts";

export function Always({ card }: { card: CardProps<ApprovalPayload> }) {
  const { payload } = card;
  if (payload.may_be_remembered !== true) return null;
  return (
    <label className="sy-choice sy-always">
      <input
        type="checkbox"
        checked={isAlways(card)}
        onChange={(event) => card.setDraft({ always_allow: event.currentTarget.checked })}
      />
      <span>{t("With my approval, allow {tool} from now on in this chat without asking", { tool: payload.tool_name })}</span>
    </label>
  );
}

export function isAlways({ payload, draft }: CardProps<ApprovalPayload>): boolean {
  return payload.may_be_remembered === true && draft.always_allow === true;
}
