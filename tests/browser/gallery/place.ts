// Where a page of the gallery draws: on the page itself or, with #shadow, inside a shadow root of it.
export function placeFor(id: string, ...css: string[]): HTMLElement {
  const place = document.getElementById(id);
  if (place === null) throw new Error(`the page has no #${id}`);
  const sheets = css.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  if (location.hash !== "#shadow") {
    document.adoptedStyleSheets = sheets;
    return place;
  }
  const shadow = place.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = sheets;
  const inside = document.createElement("div");
  shadow.append(inside);
  return inside;
}
