// Draws a checklist, an itinerary or a budget of the trips pack: check off, edit in place, print, download.
import type { ArtifactProps } from "@sayso/cards";
import { t } from "@sayso/core";
import { useEffect, useId, useState } from "react";
import { createPortal } from "react-dom";
import { type Category, contentOf, type Day, dated, type Line, sumOf, type Trip, tripOf } from "./shapes.ts";
import { useSavedContent } from "./useSavedContent.ts";
import "./trips.css";

type Change = (trip: Trip) => void;

export default function TripView({ artifact, save: saveArtifact, fileUrl, announce }: ArtifactProps) {
  const { content, save, problem } = useSavedContent(artifact, saveArtifact, announce);
  const [isPrinting, setPrinting] = useState(false);
  const trip = tripOf(artifact.ui_tool_id, content);

  useEffect(() => {
    if (!isPrinting) return;
    const done = () => setPrinting(false);
    window.addEventListener("afterprint", done, { once: true });
    window.print();
    return () => window.removeEventListener("afterprint", done);
  }, [isPrinting]);

  if (trip === null) return null;
  const change: Change = (changed) => save(contentOf(changed));
  const isDated = trip.kind === "trip_itinerary" && trip.days.some(({ date }) => date !== undefined);
  return (
    <div className="trip">
      {problem !== null && <p className="composer-error">{problem}</p>}
      {trip.kind === "trip_checklist" && <ChecklistView trip={trip} change={change} />}
      {trip.kind === "trip_itinerary" && <ItineraryView trip={trip} change={change} />}
      {trip.kind === "trip_budget" && <BudgetView trip={trip} change={change} />}
      {trip.note !== "" && <p className="quiet">{trip.note}</p>}
      <div className="trip-ways">
        <button type="button" className="button" onClick={() => setPrinting(true)}>
          {t("Print")}
          <span className="unseen">: {artifact.title}</span>
        </button>
        <a href={fileUrl("markdown")} download>
          {t("Markdown file")}
        </a>
        <a href={fileUrl("csv")} download>
          {t("Spreadsheet (CSV)")}
        </a>
        {isDated && (
          <a href={fileUrl("ics")} download>
            {t("Calendar (.ics)")}
          </a>
        )}
      </div>
      {isPrinting && createPortal(<PrintSheet title={artifact.title} trip={trip} />, document.body)}
    </div>
  );
}

function ChecklistView({ trip, change }: { trip: Extract<Trip, { kind: "trip_checklist" }>; change: Change }) {
  const replace = (at: number, category: Category) => change({ ...trip, categories: trip.categories.with(at, category) });
  const all = trip.categories.flatMap(({ items }) => items);
  return (
    <>
      <p>{t("{done} of {all} done", { done: all.filter(({ done }) => done).length, all: all.length })}</p>
      {trip.categories.map((category, at) => (
        <fieldset key={at}>
          <legend>{category.name}</legend>
          <ul>
            {category.items.map((item, number) => (
              <li key={number}>
                <input
                  type="checkbox"
                  aria-label={item.text}
                  checked={item.done}
                  onChange={() => replace(at, { ...category, items: category.items.with(number, { ...item, done: !item.done }) })}
                />
                <InlineEdit
                  label={t("Change: {what}", { what: item.text })}
                  value={item.text}
                  save={(text) =>
                    replace(at, {
                      ...category,
                      items: text === "" ? category.items.toSpliced(number, 1) : category.items.with(number, { ...item, text }),
                    })
                  }
                />
              </li>
            ))}
          </ul>
          <AddForm
            label={t("Add to {list}", { list: category.name })}
            add={(text) => replace(at, { ...category, items: [...category.items, { text, done: false }] })}
          />
        </fieldset>
      ))}
    </>
  );
}

function ItineraryView({ trip, change }: { trip: Extract<Trip, { kind: "trip_itinerary" }>; change: Change }) {
  const replace = (at: number, day: Day) => change({ ...trip, days: trip.days.with(at, day) });
  const first = useId();
  return (
    <>
      <p className="trip-first">
        <label htmlFor={first}>{t("First day")}</label>
        <input
          id={first}
          type="date"
          value={trip.days[0]?.date ?? ""}
          onChange={(event) => change({ ...trip, days: dated(trip.days, event.currentTarget.value) })}
        />
      </p>
      {trip.days.map((day, at) => (
        <fieldset key={at}>
          <legend>
            {day.title}
            {day.date !== undefined && <time dateTime={day.date}> {day.date}</time>}
          </legend>
          <ul>
            {day.parts.map((part, number) => (
              <li key={number}>
                <InlineEdit
                  label={t("Change: {what}", { what: part })}
                  value={part}
                  save={(text) =>
                    replace(at, { ...day, parts: text === "" ? day.parts.toSpliced(number, 1) : day.parts.with(number, text) })
                  }
                />
              </li>
            ))}
          </ul>
          <AddForm label={t("Add to {list}", { list: day.title })} add={(text) => replace(at, { ...day, parts: [...day.parts, text] })} />
        </fieldset>
      ))}
    </>
  );
}

function BudgetView({ trip, change }: { trip: Extract<Trip, { kind: "trip_budget" }>; change: Change }) {
  const left = Math.round((trip.total - sumOf(trip.lines)) * 100) / 100;
  const replace = (at: number, line: Line) => change({ ...trip, lines: trip.lines.with(at, line) });
  return (
    <>
      <ul className="trip-lines">
        {trip.lines.map((line, at) => (
          <li key={at}>
            <span>
              {line.category}
              {line.note !== "" && <small className="quiet">{line.note}</small>}
            </span>
            <InlineEdit
              label={t("Amount for {what}", { what: line.category })}
              value={String(line.amount)}
              isNumber
              save={(text) => text !== "" && replace(at, { ...line, amount: Number(text) })}
            />
          </li>
        ))}
      </ul>
      <p>
        {t("Total: {amount}", { amount: `${trip.total.toFixed(2)} ${trip.currency}`.trim() })}
        {left !== 0 && ` · ${left > 0 ? t("{amount} left", { amount: left.toFixed(2) }) : t("{amount} too much", { amount: (-left).toFixed(2) })}`}
      </p>
    </>
  );
}

/** Text edited in place: saved on blur or with Enter. */
function InlineEdit({ label, value, save, isNumber = false }: { label: string; value: string; save: (text: string) => void; isNumber?: boolean }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  function leave() {
    const now = text.trim();
    if (now === value) return setText(value);
    if (now === "") setText(value);
    save(now);
  }
  const common = {
    "aria-label": label,
    value: text,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => setText(event.currentTarget.value),
    onBlur: leave,
    onKeyDown: (event: { key: string; currentTarget: HTMLElement; preventDefault: () => void }) => {
      if (event.key === "Enter") {
        event.preventDefault();
        event.currentTarget.blur();
      }
      if (event.key === "Escape") setText(value);
    },
  };
  return isNumber ? <input type="number" step="0.01" min="0" {...common} /> : <textarea rows={1} dir="auto" {...common} />;
}

function AddForm({ label, add }: { label: string; add: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      className="trip-add"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        add(text.trim());
        setText("");
      }}
    >
      <input type="text" dir="auto" aria-label={label} placeholder={t("Add")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit" className="button">
        {t("Add")}
        <span className="unseen">: {label}</span>
      </button>
    </form>
  );
}

/** The printed form: plain text with boxes to tick by hand. */
function PrintSheet({ title, trip }: { title: string; trip: Trip }) {
  return (
    <div className="print-sheet" dir="auto">
      <h1>{title}</h1>
      {trip.kind === "trip_checklist" &&
        trip.categories.map(({ name, items }, at) => (
          <section key={at}>
            <h2>{name}</h2>
            {items.map((item, number) => (
              <p key={number}>
                {item.done ? "☑" : "☐"} {item.text}
              </p>
            ))}
          </section>
        ))}
      {trip.kind === "trip_itinerary" &&
        trip.days.map(({ title: name, date, parts }, at) => (
          <section key={at}>
            <h2>
              {name} {date}
            </h2>
            {parts.map((part, number) => (
              <p key={number}>{part}</p>
            ))}
          </section>
        ))}
      {trip.kind === "trip_budget" && (
        <table>
          <tbody>
            {trip.lines.map(({ category, amount, note }, at) => (
              <tr key={at}>
                <th scope="row">{category}</th>
                <td>{amount.toFixed(2)}</td>
                <td>{note}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">{t("Total")}</th>
              <td>{trip.total.toFixed(2)}</td>
              <td>{trip.currency}</td>
            </tr>
          </tbody>
        </table>
      )}
    </div>
  );
}
