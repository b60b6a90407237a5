// Where the console starts.
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { forgetOld } from "./unsent.ts";
import "./style.css";

const place = document.getElementById("app");
if (place === null) throw new Error("index.html has no #app");
forgetOld(Date.now());
createRoot(place).render(<App />);
