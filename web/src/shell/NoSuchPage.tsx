import { Link, useLocation } from "wouter";
import { Empty } from "./Empty";
import { Foreign } from "./Foreign";

/** The address leads to no view. */
export function NoSuchPage() {
  const [path] = useLocation();
  return (
    <>
      <h1>There is no such page</h1>
      <Empty>
        <Foreign text={path} /> leads nowhere. <Link href="/">All agents</Link> are listed on the first page.
      </Empty>
    </>
  );
}
