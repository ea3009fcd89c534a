import type { Schemas } from "../../api/client";

type Task = Schemas["TaskView"];

/** Which tasks are shown. */
export const SHOWN = ["open", "ended", "all"] as const;
export type Shown = (typeof SHOWN)[number];

const OPEN: readonly string[] = ["pending", "queued", "running"];

/** Whether this is the state of a task that has not ended. */
export function isOpenState(state: string): boolean {
  return OPEN.includes(state);
}

/** Whether a task has not ended, so that it may be stopped. */
export function isOpen(task: Task): boolean {
  return isOpenState(task.state);
}

/** The tasks that a filter lets through. */
export function shownTasks(tasks: readonly Task[], shown: Shown): readonly Task[] {
  return shown === "all" ? tasks : tasks.filter((task) => isOpen(task) === (shown === "open"));
}
