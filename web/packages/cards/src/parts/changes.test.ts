// Where a change is, in words a person finds on the card.
import { expect, it } from "vitest";
import { pathWords } from "./Changes.tsx";

it.each([
  ["arguments/order_id", "Order id"],
  ["details/customer_name", "Customer name"],
  ["data/box_number", "Box number"],
  ["rows/2/amount", "Row 2, Amount"],
  ["rows/2", "Row 2"],
  ["items/1/price", "Items, entry 2, Price"],
  ["impact", "Impact"],
])("%s reads %s", (path, words) => expect(pathWords(path)).toBe(words));
