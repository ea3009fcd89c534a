const LONGEST_CHARS = 32_000;
const MARKS_MOST = 3_000;
const CELLS_MOST = 10_000;
const MARK = /[*_~[\]>]/g;
const DEEP = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){20}/m;

/**
 * Whether a text is read as Markdown in a moment. Pairing its marks takes time with their square, each row of a
 * table is filled up to the widest, and what lies deep in lists exhausts the stack: a hostile text stops no page.
 */
export function isReadAsMarkdown(text: string): boolean {
  if (text.length > LONGEST_CHARS || DEEP.test(text)) return false;
  if ((text.match(MARK)?.length ?? 0) > MARKS_MOST) return false;
  const lines = text.split("\n");
  const widest = lines.reduce((most, line) => Math.max(most, line.split("|").length - 1), 0);
  return widest * lines.length <= CELLS_MOST;
}
