import { shown } from "../../shell/shown";

/** What somebody else wrote or is called: kept apart from the words around it, with all that hides to be seen. */
export function Foreign({ text, className }: { text: string; className?: string }) {
  return <bdi className={className}>{shown(text)}</bdi>;
}
