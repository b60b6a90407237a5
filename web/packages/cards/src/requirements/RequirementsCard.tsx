// Go ahead with these values? Each says where it came from and can be changed; what is changed is shown once more.
import { sentenceWords, t, valueWords } from "@sayso/core";
import { useMemo, useRef, useState } from "react";
import { approvalDetails } from "../approval/ApprovalCard.tsx";
import { editableFields, EditableValue, editsOf, originalOf } from "../approval/Editable.tsx";
import { answer, isSending, problemOf, type CardProps } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { buttonWords } from "../parts/Decision.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Warnings } from "../parts/Notice.tsx";
import { Pair, Value } from "../parts/Values.tsx";
import { errorsUnder } from "../schema/SchemaForm.tsx";
import type { KnownValue, RequirementsPayload } from "../wire.ts";
import { originWords } from "./origin.ts";

export function RequirementsCard(card: CardProps<RequirementsPayload>) {
  const { payload, meta } = card;
  const inputs = useRef(new Map<string, HTMLElement>());
  const [pressed, setPressed] = useState(false);
  const edits = editsOf(payload, card.draft);
  const problem = problemOf(card.state);
  const refused = useMemo(() => (problem === undefined ? [] : errorsUnder(problem, "edits")), [problem]);
  const errors = pressed && edits.errors.size > 0 ? edits.errors : new Map(refused.map((e) => [e.path, e.message]));
  const isChanged = Object.keys(edits.values).length > 0 || edits.errors.size > 0;
  const sending = isSending(card.state);
  const fields = new Map(editableFields(payload).map((field) => [field.name, field]));
  const known = new Set(payload.known.map((row) => row.field));
  const unsaid = [...fields.values()].filter((field) => !known.has(field.name));

  function valueOf(row: KnownValue) {
    const field = fields.get(row.field);
    const words = valueWords(row.text, originalOf(payload, row.field), field?.schema);
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
      <Warnings impact={payload.impact} warnings={payload.warnings} />
      <div className="sy-body">
        <dl className="sy-values">
          {payload.known.map((row) => (
            <Pair key={row.field} label={row.label}>
              {valueOf(row)}
              <p className="sy-help" data-assumed={row.assumed}><bdi>{originWords(row)}</bdi></p>
            </Pair>
          ))}
          {unsaid.map((field) => (
            <Pair key={field.name} label={field.label}>
              <EditableValue card={card} field={field} errors={errors} inputs={inputs.current} words="" />
            </Pair>
          ))}
        </dl>
      </div>
      {isChanged && <p className="sy-note">{t("Nothing runs yet: you see it once more, with what you changed.")}</p>}
      <Actions>
        <Button look="go" sending={sending} onPress={goOn}>
          {sending ? t("Sending…") : isChanged ? t("Change and show again") : sentenceWords(buttonWords(payload.approval_options).approve)}
        </Button>
        <Button look="stand" sending={sending} onPress={() => card.submit(answer(meta, { approved: false }))}>
          {t("Not yet")}
        </Button>
      </Actions>
      <Details values={approvalDetails(payload, meta)} />
    </Frame>
  );
}
