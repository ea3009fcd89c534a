import { Told } from "../api/client";
import "./notes.css";
import { Foreign } from "./Foreign";

/** What a failure is called, why it is, and what would be right. */
export function told(error: unknown): { code: string; message: string; remedy: string } {
  if (error instanceof Told) return { code: error.code, message: error.message, remedy: error.remedy };
  // The daemon was updated: the parts of this page that were not loaded yet are gone.
  if (error instanceof TypeError && /module/i.test(error.message)) {
    return { code: "page_outdated", message: "a part of the page is gone", remedy: "load the page anew" };
  }
  // What `fetch` throws when nobody answers.
  if (error instanceof TypeError) {
    return {
      code: "no_answer",
      message: "the daemon does not answer",
      remedy: "start it with `postroom up`",
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "page_fault", message, remedy: "load the page anew" };
}

/** A failure in the place of what could not be shown. */
export function Failure({ error }: { error: unknown }) {
  const { code, message, remedy } = told(error);
  return (
    <div className="note note-bad" role="alert">
      <p>
        <code>{code}</code> <Foreign text={message} />
      </p>
      {remedy && (
        <p>
          <Foreign text={remedy} />
        </p>
      )}
    </div>
  );
}
