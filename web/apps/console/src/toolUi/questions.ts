// What an app asks of the person: read and checked, before anybody is shown it.
import { isObject, type JsonObject, type JsonValue } from "@sayso/core";

export type Question =
  | { kind: "message"; text: string }
  | { kind: "link"; url: URL }
  | { kind: "files"; files: readonly NamedFile[] };

export interface NamedFile {
  name: string;
  /** Null where it is still to be read from its server. */
  bytes: Uint8Array<ArrayBuffer> | null;
  uri: string;
}

const LONGEST_MESSAGE = 20_000;
const LONGEST_NOTE = 16_000;
const LONGEST_ADDRESS = 2_000;
const MOST_FILES = 10;
export const LARGEST_FILE = 10 * 1024 * 1024;

/** The words of `ui/message`: text of the person's, and nothing else. */
export function messageIn({ role, content }: JsonObject): Question | null {
  const text = role === "user" ? textOf(content) : null;
  return text === null || text.trim() === "" || text.length > LONGEST_MESSAGE ? null : { kind: "message", text };
}

/** What `ui/update-model-context` says in text; empty where nothing is noted any more, null where it cannot be taken. */
export function noteIn({ content, structuredContent }: JsonObject): string | null {
  const said = content === undefined ? "" : textOf(content);
  if (said === null) return null;
  const data = isObject(structuredContent) && Object.keys(structuredContent).length > 0 ? JSON.stringify(structuredContent) : "";
  const note = [said, data].filter((part) => part !== "").join("\n");
  return note.length > LONGEST_NOTE ? null : note;
}

/** The address of `ui/open-link`: a page of the web, with nobody's name before its host. */
export function linkIn({ url }: JsonObject): Question | null {
  if (typeof url !== "string" || url.length > LONGEST_ADDRESS || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  const isPage = parsed.protocol === "https:" || parsed.protocol === "http:";
  return isPage && parsed.username === "" && parsed.password === "" ? { kind: "link", url: parsed } : null;
}

export function filesIn({ contents }: JsonObject): Question | null {
  if (!Array.isArray(contents) || contents.length === 0 || contents.length > MOST_FILES) return null;
  const files = contents.map(fileIn);
  return files.every((file) => file !== null) ? { kind: "files", files } : null;
}

function fileIn(content: JsonValue): NamedFile | null {
  if (!isObject(content)) return null;
  if (content["type"] === "resource_link") {
    const { uri, name } = content;
    return typeof uri === "string" ? { name: fileName(typeof name === "string" ? name : uri), bytes: null, uri } : null;
  }
  const { resource } = content;
  if (content["type"] !== "resource" || !isObject(resource) || typeof resource["uri"] !== "string") return null;
  const bytes = bytesOf(resource);
  return bytes === null ? null : { name: fileName(resource["uri"]), bytes, uri: resource["uri"] };
}

/** The bytes of a resource, text or base64; null where there are none, or too many. */
export function bytesOf({ text, blob }: JsonObject): Uint8Array<ArrayBuffer> | null {
  if (typeof text === "string") return text.length > LARGEST_FILE ? null : new TextEncoder().encode(text);
  if (typeof blob !== "string" || blob.length > LARGEST_FILE * 1.4) return null;
  try {
    return Uint8Array.from(atob(blob), (one) => one.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The last part of a path as a name of a file, which leads nowhere and hides nothing. */
export function fileName(path: string): string {
  const last = path.split(/[/\\]/).at(-1) ?? "";
  let whole = last;
  try {
    whole = decodeURIComponent(last);
  } catch {
    // It is no address: the name is as it stands.
  }
  const name = whole
    .replace(/[/\\:*?"<>|\p{C}]/gu, "_")
    .replace(/^[.\s]+/, "")
    .slice(-100)
    .trim();
  return name === "" ? "file" : name;
}

/** The text of content blocks; null where one of them is something else. */
function textOf(content: JsonValue | undefined): string | null {
  const blocks = Array.isArray(content) ? content : [content ?? null];
  const texts = blocks.map((block) => (isObject(block) && block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : null));
  return texts.some((text) => text === null) ? null : texts.join("\n");
}
