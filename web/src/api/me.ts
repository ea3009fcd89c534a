import { useQuery } from "@tanstack/react-query";
import { api, taken } from "./client";

/** Who is logged in, and what the login is good for. */
export function useMe() {
  return useQuery({ queryKey: ["me"], queryFn: async () => taken(await api.GET("/api/v1/me")) }).data;
}
