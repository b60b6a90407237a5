// The filter fields of a list, which fold where they would crowd it.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";

const REST_MILLISECONDS = 250;

/** `label` names the group and the button that opens it on a small screen. */
export function Picks({ label, isUsed, children }: { label: string; isUsed: boolean; children: ReactNode }) {
  const id = useId();
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <div className="picks-frame" data-open={isOpen ? "" : undefined}>
      <button type="button" className="pill picks-button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      <div className="picks" id={id} role="group" aria-label={label}>
        {children}
      </div>
    </div>
  );
}

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A search field that reports its text after a pause in typing or on blur; `known` are offered while one writes. */
export function Search({ label, value, onChange, known = [] }: Props & { known?: readonly string[] }) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  /** The last value exchanged with the parent: only a different one replaces the text. */
  const passed = useRef(value);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(resting.current), []);
  useEffect(() => {
    if (value === passed.current) return;
    clearTimeout(resting.current);
    passed.current = value;
    setTyped(value);
  }, [value]);

  function type(words: string) {
    setTyped(words);
    clearTimeout(resting.current);
    resting.current = setTimeout(() => pass(words), REST_MILLISECONDS);
  }

  function pass(words: string) {
    clearTimeout(resting.current);
    if (words.trim() === passed.current) return;
    passed.current = words.trim();
    onChange(passed.current);
  }

  return (
    <div className="pick grow">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        autoComplete="off"
        {...(known.length > 0 ? { list: `${id}-known` } : {})}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => pass(typed)}
        onKeyDown={(event) => {
          if (event.key === "Enter") pass(typed);
        }}
      />
      {known.length > 0 && (
        <datalist id={`${id}-known`}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </div>
  );
}

interface ChoiceProps extends Props {
  options: readonly (readonly [value: string, words: string])[];
}

export function Choice({ label, value, onChange, options }: ChoiceProps) {
  const id = useId();
  return (
    <div className="pick">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
