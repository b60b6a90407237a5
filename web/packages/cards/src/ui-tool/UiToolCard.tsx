// An application's own card: drawn by the registered component, else from its payload.
import { t } from "@sayso/core";
import { createElement, useEffect, useRef } from "react";
import { answer, isSending, problemOf, type CardProps } from "../card.ts";
import { objectOf, textOf } from "../draft.ts";
import { optionsOf, TextAnswer } from "../options/OptionsCard.tsx";
import { Actions, Button, Dismiss } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Values } from "../parts/Values.tsx";
import { errorsUnder, SchemaForm } from "../schema/SchemaForm.tsx";
import { isObject } from "../state.ts";
import type { JsonObject, Option } from "../wire.ts";
import { ownCard } from "./registry.ts";

export function UiToolCard(card: CardProps) {
  const own = ownCard(card.tool.ui_tool_id);
  if (own === undefined) return <GenericCard {...card} />;
  if (typeof own === "string") return <ElementCard card={card} tag={own} />;
  return createElement(own, card);
}

/** Draws the title, the message and every value, with options as buttons or the schema as a form. */
function GenericCard(card: CardProps) {
  const { payload, meta, tool } = card;
  const asks = meta.interaction_type != null;
  const title = typeof payload.title === "string" && payload.title !== "" ? payload.title : tool.ui_tool_id;
  const lead = typeof payload.agent_message === "string" ? payload.agent_message : card.message.content;
  const options = optionsOf(payload.options);
  const problem = problemOf(card.state);
  const { title: _t, agent_message: _m, options: _o, response_schema: _r, sayso: _s, context, ...rest } = payload;
  return (
    <Frame
      card={card}
      title={title}
      lead={lead}
      tone={asks ? "ask" : "calm"}
      chip={asks ? t("Needs your answer") : undefined}
      context={isObject(context) ? context : undefined}
      problemShown={problem !== undefined && errorsUnder(problem, "values").length > 0}
    >
      {Object.keys(rest).length > 0 && <div className="sy-body"><Values values={rest} /></div>}
      {asks && (meta.response_schema != null ? (
        <AsForm card={card} schema={meta.response_schema} />
      ) : options.length > 0 ? (
        <Actions>
          {options.map((option) => (
            <Button
              key={option.id}
              look="stand"
              sending={isSending(card.state)}
              onPress={() => card.submit(answer(meta, { approved: true, data: { selected_option: option.id } }))}
            >
              {isChosen(card, option) ? t("Sending…") : option.label}
            </Button>
          ))}
          <Dismiss sending={isSending(card.state)} onPress={() => card.submit({ type: "dismiss" })} />
        </Actions>
      ) : (
        <AsReply card={card} />
      ))}
    </Frame>
  );
}

/** Only the pressed option says "Sending…". */
function isChosen({ state }: CardProps, option: Option): boolean {
  return state.phase === "sending" && state.action.type === "answer" && state.action.body.response_data?.selected_option === option.id;
}

function AsForm({ card, schema }: { card: CardProps; schema: JsonObject }) {
  const sending = isSending(card.state);
  const given = card.payload.values;
  return (
    <SchemaForm
      schema={schema}
      given={isObject(given) ? given : {}}
      typed={objectOf(card.draft, "values")}
      onTyped={(values) => card.setDraft({ values })}
      onSubmit={(values) => {
        if (!sending) card.submit(answer(card.meta, { approved: true, data: { values } }));
      }}
      problem={problemOf(card.state)}
      problemPath="values"
    >
      <Actions>
        <Button look="go" submit sending={sending}>{sending ? t("Sending…") : t("Send")}</Button>
        <Dismiss sending={sending} onPress={() => card.submit({ type: "dismiss" })} />
      </Actions>
    </SchemaForm>
  );
}

function AsReply({ card }: { card: CardProps }) {
  const sending = isSending(card.state);
  const reply = textOf(card.draft, "additional_notes");
  const text = useRef<HTMLTextAreaElement>(null);
  return (
    <form
      noValidate
      className="sy-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!sending) card.submit(answer(card.meta, { approved: true, data: { additional_notes: reply.trim() } }));
      }}
    >
      <TextAnswer
        label={t("Reply")}
        isRequired={false}
        error={undefined}
        value={reply}
        inputRef={text}
        onValue={(value) => card.setDraft({ additional_notes: value })}
      />
      <Actions>
        <Button look="go" submit sending={sending}>{sending ? t("Sending…") : t("Continue")}</Button>
        <Dismiss sending={sending} onPress={() => card.submit({ type: "dismiss" })} />
      </Actions>
    </form>
  );
}

/** The properties set on a custom element; it answers by events (`sayso-answer`, `sayso-dismiss`, `sayso-draft`). */
interface OwnElement extends HTMLElement {
  payload?: JsonObject;
  draft?: JsonObject;
  sending?: boolean;
}

function ElementCard({ card, tag }: { card: CardProps; tag: string }) {
  const ref = useRef<OwnElement>(null);
  const latest = useRef(card);
  latest.current = card;

  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const onAnswer = (event: Event) => {
      const values = (event as CustomEvent<unknown>).detail;
      const { submit, meta } = latest.current;
      submit(answer(meta, { approved: true, data: { values: isObject(values) ? values : {} } }));
    };
    const onDismiss = () => latest.current.submit({ type: "dismiss" });
    const onDraft = (event: Event) => {
      const draft = (event as CustomEvent<unknown>).detail;
      if (isObject(draft)) latest.current.setDraft(draft);
    };
    element.addEventListener("sayso-answer", onAnswer);
    element.addEventListener("sayso-dismiss", onDismiss);
    element.addEventListener("sayso-draft", onDraft);
    return () => {
      element.removeEventListener("sayso-answer", onAnswer);
      element.removeEventListener("sayso-dismiss", onDismiss);
      element.removeEventListener("sayso-draft", onDraft);
    };
  }, [tag]);

  useEffect(() => {
    if (ref.current === null) return;
    ref.current.payload = card.payload;
    ref.current.draft = card.draft;
    ref.current.sending = isSending(card.state);
  });

  const title = typeof card.payload.title === "string" ? card.payload.title : card.tool.ui_tool_id;
  return (
    <Frame card={card} title={title} tone="ask">
      <div className="sy-body">{createElement(tag, { ref })}</div>
    </Frame>
  );
}
