import { useSyncExternalStore } from "react";
import { Link } from "wouter";
import { shown } from "./shown";
import { putAway, shownToasts, type Toast, watchToasts } from "./toasts";
import "./toasts.css";
import { Foreign } from "./Foreign";

/** What the person is told beside what they look at; a screen reader says it. */
export function Toasts() {
  const toasts = useSyncExternalStore(watchToasts, shownToasts);
  return (
    <section className="toasts" aria-label="Messages" aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, tone, title, text, href } = toast;
  return (
    <div className={`toast note note-${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <div className="toast-words">
        <strong>
          {href ? (
            <Link href={href} onClick={() => putAway(id)}>
              <Foreign text={title} />
            </Link>
          ) : (
            <Foreign text={title} />
          )}
        </strong>
        {text && <p dir="auto">{shown(text)}</p>}
      </div>
      <button type="button" aria-label={`Put away: ${title}`} onClick={() => putAway(id)}>
        ×
      </button>
    </div>
  );
}
