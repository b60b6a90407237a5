// An approval: shows everything the agent will do, and a person approves or rejects.
import { t } from "@sayso/core";
import { useMemo, useRef, useState } from "react";
import { answer, problemOf, type CardProps } from "../card.ts";
import { textOf } from "../draft.ts";
import { Becomes } from "../parts/Becomes.tsx";
import { Changes } from "../parts/Changes.tsx";
import { buttonWords, Decision } from "../parts/Decision.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Note } from "../parts/Note.tsx";
import { Warnings } from "../parts/Notice.tsx";
import { Values } from "../parts/Values.tsx";
import type { ApprovalPayload, CardMeta, JsonObject } from "../wire.ts";
import { Always, isAlways } from "./Always.tsx";
import { editsOf, originalOf, UnderApproval } from "./Editable.tsx";
import { Refused, refusedEdits } from "./Refused.tsx";

export function ApprovalCard(card: CardProps<ApprovalPayload>) {
  const { payload, meta } = card;
  const inputs = useRef(new Map<string, HTMLElement>());
  const [pressed, setPressed] = useState(false);
  const edits = editsOf(payload, card.draft);
  const problem = problemOf(card.state);
  const refused = useMemo(() => refusedEdits(payload, problem), [payload, problem]);
  const errors = pressed && edits.errors.size > 0 ? edits.errors : new Map(refused.map((e) => [e.path, e.message]));
  const words = buttonWords(payload.approval_options);
  const changed = Object.entries(edits.values).map(([path, after]) => ({
    path,
    before: originalOf(payload, path) ?? null,
    after,
  }));

  return (
    <Frame
      card={card}
      title={payload.title || payload.entity_summary || payload.tool_name}
      lead={payload.message ?? payload.agent_message}
      tone="ask"
      chip={t("Needs your answer")}
      context={payload.context}
    >
      <Refused payload={payload} />
      <Changes heading={t("What changed since the last proposal")} changes={payload.changes ?? []} draw={Becomes} />
      <UnderApproval card={card} errors={errors} inputs={inputs.current} />
      <NotBound payload={payload} />
      <Warnings impact={payload.impact} warnings={payload.warnings} />
      <WhoActs payload={payload} changes={changed.length} />
      <Always card={card} />
      <Note card={card} />
      <Details values={approvalDetails(payload, meta)} />
      <Decision
        card={card}
        approveLabel={words.approve}
        rejectLabel={words.reject}
        reasonRequired={payload.requires_reason ?? true}
        mayApprove={() => {
          const first = edits.errors.keys().next();
          setPressed(true);
          if (first.done !== true) inputs.current.get(first.value)?.focus();
          return first.done === true;
        }}
        onApprove={() =>
          card.submit(
            answer(meta, {
              approved: true,
              reason: textOf(card.draft, "note"),
              data: changed.length === 0 ? {} : { edits: edits.values },
              always: isAlways(card),
            }),
          )
        }
        {...(payload.final_confirmation === true
          ? {
              review: (
                <>
                  <p><b dir="auto">{payload.title}</b></p>
                  <Warnings impact={payload.impact} />
                  <Changes heading={t("Changed by you")} changes={changed} draw={Becomes} />
                </>
              ),
            }
          : {})}
      />
    </Frame>
  );
}

/** What an ask from outside came with that no yes is to: its asker may say it otherwise. */
function NotBound({ payload }: { payload: ApprovalPayload }) {
  if (payload.not_bound == null) return null;
  return (
    <div className="sy-body">
      <h4>{t("Not part of what you approve")}</h4>
      <Values values={payload.not_bound} />
    </div>
  );
}

/** Says who carries it out and that a person's changes are included. */
export function WhoActs({ payload, changes }: { payload: ApprovalPayload; changes: number }) {
  if (payload.agent_acts === true) {
    return <p className="sy-note">{t("The agent itself acts on your answer; Sayso passes it on and runs nothing.")}</p>;
  }
  if (changes === 0) return null;
  return (
    <p className="sy-note">
      {t("{n, plural, one {Your change} other {Your # changes}} will be used, and the agent will be told.", { n: changes })}
    </p>
  );
}

export function approvalDetails(payload: ApprovalPayload, meta: CardMeta): JsonObject {
  return {
    [t("Tool")]: payload.tool_name,
    ...(payload.tool_description ? { [t("What the tool does")]: payload.tool_description } : {}),
    ...(payload.action ? { [t("Action")]: payload.action } : {}),
    ...(payload.entity_type ? { [t("Entity type")]: payload.entity_type } : {}),
    ...(meta.rule == null ? {} : { [t("Why you are asked")]: ruleWords(meta.rule) }),
    [t("Revision")]: meta.revision ?? 1,
    ...(meta.digest == null ? {} : { [t("Digest")]: meta.digest }),
    ...(meta.assignees?.length ? { [t("Asked of")]: meta.assignees } : {}),
  };
}

function ruleWords({ by, number, policy, line }: NonNullable<CardMeta["rule"]>): string {
  const which =
    by === "rule"
      ? t("Rule {n} of the policy says so", { n: number ?? "" })
      : by === "policy"
        ? t("The policy “{name}”, which the tool names, says so", { name: policy ?? "" })
        : by === "tool"
          ? t("The tool itself asks")
          : by === "undeclared"
            ? t("Nobody has declared when this tool may run")
            : t("Its rule could not be evaluated");
  return line ? `${which}\n${line}` : which;
}
