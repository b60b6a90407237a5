// Gives a file to the person, to be kept.

export function saveFile(name: string, content: BlobPart): void {
  // Of no type that a browser would show: it is foreign, and would be shown as ours.
  const address = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
