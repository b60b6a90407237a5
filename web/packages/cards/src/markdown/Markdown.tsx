// Renders what an agent writes safely: no scripts, nothing fetched, nothing that looks like a card.
import { t } from "@sayso/core";
import { memo, useRef } from "react";
import { useLazy } from "../useLazy.ts";
import type { MarkdownBlock } from "./blocks.ts";
import { Block } from "./elements.tsx";
import { reader } from "./reader.ts";

interface Props {
  text: string;
  /** More is coming: finished blocks stay, only the last is rendered again. */
  streaming?: boolean;
}

export function Markdown(props: Props) {
  const loaded = useLazy(reader);
  if (loaded.is === "loaded") return <Read {...props} blocks={loaded.value} />;
  return (
    <div className="sy-md" lang="" {...(props.streaming === true ? { "data-streaming": true } : {})}>
      <p className="sy-text" dir="auto">{props.text}</p>
    </div>
  );
}

function Read({ text, streaming = false, blocks: { cut, NOTHING } }: Props & { blocks: typeof import("./blocks.ts") }) {
  const last = useRef(NOTHING);
  // Parse the finished text once from the start, since a later line may define an earlier link reference.
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
    // A wide table scrolls in its own focusable container.
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
  // Equal source means an equal block, except for link references defined later.
  (a, b) => a.raw === b.raw && a.tableLabel === b.tableLabel && (a.token === b.token || !a.raw.includes("[")),
);
