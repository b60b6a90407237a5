// One of several, each a card of its own to press, with what it means.
import { useId } from "react";
import type { Held } from "../focus.ts";
import type { Option } from "../wire.ts";

interface Props {
  legend: string;
  /** The card's heading already asks; the legend stays for those who listen. */
  legendHidden: boolean;
  options: Option[];
  chosen: string;
  onChoose: (id: string) => void;
  error?: string | undefined;
  firstInput?: Held<HTMLInputElement>;
}

export function OptionList({ legend, legendHidden, options, chosen, onChoose, error, firstInput }: Props) {
  const id = useId();
  return (
    <fieldset className="sy-options" {...(error === undefined ? {} : { "aria-describedby": `${id}-error` })}>
      <legend className={legendHidden ? "sy-hidden" : "sy-label"}>{legend}</legend>
      {error !== undefined && <p className="sy-error" id={`${id}-error`}>{error}</p>}
      {options.map((option, i) => (
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
            {option.description != null && <span className="sy-help"><bdi>{option.description}</bdi></span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
