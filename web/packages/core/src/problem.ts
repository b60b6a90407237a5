// What went wrong (an RFC 9457 problem, or the lack of an answer): what happened and what to do about it.
import { type Coded, messageText, problemText } from "./messages.ts";
import { t } from "./text.ts";
import type { JsonObject } from "./wire/types.ts";

export interface FieldError extends Coded {
  path: string;
  message: string;
}

/** A problem document. `code` is stable; everything else is for people. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  fix?: string;
  code: string;
  /** What says the detail in other languages, with its parameters. */
  detail_code?: string;
  params?: JsonObject;
  errors?: FieldError[];
  /** With `already_settled`: how it was settled. */
  outcome?: JsonObject;
  /** With `stale_digest`: what the card shows now. */
  digest?: string;
  revision?: number;
}

/** Thrown when the server refuses a request or cannot be reached. */
export class Problem extends Error {
  override readonly name = "Problem";
  constructor(readonly document: ProblemDocument) {
    super(document.detail);
  }

  get code(): string {
    return this.document.code;
  }

  get title(): string {
    return problemText(this.code)?.title ?? this.document.title;
  }

  get detail(): string {
    return this.own ?? problemText(this.code)?.text ?? this.document.detail;
  }

  /** What to do. In another language the code says that as well, and what the server said of the case at hand may follow. */
  get fix(): string {
    const known = problemText(this.code);
    if (known === null) return this.document.fix ?? "";
    if (this.own !== undefined) return known.text;
    return known.saysMore ? this.document.detail : "";
  }

  /** What happened, if this language can say just that. */
  private get own(): string | undefined {
    const { detail, detail_code: code, params } = this.document;
    const said = code === undefined ? detail : messageText({ code, params: params ?? null }, detail);
    return said === detail ? undefined : said;
  }

  /** What does not fit, field by field. */
  get errors(): readonly FieldError[] {
    return fieldErrors(this.document.errors);
  }

  /** The message that belongs to a field, if one does. */
  errorAt(path: string): string | undefined {
    return this.errors.find((error) => error.path === path)?.message;
  }
}

/** Return mistakes in the reader's language, where their codes are known. */
export function fieldErrors(errors: readonly FieldError[] | null | undefined): FieldError[] {
  return (errors ?? []).map((error) => ({ ...error, message: messageText(error, error.message) }));
}

/** The server did not answer; whether it did anything is unknown. */
export function unreachable(detail = t("The server could not be reached.")): Problem {
  return new Problem({
    type: "about:blank",
    title: t("No connection"),
    status: 0,
    code: "unreachable",
    detail,
    fix: t("What you wrote is kept. Try again when you are connected."),
  });
}
