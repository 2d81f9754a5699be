import type { ComponentType } from "react";
import { memo } from "react";
import type { Part } from "translogue";
import type { Belongings } from "../transcript/entries.ts";
import { ApprovalView } from "./approval-view.tsx";
import { CallView } from "./call-view.tsx";
import { FileView } from "./file-view.tsx";
import { PartBoundary } from "./part-boundary.tsx";
import {
  ChangeView,
  CompactionView,
  ErrorView,
  InputRequestView,
  InputResponseView,
  JsonView,
  OpaqueView,
  RefusalView,
  ResponseView,
} from "./plain-views.tsx";
import { ReasoningView } from "./reasoning-view.tsx";
import { ResultView } from "./result-view.tsx";
import { SourceView } from "./source-view.tsx";
import { TextView } from "./text-view.tsx";

type PartOf<Type extends Part["type"]> = Extract<Part, { readonly type: Type }>;

export interface PartProps<Type extends Part["type"]> extends Belongings {
  readonly part: PartOf<Type>;
  /** Whether its answer is being written. */
  readonly isLive: boolean;
  /** Whose it is: what a person wrote is shown as it was written. */
  readonly side?: "user" | "answer" | "note";
}

/** How each kind of part looks. A new kind makes the compiler ask for its look. */
const views: { readonly [Type in Part["type"]]: ComponentType<PartProps<Type>> } = {
  "approval-request": ApprovalView,
  "approval-response": ResponseView,
  change: ChangeView,
  compaction: CompactionView,
  data: JsonView,
  error: ErrorView,
  file: FileView,
  "input-request": InputRequestView,
  "input-response": InputResponseView,
  opaque: OpaqueView,
  reasoning: ReasoningView,
  refusal: RefusalView,
  source: SourceView,
  text: TextView,
  "tool-call": CallView,
  "tool-result": ResultView,
};

/** One part, drawn again only when it, or what belongs to it, changed. */
export const PartView = memo(function PartView(props: PartProps<Part["type"]>) {
  const View = views[props.part.type] as ComponentType<PartProps<Part["type"]>>; // the view of this very type
  return (
    <PartBoundary part={props.part}>
      <View {...props} />
    </PartBoundary>
  );
});

interface PartListProps {
  readonly parts: readonly Part[];
}

/** Parts inside a part: a tool's output, a source's content. */
export function PartList({ parts }: PartListProps) {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts inside a part do not move
    <PartView key={index} part={part} isLive={false} />
  ));
}
