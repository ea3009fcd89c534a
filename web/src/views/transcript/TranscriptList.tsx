import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { Loading } from "../../shell/Loading";
import type { Block } from "./blocks";
import { NOTHING_UNSEEN, unseenAfter } from "./blocks";
import { BlockView } from "./rows/BlockView";
import { useFollow } from "./useFollow";

type Props = {
  blocks: readonly Block[];
  /** The row that the address means; the view begins there and not at the end. */
  target: string | null;
  name: string;
  hasOlder: boolean;
  isLoadingOlder: boolean;
  loadOlder: () => void;
};

const NEAR_END_PX = 60;
const NEAR_START_PX = 400;

/**
 * The conversation, the newest at the bottom. Only what is in view is mounted. The view stays at the end while
 * it is there, and where it is while one reads further up, also when older items arrive above.
 */
export function TranscriptList({ blocks, target, name, hasOlder, isLoadingOlder, loadOlder }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => blocks[index]?.id ?? index,
    estimateSize: (index) => estimate(blocks[index]),
    overscan: 8,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR_END_PX,
  });
  const [atEnd, setAtEnd] = useState(true);
  const { follows, leave, scrolled: followed, hands } = useFollow(() => list.isAtEnd(NEAR_END_PX));
  const ids = useMemo(
    () => blocks.flatMap((one) => (one.kind === "row" && one.row.kind !== "waiting" ? [one.id] : [])),
    [blocks],
  );
  const [unseen, setUnseen] = useState(NOTHING_UNSEEN);
  const now = unseenAfter(unseen, ids, atEnd);
  if (now !== unseen) setUnseen(now);

  const began = useRef(false);
  useEffect(() => {
    if (began.current || blocks.length === 0) return;
    began.current = true;
    list.scrollToEnd();
  });
  const at = target === null ? -1 : blocks.findIndex((one) => one.id === target);
  const show = useEffectEvent(() => {
    if (at < 0) return;
    leave();
    list.scrollToIndex(at, { align: "center" });
  });
  const isThere = at >= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target, whatever is added around it
  useEffect(() => show(), [target, isThere]);
  // A page that does not fill the view cannot be scrolled.
  const fills = list.getTotalSize() > (scroller.current?.clientHeight ?? 0);
  const n = blocks.length;
  const more = useEffectEvent(() => {
    if (n > 0 && hasOlder && !isLoadingOlder && !fills) loadOlder();
  });
  // Whether it fills the view is known only once its rows were measured.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that came, not again after a failure
  useEffect(() => more(), [n, fills]);

  // Rows are measured after they are drawn, so whether this is the end is known a moment later.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (follows() && !list.isAtEnd(NEAR_END_PX)) list.scrollToEnd();
      else setAtEnd(list.isAtEnd(NEAR_END_PX));
    });
    return () => cancelAnimationFrame(frame);
  });

  const scrolled = () => {
    followed();
    setAtEnd(list.isAtEnd(NEAR_END_PX));
    if (hasOlder && !isLoadingOlder && (scroller.current?.scrollTop ?? 0) < NEAR_START_PX) loadOlder();
  };
  return (
    <div className="transcript-frame">
      {isLoadingOlder && (
        <div className="transcript-above">
          <Loading what="Loading older items" />
        </div>
      )}
      <div
        ref={scroller}
        className="transcript-scroll"
        onScroll={scrolled}
        {...hands}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={`Conversation of ${name}`}
      >
        <div className="transcript-items" style={{ blockSize: list.getTotalSize() }}>
          {list.getVirtualItems().map((item) => {
            const block = blocks[item.index];
            return block ? (
              <div
                key={item.key}
                ref={list.measureElement}
                data-index={item.index}
                className={`transcript-item ${block.id === target ? "transcript-target" : ""}`}
                aria-current={block.id === target ? "location" : undefined}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <BlockView block={block} />
              </div>
            ) : null;
          })}
        </div>
      </div>
      {!atEnd && (
        <button type="button" className="transcript-below" onClick={() => list.scrollToEnd()}>
          {unseen.count > 0 ? `${unseen.count} new below ↓` : "To the newest ↓"}
        </button>
      )}
    </div>
  );
}

function estimate(block: Block | undefined): number {
  if (block?.kind === "turn" || block?.kind === "waiting") return 36;
  if (block?.kind === "row" && block.row.kind === "answer")
    return 60 + Math.min(block.row.text.length / 4, 600);
  return 72;
}
