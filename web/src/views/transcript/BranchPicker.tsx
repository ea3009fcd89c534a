import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { toAgent } from "../../shell/links";
import type { Heading } from "./model";

const CHANGES = /^(branch|turn|message)\.|^session\.(created|pruned)$/;

/** The branches of the session that the person may pick; those that agents made for themselves stay out. */
export function BranchPicker({ heading }: { heading: Heading }) {
  const [, navigate] = useLocation();
  const { session_id: session, branch_id } = heading;
  const key = KEYS.branches(session);
  const { data } = useQuery({
    queryKey: key,
    queryFn: async () =>
      taken(await api.GET("/api/v1/sessions/{session}/branches", { params: { path: { session } } })),
  });
  useFresh(key, (event) => event.session_id === session && CHANGES.test(event.kind));
  const listed = (data ?? []).filter((one) => one.branch_id === branch_id || !one.internal);
  if (listed.length < 2) return null;
  return (
    <label className="transcript-branches">
      Branch{" "}
      <select value={branch_id} onChange={(event) => navigate(toAgent(event.target.value))}>
        {listed.map((one) => (
          <option key={one.branch_id} value={one.branch_id}>
            {one.name || (one.active ? "main" : one.profile)}
            {one.sealed ? " (left by a revert)" : `, ${one.state}`}
            {one.unread > 0 && `, ${one.unread} unread`}
          </option>
        ))}
      </select>
    </label>
  );
}
