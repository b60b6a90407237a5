// Maps URLs to views. The server serves the same page for all of them.
import { type ReactNode, useSyncExternalStore } from "react";
import { home } from "./home.ts";

export type Route =
  | { view: "welcome" }
  | { view: "chat"; id: string }
  | { view: "inbox" }
  | { view: "history" }
  | { view: "admin" }
  | { view: "preferences" }
  | { view: "interaction"; id: string }
  | { view: "missing" };

/** Views without a parameter. */
const PLACES = ["inbox", "history", "admin", "preferences"] as const;
const isPlace = (name: string): name is (typeof PLACES)[number] => (PLACES as readonly string[]).includes(name);

export function routeOf(path: string): Route {
  const [, first = "", id = "", ...rest] = path.slice(home.length - 1).replace(/\/+$/, "").split("/").map(decoded);
  if (rest.length > 0) return { view: "missing" };
  if (first === "" && id === "") return { view: "welcome" };
  if (isPlace(first) && id === "") return { view: first };
  if (first === "chats" && id !== "") return { view: "chat", id };
  if (first === "i" && id !== "") return { view: "interaction", id };
  return { view: "missing" };
}

export const pathTo = {
  welcome: home,
  inbox: `${home}inbox`,
  history: `${home}history`,
  admin: `${home}admin`,
  preferences: `${home}preferences`,
  chat: (id: string) => `${home}chats/${encodeURIComponent(id)}`,
  interaction: (id: string) => `${home}i/${encodeURIComponent(id)}`,
};

const listeners = new Set<() => void>();
const notifyAll = () => listeners.forEach((notify) => notify());

/** `path` may have a query, which does not affect the view. */
export function navigate(path: string): void {
  if (path !== location.pathname + location.search) history.pushState(null, "", path);
  notifyAll();
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

function subscribe(notify: () => void): () => void {
  if (listeners.size === 0) addEventListener("popstate", notifyAll);
  listeners.add(notify);
  return () => {
    listeners.delete(notify);
    if (listeners.size === 0) removeEventListener("popstate", notifyAll);
  };
}

interface LinkProps {
  to: string;
  className?: string;
  current?: boolean;
  onFollow?: () => void;
  children: ReactNode;
}

/** A client-side link; with a modifier key the browser handles it. */
export function Link({ to, className, current, onFollow, children }: LinkProps) {
  return (
    <a
      href={to}
      {...(className === undefined ? {} : { className })}
      {...(current ? { "aria-current": "page" as const } : {})}
      onClick={(event) => {
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        onFollow?.();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
