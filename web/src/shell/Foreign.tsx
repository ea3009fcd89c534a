import { shown } from "./shown";

type Props = { text: string; className?: string | undefined; title?: string | undefined };

/** What somebody else wrote or is called: kept apart from the words around it, with all that hides to be seen. */
export function Foreign({ text, className, title }: Props) {
  return (
    <bdi className={className} title={title}>
      {shown(text)}
    </bdi>
  );
}
