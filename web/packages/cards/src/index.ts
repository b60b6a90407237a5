// What the console and the elements use of the cards.
export {};
