// Markdown as a list of blocks, where text that grows changes only the last ones.
import { Lexer, type Token } from "marked";

export interface MarkdownBlock {
  /** The block's own source: what is equal is not drawn again. */
  raw: string;
  token: Token;
}

export interface Cut {
  text: string;
  blocks: MarkdownBlock[];
  /** Where the last block begins: everything before it is settled. */
  settledChars: number;
  settledBlocks: number;
}

export const NOTHING: Cut = { text: "", blocks: [], settledChars: 0, settledBlocks: 0 };

/** The blocks of `text`. With `before` (the cut of an earlier, shorter text) only the unsettled end is read again. */
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
  // marked turns CRLF and tabs into other characters; then the places do not add up and nothing counts as settled.
  if (at !== text.length) settled = { chars: 0, blocks: 0 };
  return { text, blocks, settledChars: settled.chars, settledBlocks: settled.blocks };
}
