/** A new id of this client: saying something again under it gives the first receipt, and nothing twice. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
