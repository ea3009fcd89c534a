import { useRef } from "react";
import { useLocation } from "wouter";
import { api, taken } from "../../../api/client";
import { DeedButton } from "../../../shell/DeedButton";
import { toAgent } from "../../../shell/links";
import { useDeed } from "../../../shell/useDeed";
import { useDesk } from "../desk";
import { placeOf } from "../places";

type Props = {
  nodeId: number;
  /** The person's own text, which may be said in other words. */
  own?: string | undefined;
};

/** What one may do from an item of the conversation: go back to it, or go on from it elsewhere. */
export function RowMenu({ nodeId, own }: Props) {
  const desk = useDesk();
  const [, navigate] = useLocation();
  const menu = useRef<HTMLDetailsElement>(null);
  const fork = useDeed(async () => {
    if (!desk) return;
    const { branch_id, sealed, made_by } = desk.heading;
    const to = await placeOf(nodeId, branch_id);
    const params = { path: { agent: (sealed && made_by?.branch_id) || branch_id } };
    const made = taken(await api.POST("/api/v1/agents/{agent}/fork", { params, body: { to } }));
    navigate(toAgent(made.session_id));
  });
  if (!desk) return null;
  const act = (deed: () => void) => () => {
    menu.current?.removeAttribute("open");
    deed();
  };
  return (
    <details
      className="transcript-menu"
      ref={menu}
      onKeyDown={(event) => event.key === "Escape" && act(() => {})()}
    >
      <summary aria-label="What to do from here" title="What to do from here">
        ⋯
      </summary>
      <div className="transcript-menu-items">
        {!desk.heading.sealed && (
          <DeedButton onClick={act(() => desk.goBack(nodeId))}>Go back to here…</DeedButton>
        )}
        {own !== undefined && !desk.heading.sealed && (
          <DeedButton onClick={act(() => desk.goBack(nodeId, own))}>Edit and send again…</DeedButton>
        )}
        <DeedButton onClick={act(() => void fork.run())} disabled={fork.busy}>
          Fork from here
        </DeedButton>
      </div>
    </details>
  );
}
