import { Link, useLocation } from "wouter";
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
  return (
    <header className="header">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <nav aria-label="Views" className="header-nav">
        {VIEWS.map(([href, name]) => (
          <Link key={href} href={href} aria-current={isAt(path, href) ? "page" : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <Link className="header-new" href="/sessions/new">
        New conversation
      </Link>
      <LiveBadge />
    </header>
  );
}

function isAt(path: string, href: string): boolean {
  return path === href || (href !== "/" && path.startsWith(`${href}/`));
}
