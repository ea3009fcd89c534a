import type { ComponentProps } from "react";
import { type Scope, useBar } from "../api/me";

type Props = ComponentProps<"button"> & {
  /** What a login has to be good for to do it. */
  needs?: Scope | undefined;
};

/** A button that changes something at the daemon. A login that may not do it finds it off, with the reason. */
export function DeedButton({ needs = "operate", disabled, title, ...button }: Props) {
  const bar = useBar(needs);
  return (
    <button type="button" {...button} disabled={disabled || bar !== ""} title={bar || title || undefined} />
  );
}
