import type { Schemas } from "../../api/client";
import { Foreign } from "../../shell/Foreign";
import { choiceOf } from "./given";

type Props = {
  teams: readonly Schemas["TeamView"][] | undefined;
  choice: string;
  onChoice: (choice: string) => void;
};

/** Who takes the text: a profile of any team that the daemon knows, with what it is for. */
export function ProfileChoice({ teams = [], choice, onChoice }: Props) {
  const chosen = teams
    .flatMap((team) =>
      team.profiles.map((profile) => ({ profile, value: choiceOf(team.own ? "" : team.team, profile.name) })),
    )
    .find((one) => (choice ? one.value === choice : one.profile.entry))?.profile;
  return (
    <div className="rows-fields">
      <label>
        Agent profile
        <select value={choice} onChange={(event) => onChoice(event.target.value)}>
          <option value="">the team's own choice</option>
          {teams.map((team) => (
            <optgroup
              key={team.team}
              label={`${team.name || team.team}${team.surface && `, ${team.surface}`}`}
            >
              {team.broken && <option disabled>cannot be read: {team.broken}</option>}
              {team.profiles.map((profile) => (
                <option key={profile.name} value={choiceOf(team.own ? "" : team.team, profile.name)}>
                  {profile.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {chosen && (
        <p className="newsession-profile rows-muted" aria-live="polite">
          <Foreign text={chosen.description} /> <code>{chosen.model}</code>
        </p>
      )}
    </div>
  );
}
