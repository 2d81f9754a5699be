import { Component, type ReactNode } from "react";
import type { Part } from "translogue";
import { LongText } from "../markdown/code-view.tsx";

interface PartBoundaryProps {
  readonly part: Part;
  readonly children: ReactNode;
}

/** A part that cannot be drawn is shown as what it is, and takes nothing else down. */
export class PartBoundary extends Component<PartBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    const { part, children } = this.props;
    if (!this.state.hasFailed) return children;
    return (
      <section className="note data">
        <LongText text={JSON.stringify(part, undefined, 2)} label={part.type} />
      </section>
    );
  }
}
