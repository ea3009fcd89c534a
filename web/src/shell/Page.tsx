import { Suspense, useEffect, useRef } from "react";
import { Route, Router, Switch, useLocation } from "wouter";
import { useBrowserLocation, useSearch } from "wouter/use-browser-location";
import { useLiveState } from "../api/live";
import { Attention } from "./Attention";
import { LoggedOut, Outdated } from "./Barred";
import { Header } from "./Header";
import { keepFocus } from "./keepFocus";
import { Loading } from "./Loading";
import { NoSuchPage } from "./NoSuchPage";
import { ROUTES } from "./routes";
import { Toasts } from "./Toasts";
import { ViewGuard } from "./ViewGuard";
import "./page.css";

/** The frame of every view: where one is, and whether what one sees is live. */
export function Page() {
  return (
    <Router hook={useExactLocation} searchHook={useExactSearch}>
      <Frame />
    </Router>
  );
}

function Frame() {
  const state = useLiveState();
  if (state === "logged_out") return <LoggedOut />;
  if (state === "outdated") return <Outdated />;
  return (
    <>
      <div className="page-top" ref={measured}>
        <Header />
        <Toasts />
      </div>
      {/* What is read before the stream begins could be old without anybody being told. */}
      {state === "connecting" ? (
        <Loading what="Connecting" />
      ) : (
        <>
          <Attention />
          <Views />
        </>
      )}
    </>
  );
}

/** What sticks below the header, or scrolls to there, has to know how high it is: it may have three lines. */
function measured(top: HTMLElement | null): (() => void) | undefined {
  if (top === null) return undefined;
  const observer = new ResizeObserver(() => {
    document.documentElement.style.setProperty("--page-top", `${top.offsetHeight}px`);
  });
  observer.observe(top);
  return () => observer.disconnect();
}

function Views() {
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(keepFocus, []);
  useEffect(() => {
    // A reader goes on where the new view begins, not where the link was.
    if (shown.current !== path) main.current?.focus({ preventScroll: true });
    shown.current = path;
  }, [path]);
  return (
    <main id="main" ref={main} tabIndex={-1} className="page-main">
      <ViewGuard key={path}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {ROUTES.map(([path, view]) => (
              <Route key={path} path={path} component={view} />
            ))}
            <Route component={NoSuchPage} />
          </Switch>
        </Suspense>
      </ViewGuard>
    </main>
  );
}

// The router decodes addresses halfway, which would make one name of two; `useParam` decodes them once.
function useExactLocation(): ReturnType<typeof useBrowserLocation> {
  const [path, navigate] = useBrowserLocation();
  return [path.replaceAll("%", "%25"), navigate];
}

function useExactSearch(): string {
  return useSearch().replaceAll("%", "%25");
}
