// Who is looking at a card and when it comes back: said of a row, and changed by a press or a key.
import { clock } from "@sayso/cards";
import { type Interaction, t } from "@sayso/core";
import { api } from "../browser.ts";

const HOUR = 3600 * 1000;

export function isSnoozed({ status, snoozed_until }: Interaction, now: Date): boolean {
  return status === "pending" && snoozed_until != null && new Date(snoozed_until) > now;
}

/** The claim, while it holds. */
export function claimOf({ claim }: Interaction, now: Date): NonNullable<Interaction["claim"]> | null {
  return claim != null && new Date(claim.until) > now ? claim : null;
}

/** "Kim is looking at it until 14:30", "Kim handed it to you: “You know her”"; null where nobody has claimed it. */
export function claimWords(interaction: Interaction, me: string | undefined, now: Date): string | null {
  const claim = claimOf(interaction, now);
  if (claim === null) return null;
  const { person, by, note } = claim;
  const said =
    person === by
      ? person === me
        ? t("you are looking at it until {at}", { at: clock(claim.until, now) })
        : t("{who} is looking at it until {at}", { who: person, at: clock(claim.until, now) })
      : person === me
        ? t("{who} handed it to you", { who: by })
        : t("handed to {who}", { who: person });
  return note === "" ? said : t("{said}: “{note}”", { said, note });
}

/** Claim it, take it over, or end one's own claim. */
export async function toggleClaim(interaction: Interaction, me: string | undefined, now: Date): Promise<Interaction> {
  const id = interaction.interaction_id;
  if (claimOf(interaction, now)?.person !== me) return api.claim(id, { take_over: true });
  await api.release(id);
  return { ...interaction, claim: null };
}

export function snooze(interaction: Interaction, until: Date): Promise<Interaction> {
  return api.snooze(interaction.interaction_id, until);
}

export async function haveBack(interaction: Interaction): Promise<Interaction> {
  await api.unsnooze(interaction.interaction_id);
  return { ...interaction, snoozed_until: null };
}

export function inAnHour(now: Date): Date {
  return new Date(now.getTime() + HOUR);
}

/** Nine o'clock, so many days from now, where the reader is. */
export function morning(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
}
