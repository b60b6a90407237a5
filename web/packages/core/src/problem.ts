// What went wrong, in the server's words (RFC 9457) or in ours: what happened, and what to do.
import { problemWords } from "./said.ts";
import { t } from "./text.ts";
import type { JsonObject } from "./wire/types.ts";

export interface FieldError {
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
  errors?: FieldError[];
  /** With `already_settled`: how it ended. */
  outcome?: JsonObject;
  /** With `stale_digest`: what stands on the card now. */
  digest?: string;
  revision?: number;
}

/** Thrown wherever something was asked of the server and it said no, or could not be reached. */
export class Problem extends Error {
  override readonly name = "Problem";
  constructor(readonly document: ProblemDocument) {
    super(document.detail);
  }

  get code(): string {
    return this.document.code;
  }

  get title(): string {
    return problemWords(this.code)?.title ?? this.document.title;
  }

  get detail(): string {
    return problemWords(this.code)?.detail ?? this.document.detail;
  }

  /** What to do. In another language the code says that as well, and what the server said of the case at hand may follow. */
  get fix(): string {
    const words = problemWords(this.code);
    if (words === null) return this.document.fix ?? "";
    return words.andTheServers === true ? this.document.detail : "";
  }

  /** What does not fit, field by field. */
  get errors(): readonly FieldError[] {
    return this.document.errors ?? [];
  }

  /** The message that belongs to a field, if one does. */
  errorAt(path: string): string | undefined {
    return this.errors.find((error) => error.path === path)?.message;
  }
}

/** The server did not answer. Nothing is known of what it did. */
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
