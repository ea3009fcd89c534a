import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isRefusal } from "./api/client";
import { LiveProvider } from "./api/live";
import { Page } from "./shell/Page";
import { fetchView } from "./shell/routes";
import "./styles/base.css";

const queries = new QueryClient({
  // Events say when something has changed; nothing is asked again merely because time has passed.
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (tries, error) => tries < 1 && !isRefusal(error),
    },
  },
});

const root = document.getElementById("root");
if (root) {
  void fetchView(location.pathname);
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <Page />
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
