// What changed between two texts, line by line: the longest common lines stay, the others were taken out or put in.

export interface DiffLine {
  is: "same" | "out" | "in";
  text: string;
}

/** Beyond this many pairs of lines all is told as replaced: a diff that takes a second helps nobody. */
const MOST_PAIRS = 1_000_000;

export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return [
    ...old.slice(0, start).map(as("same")),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(as("same")),
  ];
}

const as = (is: DiffLine["is"]) => (text: string): DiffLine => ({ is, text });

function middle(old: string[], now: string[]): DiffLine[] {
  if (old.length * now.length > MOST_PAIRS) return [...old.map(as("out")), ...now.map(as("in"))];
  const longest = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ is: "same", text: old[i]! });
      i += 1;
      j += 1;
    } else if (i < old.length && (j === now.length || longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      lines.push({ is: "out", text: old[i]! });
      i += 1;
    } else {
      lines.push({ is: "in", text: now[j]! });
      j += 1;
    }
  }
  return lines;
}

/** How many lines the rests from i and from j have in common. */
function commonLengths(old: string[], now: string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const [row, below] = [table[i]!, table[i + 1]!];
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === now[j] ? below[j + 1]! + 1 : Math.max(below[j]!, row[j + 1]!);
    }
  }
  return table;
}
