import "./notes.css";

/** Something is on its way. */
export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <p className="note note-calm" role="status">
      {what} …
    </p>
  );
}
