import { useState } from "react";
import { isNotifying, isPossible, setNotifying } from "./notify";

/** Lets the person be told outside of the page when an agent needs them. Off until it is asked for. */
export function NotifySwitch() {
  const [isOn, setOn] = useState(isNotifying);
  const [isRefused, setRefused] = useState(false);
  async function turn(on: boolean): Promise<void> {
    const now = await setNotifying(on);
    setOn(now);
    setRefused(on && !now);
  }
  return (
    <p>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          disabled={!isPossible()}
          onChange={(event) => void turn(event.target.checked)}
        />{" "}
        Show a system notification when an agent needs me
      </label>
      {isRefused && <span role="status"> The browser does not let this page show any.</span>}
    </p>
  );
}
