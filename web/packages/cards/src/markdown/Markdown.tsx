// What an agent writes, made safe: no scripts, nothing fetched, nothing that looks like a card.
import DOMPurify from "dompurify";
import { memo, useRef } from "react";
import { cut, NOTHING, type Block } from "./blocks.ts";

interface Props {
  text: string;
  /** More is still coming: settled blocks stay as they are, and only the last is drawn anew. */
  streaming?: boolean;
}

export function Markdown({ text, streaming = false }: Props) {
  const last = useRef(NOTHING);
  // The finished text is read once from its start, since a later line can be what an earlier link refers to.
  last.current = last.current.text === text && streaming ? last.current : cut(text, streaming ? last.current : NOTHING);
  return (
    <div className="sy-md" {...(streaming ? { "data-streaming": true } : {})}>
      {last.current.blocks.map((block, i) => (
        <BlockView key={i} raw={block.raw} html={block.html} isTable={block.isTable} />
      ))}
    </div>
  );
}

const BlockView = memo(function BlockView({ html, isTable }: Block) {
  const clean = { __html: sanitised(html) };
  // A wide table scrolls in a place of its own, which the keyboard reaches.
  return isTable ? (
    <div className="sy-scroll" role="group" aria-label="Table" tabIndex={0} dir="auto" dangerouslySetInnerHTML={clean} />
  ) : (
    <div dir="auto" dangerouslySetInnerHTML={clean} />
  );
}, (a, b) => a.html === b.html);

const TAGS = [
  ...["p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "h4", "h5", "h6", "a"],
  ...["table", "thead", "tbody", "tr", "th", "td"],
];

function sanitised(html: string): string {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "target", "rel", "align", "start"],
    ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
    // The expression above is about addresses; these hold none.
    ADD_URI_SAFE_ATTR: ["target", "rel", "align", "start"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}
