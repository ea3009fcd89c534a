import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";

/** Who agents are before they have a conversation: every team that the daemon knows, with its profiles. */
export function ProfilesSection() {
  const teams = useQuery({
    queryKey: KEYS.profiles,
    queryFn: async ({ signal }) => taken(await api.GET("/api/v1/profiles", { signal })),
  });
  return (
    <section className="rows-section" aria-labelledby="settings-profiles">
      <h2 id="settings-profiles">Agent profiles</h2>
      {teams.isPending && <Loading />}
      {teams.isError && <Failure error={teams.error} />}
      {teams.data?.map((team) => (
        <section key={team.team} aria-label={team.name || team.team}>
          <h3>
            <Foreign text={team.name || team.team} /> <span className="rows-muted">{team.surface}</span>
          </h3>
          {team.broken && <p className="note note-bad">{team.broken}</p>}
          <ul className="rows-list">
            {team.profiles.map((profile) => (
              <ProfileRow key={profile.name} profile={profile} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

function ProfileRow({ profile }: { profile: Schemas["ProfileView"] }) {
  return (
    <li className="rows-row">
      <div className="rows-line">
        <strong>
          <Foreign text={profile.name} />
        </strong>
        {profile.entry && <span className="rows-muted">takes your texts</span>}
        <code>{profile.model}</code>
      </div>
      <p className="rows-text">
        <Foreign text={profile.description} />
      </p>
      <p className="rows-text rows-muted">
        {profile.tools.length > 0 && `Tools: ${profile.tools.join(", ")}. `}
        {profile.delegates_to.length > 0 && `Gives work to ${profile.delegates_to.join(", ")}. `}
        {profile.actions.map((rule) => `${rule.effect} ${rule.action} ${rule.pattern}`).join("; ")}
      </p>
    </li>
  );
}
