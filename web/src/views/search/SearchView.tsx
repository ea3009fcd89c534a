/** Find what was said. */
export default function SearchView() {
  return <h1>Search</h1>;
}
