import { useQuery } from "@tanstack/react-query";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { Ago } from "../../shell/Ago";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";

const EVERY_MS = 10_000;

/** Whether the daemon is well, since when it runs, and what it works on. */
export function StatusSection() {
  const status = useQuery({
    queryKey: KEYS.status,
    queryFn: async ({ signal }) => taken(await api.GET("/api/v1/status", { signal })),
    refetchInterval: EVERY_MS, // not everything that can be wrong with a daemon is an event
    staleTime: 0,
  });
  return (
    <section className="rows-section" aria-labelledby="settings-status">
      <h2 id="settings-status">Daemon</h2>
      {status.isPending && <Loading />}
      {status.isError && <Failure error={status.error} />}
      {status.data && (
        <>
          <p role="status">
            {status.data.ok ? (status.data.quiet ? "Well, and quiet." : "Well, and at work.") : "Not well: "}
            {!status.data.ok && <code>{status.data.reason}</code>}
          </p>
          {status.data.troubles.length > 0 && (
            <ul className="note note-warn" aria-label="Troubles">
              {status.data.troubles.map((trouble) => (
                <li key={trouble}>
                  <Foreign text={trouble} />
                </li>
              ))}
            </ul>
          )}
          <dl className="rows-facts">
            <dt>Version</dt>
            <dd>
              {status.data.version}, protocol {status.data.protocol}
            </dd>
            <dt>Running for</dt>
            <dd>
              <Ago us={status.data.started_us} />{" "}
              <span className="rows-muted">as process {status.data.pid}</span>
            </dd>
            <dt>Address</dt>
            <dd>{status.data.url}</dd>
            <dt>Store</dt>
            <dd>
              <Foreign text={status.data.store} />{" "}
              <span className="rows-muted">at position {status.data.pos}</span>
            </dd>
            <dt>Team</dt>
            <dd>
              <Foreign text={status.data.team || "none"} />
            </dd>
            <dt>Now</dt>
            <dd>
              {Object.entries(status.data.counts)
                .map(([name, count]) => `${count} ${name === "asks" && count === 1 ? "ask" : name}`)
                .join(", ")}
            </dd>
          </dl>
        </>
      )}
    </section>
  );
}
