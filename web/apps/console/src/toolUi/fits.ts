// Whether something that an app has sent is JSON, and not too large: it may be any object that a message can carry.

const DEEPEST = 60;

export function fits(value: unknown, mostCharacters: number): boolean {
  return left(value, mostCharacters, 0) >= 0;
}

/** Return how many characters are left after this value; below zero where it does not fit. */
function left(value: unknown, most: number, depth: number): number {
  if (depth > DEEPEST) return -1;
  switch (typeof value) {
    case "string":
      return most - value.length - 2;
    case "number":
    case "boolean":
      return most - 8;
    // JSON leaves it out.
    case "undefined":
      return most;
    case "object":
      break;
    default:
      return -1;
  }
  if (value === null) return most - 4;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return -1;
  let rest = most - 2;
  // An array may say that it is long and hold nothing.
  if (Array.isArray(value) && value.length > most) return -1;
  for (const [key, one] of Object.entries(value as object)) {
    rest = left(one, rest - key.length - 4, depth + 1);
    if (rest < 0) return -1;
  }
  return rest;
}
