import { useState } from "react";
import { Link } from "wouter";
import { useBoardPage } from "../../api/board";
import { Empty } from "../../shell/Empty";
import { Failure } from "../../shell/Failure";
import { Loading } from "../../shell/Loading";
import { RootCard } from "./RootCard";
import "./team.css";

/** Every agent with what it does now, by conversation, the newest first. */
export default function TeamView() {
  // Where each further page begins; pages before it stay as they are.
  const [places, setPlaces] = useState<readonly (number | null)[]>([null]);
  return (
    <>
      <h1>Team</h1>
      {places.map((before, nth) => (
        <BoardPage
          key={before}
          before={before}
          onMore={nth === places.length - 1 ? (next) => setPlaces([...places, next]) : undefined}
        />
      ))}
    </>
  );
}

type Props = { before: number | null; onMore: ((before: number) => void) | undefined };

function BoardPage({ before, onMore }: Props) {
  const { data, error, isPending } = useBoardPage(before);
  if (isPending) return <Loading />;
  if (!data) return <Failure error={error} />;
  const next = data.before;
  return (
    <>
      {error && <Failure error={error} />}
      {before === null && data.roots.length === 0 && (
        <Empty>
          There is no conversation yet. <Link href="/sessions/new">Begin one</Link>, or run{" "}
          <code>postroom run</code>.
        </Empty>
      )}
      {data.roots.map((root) => (
        <RootCard key={root.session_id} root={root} />
      ))}
      {next !== null && onMore && (
        <button type="button" onClick={() => onMore(next)}>
          Show older conversations
        </button>
      )}
    </>
  );
}
