import { useTryNow } from "../api/live";

/** Instead of the page: nobody is logged in. */
export function LoggedOut() {
  const tryNow = useTryNow();
  return (
    <main className="barred">
      <h1>Not logged in</h1>
      <p role="status">
        This page has no login, or it is over. Run <code>postroom open</code> on the machine of the daemon: it
        prints a new link, which is good once.
      </p>
      <button type="button" onClick={tryNow}>
        I have followed the link
      </button>
    </main>
  );
}

/** Instead of the page: the daemon is of another version than what the browser has loaded. */
export function Outdated() {
  return (
    <main className="barred">
      <h1>This page is of another version</h1>
      <p role="status">
        The daemon speaks another version of the protocol than this page. Load the page anew.
      </p>
      <button type="button" onClick={() => window.location.reload()}>
        Load anew
      </button>
    </main>
  );
}
