// What a card rests on: images are drawn, other files are for download, links are shown whole and nobody but the reader opens them.
import { t } from "@sayso/core";
import { useEffect, useState } from "react";
import type { CardProps } from "../card.ts";
import { saveFile } from "../saveFile.ts";
import type { Attached } from "../wire.ts";
import { exact } from "../words.ts";

type AttachedFile = Extract<Attached, { kind: "file" }>;
type Load = NonNullable<CardProps["loadFile"]>;

/** What a browser draws and cannot run. The server says what a file is by its bytes. */
const DRAWN: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function Attachments({ card }: { card: CardProps<unknown> }) {
  const { attachments } = card.tool.payload as { attachments?: readonly Attached[] };
  if (attachments === undefined || attachments.length === 0) return null;
  return (
    <section className="sy-attachments">
      <h4>{t("Attachments")}</h4>
      <ul>
        {attachments.map((one, at) => (
          <li key={at}>{one.kind === "link" ? <Address url={one.url} /> : <FileView file={one} load={card.loadFile} />}</li>
        ))}
      </ul>
    </section>
  );
}

function Address({ url }: { url: string }) {
  const words = <bdi>{exact(url)}</bdi>;
  if (!/^https?:/i.test(url)) return words;
  return <a href={url} target="_blank" rel="noopener noreferrer">{words}</a>;
}

function FileView({ file, load }: { file: AttachedFile; load: Load | undefined }) {
  const [problem, setProblem] = useState("");
  const failed = (why: unknown) => setProblem(why instanceof Error ? why.message : String(why));
  return (
    <>
      {DRAWN.has(file.media_type) && load !== undefined && <Picture file={file} load={load} failed={failed} />}
      {load === undefined ? (
        <bdi>{exact(file.name)}</bdi>
      ) : (
        <button type="button" className="sy-link" onClick={() => void load(file.digest).then((blob) => saveFile(file.name, blob), failed)}>
          <bdi>{exact(file.name)}</bdi>
        </button>
      )}{" "}
      <span className="sy-quiet">{sizeWords(file.size)}</span>
      {problem !== "" && <p className="sy-error">{t("The file cannot be read.")} {problem}</p>}
    </>
  );
}

/** Its room is kept while it loads, so that nothing moves. As data: a page may not draw what only it can see otherwise. */
function Picture({ file, load, failed }: { file: AttachedFile; load: Load; failed: (why: unknown) => void }) {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    let isGone = false;
    load(file.digest)
      .then((blob) => dataOf(blob.slice(0, blob.size, file.media_type)))
      .then((data) => isGone || setSource(data), (why: unknown) => isGone || failed(why));
    return () => {
      isGone = true;
    };
  }, [file.digest]);
  return <span className="sy-picture">{source !== undefined && <img src={source} alt={exact(file.alt ?? file.name)} />}</span>;
}

function dataOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error());
    reader.readAsDataURL(blob);
  });
}

function sizeWords(bytes: number): string {
  if (bytes < 1_000) return t("{n} bytes", { n: bytes });
  return bytes < 1_000_000 ? t("{n} kB", { n: Math.round(bytes / 1_000) }) : t("{n} MB", { n: Math.round(bytes / 100_000) / 10 });
}
