import {
  type CallToolResult,
  McpServer,
  type Prompt,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { HttpSessions } from "../../src/mcp/http-sessions.ts";

/** What the protocol's own suite asks of a server, behind the sessions in which agents are served. */
export const conformanceServer = (): HttpSessions => new HttpSessions(fixture, () => "");

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const text = (words: string) => ({ type: "text" as const, text: words });
const said = (words: string): CallToolResult => ({ content: [text(words)] });
const image = { type: "image" as const, data: pixel, mimeType: "image/png" };
const resource = (uri: string, words: string, mimeType = "text/plain") => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

interface FixtureTool {
  readonly inputSchema?: Tool["inputSchema"];
  readonly run: (
    args: { readonly [name: string]: unknown },
    context: ServerContext,
  ) => CallToolResult | Promise<CallToolResult>;
}

type Fields = Parameters<ServerContext["mcpReq"]["elicitInput"]>[0] extends infer Params
  ? Params extends { readonly requestedSchema: { readonly properties: infer Properties } }
    ? Properties
    : never
  : never;

async function asked({ mcpReq }: ServerContext, message: string, properties: Fields): Promise<CallToolResult> {
  const { action, content } = await mcpReq.elicitInput({
    mode: "form",
    message,
    requestedSchema: { type: "object", properties },
  });
  return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

async function progressed({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken === undefined) continue;
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
  }
  return said("done");
}

async function logged({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
    await mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
  return said("done");
}

async function sampled(prompt: string, { mcpReq }: ServerContext): Promise<CallToolResult> {
  const messages = [{ role: "user" as const, content: text(prompt) }];
  const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
  return said(`LLM response: ${JSON.stringify(content)}`);
}

const options = ["option1", "option2", "option3"];
const titled = (word: string) => [1, 2, 3].map(number => ({ const: `value${number}`, title: `${word} ${number}` }));

const tools: { readonly [name: string]: FixtureTool } = {
  test_simple_text: { run: () => said("This is a simple text response for testing.") },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: { run: () => ({ content: [{ type: "audio", data: silence, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    run: () => ({ content: [resource("test://embedded-resource", "This is an embedded resource content.")] }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        text("Multiple content types test:"),
        image,
        resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
      ],
    }),
  },
  test_tool_with_logging: { run: (_, context) => logged(context) },
  test_error_handling: {
    run: () => ({ ...said("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_tool_with_progress: { run: (_, context) => progressed(context) },
  test_sampling: { run: ({ prompt }, context) => sampled(String(prompt), context) },
  test_elicitation: {
    run: ({ message }, context) =>
      asked(context, String(message), { username: { type: "string" }, email: { type: "string" } }),
  },
  test_elicitation_sep1034_defaults: {
    run: (_, context) =>
      asked(context, "Who are you?", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (_, context) =>
      asked(context, "Which?", {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
      }),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    run: () => said("done"),
  },
};

type PromptMessages = readonly { readonly role: "user"; readonly content: object }[];

const prompts: {
  readonly [name: string]: Omit<Prompt, "name"> & {
    readonly messages: (args: { readonly [name: string]: string }) => PromptMessages;
  };
} = {
  test_simple_prompt: {
    messages: () => [{ role: "user", content: text("This is a simple prompt for testing.") }],
  },
  test_prompt_with_arguments: {
    arguments: [
      { name: "arg1", required: true },
      { name: "arg2", required: true },
    ],
    messages: ({ arg1, arg2 }) => [
      { role: "user", content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) },
    ],
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: "resourceUri", required: true }],
    messages: ({ resourceUri = "" }) => [
      { role: "user", content: resource(resourceUri, "Embedded resource content for testing.") },
      { role: "user", content: text("Please process the embedded resource above.") },
    ],
  },
  test_prompt_with_image: {
    messages: () => [
      { role: "user", content: image },
      { role: "user", content: text("Please analyze the image above.") },
    ],
  },
};

function read(uri: string) {
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: pixel };
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  if (id === undefined)
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}

function fixture(): McpServer {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} };
  const made = new McpServer({ name: "fixture", version: "1.0.0" }, { capabilities });
  const { server } = made;
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(tools).map(([name, { inputSchema = { type: "object" as const } }]) => ({
      name,
      description: name,
      inputSchema,
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, context) => {
    const tool = tools[name];
    if (!tool) throw new Error(`there is no tool ${name}`);
    return tool.run(args, context);
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, { messages: _, ...prompt }]) => ({
      name,
      description: name,
      ...prompt,
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }) => ({
    messages: [...(prompts[name]?.messages(args) ?? [])] as never, // of the shapes above
  }));
  server.setRequestHandler("resources/list", () => ({
    resources: ["static-text", "static-binary", "watched-resource"].map(name => ({ uri: `test://${name}`, name })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [read(uri)] }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", () => ({ completion: { values: ["test-one"] } }));
  return made;
}
