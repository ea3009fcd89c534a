/** What a node or call is, by its shape: ◇ root, ○ user, △ model, ■ call or agent made, ◉ merge, ◎ summary. */
export function Shape({ shape }: { shape: string }) {
  switch (shape) {
    case "root":
      return <polygon className="graph-shape" points="0,-13 13,0 0,13 -13,0" />;
    case "llm":
      return <polygon className="graph-shape" points="0,-13 13,11 -13,11" />;
    case "code":
      return <rect className="graph-shape" x="-9" y="-9" width="18" height="18" />;
    case "spawn":
      return (
        <>
          <rect className="graph-shape" x="-9" y="-9" width="18" height="18" />
          <rect className="graph-core" x="-4" y="-4" width="8" height="8" />
        </>
      );
    case "merge":
      return (
        <>
          <circle className="graph-shape" r="12" />
          <circle className="graph-core" r="6" />
        </>
      );
    case "summary":
      return (
        <>
          <circle className="graph-shape" r="12" />
          <circle className="graph-ring" r="6" />
        </>
      );
    case "stretch":
      return <rect className="graph-shape" x="-17" y="-10" width="34" height="20" rx="10" />;
    default:
      return <circle className="graph-shape" r="12" />;
  }
}

/** What the shapes are called. */
export const SHAPE_NAMES: Readonly<Record<string, string>> = {
  root: "root of the session",
  user: "said to an agent",
  llm: "answer of the model",
  code: "call of a tool",
  spawn: "agent made by a call",
  merge: "merged branch came back",
  summary: "summary of what was before",
  stretch: "stretch that is left out",
};
