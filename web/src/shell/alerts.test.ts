import { afterEach, expect, it } from "vitest";
import { event } from "../api/samples";
import { askAlert, endAlert } from "./alerted";
import { addAlert, askKey, dropAlert, dropAlerts, dropAlertsOf, shownAlerts, watchAlerts } from "./alerts";
import { shownToasts, toast } from "./toasts";

afterEach(dropAlerts);

const asked = () => askAlert(event(1, "ask.opened", { ask_id: "a1" }), "s1");

it("takes an ask's alert away, and its toast, when it is decided elsewhere (KK-44)", () => {
  addAlert(asked());
  toast(asked());
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

it("tells no more of a session that was deleted, nor of a conversation that is looked at", () => {
  addAlert(endAlert(event(3, "turn.ended", { session_id: "s2", branch_id: "b2" }), "Other"));
  addAlert(askAlert(event(4, "ask.opened", { session_id: "s4", ask_id: "a4" }), "s3"));
  dropAlertsOf("s2");
  expect(shownAlerts().map(({ sessionId }) => sessionId)).toEqual(["s4"]);
  dropAlertsOf("s3");
  expect(shownAlerts()).toEqual([]);
});

it("shows what another window has raised, and takes away what was put away there", () => {
  const leave = watchAlerts(() => undefined);
  addAlert(asked());
  toast(asked());
  const other = JSON.stringify({ alerts: [{ ...asked(), key: "end:b9" }], untilUs: 9 });
  localStorage.setItem("postroom.alerts", other);
  window.dispatchEvent(new StorageEvent("storage", { key: "postroom.alerts" }));
  expect(shownAlerts().map(({ key }) => key)).toEqual(["end:b9"]);
  expect(shownToasts()).toEqual([]);
  leave();
});

it("adds to what another window has kept meanwhile, and takes no nonsense for alerts", () => {
  const other = JSON.stringify({ alerts: [{ ...asked(), key: "end:b9" }], untilUs: 9 });
  localStorage.setItem("postroom.alerts", other);
  addAlert(asked());
  expect(shownAlerts().map(({ key }) => key)).toEqual(["ask:a1", "end:b9"]);
  for (const nonsense of ["{", "null", '{"alerts":1}', '"x"']) {
    localStorage.setItem("postroom.alerts", nonsense);
    addAlert(asked());
    expect(shownAlerts()).toHaveLength(2);
  }
});
