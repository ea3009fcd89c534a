import { Link } from "wouter";
import { Empty } from "./Empty";

/** In the place of a view whose session was deleted while one looked at it. */
export function Deleted() {
  return (
    <Empty>
      This session was deleted. <Link href="/">All agents</Link> are listed on the first page.
    </Empty>
  );
}
