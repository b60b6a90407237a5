// What the three elements share: a shadow root that the page's styles do not reach, and a drawing in it.
import { followPage, prepareToAnnounce, whoIsThere } from "@sayso/console/parts";
import { language, onSpeak } from "@sayso/core";
import type { ReactElement } from "react";
import { createRoot } from "react-dom/client";

const sheet = new CSSStyleSheet();
// Its own file, asked for at once: nothing is drawn without it.
const styled = import("./elements.css?inline").then(({ default: css }) => {
  // The page's own root may have any font size; lengths here follow the reader's.
  // A condition takes no variable; there, `em` is the reader's size, or that of the card.
  const own = css.replace(/@[^{;]+|(-?[\d.]+)rem\b/g, (found, n?: string) =>
    n === undefined ? found.replaceAll("rem", "em") : `calc(${n} * var(--sy-rem))`,
  );
  sheet.replaceSync(own);
});

// Nor before its words are there, which are in the page's own language.
const ready = Promise.all([styled, followPage()]);

export abstract class SaysoElement extends HTMLElement {
  #drawing: ReturnType<typeof createRoot> | null = null;
  #silence: (() => void) | null = null;
  /** What was typed here before is shown to its writer alone, so nothing is drawn before that is known. */
  #known: Promise<void> | null = null;

  /** What this element shows now, by its attributes. */
  protected abstract view(): ReactElement;

  connectedCallback(): void {
    prepareToAnnounce(document);
    this.#drawing ??= createRoot(this.#place());
    this.#silence ??= onSpeak(() => this.#draw());
    this.#draw();
  }

  /** Moving an element takes it out and puts it back: only one that stays away is given up. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#silence?.();
      this.#silence = null;
      this.#drawing?.unmount();
      this.#drawing = null;
      this.#known = null;
    });
  }

  attributeChangedCallback(): void {
    if (this.#drawing !== null) this.#draw();
  }

  #draw(): void {
    // After `ready`, when the page has said how it connects.
    this.#known ??= ready.then(whoIsThere);
    void this.#known.then(() => {
      this.shadowRoot?.firstElementChild?.setAttribute("lang", language());
      this.#drawing?.render(this.view());
    });
  }

  #place(): HTMLElement {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    const place = document.createElement("div");
    place.className = "sy-root";
    root.replaceChildren(place);
    return place;
  }
}

/** Once per page, even where the file was loaded twice. */
export function define(name: string, element: CustomElementConstructor): void {
  if (customElements.get(name) !== undefined) return;
  registerLengths();
  customElements.define(name, element);
}

/** A shadow root cannot declare a typed property, and an untyped one would mean another length at every size of text. */
function registerLengths(): void {
  try {
    CSS.registerProperty({ name: "--sy-rem", syntax: "<length>", inherits: true, initialValue: "16px" });
  } catch {
    // It is there already.
  }
}
