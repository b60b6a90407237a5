// Chats that began on this page: all that happens in them is news to the person who began them.
export const begunHere = new Set<string>();
