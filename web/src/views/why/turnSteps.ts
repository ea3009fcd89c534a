import type { Schemas } from "../../api/client";
import {
  aMessage,
  aThing,
  foreign,
  moment,
  money,
  type Piece,
  type Step,
  state,
  step,
  whom,
  words,
} from "./pieces";

type Turn = Schemas["TurnWhy"];
type Call = Schemas["Called"];
type Ask = Schemas["Asked"];
type Sent = Schemas["Sent"];
type Task = Schemas["Tasked"];

const HOW: { [how: string]: string } = { opened: "opened by", joined: "joined by", returned: "got back" };
const DECIDERS: { [by: string]: string } = { person: "you", system: "Postroom" };
const TOKENS = new Intl.NumberFormat("en");

/** What a turn read, did, asked, gave and sent, and what it cost; what a call did hangs on the call. */
export function turnStep(turn: Turn, word: string): Step {
  const mentioned = new Set<string>();
  const calls = turn.calls.map((call) => joinedCall(call, turn, mentioned));
  const isLeft = (id: string) => !mentioned.has(id);
  return step(
    word,
    [aThing("turn", turn.turn_id), words("of"), whom(turn.agent, turn.turn_id), ...ending(turn)],
    [
      costStep(turn.spent),
      ...(turn.task_id ? [step("ran", [aMessage("task", turn.task_id), ...result(turn.result_id)])] : []),
      ...(turn.trigger === "resume" && turn.previous_id
        ? [step("goes on from", [aThing("turn", turn.previous_id)])]
        : []),
      ...turn.read.map(readStep),
      ...calls,
      ...turn.asks.filter((ask) => isLeft(ask.ask_id)).map((ask) => askStep(ask)),
      ...turn.sent.filter((sent) => isLeft(sent.message_id)).map(sentStep),
      ...turn.tasks.filter((task) => isLeft(task.task_id)).map(taskStep),
      ...turn.side_calls.map((side) =>
        step("beside", [
          words(side.purpose),
          words(`: ${[side.outcome, side.code].filter(Boolean).join(", ")}`),
        ]),
      ),
      ...turn.goals.map((goal) => step("goal", [words(`${goal.done} of ${goal.items} done`)])),
      ...(turn.text ? [step("said", [foreign(turn.text)])] : []),
    ],
  );
}

/** A call with what was asked for it, what it sent, and the task that it gave. */
function joinedCall(call: Call, turn: Turn, mentioned: Set<string>): Step {
  const asks = turn.asks.filter((ask) => call.ask_ids.includes(ask.ask_id));
  const sent = turn.sent.filter((one) => one.message_id === call.message_id);
  const tasks = turn.tasks.filter((one) => one.task_id === call.message_id);
  for (const id of [...call.ask_ids, call.message_id]) if (id) mentioned.add(id);
  return callStep(call, [
    ...asks.map((ask) => askStep(ask)),
    ...(tasks.length > 0 ? tasks.map(taskStep) : sent.map(sentStep)),
  ]);
}

/** A call and how it ended. */
export function callStep(call: Call, steps: readonly Step[] = []): Step {
  const changed = call.changed_by ? [words("changed by"), foreign(call.changed_by)] : [];
  const hooks = call.hooks.flatMap((hook) => [
    words(`${hook.verdict === "deny" ? "denied" : hook.verdict} by`),
    foreign(hook.hook),
  ]);
  return step(
    "called",
    [foreign(call.tool), aThing("call", call.call_id), state(call.outcome), ...changed, ...hooks],
    [
      step("with", [foreign(call.changed_arguments || call.arguments)]),
      ...steps,
      ...(call.awaits_id ? [step("awaited", [aMessage("task", call.awaits_id)])] : []),
      ...(call.returned_id ? [step("got back", [aMessage("message", call.returned_id)])] : []),
      ...(call.work_id ? [step("its work ended", [aMessage("message", call.work_id)])] : []),
      ...call.cancelled_ids.map((id) => step("ended", [aThing("task or turn", id)])),
    ],
  );
}

/** What the person was asked, and what came of it. */
export function askStep(ask: Ask, word = "asked"): Step {
  const wish =
    ask.kind === "approval" ? [foreign(`${ask.action} ${ask.resource}`), words("by"), foreign(ask.tool)] : [];
  const to = ask.to ? [words("to"), whom(ask.to)] : [];
  const by = ask.by
    ? [words(`by ${DECIDERS[ask.by] ?? ask.by}${ask.scope === "tree" ? ", for the whole tree" : ""}`)]
    : [];
  return step(
    word,
    [aThing(ask.kind, ask.ask_id), ...wish, ...to, state(ask.state), ...by, ...at(ask.decided_us)],
    [
      ...(ask.text ? [step("says", [foreign(ask.text)])] : []),
      ...(ask.answer ? [step("told", [foreign(ask.answer)])] : []),
      ...ask.grants.map(grantStep),
    ],
  );
}

/** Leave for a whole tree, and since when. */
export function grantStep(grant: Schemas["Granted"]): Step {
  const until = grant.revoked_us === null ? [] : [words("until"), moment(grant.revoked_us)];
  return step("let go by", [
    words("leave for the tree since"),
    moment(grant.given_us),
    ...until,
    aThing("ask", grant.ask_id),
  ]);
}

/** A message that something has sent. */
export function sentStep(sent: Sent): Step {
  return step("sent", [
    aMessage(sent.kind, sent.message_id),
    words("to"),
    whom(sent.to, sent.message_id),
    state(sent.state),
  ]);
}

/** A task, whose it is, and what came of it. */
export function taskStep(task: Task): Step {
  const ended = [task.outcome, task.cause].filter(Boolean).join(", ");
  const ender = task.cancelled_by ? [words("ended by"), whom(task.cancelled_by)] : [];
  return step(
    "gave",
    [
      aMessage("task", task.task_id),
      words("to"),
      whom(task.to, task.task_id),
      state(task.state),
      ended ? foreign(ended) : null,
      ...ender,
    ],
    [
      ...(task.turn_id ? [step("ran in", [aThing("turn", task.turn_id)])] : []),
      ...(task.result_id ? [step("its result", [aMessage("result", task.result_id)])] : []),
    ],
  );
}

function readStep(read: Schemas["Read"]): Step {
  const where = read.how === "opened" ? [] : [words(`in round ${read.round}`)];
  return step(HOW[read.how] ?? read.how, [
    aMessage(read.kind, read.message_id),
    words("from"),
    whom(read.sender, read.message_id),
    ...where,
    moment(read.at_us),
  ]);
}

function costStep(spent: Schemas["Spent"]): Step {
  const tokens = TOKENS.format(spent.input_tokens + spent.output_tokens);
  const unpriced = spent.unpriced > 0 ? [words(`and ${spent.unpriced} without a known price`)] : [];
  const rounds = `${spent.rounds} ${spent.rounds === 1 ? "round" : "rounds"}, ${tokens} tokens,`;
  return step("cost", [words(rounds), money(spent.cost_micros), ...unpriced]);
}

function ending(turn: Turn): Piece[] {
  const by = turn.cancelled_by ? [words("ended by"), whom(turn.cancelled_by)] : [];
  return [
    state(turn.state),
    ...(turn.end_reason ? [foreign(turn.end_reason)] : []),
    ...by,
    ...at(turn.ended_us),
  ];
}

function result(id: string): Piece[] {
  return id ? [words("with the result"), aMessage("result", id)] : [];
}

function at(us: number | null): Piece[] {
  return us === null ? [] : [moment(us)];
}
