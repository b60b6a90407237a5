// The rjsf templates of a nested form: groups are fieldsets; labelled buttons add, move and remove entries.
import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  CyclicSchemaExpandProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  WidgetProps,
  WrapIfAdditionalTemplateProps,
} from "@rjsf/utils";
import { ADDITIONAL_PROPERTY_FLAG, canExpand } from "@rjsf/utils";
import { t } from "@sayso/core";
import { useContext, useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { labelOf } from "../../words.ts";
import { LeavesOfForm } from "./Leaf.tsx";

type Path = (string | number)[];

/** Return the name of a group: its title, its position in a list, or its key. */
function titleOf(path: Path, title: string | undefined): string {
  const last = path.at(-1);
  if (typeof last === "number") return t("Entry {n}", { n: last + 1 });
  return title === undefined || title === String(last) ? labelOf(String(last ?? "")) : title;
}

/** A list entry is never required: it can be removed. */
function Must({ required, path }: { required: boolean | undefined; path: Path }) {
  return required === true && typeof path.at(-1) !== "number" ? <span className="sy-must"> {t("(required)")}</span> : null;
}

/** Errors of a group as a whole. */
function GroupError({ path, id }: { path: Path; id: string }) {
  const error = useContext(LeavesOfForm)?.errors.get(path.join("/"));
  return error === undefined ? null : <p className="sy-error" id={id}>{error}</p>;
}

/** Register a group as a target of the error summary. */
function useGroup(path: Path) {
  const leaves = useContext(LeavesOfForm);
  const key = path.join("/");
  return (element: HTMLElement | null): void => {
    if (leaves === null || key === "") return;
    if (element !== null && !leaves.inputs.has(key)) leaves.inputs.set(key, element);
    else if (element === null) leaves.inputs.delete(key);
  };
}

/** A leaf shows its own label and errors; a group has its legend. */
function FieldTemplate(props: FieldTemplateProps) {
  const { WrapIfAdditionalTemplate } = props.registry.templates;
  return props.hidden ? null : <WrapIfAdditionalTemplate {...props}>{props.children}</WrapIfAdditionalTemplate>;
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { fieldPathId, properties, schema, uiSchema, formData, description, onAddProperty, title, required } = props;
  const { path } = fieldPathId;
  const id = useId();
  const ref = useGroup(path);
  const isPureUnion = (schema.oneOf ?? schema.anyOf) !== undefined && schema.properties === undefined && properties.length === 0;
  const inside = (
    <>
      {path.length > 0 && description !== undefined && description !== "" && <p className="sy-help">{description}</p>}
      <GroupError path={path} id={`${id}-error`} />
      {properties.map((property) => property.content)}
      {canExpand(schema, uiSchema, formData) && (
        <button type="button" className="sy-button" data-look="stand" onClick={onAddProperty}>{t("Add a value")}</button>
      )}
    </>
  );
  if (isPureUnion) return null;
  if (path.length === 0) return <div className="sy-form">{inside}</div>;
  return (
    <fieldset className="sy-group" ref={ref} tabIndex={-1} aria-describedby={`${id}-error`}>
      <legend>{titleOf(path, title)}<Must required={required} path={path} /></legend>
      {inside}
    </fieldset>
  );
}

function ArrayFieldTemplate({ fieldPathId, items, canAdd, onAddClick, title, required, schema }: ArrayFieldTemplateProps) {
  const { path } = fieldPathId;
  const name = titleOf(path, title);
  const id = useId();
  const ref = useGroup(path);
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const before = useRef(items.length);

  // After adding, focus the new entry; after removing, focus the add button.
  useLayoutEffect(() => {
    const had = before.current;
    before.current = items.length;
    if (items.length === had) return;
    const root = list.current?.getRootNode() as Document | ShadowRoot | undefined;
    const isOurs = root?.activeElement === add.current || root?.activeElement == null || root.activeElement === document.body || items.length < had;
    if (!isOurs) return;
    if (items.length > had) list.current?.lastElementChild?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
    else add.current?.focus();
  }, [items.length]);

  return (
    <fieldset className="sy-group" ref={ref} tabIndex={-1} aria-describedby={`${id}-error`}>
      <legend>{name}<Must required={required} path={path} /></legend>
      {schema.description !== undefined && <p className="sy-help">{schema.description}</p>}
      <GroupError path={path} id={`${id}-error`} />
      {items.length === 0 && <p className="sy-none">{t("none")}</p>}
      <ol className="sy-entries" ref={list}>{items}</ol>
      {canAdd && (
        <button type="button" className="sy-button" data-look="stand" ref={add} onClick={onAddClick}>
          {t("Add to {list}", { list: name })}
        </button>
      )}
    </fieldset>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, index, hasToolbar }: ArrayFieldItemTemplateProps) {
  const entry = index + 1;
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  const list = titleOf(buttonsProps.fieldPathId.path.slice(0, -1), undefined);
  const tool = (words: string, name: string, press: (event?: never) => void): ReactNode => (
    <button type="button" className="sy-link" aria-label={name} onClick={() => press()}>{words}</button>
  );
  return (
    <li>
      {children}
      {hasToolbar && (
        <p className="sy-entry-tools">
          {hasMoveUp && tool(t("Move up"), t("Move up: entry {n} of {list}", { n: entry, list }), onMoveUpItem)}
          {hasMoveDown && tool(t("Move down"), t("Move down: entry {n} of {list}", { n: entry, list }), onMoveDownItem)}
          {hasRemove && tool(t("Remove"), t("Remove: entry {n} of {list}", { n: entry, list }), onRemoveItem)}
        </p>
      )}
    </li>
  );
}

function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="sy-form">
      {selector}
      {optionSchemaField}
    </div>
  );
}

/** Chooses between alternative schemas. */
function SelectWidget({ value, options, onChange, label, readonly, disabled }: WidgetProps) {
  const id = useId();
  const choices = options.enumOptions ?? [];
  return (
    <div className="sy-field">
      <label className="sy-label" htmlFor={id}>{label === "" ? t("Kind") : t("Kind of {thing}", { thing: labelOf(label) })}</label>
      <select
        id={id}
        className="sy-input"
        value={String(value ?? -1)}
        onChange={(event) => {
          if (readonly !== true && disabled !== true) onChange(Number(event.currentTarget.value));
        }}
      >
        {Number(value ?? -1) < 0 && <option value="-1">{t("Choose…")}</option>}
        {choices.map((choice) => <option key={String(choice.value)} value={String(choice.value)}>{choice.label}</option>)}
      </select>
    </div>
  );
}

/** An additional property: its name can be changed and it can be removed. */
function WrapIfAdditionalTemplate(props: WrapIfAdditionalTemplateProps) {
  const { schema, children, label, onKeyRenameBlur, onRemoveProperty } = props;
  const id = useId();
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <>{children}</>;
  return (
    <div className="sy-group">
      <div className="sy-field">
        <label className="sy-label" htmlFor={id}>{t("Name of the value")}</label>
        <input id={id} className="sy-input" type="text" dir="auto" defaultValue={label} key={label} onBlur={onKeyRenameBlur} />
      </div>
      {children}
      <p className="sy-entry-tools">
        <button type="button" className="sy-link" aria-label={t("Remove: {name}", { name: label })} onClick={onRemoveProperty}>
          {t("Remove")}
        </button>
      </p>
    </div>
  );
}

/** A recursive schema opens one level per press. */
function CyclicSchemaExpandTemplate({ name, fieldPathId, onExpand }: CyclicSchemaExpandProps) {
  const thing = titleOf(fieldPathId.path, name);
  return (
    <p>
      <button type="button" className="sy-button" data-look="stand" onClick={() => onExpand(fieldPathId.$id)}>
        {t("Fill in {thing}", { thing })}
      </button>
    </p>
  );
}

const Nothing = () => null;

export const templates = {
  FieldTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
  WrapIfAdditionalTemplate,
  CyclicSchemaExpandTemplate,
  ErrorListTemplate: Nothing,
  FieldErrorTemplate: Nothing,
  FieldHelpTemplate: Nothing,
  DescriptionFieldTemplate: Nothing,
};

export const widgets = { SelectWidget };
