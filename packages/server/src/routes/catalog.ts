import type { ConfigSchema, ModelRow, PromptTypeRow, ToolRow } from "../contract.ts";
import { type Call, success } from "./call.ts";

const anHour = { "cache-control": "private, max-age=3600" };

/** `GET /api/v1/models` */
export function listModels({ services }: Call): Response {
  const models = services.config.models.list.map(
    ({ ref, isDemo }): ModelRow => ({ id: ref, name: ref, categories: isDemo ? ["chat", "demo"] : ["chat"] }),
  );
  return success({ models }, anHour);
}

/** `GET /api/v1/tools` */
export function listTools({ services }: Call): Response {
  const tools = services.offers.map(
    ({ tool, category = "general", requiresSandbox = false, requiredContext = [] }): ToolRow => ({
      name: tool.name,
      description: tool.description ?? "",
      category,
      requiresSandbox,
      requiredContext,
    }),
  );
  return success({ tools });
}

/** `GET /api/v1/prompt-types` */
export function listPromptTypes({ services }: Call): Response {
  const promptTypes = services.config.promptTypes.map(({ id, description }): PromptTypeRow => ({ id, description }));
  return success({ promptTypes });
}

/** `GET /api/v1/config-schema` */
export function readConfigSchema({ services }: Call): Response {
  const schema: ConfigSchema = {
    context: services.config.contextFields,
    sandboxId: { type: "string", required: false, description: "The sandbox of tools that need one" },
    toolContext: {
      type: "object",
      required: false,
      description: "By the name of a tool: fields that take the place of `context`'s for it alone",
    },
  };
  return success(schema);
}
