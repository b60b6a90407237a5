// What lies beside a card: only pictures are drawn, and only from where the page fetches them.
import { screen, waitFor } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { approvalFields, message, settled } from "../testing/fixtures.ts";
import { show } from "../testing/press.tsx";

const file = (name: string, media_type: string, more = {}) => ({ kind: "file", name, media_type, size: 12_345, digest: `sha256:${name}`, ...more });
const withThem = (...attachments: object[]) => message("approval", { ...approvalFields, attachments: attachments as never });

it("draws pictures alone, with their words", async () => {
  const loadFile = vi.fn((_: string, digest: string) => Promise.resolve(new Blob([digest], { type: "text/html" })));
  const { container } = show(withThem(file("box.png", "image/png", { alt: "A broken box" }), file("bill.pdf", "application/pdf"), file("page.svg", "image/svg+xml")), { loadFile });
  const picture = await waitFor(() => screen.getByRole("img", { name: "A broken box" }));
  // As what the server has found it to be, whatever the reply calls it.
  expect(picture.getAttribute("src")).toBe(`data:image/png;base64,${btoa("sha256:box.png")}`);
  expect(loadFile.mock.calls).toEqual([["0193-approval", "sha256:box.png"]]);
  expect(container.querySelectorAll("img").length).toBe(1);
  expect(container.textContent).toContain("bill.pdf 12 kB");
});

it("saves a file as of no kind, and says where it cannot be had", async () => {
  const made = vi.fn((_: Blob) => "blob:1");
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: made, revokeObjectURL: () => undefined }));
  const loadFile = vi.fn().mockResolvedValueOnce(new Blob(["<b>"], { type: "text/html" })).mockRejectedValueOnce(new Error("It is gone."));
  const { user, container } = show(withThem(file("page.html", "application/octet-stream")), { loadFile });
  await user.click(screen.getByRole("button", { name: "page.html" }));
  expect(made.mock.calls[0]?.[0].type).toBe("application/octet-stream");
  await user.click(screen.getByRole("button", { name: "page.html" }));
  await waitFor(() => expect(container.textContent).toContain("It is gone."));
});

it("shows a link whole, and lets only http be followed", () => {
  show(withThem({ kind: "link", url: "https://shop.example/o?to=\u202emoc" }, { kind: "link", url: "javascript:alert(1)" }));
  const link = screen.getByRole("link");
  expect(link.textContent).toBe("https://shop.example/o?to=‹U+202E›moc");
  expect(link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(screen.getByText("javascript:alert(1)").closest("a")).toBe(null);
});

it("is there again on the receipt, fetched when that is opened", async () => {
  const loadFile = vi.fn(() => Promise.resolve(new Blob(["dot"])));
  const { container, user } = show(settled(withThem(file("box.png", "image/png", { alt: "A broken box" })), "completed"), { loadFile });
  expect(loadFile).not.toHaveBeenCalled();
  await user.click(container.querySelector("summary")!);
  container.querySelector("details")!.dispatchEvent(new Event("toggle"));
  await waitFor(() => expect(screen.getByRole("img", { name: "A broken box", hidden: true })).toBeTruthy());
});
