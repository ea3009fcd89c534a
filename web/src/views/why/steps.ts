import type { Schemas } from "../../api/client";
import { plain } from "../../shell/plain";
import { aMessage, aThing, foreign, moment, type Piece, type Step, state, step, whom, words } from "./pieces";
import { askStep, callStep, grantStep, sentStep, taskStep, turnStep } from "./turnSteps";

type Why = Schemas["Why"];
type Message = Schemas["MessageWhy"];

/**
 * The chain of one thing in the order in which it came about: what began it all, each message that followed
 * from it, the thing itself, and the turn that it led to. What follows from a step hangs on it.
 */
export function chainOf(why: Why): Step[] {
  const own: Step[] = [];
  if (why.message) own.push(messageStep(why.message));
  if (why.ask) own.push(askStep(why.ask, "ask"));
  if (why.call) own.push(callStep(why.call));
  if (why.turn) own.push(turnStep(why.turn, why.message ? "read in" : "turn"));
  return [...why.because].reverse().reduceRight<Step[]>((after, cause) => [causeStep(cause, after)], own);
}

/** The sessions of everybody who is named in a chain: what happens elsewhere changes nothing of it. */
export function sessionsOf(steps: readonly Step[], found = new Set<string>()): ReadonlySet<string> {
  for (const one of steps) {
    for (const piece of one.pieces)
      if (piece.as === "who" && piece.who.session_id) found.add(piece.who.session_id);
    sessionsOf(one.steps, found);
  }
  return found;
}

function causeStep(cause: Schemas["Cause"], after: readonly Step[]): Step {
  const written = cause.turn_id ? [words("written in"), aThing("turn", cause.turn_id)] : [];
  return step(
    "because of",
    [aMessage(cause.kind, cause.message_id), words("from"), whom(cause.sender, cause.message_id), ...written],
    after,
  );
}

function messageStep(message: Message): Step {
  const head = [aMessage(message.kind, message.message_id), words(`(${message.mode})`), state(message.state)];
  return step(
    "message",
    [...head, message.reason ? words(`for ${message.reason}`) : null],
    [
      step("from", [whom(message.sender, message.message_id), ...origin(message)]),
      step("to", [...target(message), message.receipt ? words(`it was ${plain(message.receipt)}`) : null]),
      ...message.also_to.map((who) => step("and to", [whom(who, message.message_id)])),
      step("says", [foreign(message.body)]),
      ...message.asks.map((ask) => askStep(ask, "let go by")),
      ...message.grants.map(grantStep),
      ...message.life.map((one) => lifeStep(one, message.also_to.length > 0)),
      ...linked("answers", message.answers_id),
      ...linked("under task", message.under_task_id),
      ...message.answered_by.map((sent) => ({ ...sentStep(sent), word: "answered by" })),
      ...(message.task ? [taskStep(message.task)] : []),
    ],
  );
}

function origin(message: Message): Piece[] {
  return [
    ...(message.call_id ? [words("by"), aThing("call", message.call_id)] : []),
    ...(message.turn_id ? [words("in"), aThing("turn", message.turn_id)] : []),
  ];
}

/** Its recipient; on a bus what it was written to, and the first of those who took it. */
function target(message: Message): Piece[] {
  const to = whom(message.to, message.message_id);
  if (!message.selector) return [to];
  const taker = message.to.by === "bus" || !message.to.by ? words("nobody") : to;
  return [foreign(message.selector), words("on the bus:"), taker];
}

function lifeStep(one: Schemas["Step"], isGroup: boolean): Step {
  return step(one.what, [
    moment(one.at_us),
    ...(one.call_id ? [words("as the result of"), aThing("call", one.call_id)] : []),
    ...(one.turn_id ? [words(one.round ? `round ${one.round} of` : "by"), aThing("turn", one.turn_id)] : []),
    one.reason ? words(plain(one.reason)) : null,
    ...(isGroup && one.to ? [words("for"), whom(one.to)] : []),
  ]);
}

function linked(word: string, id: string): Step[] {
  return id ? [step(word, [aMessage("message", id)])] : [];
}
