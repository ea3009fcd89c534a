// What hides text, turns it around, or is no character that one could see. Marks that some scripts and
// pictures need (U+200C to U+200F) stay, and so do tabs and ends of lines.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is for
const HIDING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A text with everything in it to be seen: what would deceive the eye is written as its number. */
export function shown(text: string): string {
  return text.replace(HIDING, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
