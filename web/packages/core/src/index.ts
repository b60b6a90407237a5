// What the other packages use of core.
export {};
