import { bytesText } from "./duration";
import "../../shell/notes.css";

type Props = { bytes: number; sha256: string };

/** In the place of a text that is gone because its conversation is over: how long it was, and its hash. */
export function Pruned({ bytes, sha256 }: Props) {
  return (
    <p className="note note-calm">
      This text was pruned. It had {bytesText(bytes)}; its SHA-256 is <code>{sha256}</code>.
    </p>
  );
}
