import { Component, type ReactNode } from "react";
import { Failure } from "./Failure";

type Props = { children: ReactNode };

/** Keeps the frame of the page when a view fails: the view alone is replaced by what went wrong. */
export class ViewGuard extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <>
        <Failure error={this.state.error} />
        <p>
          <button type="button" onClick={() => this.setState({ error: null })}>
            Show the view again
          </button>
        </p>
      </>
    );
  }
}
