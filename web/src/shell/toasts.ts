/** Something that the person is told beside what they look at. */
export type Toast = {
  readonly id: number;
  readonly tone: "bad" | "warn" | "calm";
  readonly title: string;
  readonly text: string;
  /** Where it leads, when it leads somewhere. */
  readonly href?: string | undefined;
  /** What it is about, so that it goes when that is over. */
  readonly key?: string | undefined;
};

const MOST = 5;
const CALM_MS = 8_000;
let toasts: readonly Toast[] = [];
let last = 0;
const told = new Set<() => void>();

/** Tells the person something. Failures stay until they are put away. */
export function toast(new_: Omit<Toast, "id">): void {
  last += 1;
  const id = last;
  changed([...toasts, { ...new_, id }].slice(-MOST));
  if (new_.tone === "calm") setTimeout(() => putAway(id), CALM_MS);
}

/** The person has read it. */
export function putAway(id: number): void {
  if (toasts.some((one) => one.id === id)) changed(toasts.filter((one) => one.id !== id));
}

/** What it told of is over. */
export function putAwayKey(key: string): void {
  if (toasts.some((one) => one.key === key)) changed(toasts.filter((one) => one.key !== key));
}

/** What is being told now. */
export const shownToasts = (): readonly Toast[] => toasts;

/** Be told when that changes. */
export function watchToasts(tell: () => void): () => void {
  told.add(tell);
  return () => {
    told.delete(tell);
  };
}

function changed(next: readonly Toast[]): void {
  toasts = next;
  for (const tell of told) tell();
}
