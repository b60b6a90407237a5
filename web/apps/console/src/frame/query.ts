// What a list is filtered by stands in the address, so that a reload, the way back and a link keep it.
import { useEffect, useState } from "react";

export type Query = Readonly<Record<string, string>>;
/** An empty text takes a name away. */
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
    // The way back leads out of the list, not through every letter that was typed.
    history.replaceState(null, "", search === "" ? location.pathname : `${location.pathname}?${search}`);
    setQuery(next);
  };
  return [query, set];
}

function read(): Query {
  return Object.fromEntries(new URLSearchParams(location.search));
}
