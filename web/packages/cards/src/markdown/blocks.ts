// Splits Markdown into blocks, so that streaming text changes only the last ones.
import { Lexer, type Token } from "marked";

export interface MarkdownBlock {
  /** The block's source; an equal block is not rendered again. */
  raw: string;
  token: Token;
}

export interface Cut {
  text: string;
  blocks: MarkdownBlock[];
  /** Where the last block begins: everything before it is final. */
  settledChars: number;
  settledBlocks: number;
}

export const NOTHING: Cut = { text: "", blocks: [], settledChars: 0, settledBlocks: 0 };

/** Split `text` into blocks. Given the result for a shorter prefix, only the unfinished end is parsed again. */
export function cut(text: string, before: Cut = NOTHING): Cut {
  const grows = text.startsWith(before.text) && before.settledChars > 0;
  const start = grows ? before.settledChars : 0;
  const kept = grows ? before.blocks.slice(0, before.settledBlocks) : [];
  const tokens = new Lexer({ gfm: true }).lex(text.slice(start));
  const blocks: MarkdownBlock[] = [...kept];
  let at = start;
  let settled = { chars: start, blocks: kept.length };
  for (const token of tokens) {
    if (token.type !== "space" && token.type !== "def") {
      settled = { chars: at, blocks: blocks.length };
      blocks.push({ raw: token.raw, token });
    }
    at += token.raw.length;
  }
  // marked normalizes CRLF and tabs; then offsets do not match and nothing counts as final.
  if (at !== text.length) settled = { chars: 0, blocks: 0 };
  return { text, blocks, settledChars: settled.chars, settledBlocks: settled.blocks };
}
