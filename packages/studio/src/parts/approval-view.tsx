import { ApprovalCard } from "./approval-card.tsx";
import { CallView } from "./call-view.tsx";
import type { PartProps } from "./part-views.tsx";

/** A request that has its call inside, or whose call is not here. */
export function ApprovalView({ part, ...belongings }: PartProps<"approval-request">) {
  const isOpen = !belongings.response && !belongings.result && !part.automatic;
  if (isOpen || !part.call) return <ApprovalCard request={part} call={part.call} />;
  return <CallView {...belongings} part={part.call} />;
}
