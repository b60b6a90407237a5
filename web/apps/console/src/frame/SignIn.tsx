// Sign-in for servers with tokens: an access token, which may be pasted, becomes a session of this browser.
import { t } from "@sayso/core";
import { type FormEvent, useState } from "react";
import { addressOf } from "../browser.ts";
import { unknownProblem } from "../words.ts";

export function SignIn() {
  const [problem, setProblem] = useState("");
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    const response = await fetch(addressOf("/api/session"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    }).catch(() => null);
    if (response?.ok) return location.reload();
    const refusal = (await response?.json().catch(() => null)) as { detail?: string } | null | undefined;
    setProblem(refusal?.detail ?? unknownProblem());
  }
  return (
    <main className="page narrow" id="main">
      <h1>{t("Sign in")}</h1>
      <p>{t("This server asks for your access token.")}</p>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <label htmlFor="token">{t("Access token")}</label>
        <input
          id="token"
          name="token"
          type="password"
          autoComplete="current-password"
          required
          aria-invalid={problem !== ""}
          aria-describedby="token-problem"
        />
        <p className="composer-error" id="token-problem" role="alert">
          {problem}
        </p>
        <button className="button go">{t("Sign in")}</button>
      </form>
    </main>
  );
}
