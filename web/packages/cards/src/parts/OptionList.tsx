// A list of options as radio buttons with descriptions; a long list can be searched.
import { t } from "@sayso/core";
import { useId, useState } from "react";
import type { MutableRef } from "../focus.ts";
import type { Option } from "../wire.ts";

interface Props {
  legend: string;
  /** Hide the legend visually: the card's heading already asks. */
  legendHidden: boolean;
  options: Option[];
  chosen: string;
  /** What this person chose when they were last asked the same. */
  last?: string | undefined;
  onChoose: (id: string) => void;
  error?: string | undefined;
  firstInput?: MutableRef<HTMLInputElement>;
}

/** A longer list gets a search field. */
const MANY = 8;

export function OptionList({ legend, legendHidden, options, chosen, last, onChoose, error, firstInput }: Props) {
  const id = useId();
  const [sought, setSought] = useState("");
  const isLong = options.length > MANY;
  const words = sought.trim().toLowerCase();
  // The chosen option stays visible, whatever the search.
  const shown = options.filter(
    ({ id: own, label, description }) => own === chosen || `${label} ${description ?? ""}`.toLowerCase().includes(words),
  );
  return (
    <fieldset className="sy-options" {...(error === undefined ? {} : { "aria-describedby": `${id}-error` })}>
      <legend className={legendHidden ? "sy-hidden" : "sy-label"}>{legend}</legend>
      {error !== undefined && <p className="sy-error" id={`${id}-error`}>{error}</p>}
      {isLong && (
        <div className="sy-field">
          <label className="sy-label" htmlFor={`${id}-sought`}>{t("Find an option")}</label>
          <input
            id={`${id}-sought`}
            className="sy-input"
            type="search"
            dir="auto"
            autoComplete="off"
            value={sought}
            onChange={(event) => setSought(event.currentTarget.value)}
            onKeyDown={(event) => {
              // Enter searches; it does not submit.
              if (event.key === "Enter") event.preventDefault();
            }}
          />
          <p className="sy-help" role="status">{t("{shown} of {n} options", { shown: shown.length, n: options.length })}</p>
        </div>
      )}
      <div className={isLong ? "sy-option-list" : "sy-option-cards"}>
        {shown.map((option, i) => (
          <label className="sy-option" key={option.id}>
            <input
              type="radio"
              name={id}
              checked={chosen === option.id}
              onChange={() => onChoose(option.id)}
              {...(error === undefined ? {} : { "aria-invalid": true, "aria-describedby": `${id}-error` })}
              {...(i === 0 && firstInput !== undefined ? { ref: firstInput } : {})}
            />
            <span>
              <b><bdi>{option.label}</bdi></b>
              {option.id === last && <>{" "}<span className="sy-last">{t("Your last answer")}</span></>}
              {option.description != null && <span className="sy-help"><bdi>{option.description}</bdi></span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
