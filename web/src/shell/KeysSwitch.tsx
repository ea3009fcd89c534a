import { useState } from "react";
import { Link } from "wouter";
import { areCharactersKeys, setCharactersKeys } from "./useKeys";

/** Lets the person turn off all keys of one character, so that nothing is done by a word that was misheard. */
export function KeysSwitch() {
  const [isOn, setOn] = useState(areCharactersKeys);
  return (
    <p>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setCharactersKeys(event.target.checked);
            setOn(event.target.checked);
          }}
        />{" "}
        Let single characters be keys, such as <kbd>s</kbd>, which stops an agent
      </label>
    </p>
  );
}

/** Where the keys are listed: that they can be turned off. */
export function KeysAdvice() {
  return (
    <p>
      Keys of one character can be turned off in the <Link href="/settings">settings</Link>.
    </p>
  );
}
