import { useQuery } from "@tanstack/react-query";
import { api, taken } from "./client";
import { KEYS } from "./keys";

/** Who is logged in, and what the login is good for. */
export function useMe() {
  return useQuery({ queryKey: KEYS.me, queryFn: async () => taken(await api.GET("/api/v1/me")) }).data;
}
