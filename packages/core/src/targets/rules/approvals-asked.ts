import type { PartOf } from "../../model/parts.ts";
import { mayStoreCalls } from "../stored.ts";
import { isPlaced } from "../turns.ts";
import type { RuleCheck } from "./rule.ts";

export const approvalsAsked: RuleCheck<"approvals-asked"> = (view, _, { asked, report }) => {
  const { conversation } = view;
  if (mayStoreCalls(conversation, () => conversation.messages, asked.target)) return;
  const placed = view.turns.flatMap(({ parts }) => parts);
  // What an answer is to, its request says, wherever that stands.
  const hosted = new Map<string, boolean>();
  for (const each of placed)
    if (isPlaced(each, "approval-request")) hosted.set(each.part.requestId, isHosted(each.part.call));
  const known = new Set<string>();
  for (const each of placed) {
    if (isPlaced(each, "approval-request")) known.add(each.part.requestId);
    if (!isPlaced(each, "approval-response")) continue;
    const { requestId } = each.part;
    if (known.has(requestId) || !(hosted.get(requestId) ?? isOfProvider(each.part))) continue;
    report(
      [...each.path, "requestId"],
      `is \`${requestId}\`, which no request before it has. Move the answer behind its request, or leave it out.`,
      { id: requestId },
    );
  }
};

const isHosted = (call: PartOf<"approval-response">["call"]): boolean =>
  call?.kind === "mcp" && call.executedBy === "provider";

/** What answers a function's call says which, and goes to no provider. */
const isOfProvider = ({ requestId, callId = requestId, call }: PartOf<"approval-response">): boolean =>
  call === undefined ? callId === requestId : isHosted(call);
