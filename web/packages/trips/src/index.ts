// Registers what draws the results of the trips pack; the views themselves load when a trip is first shown.
import { registerArtifact } from "@sayso/cards";
import { TRIP_KINDS, tripOf } from "./shapes.ts";

for (const kind of TRIP_KINDS) {
  registerArtifact(kind, {
    canDraw: (content) => tripOf(kind, content) !== null,
    load: () => import("./TripView.tsx"),
  });
}
