import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";
import { useParam } from "../../shell/links";
import { StepList } from "./StepList";
import { chainOf, sessionsOf } from "./steps";
import "../rows/rows.css";
import "./why.css";

/** Why something is as it is: mail, tasks, approvals and cost in one chain, each step a way on. */
export default function WhyView() {
  const reference = useParam("reference");
  const key = KEYS.why(reference);
  const why = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      taken(await api.GET("/api/v1/why/{reference}", { params: { path: { reference } }, signal })),
  });
  const chain = useMemo(() => (why.data ? chainOf(why.data) : []), [why.data]);
  const sessions = useMemo(() => sessionsOf(chain), [chain]);
  useFresh(key, (event) => sessions.has(event.session_id));
  return (
    <>
      <div className="rows-head">
        <h1>
          Why {why.data && `this ${why.data.what}`} <Foreign className="why-reference" text={reference} />
        </h1>
      </div>
      {why.isPending && <Loading />}
      {why.isError && <Failure error={why.error} />}
      {why.data && <StepList steps={chain} />}
    </>
  );
}
