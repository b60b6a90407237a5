// Ids of chats started on this page: everything that happens in them is news to the person.
export const startedHere = new Set<string>();
