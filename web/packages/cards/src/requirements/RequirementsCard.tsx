// Confirms an action with its values: each shows its source and can be changed; changes are shown once more.
import { messageText, partText, t } from "@sayso/core";
import { useMemo, useRef, useState } from "react";
import { approvalDetails } from "../approval/ApprovalCard.tsx";
import { editableFields, EditableValue, editsOf } from "../approval/Editable.tsx";
import { Refused, refusedEdits } from "../approval/Refused.tsx";
import { answer, isSending, problemOf, type CardProps } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { capital } from "../parts/Decision.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Warnings } from "../parts/Notice.tsx";
import { Pair, Value } from "../parts/Values.tsx";
import type { KnownValue, RequirementsPayload } from "../wire.ts";
import { originWords } from "./origin.ts";

export function RequirementsCard(card: CardProps<RequirementsPayload>) {
  const { payload, meta } = card;
  const inputs = useRef(new Map<string, HTMLElement>());
  const [pressed, setPressed] = useState(false);
  const edits = editsOf(payload, card.draft);
  const problem = problemOf(card.state);
  const refused = useMemo(() => refusedEdits(payload, problem), [payload, problem]);
  const errors = pressed && edits.errors.size > 0 ? edits.errors : new Map(refused.map((e) => [e.path, e.message]));
  const isChanged = Object.keys(edits.values).length > 0 || edits.errors.size > 0;
  const sending = isSending(card.state);
  const fields = new Map(editableFields(payload).map((field) => [field.name, field]));
  const known = new Set(payload.known.map((row) => row.field));
  const unknown = [...fields.values()].filter((field) => !known.has(field.name));

  function valueOf(row: KnownValue) {
    const field = fields.get(row.field);
    const words = messageText(row, row.text);
    return field === undefined ? (
      <Value value={words} />
    ) : (
      <EditableValue card={card} field={field} errors={errors} inputs={inputs.current} words={words} />
    );
  }

  function goOn() {
    setPressed(true);
    const first = edits.errors.keys().next();
    if (first.done !== true) inputs.current.get(first.value)?.focus();
    else card.submit(answer(meta, { approved: true, data: isChanged ? { edits: edits.values } : {} }));
  }

  return (
    <Frame
      card={card}
      title={payload.title}
      lead={payload.message ?? payload.agent_message}
      tone="ask"
      chip={t("Needs your answer")}
      context={payload.context}
    >
      <Refused payload={payload} />
      <Warnings impact={payload.impact} warnings={payload.warnings} />
      <div className="sy-body">
        <dl className="sy-values">
          {payload.known.map((row) => (
            <Pair key={row.field} label={row.label}>
              {valueOf(row)}
              <p className="sy-help" data-assumed={row.assumed}><bdi>{originWords(row)}</bdi></p>
            </Pair>
          ))}
          {unknown.map((field) => (
            <Pair key={field.name} label={field.label}>
              <EditableValue card={card} field={field} errors={errors} inputs={inputs.current} words="" />
            </Pair>
          ))}
        </dl>
      </div>
      {isChanged && <p className="sy-note">{t("Nothing runs yet: you see it once more, with what you changed.")}</p>}
      <Details values={approvalDetails(payload, meta)} />
      <Actions>
        <Button look="go" sending={sending} onPress={goOn}>
          {sending ? t("Sending…") : isChanged ? t("Change and show again") : capital(partText(meta, "approve", payload.approval_options?.[0] ?? "approve"))}
        </Button>
        <Button look="stand" sending={sending} onPress={() => card.submit(answer(meta, { approved: false }))}>
          {t("Not yet")}
        </Button>
      </Actions>
    </Frame>
  );
}
