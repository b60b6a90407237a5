// The requirements of a chat's actions, loaded for chats that have any.
import { lazyPart } from "../frame/lazyComponent.tsx";

export const KnownValues = lazyPart(
  () => import("./RequirementsPanel.tsx"),
  (file) => file.RequirementsPanel,
  <div className="artifact skeleton" aria-hidden="true">
    <i />
    <i className="tall" />
  </div>,
);
