// One interaction by its link, made for phones: the card and nothing else.
import { cardMetaOf, decidedAs, type Interaction, isHold, isNotice, locales, Problem, t, titleOf } from "@sayso/core";
import { clock } from "@sayso/cards";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed } from "../frame/Failed.tsx";
import { pageTitle, useNow, useTitle } from "../frame/hooks.ts";
import { type Overview, type PageProps, waitingIn } from "../frame/overview.ts";
import { Link, pathTo } from "../router.tsx";
import { agentName, newsOf } from "../words.ts";
import { fromOutside } from "./askedBy.ts";
import { Attention } from "./Attention.tsx";
import { claimWords } from "./attention.ts";
import { InteractionCard } from "./InteractionCard.tsx";
import { Share } from "./Share.tsx";
import "./one.css";

export function OneInteraction({ id, overview, store }: PageProps & { id: string }) {
  const now = useNow(15_000);
  const [interaction, setInteraction] = useState<Interaction | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [answeredHere, setAnsweredHere] = useState(false);
  const answering = useRef(false);
  const latest = useRef<Interaction | null>(null);
  latest.current = interaction;
  useTitle(pageTitle((interaction !== null && titleOf(interaction)) || t("Your decision is needed"), waitingIn(overview)));

  async function load() {
    try {
      const next = await api.interaction(id);
      const was = latest.current;
      // Once settled it stays settled, even if an older read arrives late.
      if (was !== null && was.status !== "pending" && next.status === "pending") return;
      if (was?.status === "pending" && next.status !== "pending" && !answering.current) {
        announce(`${titleOf(next)} ${decidedAs(next)}`);
      }
      setInteraction(next);
      setProblem(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }
  useEffect(() => {
    void load();
    return store.onHint((chatId) => {
      if (chatId === null || latest.current === null || latest.current.chat_id === chatId) void load();
    });
  }, [id]);

  // A function call, not a component: the heading element stays the same, and so does its focus.
  if (interaction === null) return unread(problem, () => void load());
  const isNews = isNotice(interaction);
  const waits = interaction.status === "pending";
  const claimed = waits ? claimWords(interaction, overview.me, now) : null;
  // What was approved here and has not begun, or was taken back.
  const ofThisCall = waits ? [] : (overview.newest ?? []).filter((row) => row.tool_call_id === interaction.tool_call_id);
  const held = ofThisCall.find(isHold);
  const again = ofThisCall.find((row) => !isHold(row));
  const isForOthers = waits && isForSomebodyElse(interaction, overview);
  return (
    <div className="page narrow one">
      <h2 tabIndex={-1}>{isNews ? t("For your information") : waits ? t("Your decision is needed") : headingOf(interaction, answeredHere)}</h2>
      {isForOthers && (
        <p className="notice">{t("This is for {who} to answer. You can read it.", { who: listed(interaction.assignees) })}</p>
      )}
      {!waits && !answeredHere && !isNews && <p className="quiet">{explained(interaction, overview.me, now)}</p>}
      <div
        className="card-slot"
        id={`card-${id}`}
        tabIndex={-1}
        role="group"
        aria-label={titleOf(interaction) || agentName(interaction.agent_name)}
        {...(waits ? { "data-waits": "" } : {})}
      >
        <fieldset className="one-card" disabled={isForOthers}>
          <InteractionCard
            interaction={interaction}
            now={now}
            me={overview.me}
            onChange={(changed) => {
              setInteraction(changed);
              if (changed.status === "pending") return;
              void store.refresh();
              if (isNews) return;
              setAnsweredHere(true);
              announce(`${titleOf(changed)} ${decidedAs(changed)}. ${nextWords(changed)}`);
            }}
            onAnswering={() => (answering.current = true)}
          />
        </fieldset>
      </div>
      {waits && !isForOthers && !isNews && (
        <div className="row-foot quiet">
          {claimed !== null && <b>{claimed}</b>}
          <Attention interaction={interaction} me={overview.me} now={now} onChange={setInteraction} />
        </div>
      )}
      {held !== undefined && <Held interaction={held} now={now} me={overview.me} refresh={store.refresh} />}
      {!waits && answeredHere && held === undefined && <p>{again === undefined ? nextWords(interaction) : t("Nothing has run: it asks again.")}</p>}
      <nav className="one-ways" aria-label={t("From here")}>
        <Link className="button" to={pathTo.chat(interaction.chat_id)}>
          {waits || isNews ? t("Open the chat") : t("See what the agent does")}
        </Link>
        {!waits && <NextOne overview={overview} here={id} again={again} />}
      </nav>
      {!waits && <Share interaction={interaction} />}
      <p className="quiet">{askedWords(interaction, clock(interaction.created_at, now))}</p>
    </div>
  );
}

function askedWords(interaction: Interaction, at: string): string {
  const how = fromOutside(interaction);
  return how === null ? t("Asked by {agent}, {at}", { agent: agentName(interaction.agent_name), at }) : t("Asked {how}, {at}", { how, at });
}

function unread(problem: Problem | null, again: () => void) {
  if (problem === null) {
    return (
      <div className="page narrow one">
        <h2 tabIndex={-1}>{t("Loading…")}</h2>
        <div className="rows-skeleton" aria-hidden="true">
          <i />
        </div>
      </div>
    );
  }
  const isMissing = problem.document.status === 404;
  return (
    <div className="page narrow one">
      <h2 tabIndex={-1}>{isMissing ? t("There is nothing here") : t("This could not be loaded")}</h2>
      {isMissing ? (
        <>
          <p>{t("The link may be old, or it belongs to another account.")}</p>
          <nav className="one-ways" aria-label={t("From here")}>
            <Link className="button" to={pathTo.inbox}>
              {t("Go to your inbox")}
            </Link>
          </nav>
        </>
      ) : (
        <Failed problem={problem} again={again} />
      )}
    </div>
  );
}

/** What was approved above, until it begins. */
function Held({ interaction, refresh, ...seen }: { interaction: Interaction; now: Date; me: string | undefined; refresh: () => void }) {
  useEffect(() => announce(newsOf(titleOf(interaction), true)), [interaction.interaction_id]);
  return (
    <div className="card-slot">
      <InteractionCard interaction={interaction} {...seen} onChange={refresh} onAnswering={() => undefined} />
    </div>
  );
}

/** A link to the next waiting card. */
function NextOne({ overview, here, again }: { overview: Overview; here: string; again: Interaction | undefined }) {
  const next = again ?? overview.newest?.filter((row) => row.interaction_id !== here && !isHold(row)).at(-1);
  if (next === undefined) return null;
  return (
    <Link className="button" to={pathTo.interaction(next.interaction_id)}>
      {t("Next: {title}", { title: titleOf(next) })}
    </Link>
  );
}

function isForSomebodyElse(interaction: Interaction, { me, role }: Overview): boolean {
  const { assignees } = interaction;
  return role !== undefined && role !== "admin" && assignees.length > 0 && !assignees.includes(me ?? "");
}

function headingOf(interaction: Interaction, answeredHere: boolean): string {
  if (answeredHere) return t("Thank you");
  switch (interaction.status) {
    case "expired":
      return t("The time to answer is over");
    case "completed":
    case "rejected":
      return t("Already answered");
    default:
      return t("No answer is needed any more");
  }
}

/** Explains to someone too late what happened instead. */
function explained(interaction: Interaction, me: string | undefined, now: Date): string {
  const at = interaction.settled_at ? clock(interaction.settled_at, now) : "";
  const who = interaction.settled_by ?? "";
  switch (interaction.status) {
    case "completed":
    case "rejected":
      return who === me ? t("You answered this, {at}.", { at }) : t("{who} answered this, {at}.", { who: who || t("Somebody"), at });
    case "expired":
      return cardMetaOf(interaction.payload).on_expiry?.["action"] === "answer"
        ? t("It expired {at}, and a default answer was used.", { at })
        : t("It expired {at}, and counts as rejected.", { at });
    case "superseded":
      return t("A newer proposal has taken its place.");
    case "cancelled":
      return t("The work that asked for it was stopped.");
    default:
      return t("It was closed without an answer, {at}.", { at });
  }
}

function nextWords(interaction: Interaction): string {
  switch (interaction.status) {
    case "rejected":
      return t("The agent reads your reason and continues from it.");
    case "dismissed":
      return t("Nothing was run. The agent is told that nobody answered.");
    default:
      return t("The agent continues with your answer now. You can close this page.");
  }
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat(locales(), { type: "disjunction" }).format(names);
}
