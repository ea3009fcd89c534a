type Props = { hasMore: boolean; isBusy: boolean; onMore: () => void; what: string };

/** Older entries on demand, and where the list ends. */
export function More({ hasMore, isBusy, onMore, what }: Props) {
  return (
    <p className="rows-more">
      {hasMore ? (
        <button type="button" onClick={onMore} disabled={isBusy}>
          {isBusy ? "Loading …" : `Older ${what}`}
        </button>
      ) : (
        <span className="rows-muted">The first {what} are above.</span>
      )}
    </p>
  );
}
