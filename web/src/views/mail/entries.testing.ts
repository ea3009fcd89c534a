import type { Schemas } from "../../api/client";

type Entry = Schemas["MailEntry"];
type Party = Schemas["Party"];
type At = Schemas["MailAt"];

/** An agent, for tests. */
export const agent = (name: string): Party => ({
  by: "agent",
  label: name,
  address: name,
  session_id: `s-${name}`,
  branch_id: `b-${name}`,
});

/** The person, for tests. */
export const person: Party = { by: "user", label: "user", address: "", session_id: "", branch_id: "" };

/** A message as it stands with one recipient, for tests. */
export const at = (to: Party, more: Partial<At> = {}): At => ({
  to,
  mode: "steer",
  state: "consumed",
  reason: "",
  held_for: "",
  recipient_state: "",
  held_us: null,
  accepted_us: 1,
  claimed_us: 2,
  consumed_us: 3,
  ended_us: 3,
  latency_us: 2,
  turn_id: "t",
  round: 1,
  attempts: 0,
  parked: false,
  reverted: false,
  expires_us: null,
  ...more,
});

/** A message, for tests. */
export const entry = (sender: Party, recipients: readonly At[], more: Partial<Entry> = {}): Entry => ({
  message_id: `m-${sender.label}-${recipients.map((one) => one.to.label).join("-")}`,
  kind: "mail",
  mode: "steer",
  sender,
  selector: "",
  waits_on_bus: false,
  recipients: [...recipients],
  created_us: 1,
  written_in: "",
  reply_to: "",
  answered_by: [],
  task_id: "",
  task_state: "",
  task_outcome: "",
  chain: 1,
  body_bytes: 5,
  preview: "hello",
  outcome: "",
  code: "",
  ...more,
});
