import type { AgentTool, Model } from "@translogue/agent";

/**
 * A model that is not offered some of the agent's own tools. The agent adds its tools to every run; a request may allow
 * fewer.
 */
export function withoutTools(model: Model, names: ReadonlySet<string>): Model {
  return {
    ...model,
    stream: request => {
      const { tools = [], ...rest } = request.conversation;
      const offered = tools.filter(({ name }) => !names.has(name));
      return model.stream({ ...request, conversation: offered.length > 0 ? { ...rest, tools: offered } : rest });
    },
  };
}

/** What stands in place of a tool that the request does not allow, should the model call it all the same. */
export function refusing({ needsApproval: _, timeoutMs: __, ...tool }: AgentTool): AgentTool {
  return {
    ...tool,
    execute: () => {
      throw new Error(`Error: the request does not allow the tool "${tool.name}".`);
    },
  };
}
