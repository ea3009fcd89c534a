import type { Schemas } from "../../api/client";

type Entry = Schemas["MailEntry"];
type Party = Schemas["Party"];

/** A line down the timeline for whoever writes or reads. */
export type Lane = { readonly key: string; readonly label: string; readonly isRest: boolean };

/** One message between two lanes. A message to several has an arrow for each lane that it goes to. */
export type Arrow = { readonly to: number; readonly state: string };
export type LaneRow = {
  readonly messageId: string;
  readonly from: number;
  readonly arrows: readonly Arrow[];
};
export type Lanes = { readonly lanes: readonly Lane[]; readonly rows: readonly LaneRow[] };

/** More lanes than this cannot be told apart; the quietest share the last one. */
export const LANES_MAX = 10;
const REST = "\u0000rest";
const ORDER: { [by: string]: number } = { user: 0, agent: 1, plugin: 2, runtime: 3 };

/** Who is meant, as a lane tells them apart: an agent by its branch, whoever else by what they are called. */
export function laneKey(party: Party): string {
  return party.branch_id ? `b:${party.branch_id}` : `${party.by}:${party.by === "plugin" ? party.label : ""}`;
}

/** Lanes from left to right: the person, the agents as they came in, then plugins and the runtime. */
export function layLanes(entries: readonly Entry[], lanesMax = LANES_MAX): Lanes {
  const lanes = shared(counted(entries), lanesMax);
  const place = new Map(lanes.map((lane, index) => [lane.key, index]));
  const rest = lanes.length - 1;
  const at = (party: Party) => place.get(laneKey(party)) ?? rest;
  const rows = entries.map((entry) => ({
    messageId: entry.message_id,
    from: at(entry.sender),
    arrows: arrowsOf(entry, at),
  }));
  return { lanes, rows };
}

/** What an agent that is asked for by an id or address is called in its mail; else what was asked for. */
export function labelOf(agent: string, entries: readonly Entry[]): string {
  for (const entry of entries) {
    for (const party of [entry.sender, ...entry.recipients.map((one) => one.to)]) {
      if (party.label && (party.branch_id === agent || party.address === agent)) return party.label;
    }
  }
  return agent;
}

type Counted = { key: string; label: string; by: string; count: number; since: number };

/** Everybody who wrote or was written to, with how often, and when they first came in. */
function counted(entries: readonly Entry[]): Counted[] {
  const found = new Map<string, Counted>();
  const oldestFirst = [...entries].reverse();
  let since = 0;
  for (const entry of oldestFirst) {
    for (const party of [entry.sender, ...entry.recipients.map((one) => one.to)]) {
      if (!party.by) continue;
      const key = laneKey(party);
      const had = found.get(key);
      const by = party.branch_id ? "agent" : party.by;
      if (had) had.count += 1;
      else found.set(key, { key, label: nameOf(party), by, count: 1, since: since++ });
    }
  }
  return [...found.values()];
}

function nameOf(party: Party): string {
  if (party.by === "user" && !party.branch_id) return "You";
  return party.label || (party.by === "runtime" ? "Postroom" : party.by);
}

/** One lane each, in order; those with the least mail share one where there are too many, but for the person. */
function shared(found: Counted[], lanesMax: number): Lane[] {
  const isPerson = (one: Counted) => Number(one.by === "user");
  const busiest = [...found].sort(
    (a, b) => isPerson(b) - isPerson(a) || b.count - a.count || a.since - b.since,
  );
  const kept = found.length > lanesMax ? busiest.slice(0, lanesMax - 1) : busiest;
  const lanes: Lane[] = kept
    .sort((a, b) => (ORDER[a.by] ?? 9) - (ORDER[b.by] ?? 9) || a.since - b.since)
    .map(({ key, label }) => ({ key, label, isRest: false }));
  const left = found.length - kept.length;
  return left > 0 ? [...lanes, { key: REST, label: `${left} others`, isRest: true }] : lanes;
}

function arrowsOf(entry: Entry, at: (party: Party) => number): Arrow[] {
  const arrows = new Map<number, Arrow>();
  for (const one of entry.recipients) {
    if (!one.to.by) continue;
    const to = at(one.to);
    arrows.set(to, { to, state: one.state });
  }
  return [...arrows.values()];
}
