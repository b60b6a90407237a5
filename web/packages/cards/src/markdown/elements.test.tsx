// Markdown a model may write, kind and hostile: it becomes words, lists, tables and safe links, and nothing else.
import { render } from "@testing-library/preact";
import { describe, expect, it } from "vitest";
import { Markdown } from "./Markdown.tsx";

const html = (text: string) =>
  render(<Markdown text={text} />).container.innerHTML.replace(/ dir="auto"/g, "").replace(/^<div[^>]*class="sy-md">(.*)<\/div>$/s, "$1");

const KIND: [name: string, text: string, expected: string][] = [
  ["words", "Hello **big** *soft* ~~old~~ `code` world", "<div><p>Hello <strong>big</strong> <em>soft</em> <del>old</del> <code>code</code> world</p></div>"],
  ["headings begin below a card's title", "# One\n\n### Three\n\n###### Six", "<div><h4>One</h4></div><div><h5>Three</h5></div><div><h6>Six</h6></div>"],
  ["a tight list", "- a\n- **b**\n  - c", "<div><ul><li>a</li><li><strong>b</strong><ul><li>c</li></ul></li></ul></div>"],
  ["a loose list", "1. a\n\n2. b", "<div><ol><li><p>a</p></li><li><p>b</p></li></ol></div>"],
  ["a list that starts later", "3. a\n4. b", '<div><ol start="3"><li>a</li><li>b</li></ol></div>'],
  ["tasks", "- [x] done\n- [ ] open", "<div><ul><li>☑ done</li><li>☐ open</li></ul></div>"],
  ["a quote", "> said", "<div><blockquote><p>said</p></blockquote></div>"],
  ["code", "```js\nif (a < b) {}\n```", "<div><pre><code>if (a &lt; b) {}</code></pre></div>"],
  ["entities", "a &amp; b &lt;c&gt; &#8364; &nope;", "<div><p>a &amp; b &lt;c&gt; € &amp;nope;</p></div>"],
  ["an escape", "\\*no\\* 2 < 3 & 4", "<div><p>*no* 2 &lt; 3 &amp; 4</p></div>"],
  ["a line break", "a  \nb", "<div><p>a<br>b</p></div>"],
  [
    "a link",
    "[site](https://example.org/?a=1&b=2) and <mailto:a@example.org>",
    '<div><p><a href="https://example.org/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">site</a> and ' +
      '<a href="mailto:a@example.org" target="_blank" rel="noopener noreferrer">mailto:a@example.org</a></p></div>',
  ],
];

describe("kind", () => {
  it.each(KIND)("%s", (_, text, expected) => expect(html(text)).toBe(expected));

  it("draws a table in a place that scrolls by itself", () => {
    const drawn = html("| a | b |\n|---|--:|\n| 1 | 2 |");
    expect(drawn).toContain('role="group"');
    expect(drawn).toContain('<th scope="col">a</th><th scope="col" data-align="right">b</th>');
  });
});

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a <b onclick=alert(1)>b</b> <svg/onload=alert(1)>",
  "<div class='sy-card'><button>Approve</button></div>",
  "![](https://example.org/pixel.png)",
  "![alt](https://example.org/pixel.png)",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](  vbscript:x)",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "```html\n<script>alert(1)</script>\n```",
  "| <img src=x onerror=alert(1)> | b |\n|---|---|\n| <script>1</script> | 2 |",
  "- <iframe src=https://example.org></iframe>",
];
const ALLOWED = new Set("DIV P BR HR STRONG EM DEL CODE PRE BLOCKQUOTE UL OL LI H4 H5 H6 A TABLE THEAD TBODY TR TH TD".split(" "));
const ATTRIBUTES = new Set(["class", "dir", "href", "target", "rel", "start", "scope", "data-align", "role", "aria-label", "tabindex"]);

describe("hostile", () => {
  it.each(HOSTILE)("%s", (text) => {
    const { container } = render(<Markdown text={text} />);
    for (const element of container.querySelectorAll(".sy-md *")) {
      expect(ALLOWED).toContain(element.tagName);
      for (const { name } of element.attributes) expect(ATTRIBUTES).toContain(name);
      expect(element.className === "" || element.className === "sy-scroll").toBe(true);
      const href = element.getAttribute("href");
      if (href !== null) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    }
  });

  it("shows raw HTML as the text it is", () => {
    expect(render(<Markdown text="<b>bold</b> claim" />).container.textContent).toBe("<b>bold</b> claim");
  });
});

it("draws a growing text as it would draw the whole", () => {
  const whole = "# A\n\nText with **bold**\n\n- one\n- two\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\nend 🙂";
  const { container, rerender } = render(<Markdown text="" streaming />);
  for (let end = 1; end <= whole.length; end++) {
    rerender(<Markdown text={whole.slice(0, end)} streaming />);
  }
  rerender(<Markdown text={whole} />);
  expect(container.isEqualNode(render(<Markdown text={whole} />).container)).toBe(true);
});

it("keeps the elements of blocks that are settled while the text grows", () => {
  const { container, rerender } = render(<Markdown text={"First.\n\nSec"} streaming />);
  const first = container.querySelector("p");
  rerender(<Markdown text={"First.\n\nSecond.\n\nThird"} streaming />);
  expect(container.querySelector("p")).toBe(first);
});
