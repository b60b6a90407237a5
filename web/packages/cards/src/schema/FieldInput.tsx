// One field of a form: label, help, input and error, linked by ARIA attributes.
import { t } from "@sayso/core";
import { useId, type ReactNode } from "react";
import type { JsonValue } from "../wire.ts";
import { same } from "../words.ts";
import { isObject } from "../state.ts";
import { unitOf, UNITS, unitWords } from "./duration.ts";
import type { Choice, Field } from "./fields.ts";

interface Props {
  field: Field;
  value: JsonValue | undefined;
  /** Of a choice: what this person chose last. */
  last?: JsonValue | undefined;
  onValue: (value: JsonValue) => void;
  /** Error messages by path, for this field and those inside it. */
  errors: ReadonlyMap<string, string>;
  /** Hide the label visually: the card already names the field. */
  labelHidden?: boolean;
  /** Collects inputs by path, for the links of an error summary. */
  inputs: Map<string, HTMLElement>;
}

export function FieldInput(props: Props) {
  const { field, errors } = props;
  const id = useId();
  const error = errors.get(field.path);
  const describedBy = [field.help !== "" ? `${id}-help` : "", error !== undefined ? `${id}-error` : ""]
    .filter((part) => part !== "")
    .join(" ");
  const about = {
    ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
    ...(error === undefined ? {} : { "aria-invalid": true as const }),
  };
  const notes = (
    <>
      {field.help !== "" && <p className="sy-help" id={`${id}-help`}>{field.help}</p>}
      {error !== undefined && <p className="sy-error" id={`${id}-error`}>{error}</p>}
    </>
  );
  const { kind } = field;
  switch (kind.is) {
    case "group":
      return (
        <fieldset className="sy-group">
          <legend>{field.label}</legend>
          {notes}
          {kind.fields.map((inner) => (
            <FieldInput
              key={inner.name}
              {...props}
              field={inner}
              labelHidden={false}
              value={isObject(props.value) ? props.value[inner.name] : undefined}
              onValue={(value) => props.onValue({ ...(isObject(props.value) ? props.value : {}), [inner.name]: value })}
            />
          ))}
        </fieldset>
      );
    case "choice":
      if (kind.choices.length > MANY || props.labelHidden === true) break;
      return (
        <Choices {...props} describedBy={describedBy} notes={notes}>
          {kind.choices.map((choice, i) => (
            <label className="sy-choice" key={i}>
              <input
                type="radio"
                name={id}
                checked={props.value !== undefined && props.value !== null ? same(props.value, choice.value) : false}
                onChange={() => props.onValue(choice.value)}
                {...about}
                ref={i === 0 ? (input) => keep(props, input) : null}
              />
              <span>{labelOf(choice)}</span>
            </label>
          ))}
        </Choices>
      );
    case "choices":
      return (
        <Choices {...props} describedBy={describedBy} notes={notes}>
          {kind.choices.map((choice, i) => (
            <label className="sy-choice" key={i}>
              <input
                type="checkbox"
                checked={chosen(props.value).some((value) => same(value, choice.value))}
                onChange={() => props.onValue(toggled(chosen(props.value), choice))}
                {...about}
                ref={i === 0 ? (input) => keep(props, input) : null}
              />
              <span>{choice.label}</span>
            </label>
          ))}
        </Choices>
      );
    case "duration": {
      const typed = isObject(props.value) ? props.value : {};
      const unit = unitOf(typed.unit);
      return (
        <fieldset className="sy-field sy-duration" {...(describedBy === "" ? {} : { "aria-describedby": describedBy })}>
          <legend className={props.labelHidden === true ? "sy-hidden" : "sy-label"}><Label field={field} /></legend>
          {props.labelHidden !== true && notes}
          <input
            className="sy-input sy-number"
            type="text"
            inputMode="decimal"
            aria-label={`${field.label}: ${t("how many")}`}
            value={String(typed.count ?? "")}
            onChange={(event) => props.onValue({ count: event.currentTarget.value, unit })}
            {...about}
            ref={(input) => keep(props, input)}
          />
          <select
            className="sy-input"
            aria-label={`${field.label}: ${t("of what")}`}
            value={unit}
            onChange={(event) => props.onValue({ count: typed.count ?? "", unit: event.currentTarget.value })}
          >
            {UNITS.map((one) => <option key={one} value={one}>{unitWords(one)}</option>)}
          </select>
          {props.labelHidden === true && notes}
        </fieldset>
      );
    }
    case "boolean":
      return (
        <div className="sy-field">
          <label className="sy-choice">
            <input
              type="checkbox"
              checked={props.value === true}
              onChange={(event) => props.onValue(event.currentTarget.checked)}
              {...about}
              ref={(input) => keep(props, input)}
            />
            <span>{field.label}</span>
          </label>
          {notes}
        </div>
      );
    default:
  }
  return (
    <div className="sy-field">
      <label className={props.labelHidden === true ? "sy-hidden" : "sy-label"} htmlFor={id}>
        <Label field={field} />
      </label>
      {props.labelHidden === true ? <>{input()}{notes}</> : <>{notes}{input()}</>}
    </div>
  );

  function labelOf({ value, label }: Choice): string {
    return props.last !== undefined && same(value, props.last) ? `${label} · ${t("Your last answer")}` : label;
  }

  function input(): ReactNode {
    const text = props.value === undefined || props.value === null ? "" : String(props.value);
    const common = {
      id,
      ...about,
      ...(field.required ? { "aria-required": true as const } : {}),
      className: "sy-input",
    };
    if (kind.is === "choice") {
      const at = kind.choices.findIndex((choice) => same(choice.value, props.value));
      return (
        <select
          {...common}
          value={String(at)}
          onChange={(event) => props.onValue(kind.choices[Number(event.currentTarget.value)]?.value ?? null)}
          ref={(element) => keep(props, element)}
        >
          <option value="-1">{t("Choose…")}</option>
          {kind.choices.map((choice, i) => (
            <option key={i} value={String(i)}>{labelOf(choice)}</option>
          ))}
        </select>
      );
    }
    if (kind.is === "long" || kind.is === "lines" || kind.is === "json") {
      return (
        <textarea
          {...common}
          className={kind.is === "json" ? "sy-input sy-mono" : "sy-input"}
          dir="auto"
          rows={kind.is === "long" ? 4 : 3}
          value={text}
          onChange={(event) => props.onValue(event.currentTarget.value)}
          ref={(element) => keep(props, element)}
        />
      );
    }
    // One type for all kinds of input: their attribute types differ only nominally.
    const type = (kind.is === "text" ? kind.input : "text") as "text";
    return (
      <input
        {...common}
        type={type}
        {...(kind.is === "number" ? { inputMode: kind.integer ? ("numeric" as const) : ("decimal" as const) } : {})}
        {...(kind.is === "number" ? { className: "sy-input sy-number" } : {})}
        {...(type === "text" ? { dir: "auto" as const } : {})}
        value={text}
        onChange={(event) => props.onValue(event.currentTarget.value)}
        ref={(element) => keep(props, element)}
      />
    );
  }
}

/** More choices than this become a dropdown; fewer are shown as radio buttons. */
const MANY = 6;

function Choices({ field, labelHidden, describedBy, notes, children }: Props & { describedBy: string; notes: ReactNode; children: ReactNode }) {
  return (
    <fieldset className="sy-field sy-choices" {...(describedBy === "" ? {} : { "aria-describedby": describedBy })}>
      <legend className={labelHidden === true ? "sy-hidden" : "sy-label"}><Label field={field} /></legend>
      {notes}
      {children}
    </fieldset>
  );
}

function Label({ field }: { field: Field }) {
  return (
    <>
      {field.label}
      {field.required ? <span className="sy-must"> {t("(required)")}</span> : null}
      {field.kind.is === "lines" ? <span className="sy-must"> {t("(one per line)")}</span> : null}
      {field.kind.is === "json" ? <span className="sy-must"> {t("(as JSON)")}</span> : null}
    </>
  );
}

function keep({ inputs, field }: Props, element: HTMLElement | null): void {
  if (element === null) inputs.delete(field.path);
  else inputs.set(field.path, element);
}

function chosen(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function toggled(values: JsonValue[], choice: Choice): JsonValue[] {
  const without = values.filter((value) => !same(value, choice.value));
  return without.length === values.length ? [...values, choice.value] : without;
}
