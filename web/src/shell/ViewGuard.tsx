import { Component, type ReactNode } from "react";
import { Failure } from "./Failure";
import { fetchView } from "./routes";

type Props = { children: ReactNode };

/** Keeps the frame of the page when a view fails: the view alone is replaced by what went wrong. */
export class ViewGuard extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  /** The code of a view that could not be fetched is asked for anew: React never does so by itself. */
  private async again() {
    await fetchView(location.pathname);
    this.setState({ error: null });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <>
        <Failure error={this.state.error} />
        <p>
          <button type="button" onClick={() => void this.again()}>
            Show the view again
          </button>
        </p>
      </>
    );
  }
}
