// As much of something as a line or two hold.

const MOST_PARTS = 4;
const MOST_LETTERS = 80;

/** As many whole parts as fit: half a sentence can say the opposite. Only an overlong first part is cut. */
export function excerpt(parts: readonly string[]): string[] {
  const shown: string[] = [];
  let room = MOST_LETTERS;
  for (const part of parts.slice(0, MOST_PARTS)) {
    const letters = [...part].length;
    if (letters > room && shown.length > 0) break;
    shown.push(letters > MOST_LETTERS ? `${part.slice(0, part.lastIndexOf(" ", MOST_LETTERS) + 1 || MOST_LETTERS).trimEnd()}…` : part);
    room -= letters;
  }
  return shown;
}
