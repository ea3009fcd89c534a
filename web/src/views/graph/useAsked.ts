import { useCallback, useState } from "react";
import { useSearchParams } from "wouter";
import type { Asked } from "./useGraph";

const OPENED_MAX = 3;
const UNFOLDED_MAX = 12;

/** What of a graph is drawn in detail; what was opened longest ago folds again, so that a view stays small. */
export function useAsked() {
  const [params, setParams] = useSearchParams();
  const [opened, setOpened] = useState<readonly number[]>([]);
  const [unfolded, setUnfolded] = useState<readonly number[]>([]);
  const open = useCallback(
    (id: number) => setOpened((old) => [...without(old, id), id].slice(-OPENED_MAX)),
    [],
  );
  const toggle = useCallback(
    (id: number) =>
      setUnfolded((old) => (old.includes(id) ? without(old, id) : [...old, id].slice(-UNFOLDED_MAX))),
    [],
  );
  const checkOut = useCallback(
    (branch: string) => setParams(branch ? { branch } : {}, { replace: true }),
    [setParams],
  );
  const asked: Asked = { branch: params.get("branch") ?? "", opened, unfolded };
  return { asked, open, toggle, checkOut };
}

const without = (ids: readonly number[], id: number): number[] => ids.filter((one) => one !== id);
