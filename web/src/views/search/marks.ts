/** A part of an excerpt, where it begins, and whether it is one of the words that were searched for. */
export type Mark = { readonly from: number; readonly text: string; readonly isHit: boolean };

type Term = { readonly words: readonly string[]; readonly isBeginning: boolean };

const TERM = /"([^"]*)"|(\S+)/gu;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** The excerpt in parts, those that were searched for marked; upper case and accents make no difference. */
export function marksOf(excerpt: string, searched: string): Mark[] {
  const words = [...excerpt.matchAll(WORD)].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    plain: plainOf(found[0]),
  }));
  const hits = new Set<number>();
  for (const term of termsOf(searched)) {
    for (let at = 0; at + term.words.length <= words.length; at += 1) {
      const isThere = term.words.every((word, step) => fits(words[at + step]?.plain ?? "", word, term));
      if (isThere) for (let step = 0; step < term.words.length; step += 1) hits.add(at + step);
    }
  }
  return cut(
    excerpt,
    words.filter((_, index) => hits.has(index)),
  );
}

/** What is searched for: words, words in quotes that stand together, and beginnings with a star. */
function termsOf(searched: string): Term[] {
  const terms: Term[] = [];
  for (const [, phrase, word] of searched.matchAll(TERM)) {
    const words = [...plainOf(phrase ?? word ?? "").matchAll(WORD)].map((found) => found[0]);
    if (words.length > 0)
      terms.push({ words, isBeginning: phrase === undefined && (word ?? "").endsWith("*") });
  }
  return terms;
}

function fits(found: string, word: string, term: Term): boolean {
  return term.isBeginning && word === term.words.at(-1) ? found.startsWith(word) : found === word;
}

function plainOf(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function cut(text: string, hits: readonly { from: number; to: number }[]): Mark[] {
  const marks: Mark[] = [];
  let at = 0;
  for (const { from, to } of hits) {
    if (from > at) marks.push({ from: at, text: text.slice(at, from), isHit: false });
    marks.push({ from, text: text.slice(from, to), isHit: true });
    at = to;
  }
  if (at < text.length) marks.push({ from: at, text: text.slice(at), isHit: false });
  return marks;
}
