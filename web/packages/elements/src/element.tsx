// Base class of the three elements: a shadow root that the page's styles do not reach, and a React root in it.
import { followPage, prepareToAnnounce, loadSession } from "@sayso/console/parts";
import { retryUntilLoaded, language, lazy, onSpeak } from "@sayso/core";
import type { ReactElement } from "react";
import { createRoot } from "react-dom/client";

const sheet = new CSSStyleSheet();
// Loaded at once and retried until it arrives; nothing is drawn without styles.
const styles = lazy(() => import("./elements.css?inline"));
const styled = new Promise<void>((done) => {
  function apply({ default: css }: { default: string }): void {
    // The page may set any root font size; our lengths follow the reader's own setting.
    // Media and container conditions take no variables; there, `em` is the reader's size or the card's.
    const own = css.replace(/@[^{;]+|(-?[\d.]+)rem\b/g, (found, n?: string) =>
      n === undefined ? found.replaceAll("rem", "em") : `calc(${n} * var(--sy-rem))`,
    );
    sheet.replaceSync(own);
    done();
  }
  retryUntilLoaded(styles, { loaded: apply, failed: () => undefined });
});

// The texts, in the page's language, must be loaded too.
const ready = Promise.all([styled, followPage()]);

export abstract class SaysoElement extends HTMLElement {
  #root: ReturnType<typeof createRoot> | null = null;
  #unsubscribe: (() => void) | null = null;
  /** Drafts are shown to their author only, so nothing is drawn before the person is known. */
  #person: Promise<void> | null = null;

  /** Return what to draw for the current attributes. */
  protected abstract view(): ReactElement;

  connectedCallback(): void {
    prepareToAnnounce(document);
    this.#root ??= createRoot(this.#place());
    this.#unsubscribe ??= onSpeak(() => this.#render());
    this.#render();
  }

  /** Moving an element disconnects and reconnects it; unmount only if it stays disconnected. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#unsubscribe?.();
      this.#unsubscribe = null;
      this.#root?.unmount();
      this.#root = null;
      this.#person = null;
    });
  }

  attributeChangedCallback(): void {
    if (this.#root !== null) this.#render();
  }

  #render(): void {
    // Wait for `ready`: by then the page has called connect(), if it does.
    this.#person ??= ready.then(loadSession);
    void this.#person.then(() => {
      this.shadowRoot?.firstElementChild?.setAttribute("lang", language());
      this.#root?.render(this.view());
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

/** Define once per page, even if the file is loaded twice. */
export function define(name: string, element: CustomElementConstructor): void {
  if (customElements.get(name) !== undefined) return;
  registerLengths();
  customElements.define(name, element);
}

/** A shadow root cannot declare a typed property, and an untyped `em` would resolve differently at every font size. */
function registerLengths(): void {
  try {
    CSS.registerProperty({ name: "--sy-rem", syntax: "<length>", inherits: true, initialValue: "16px" });
  } catch {
    // It is there already.
  }
}
