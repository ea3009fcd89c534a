import { type ComponentType, type LazyExoticComponent, lazy } from "react";

type View = LazyExoticComponent<ComponentType>;

/** Every view with its address. None is loaded before it is looked at; the first that fits is shown. */
export const ROUTES: readonly (readonly [path: string, view: View, name: string])[] = [
  ["/", lazy(() => import("../views/team/TeamView")), "Team"],
  ["/asks", lazy(() => import("../views/asks/AsksView")), "Asks"],
  ["/agents/:agent", lazy(() => import("../views/transcript/TranscriptView")), "Transcript"],
  ["/sessions/new", lazy(() => import("../views/newsession/NewSessionView")), "New conversation"],
  ["/sessions/:session/graph", lazy(() => import("../views/graph/GraphView")), "Graph"],
  ["/mail/:agent?", lazy(() => import("../views/mail/MailView")), "Mail"],
  ["/messages/:id", lazy(() => import("../views/mail/MessageView")), "Message"],
  ["/why/:reference", lazy(() => import("../views/why/WhyView")), "Why"],
  ["/search", lazy(() => import("../views/search/SearchView")), "Search"],
  ["/tasks", lazy(() => import("../views/tasks/TasksView")), "Tasks"],
  ["/todos/:session", lazy(() => import("../views/todos/TodosView")), "To do"],
  ["/dead-letters", lazy(() => import("../views/dead/DeadView")), "Dead letters"],
  ["/notices", lazy(() => import("../views/notices/NoticesView")), "Notices"],
  ["/settings", lazy(() => import("../views/settings/SettingsView")), "Settings"],
];

/** What the view at an address is called. */
export function viewName(path: string): string {
  const first = path.split("/")[1] ?? "";
  const found =
    ROUTES.find(([route]) => fits(route, path)) ?? ROUTES.find(([route]) => route.split("/")[1] === first);
  return found?.[2] ?? "No such page";
}

function fits(route: string, path: string): boolean {
  const parts = path.split("/");
  const pattern = route.split("/");
  return (
    pattern.length === parts.length &&
    pattern.every((part, nth) => part.startsWith(":") || part === parts[nth])
  );
}
