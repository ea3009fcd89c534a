import { Link, Route, Switch } from "wouter";
import { TeamView } from "../views/team/TeamView";

/** The frame of every view: where one is, and whether what one sees is live. */
export function Page() {
  return (
    <>
      <header>
        <nav aria-label="Views">
          <Link href="/">Team</Link>
        </nav>
      </header>
      <main>
        <Switch>
          <Route path="/" component={TeamView} />
          <Route>There is no such page.</Route>
        </Switch>
      </main>
    </>
  );
}
