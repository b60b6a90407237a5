// Renders Markdown as React elements. No HTML is ever parsed, so there is none to sanitize: what a model writes can only
// become text in a paragraph, a list, a table or a safe link.
import { t } from "@sayso/core";
import type { MarkedToken, Token, Tokens } from "marked";
import type { ReactNode } from "react";

const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;
/** The page uses h1 to h3 (a card's title), so a message's headings start below; many messages start with `##`. */
const HEADINGS = ["h4", "h4", "h5", "h6"] as const;

export function blockOf(token: Token): ReactNode {
  const known = token as MarkedToken;
  switch (known.type) {
    case "heading": {
      const Heading = HEADINGS[Math.min(known.depth, HEADINGS.length) - 1] ?? "h6";
      return <Heading>{inline(known.tokens)}</Heading>;
    }
    case "paragraph":
      return <p>{inline(known.tokens)}</p>;
    case "text":
      return known.tokens === undefined ? plain(known.text) : inline(known.tokens);
    case "blockquote":
      return <blockquote>{known.tokens.map(keyed)}</blockquote>;
    case "code":
      return (
        <pre>
          <code>{known.text}</code>
        </pre>
      );
    case "list":
      return list(known);
    case "table":
      return table(known);
    case "hr":
      return <hr />;
    case "html":
      // Raw HTML is shown as text: nothing a model writes can look like a card.
      return <p>{known.text}</p>;
    case "space":
    case "def":
      return null;
    default:
      return inlineOf(known);
  }
}

function list({ ordered, start, items, loose }: Tokens.List): ReactNode {
  const drawn = items.map((item, i) => (
    <li key={i}>
      {item.task && (item.checked ? "☑ " : "☐ ")}
      {item.tokens.map((token, j) => (isCheckbox(token) ? null : <Part key={j} token={token} tight={!loose} />))}
    </li>
  ));
  return ordered ? <ol {...(start === "" || start === 1 ? {} : { start })}>{drawn}</ol> : <ul>{drawn}</ul>;
}

/** A loose list item has paragraphs; a tight one has plain text. */
function Part({ token, tight }: { token: Token; tight: boolean }) {
  const drawn = blockOf(token);
  return <>{!tight && token.type === "text" ? <p>{drawn}</p> : drawn}</>;
}

function isCheckbox(token: Token): boolean {
  return (token.type as string) === "checkbox";
}

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, i) => (
            <th key={i} scope="col" {...align(cell)}>
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, j) => (
              <td key={j} {...align(cell)}>
                {inline(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function align({ align }: Tokens.TableCell): { "data-align"?: string } {
  return align === null || align === "left" ? {} : { "data-align": align };
}

function inline(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, i) => <Inline key={i} token={token} />);
}

function Inline({ token }: { token: Token }) {
  return <>{inlineOf(token as MarkedToken)}</>;
}

function inlineOf(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token);
    case "image":
      // An image would be fetched from an address the model chose, which could leak what was read.
      return <em>{picture(token.text.replace(/[*_`~]/g, "").trim())}</em>;
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : plain(token.text);
    case "escape":
      return token.text;
    default:
      return token.raw;
  }
}

function picture(words: string): string {
  return words === "" ? t("picture") : `${t("picture")}: ${words}`;
}

/** Link text that looks like a URL, or that contains invisible or bidi characters. */
const MAY_MISLEAD = /^\s*(?:https?:|www\.|[\w-]+(?:\.[\w-]+)+)|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/i;
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function link({ href, text, tokens }: Tokens.Link): ReactNode {
  const to = href.trim();
  if (!SAFE_LINK.test(to) || !URL.canParse(to)) return inline(tokens);
  const { host } = new URL(to);
  const words = text.replace(HIDDEN, "");
  // The text may name another place than the target; then the true URL is shown beside it.
  const misleads = host !== "" && MAY_MISLEAD.test(text) && hostIn(words) !== host;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {misleads ? `${words} (${host})` : inline(tokens)}
    </a>
  );
}

function hostIn(words: string): string {
  const address = /^https?:/i.test(words) ? words.trim() : `https://${words.trim()}`;
  return URL.canParse(address) ? new URL(address).host : "";
}

function keyed(token: Token, i: number): ReactNode {
  return <Block key={i} token={token} />;
}

export function Block({ token }: { token: Token }) {
  return <>{blockOf(token)}</>;
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decode the few entities of a text to characters; the result stays text. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
