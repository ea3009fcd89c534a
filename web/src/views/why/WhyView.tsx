/** Why a message or turn came to be. */
export default function WhyView() {
  return <h1>Why</h1>;
}
