import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { shown } from "../../shell/shown";
import { RightsForm } from "./RightsForm";

const LIMIT = 200;

/** What the agents of one conversation may do beyond their profiles. Which one stands in the address. */
export function RightsSection() {
  const [params, setParams] = useSearchParams();
  const session = params.get("session") ?? "";
  const roots = useQuery({
    queryKey: KEYS.roots,
    queryFn: async ({ signal }) =>
      taken(await api.GET("/api/v1/sessions", { params: { query: { roots: true, limit: LIMIT } }, signal })),
  });
  useFresh(KEYS.roots, (event) => event.kind.startsWith("session."));
  const listed = roots.data?.sessions ?? [];
  return (
    <section className="rows-section" aria-labelledby="settings-rights">
      <h2 id="settings-rights">Rights in a conversation</h2>
      {roots.isError && <Failure error={roots.error} />}
      <div className="rows-fields">
        <label>
          Conversation
          <select
            value={session}
            onChange={(event) =>
              setParams(event.target.value ? { session: event.target.value } : {}, { replace: true })
            }
          >
            <option value="">choose one</option>
            {session && !listed.some((one) => one.session_id === session) && (
              <option value={session}>{session}</option>
            )}
            {listed.map((one) => (
              <option key={one.session_id} value={one.session_id}>
                {shown(`${one.handle || one.profile}: ${one.title || one.session_id}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {session && <Rights key={session} session={session} />}
    </section>
  );
}

function Rights({ session }: { session: string }) {
  const key = KEYS.rights(session);
  useFresh(key, (event) => /^(mode|attended|overlay|grant)\./.test(event.kind));
  const rights = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      taken(await api.GET("/api/v1/agents/{agent}/rights", { params: { path: { agent: session } }, signal })),
  });
  if (rights.isPending) return <Loading />;
  if (rights.isError) return <Failure error={rights.error} />;
  return <RightsForm session={session} rights={rights.data} />;
}
