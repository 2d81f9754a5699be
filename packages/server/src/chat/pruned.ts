import type { Model } from "@translogue/agent";
import type { Message } from "translogue";
import { type PruneToTargetOptions, pruneToTarget } from "translogue/history";

/** A model that is asked with no more of a history than fits. What is stored stays whole. */
export function withPruning(model: Model, options: PruneToTargetOptions): Model {
  return {
    ...model,
    stream: request => {
      const { messages } = pruneToTarget(request.conversation.messages, options);
      return model.stream({ ...request, conversation: { ...request.conversation, messages } });
    },
  };
}

/** Whether the model is asked with less than this. */
export const isPruned = (messages: readonly Message[], options: PruneToTargetOptions | undefined): boolean =>
  options !== undefined && pruneToTarget(messages, options).steps.length > 0;
