import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";

const DEFAULT = "default";

/** The settings that the daemon runs with, each with the place that it comes from. They are changed there. */
export function ConfigSection() {
  const [isAll, setAll] = useState(false);
  const config = useQuery({
    queryKey: KEYS.config,
    queryFn: async ({ signal }) => taken(await api.GET("/api/v1/config", { signal })),
    staleTime: 0,
  });
  const settings = config.data?.settings.filter((one) => isAll || one.place !== DEFAULT) ?? [];
  return (
    <section className="rows-section" aria-labelledby="settings-config">
      <h2 id="settings-config">Configuration</h2>
      {config.isPending && <Loading />}
      {config.isError && <Failure error={config.error} />}
      {config.data && (
        <>
          <p className="rows-muted">
            Your own file is <Foreign text={config.data.file} />.
          </p>
          <div className="rows-fields">
            <label className="rows-check">
              <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} />
              Show defaults too
            </label>
          </div>
          {settings.length === 0 && <p className="rows-muted">Everything is as by default.</p>}
          <dl className="rows-facts">
            {settings.map((one) => (
              <Setting key={one.key} name={one.key} value={one.value} place={one.place} />
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

type Props = { name: string; value: string | number | boolean | null; place: string };

function Setting({ name, value, place }: Props) {
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        <Foreign text={value === null ? "not set" : String(value)} />{" "}
        <span className="rows-muted">({place})</span>
      </dd>
    </>
  );
}
