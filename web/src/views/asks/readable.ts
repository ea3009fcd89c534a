/** What a call is given, a line for each part, where it is whole; any other text as it is. */
export function readable(text: string): string {
  try {
    const given: unknown = JSON.parse(text);
    return typeof given === "object" && given !== null ? JSON.stringify(given, null, 2) : text;
  } catch {
    return text;
  }
}
