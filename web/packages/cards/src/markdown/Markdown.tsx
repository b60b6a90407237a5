// What an agent writes, made safe: no scripts, nothing fetched, nothing that looks like a card.
import { t } from "@sayso/core";
import { memo, useRef } from "react";
import { useLater } from "../later.ts";
import type { MarkdownBlock } from "./blocks.ts";
import { Block } from "./elements.tsx";
import { reader } from "./reader.ts";

interface Props {
  text: string;
  /** More is still coming: settled blocks stay as they are, and only the last is drawn anew. */
  streaming?: boolean;
}

export function Markdown(props: Props) {
  const loaded = useLater(reader);
  if (loaded.is === "there") return <Read {...props} blocks={loaded.it} />;
  return (
    <div className="sy-md" lang="" {...(props.streaming === true ? { "data-streaming": true } : {})}>
      <p className="sy-text" dir="auto">{props.text}</p>
    </div>
  );
}

function Read({ text, streaming = false, blocks: { cut, NOTHING } }: Props & { blocks: typeof import("./blocks.ts") }) {
  const last = useRef(NOTHING);
  // The finished text is read once from its start, since a later line can be what an earlier link refers to.
  last.current = last.current.text === text && streaming ? last.current : cut(text, streaming ? last.current : NOTHING);
  return (
    <div className="sy-md" lang="" {...(streaming ? { "data-streaming": true } : {})}>
      {last.current.blocks.map(({ raw, token }, i) => (
        <BlockView key={i} raw={raw} token={token} tableLabel={t("Table")} />
      ))}
    </div>
  );
}

const BlockView = memo(
  function BlockView({ token, tableLabel }: MarkdownBlock & { tableLabel: string }) {
    // A wide table scrolls in a place of its own, which the keyboard reaches.
    return token.type === "table" ? (
      <div className="sy-scroll" role="group" aria-label={tableLabel} tabIndex={0} dir="auto">
        <Block token={token} />
      </div>
    ) : (
      <div dir="auto">
        <Block token={token} />
      </div>
    );
  },
  // The same source is the same block, but for links that refer to a line which came later.
  (a, b) => a.raw === b.raw && a.tableLabel === b.tableLabel && (a.token === b.token || !a.raw.includes("[")),
);
