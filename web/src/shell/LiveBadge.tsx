import { useLive, useTryNow } from "../api/live";
import { Ago } from "./Ago";
import { Stamp } from "./Stamp";
import "./live.css";

const FAREWELLS: { [reason: string]: string } = {
  slow: "this page was too slow to read",
  shutdown: "the daemon was stopped",
  revoked: "the login was revoked",
};

/** Whether what one sees is what is. Where it is not, it says so as plainly as it can, and since when. */
export function LiveBadge() {
  const { state, sinceMs, farewell } = useLive();
  const tryNow = useTryNow();
  const isLive = state === "live";
  return (
    <div className={`live live-${state}`} data-testid="live">
      <span role="status" aria-live="polite">
        <span aria-hidden="true">{isLive ? "● " : state === "lost" ? "▲ " : "◌ "}</span>
        {isLive
          ? "live"
          : state === "lost"
            ? "NOT live"
            : state === "replaying"
              ? "catching up"
              : "connecting"}
      </span>
      {state === "lost" && (
        <>
          <span>
            {" since "}
            <Stamp us={sinceMs * 1_000} /> (<Ago us={sinceMs * 1_000} />)
            {farewell && `: ${FAREWELLS[farewell] ?? farewell}`}
          </span>
          <button type="button" onClick={tryNow}>
            Try now
          </button>
        </>
      )}
    </div>
  );
}
