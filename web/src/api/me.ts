import { useQuery } from "@tanstack/react-query";
import { api, type Schemas, taken } from "./client";
import { KEYS } from "./keys";

export type Scope = Schemas["Me"]["scope"];

const ORDER: readonly Scope[] = ["read", "operate", "admin"];

/** Who is logged in, and what the login is good for. */
export function useMe() {
  return useQuery({ queryKey: KEYS.me, queryFn: async () => taken(await api.GET("/api/v1/me")) }).data;
}

/** Why the login may not do what needs a scope; empty where it may, and as long as that is not known. */
export function useBar(needs: Scope): string {
  return barOf(useMe()?.scope, needs);
}

/** The same in words of a scope that one has. */
export function barOf(has: Scope | undefined, needs: Scope): string {
  if (has === undefined || ORDER.indexOf(has) >= ORDER.indexOf(needs)) return "";
  return `This login has the scope ${has}, and this needs ${needs}.`;
}
