// For servers that ask who is there: an access token, which may be pasted, becomes a session of this browser.
import { type FormEvent, useState } from "react";
import { messages as texts } from "../messages.ts";

export function SignIn() {
  const [problem, setProblem] = useState("");
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get("token");
    const response = await fetch("/api/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    }).catch(() => null);
    if (response?.ok) return location.reload();
    const said = (await response?.json().catch(() => null)) as { detail?: string } | null | undefined;
    setProblem(said?.detail ?? texts.problem.unknown);
  }
  return (
    <main className="page narrow" id="main">
      <h1>{texts.signIn.title}</h1>
      <p>{texts.signIn.lead}</p>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <label htmlFor="token">{texts.signIn.token}</label>
        <input
          id="token"
          name="token"
          type="password"
          autoComplete="current-password"
          required
          aria-invalid={problem !== ""}
          aria-describedby="token-problem"
        />
        <p className="composer-error" id="token-problem">
          {problem}
        </p>
        <button className="button go">{texts.signIn.submit}</button>
      </form>
    </main>
  );
}
