// Whether the browser has said that it is offline, and the server indeed does not answer.
import { Problem, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";

const LOOK_AGAIN_MILLISECONDS = 3000;

/** A socket does not notice by itself that its line is dead. A server on this machine answers without any network. */
export function useUnreachable(): boolean {
  const [isUnreachable, setUnreachable] = useState(false);
  const was = useRef(false);

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function look() {
      clearTimeout(timer);
      const is = !(await serverAnswers());
      if (isOver) return;
      if (is !== was.current) announce(is ? t("Connection lost. Trying again.") : t("Connected again"));
      was.current = is;
      setUnreachable(is);
      if (is) timer = setTimeout(() => void look(), LOOK_AGAIN_MILLISECONDS);
    }
    const onOffline = () => void look();
    const onOnline = () => was.current && void look();
    addEventListener("offline", onOffline);
    addEventListener("online", onOnline);
    return () => {
      isOver = true;
      clearTimeout(timer);
      removeEventListener("offline", onOffline);
      removeEventListener("online", onOnline);
    };
  }, []);
  return isUnreachable;
}

async function serverAnswers(): Promise<boolean> {
  try {
    await api.session();
    return true;
  } catch (error) {
    return error instanceof Problem && error.document.status !== 0;
  }
}
