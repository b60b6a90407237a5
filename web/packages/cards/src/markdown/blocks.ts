// Markdown as a list of blocks, where text that grows changes only the last ones.
import { Marked, type Token, type Tokens } from "marked";

export interface Block {
  /** The block's own source: what is equal is not drawn again. */
  raw: string;
  html: string;
  isTable: boolean;
}

interface Cut {
  text: string;
  blocks: Block[];
  /** Where the last block begins: everything before it is settled. */
  settledChars: number;
  settledBlocks: number;
}

export const NOTHING: Cut = { text: "", blocks: [], settledChars: 0, settledBlocks: 0 };

const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;
/** The page's headings end at h3 (a card's title), so a message's begin below; many begin with their second depth. */
const levelOf = (depth: number) => Math.min(6, Math.max(4, depth + 2));

const markdown = new Marked({
  gfm: true,
  renderer: {
    // Raw HTML is shown as the text it is: nothing a model writes can look like a card.
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return escaped(text);
    },
    heading({ tokens, depth }: Tokens.Heading) {
      const level = levelOf(depth);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // A picture would be fetched from wherever the model says, and tell that place what was read.
    image({ text }: Tokens.Image) {
      const words = text.replace(/[*_`~]/g, "").trim();
      return `<em>${escaped(words === "" ? "picture" : `picture: ${words}`)}</em>`;
    },
    link({ href, tokens }: Tokens.Link) {
      const words = this.parser.parseInline(tokens);
      const to = href.trim();
      if (!SAFE_LINK.test(to)) return words;
      return `<a href="${escaped(to)}" target="_blank" rel="noopener noreferrer">${words}</a>`;
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

/** The blocks of `text`. With `before` (the cut of an earlier, shorter text) only the unsettled end is read again. */
export function cut(text: string, before: Cut = NOTHING): Cut {
  const grows = text.startsWith(before.text) && before.settledChars > 0;
  const start = grows ? before.settledChars : 0;
  const kept = grows ? before.blocks.slice(0, before.settledBlocks) : [];
  const tokens = markdown.lexer(text.slice(start));
  const blocks: Block[] = [...kept];
  let at = start;
  let settled = { chars: start, blocks: kept.length };
  for (const token of tokens) {
    if (token.type !== "space" && token.type !== "def") {
      settled = { chars: at, blocks: blocks.length };
      blocks.push({ raw: token.raw, html: rendered(token), isTable: token.type === "table" });
    }
    at += token.raw.length;
  }
  // marked turns CRLF and tabs into other characters; then the places do not add up and nothing counts as settled.
  if (at !== text.length) settled = { chars: 0, blocks: 0 };
  return { text, blocks, settledChars: settled.chars, settledBlocks: settled.blocks };
}

function rendered(token: Token): string {
  return markdown.parser([token]);
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
