import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The daemon serves the page with a strict content security policy, so nothing may be inlined.
export default defineConfig({
  plugins: [react()],
  base: "/",
  build: {
    outDir: "../src/postroom/frontends/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // Vite asks for the styles of a view once: a view that failed for want of them would come without.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": process.env.POSTROOM_URL ?? "http://127.0.0.1:7678" } },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"] },
});
