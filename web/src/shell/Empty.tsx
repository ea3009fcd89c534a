import type { ReactNode } from "react";
import "./notes.css";

/** There is nothing to show, and what one could do about it. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className="note note-calm">{children}</p>;
}
