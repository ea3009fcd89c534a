import { useState } from "react";
import { Body } from "../../../shell/Body";
import { shown } from "../../../shell/shown";
import { useDeed } from "../../../shell/useDeed";

type Props = {
  text: string;
  missing: number;
  /** Fetches the whole of a text that is cut. */
  whole?: (() => Promise<string>) | undefined;
};

// Without any of these Markdown shows a text as it was written.
const MARKS = /[*_`#<>[\]|~\\&]|\n|^\s*[-+\d]/;

/** A text with Markdown, or as it was written; the whole of a cut one on demand. */
export function Text({ text, missing, whole }: Props) {
  const [plain, setPlain] = useState(false);
  const [all, setAll] = useState<string | null>(null);
  const fetching = useDeed(async () => setAll((await whole?.()) ?? text));
  const known = all ?? text;
  const isMarked = MARKS.test(known);
  if (missing === 0 && !isMarked) return <Body text={known} />;
  return (
    <>
      {plain ? (
        <pre className="transcript-plain" dir="auto">
          {shown(known)}
        </pre>
      ) : (
        <Body text={known} />
      )}
      <p className="transcript-tools">
        {missing > 0 && all === null && (
          <>
            <span>{missing.toLocaleString("en")} more characters </span>
            {whole && (
              <button type="button" onClick={() => void fetching.run()} disabled={fetching.busy}>
                Show all
              </button>
            )}
          </>
        )}
        {isMarked && (
          <button type="button" aria-pressed={plain} onClick={() => setPlain(!plain)}>
            Plain text
          </button>
        )}
      </p>
    </>
  );
}
