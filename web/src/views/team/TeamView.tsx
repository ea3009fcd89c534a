import { useQuery } from "@tanstack/react-query";
import { api, taken } from "../../api/client";

/** Every agent with what it does now. */
export default function TeamView() {
  const { data } = useQuery({
    queryKey: ["agents"],
    queryFn: async () => taken(await api.GET("/api/v1/agents")),
  });
  return (
    <ul>
      {data?.map((agent) => (
        <li key={agent.branch_id}>
          {agent.handle || agent.name || agent.profile} {agent.state}
        </li>
      ))}
    </ul>
  );
}
