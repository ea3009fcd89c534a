import { keep, kept } from "./kept";

const KEPT_AS = "postroom.notify";

/** Whether the person wants system notifications, and the browser lets this page send them. */
export function isNotifying(): boolean {
  return isPossible() && Notification.permission === "granted" && kept(KEPT_AS) === "on";
}

/** Whether this browser knows system notifications. */
export function isPossible(): boolean {
  return typeof Notification !== "undefined";
}

/** Turns them on or off. Asks for leave, so only a click may call it. Says whether they are on now. */
export async function setNotifying(on: boolean): Promise<boolean> {
  const isGranted = on && isPossible() && (await Notification.requestPermission()) === "granted";
  keep(KEPT_AS, isGranted ? "on" : "off");
  return isGranted;
}

/** Tells the person outside of the page, where they want that and do not look at it. */
export function notify(title: string, key: string, onClick: () => void): void {
  if (!isNotifying() || (!document.hidden && document.hasFocus())) return;
  const note = new Notification(title, { tag: key, icon: "/icon.svg" });
  note.onclick = () => {
    window.focus();
    onClick();
    note.close();
  };
}
