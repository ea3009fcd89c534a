import { expect, it } from "vitest";
import { event } from "../api/samples";
import { addAlert, askAlert, askKey, dropAlert, dropAlertsOf, endAlert, shownAlerts } from "./alerts";
import { shownToasts, toast } from "./toasts";

it("takes an ask's alert away, and its toast, when it is decided elsewhere (KK-44)", () => {
  const alert = askAlert(event(1, "ask.opened", { ask_id: "a1" }));
  addAlert(alert);
  toast(alert);
  expect(shownAlerts().map(({ title }) => title)).toEqual(["ann asks for leave"]);
  dropAlert(askKey("a1"));
  expect(shownAlerts()).toEqual([]);
  expect(shownToasts()).toEqual([]);
});

it("keeps of one conversation's ends only the newest", () => {
  addAlert(endAlert(event(1, "turn.ended", { facts: { state: "finished" } }), "Build"));
  addAlert(
    endAlert(event(2, "turn.ended", { facts: { state: "failed", end_reason: "model_auth" } }), "Build"),
  );
  expect(shownAlerts().map(({ tone, text }) => [tone, text])).toEqual([["bad", "Build\nmodel_auth"]]);
});

it("tells no more of a session that was deleted", () => {
  addAlert(endAlert(event(3, "turn.ended", { session_id: "s2", branch_id: "b2" }), "Other"));
  dropAlertsOf("s2");
  expect(shownAlerts().map(({ sessionId }) => sessionId)).not.toContain("s2");
});
