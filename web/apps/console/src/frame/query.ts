// Keeps the filters of a list in the URL, so that reload, back and links preserve them.
import { useEffect, useState } from "react";

export type Query = Readonly<Record<string, string>>;
/** An empty string removes a parameter. */
export type SetQuery = (patch: Record<string, string>) => void;

export function useQuery(): [Query, SetQuery] {
  const [query, setQuery] = useState(read);
  useEffect(() => {
    const back = () => setQuery(read());
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const set: SetQuery = (patch) => {
    const next = Object.fromEntries(Object.entries({ ...read(), ...patch }).filter(([, value]) => value !== ""));
    const search = new URLSearchParams(next).toString();
    // Replace, so that back leaves the list rather than undoing each keystroke.
    history.replaceState(null, "", search === "" ? location.pathname : `${location.pathname}?${search}`);
    setQuery(next);
  };
  return [query, set];
}

function read(): Query {
  return Object.fromEntries(new URLSearchParams(location.search));
}
