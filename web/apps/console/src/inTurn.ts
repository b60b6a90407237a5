// Works that must not overtake one another on the way to the server: the later one is what stays.

/** Each begins when the one before it has ended, well or not. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
