import { type ComponentType, lazy, type ReactNode, useState } from "react";

type Load = () => Promise<{ default: ComponentType }>;
type View = { (): ReactNode; readonly load: () => Promise<void> };

/** A view that is fetched when it is first shown, and shown at once where it was fetched before. */
function view(load: Load): View {
  // React lets nobody see what it has waited for sooner than 300 ms after the words that it waits.
  let known: ComponentType = lazy(load);
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each view, when this module is read
  function Shown(): ReactNode {
    const [Known] = useState(() => known);
    return <Known />;
  }
  const fetched = async (): Promise<void> => {
    known = (await load()).default;
  };
  return Object.assign(Shown, { load: fetched });
}

/** Every view with its address. None is loaded before it is looked at; the first that fits is shown. */
export const ROUTES: readonly (readonly [path: string, view: View, name: string])[] = [
  ["/", view(() => import("../views/team/TeamView")), "Team"],
  ["/asks", view(() => import("../views/asks/AsksView")), "Asks"],
  ["/agents/:agent", view(() => import("../views/transcript/TranscriptView")), "Transcript"],
  ["/sessions/new", view(() => import("../views/newsession/NewSessionView")), "New conversation"],
  ["/sessions/:session/graph", view(() => import("../views/graph/GraphView")), "Graph"],
  ["/mail/:agent?", view(() => import("../views/mail/MailView")), "Mail"],
  ["/messages/:id", view(() => import("../views/mail/MessageView")), "Message"],
  ["/why/:reference", view(() => import("../views/why/WhyView")), "Why"],
  ["/search", view(() => import("../views/search/SearchView")), "Search"],
  ["/tasks", view(() => import("../views/tasks/TasksView")), "Tasks"],
  ["/todos/:session", view(() => import("../views/todos/TodosView")), "To do"],
  ["/dead-letters", view(() => import("../views/dead/DeadView")), "Dead letters"],
  ["/notices", view(() => import("../views/notices/NoticesView")), "Notices"],
  ["/settings", view(() => import("../views/settings/SettingsView")), "Settings"],
];

/** What the view at an address is called. */
export function viewName(path: string): string {
  return routeOf(path)?.[2] ?? "No such page";
}

/** Fetches the view at an address, so that its code is there when the daemon has answered. */
export async function fetchView(path: string): Promise<void> {
  // Whoever shows it asks once more, and says what went wrong.
  await routeOf(path)?.[1]
    .load()
    .catch(() => undefined);
}

function routeOf(path: string): (typeof ROUTES)[number] | undefined {
  const first = path.split("/")[1] ?? "";
  return (
    ROUTES.find(([route]) => fits(route, path)) ?? ROUTES.find(([route]) => route.split("/")[1] === first)
  );
}

function fits(route: string, path: string): boolean {
  const parts = path.split("/");
  const pattern = route.split("/");
  return (
    pattern.length === parts.length &&
    pattern.every((part, nth) => part.startsWith(":") || part === parts[nth])
  );
}
