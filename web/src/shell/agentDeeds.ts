import { api, taken } from "../api/client";
import { toast } from "./toasts";
import { useDeed } from "./useDeed";

/** How an agent stands, as far as that decides what may be done with it. */
type Standing = { readonly state: string; readonly parked: number };

const RESUMES = new Set(["paused", "interrupted", "failed", "cancelled", "stopped"]);

/** Whether there is something that an agent could go on with. */
export function mayGoOn({ state, parked }: Standing): boolean {
  return RESUMES.has(state) || parked > 0;
}

/** Stop, cancel and resume, wherever on the page they are done. */
export function useAgentDeeds(branchId: string) {
  const params = { path: { agent: branchId } };
  const stop = useDeed(async () => {
    const { paused } = taken(await api.POST("/api/v1/agents/{agent}/stop", { params }));
    const text = paused === 1 ? "One agent is paused." : `${paused} agents are paused.`;
    toast({ tone: "calm", title: "Stopped", text });
  });
  const cancel = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/cancel", { params })));
  const resume = useDeed(async () => taken(await api.POST("/api/v1/agents/{agent}/resume", { params })));
  return { stop, cancel, resume };
}
