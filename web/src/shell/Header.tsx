import { Link, useLocation } from "wouter";
import { useAsks } from "../api/asks";
import { useLiveState } from "../api/live";
import { useMe } from "../api/me";
import { useUnseen } from "../api/notices";
import { AlertList } from "./AlertList";
import { LiveBadge } from "./LiveBadge";
import "./header.css";

const VIEWS = [
  ["/", "Team"],
  ["/asks", "Asks"],
  ["/mail", "Mail"],
  ["/tasks", "Tasks"],
  ["/search", "Search"],
  ["/notices", "Notices"],
  ["/dead-letters", "Dead letters"],
  ["/settings", "Settings"],
] as const;

/** Where one can go, where one is, and whether what one sees is live. */
export function Header() {
  const [path] = useLocation();
  const isBegun = useLiveState() !== "connecting";
  return (
    <header className="header">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <nav aria-label="Views" className="header-nav">
        {VIEWS.map(([href, name]) => (
          <Link key={href} href={href} aria-current={isAt(path, href) ? "page" : undefined}>
            {name}
            {isBegun && href === "/asks" && <AskCount />}
            {isBegun && href === "/notices" && <UnseenCount />}
          </Link>
        ))}
      </nav>
      <Link className="header-new" href="/sessions/new">
        New conversation
      </Link>
      <AlertList />
      {isBegun && <ReadOnly />}
      <LiveBadge />
    </header>
  );
}

function AskCount() {
  return <Count n={useAsks().data?.length ?? 0} what="open" />;
}

function UnseenCount() {
  return <Count n={useUnseen()} what="unseen" />;
}

function Count({ n, what }: { n: number; what: string }) {
  if (n === 0) return null;
  return (
    <span className="header-badge">
      {n}
      <span className="unseen"> {what}</span>
    </span>
  );
}

function ReadOnly() {
  return useMe()?.scope === "read" ? <span className="header-only">read only</span> : null;
}

function isAt(path: string, href: string): boolean {
  return path === href || (href !== "/" && path.startsWith(`${href}/`));
}
