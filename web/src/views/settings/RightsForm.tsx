import { useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useBar } from "../../api/me";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { Foreign } from "../../shell/Foreign";
import { useDeed } from "../../shell/useDeed";
import { MODES } from "../newsession/given";
import { RuleForm } from "./RuleForm";

type Rights = Schemas["RightsView"];
type Props = { session: string; rights: Rights };

/** Who decides in a conversation, whether somebody is there, the person's rules over it, and what it was allowed. */
export function RightsForm({ session, rights }: Props) {
  const queries = useQueryClient();
  const bar = useBar("admin");
  const params = { path: { agent: session } };
  const keep = (changed: Rights) => queries.setQueryData(KEYS.rights(session), changed);
  const setMode = useDeed(async (mode: Schemas["ApprovalMode"]) =>
    keep(taken(await api.POST("/api/v1/agents/{agent}/mode", { params, body: { mode } }))),
  );
  const setAttended = useDeed(async (attended: boolean) =>
    keep(taken(await api.POST("/api/v1/agents/{agent}/attended", { params, body: { attended } }))),
  );
  const setRule = useDeed(async (body: Schemas["RuleGiven"]) => {
    keep(taken(await api.POST("/api/v1/agents/{agent}/overlay/set", { params, body })));
    return true;
  });
  const unsetRule = useDeed(async (body: Schemas["RuleNamed"]) =>
    keep(taken(await api.POST("/api/v1/agents/{agent}/overlay/unset", { params, body }))),
  );
  return (
    <>
      <div className="rows-fields">
        <label>
          Who decides what its agents ask
          <select
            value={rights.mode}
            disabled={setMode.busy || bar !== ""}
            title={bar || undefined}
            onChange={(event) => {
              const mode = MODES.find(([one]) => one === event.target.value)?.[0];
              if (mode) void setMode.run(mode);
            }}
          >
            {MODES.map(([mode, words]) => (
              <option key={mode} value={mode}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label className="rows-check">
          <input
            type="checkbox"
            checked={rights.attended}
            disabled={setAttended.busy || bar !== ""}
            title={bar || undefined}
            onChange={(event) => void setAttended.run(event.target.checked)}
          />
          I am there for questions
        </label>
      </div>
      <h3>Your rules</h3>
      {rights.overlay.length === 0 && <p className="rows-muted">None.</p>}
      <ul className="rows-list" aria-label="Your rules">
        {rights.overlay.map((rule) => (
          <li key={`${rule.action} ${rule.pattern}`} className="rows-row rows-line">
            <strong>{rule.effect}</strong> {rule.action} <code>{rule.pattern}</code>
            <ConfirmButton
              needs="admin"
              question="Take this rule away?"
              detail={<code>{`${rule.effect} ${rule.action} ${rule.pattern}`}</code>}
              confirm="Take it away"
              onConfirm={() => void unsetRule.run({ action: rule.action, pattern: rule.pattern })}
              disabled={unsetRule.busy}
            >
              Remove
            </ConfirmButton>
          </li>
        ))}
      </ul>
      <RuleForm busy={setRule.busy} onAdd={async (rule) => (await setRule.run(rule)) ?? false} />
      <h3>Allowed for the whole tree</h3>
      {rights.grants.length === 0 && <p className="rows-muted">Nothing.</p>}
      <ul className="rows-list" aria-label="Grants">
        {rights.grants.map((grant) => (
          <li
            key={`${grant.action} ${grant.resource} ${grant.to} ${grant.tool}`}
            className="rows-row rows-line"
          >
            <strong>{grant.action}</strong> <code>{grant.resource}</code>
            {grant.to && (
              <span>
                to <Foreign text={grant.to} />
              </span>
            )}
            <span className="rows-muted">by {grant.tool}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
