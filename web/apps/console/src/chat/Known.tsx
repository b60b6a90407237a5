// What is known for the actions of a chat, fetched where a chat has such actions.
import { lazyPart } from "../frame/lazy.tsx";

export const Known = lazyPart(
  () => import("./RequirementsPanel.tsx"),
  (file) => file.RequirementsPanel,
  <div className="artifact skeleton" aria-hidden="true">
    <i />
    <i className="tall" />
  </div>,
);
