import type {
  ContentBlock,
  ContentBlockDelta,
  ContentBlockStart,
  ConverseRequest,
  ConverseResponse,
  ConverseStreamOutput,
  StopReason,
  SystemContentBlock,
  ToolResultContentBlock,
} from "@aws-sdk/client-bedrock-runtime";
import { sdkReads, sdkSends, sdkStreams } from "@translogue/testkit/bedrock-sdk";
import { accumulate, emit, type Json, type Message, runAll } from "translogue";
import { bedrockConverse, fromSdk, toSdk } from "translogue/bedrock-converse";
import { decode, encode, streamDecoder, streamEncoder } from "translogue/convert";
import { describe, expect, test } from "vitest";

/** The members of a union of the SDK's, but for the one that stands for what it does not know. */
type MemberOf<Union> = Exclude<
  Union extends Union ? { [K in keyof Union]-?: Union[K] extends undefined ? never : K }[keyof Union] : never,
  "$unknown"
>;
/** An example of each member: a new one of the SDK makes the compiler ask here. */
type Examples<Union> = { readonly [Member in MemberOf<Union> & string]: Extract<Union, { [K in Member]: unknown }> };

const bytes = new Uint8Array([1, 2, 3]);
const image = { format: "png", source: { bytes } } as const;
const documentBlock = {
  format: "pdf",
  name: "n",
  source: { bytes },
  context: "c",
  citations: { enabled: true },
} as const;
const searchResult = { source: "s", title: "t", content: [{ text: "c" }], citations: { enabled: true } };

const content: Examples<ContentBlock> = {
  text: { text: "a" },
  image: { image },
  document: { document: documentBlock },
  video: { video: { format: "mp4", source: { s3Location: { uri: "s3://b/k", bucketOwner: "1" } } } },
  audio: { audio: { format: "wav", source: { bytes } } },
  toolUse: { toolUse: { toolUseId: "t", name: "f", input: { a: 1 }, type: "server_tool_use" } },
  toolResult: { toolResult: { toolUseId: "t", content: [{ text: "a" }], status: "success", type: "f_result" } },
  guardContent: { guardContent: { text: { text: "g", qualifiers: ["query"] } } },
  cachePoint: { cachePoint: { type: "default", ttl: "5m" } },
  reasoningContent: { reasoningContent: { reasoningText: { text: "r", signature: "s" } } },
  citationsContent: { citationsContent: { content: [{ text: "a" }], citations: [{ title: "t" }] } },
  searchResult: { searchResult },
  toolAddition: { toolAddition: { tool: { type: "t", name: "f", serverName: "s" } } },
  toolRemoval: { toolRemoval: { tool: { name: "f" } } },
};
const results: Examples<ToolResultContentBlock> = {
  text: { text: "a" },
  json: { json: { a: [1] } },
  image: { image },
  document: { document: documentBlock },
  video: { video: { format: "mov", source: { bytes } } },
  searchResult: { searchResult },
};
const system: Examples<SystemContentBlock> = {
  text: { text: "a" },
  guardContent: { guardContent: { image } },
  cachePoint: { cachePoint: { type: "default" } },
};

const request: Required<ConverseRequest> = {
  modelId: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  system: Object.values(system),
  messages: [
    { role: "user", content: [{ toolResult: { toolUseId: "t", content: Object.values(results) } }] },
    { role: "assistant", content: Object.values(content) },
  ],
  inferenceConfig: { maxTokens: 1, temperature: 0.5, topP: 0.5, stopSequences: ["s"] },
  toolConfig: {
    tools: [
      { toolSpec: { name: "f", description: "d", inputSchema: { json: { type: "object" } }, strict: true } },
      { systemTool: { name: "nova_grounding" } },
      { cachePoint: { type: "default" } },
    ],
    toolChoice: { any: {} },
  },
  guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1", trace: "enabled_full" },
  additionalModelRequestFields: { top_k: 1, thinking: { type: "adaptive" } },
  promptVariables: { v: { text: "x" } },
  additionalModelResponseFieldPaths: ["/a"],
  requestMetadata: { k: "v" },
  performanceConfig: { latency: "optimized" },
  serviceTier: { type: "flex" },
  outputConfig: {
    effort: "high",
    textFormat: { type: "json_schema", structure: { jsonSchema: { schema: "{}", name: "n", description: "d" } } },
  },
};

describe("AWS's own SDK", () => {
  test("has requests that are read, written, and sent by it as they were", async () => {
    const { conversation } = decode(bedrockConverse, request, { shape: "request" });
    const { value, losses } = encode(bedrockConverse, conversation, {
      shape: "request",
      recipient: "store",
      carry: false,
    });
    expect(losses).toEqual([]);
    expect(toSdk(value)).toEqual(request);
    const { path, body } = await sdkSends(toSdk(value));
    expect(path).toBe(`/model/${encodeURIComponent(request.modelId ?? "")}/converse`);
    expect({ modelId: request.modelId, ...(body as object) }).toEqual(value); // a body is an object
  });

  test("reads answers as we write them", async () => {
    const response: Required<Omit<ConverseResponse, "usage">> & Pick<ConverseResponse, "usage"> = {
      output: { message: { role: "assistant", content: Object.values(content) } },
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cacheDetails: [{ ttl: "5m", inputTokens: 1 }] },
      metrics: { latencyMs: 1 },
      additionalModelResponseFields: { a: 1 },
      trace: { promptRouter: { invokedModelId: "m" } },
      performanceConfig: { latency: "standard" },
      serviceTier: { type: "default" },
    };
    const { conversation } = decode(bedrockConverse, response, { shape: "answer" });
    const { value } = encode(bedrockConverse, conversation, { shape: "answer", recipient: "store", carry: false });
    const { $metadata: _, ...told } = (await sdkReads(value as Json)) as { $metadata: object }; // what we wrote
    expect(told).toEqual(response);
  });

  test("reads streams as we write them", async () => {
    const starts: Examples<ContentBlockStart> = {
      toolUse: { toolUse: { toolUseId: "t", name: "f" } },
      toolResult: { toolResult: { toolUseId: "t", type: "f_result", status: "success" } },
      image: { image: { format: "png" } },
    };
    const deltas: Examples<ContentBlockDelta> = {
      toolUse: { toolUse: { input: '{"a":1}' } },
      toolResult: { toolResult: [{ json: { a: 1 } }] },
      image: { image: { source: { bytes } } },
      text: { text: "a" },
      reasoningContent: { reasoningContent: { text: "r" } },
      citation: { citation: { title: "t", sourceContent: [{ text: "q" }], location: { web: { url: "https://a" } } } },
    };
    const wire: ConverseStreamOutput[] = [
      { messageStart: { role: "assistant" } },
      ...Object.entries(deltas).flatMap(([name, delta], contentBlockIndex): ConverseStreamOutput[] => {
        const start = (starts as { readonly [name: string]: ContentBlockStart })[name]; // not of all
        return [
          ...(start ? [{ contentBlockStart: { contentBlockIndex, start } }] : []),
          { contentBlockDelta: { contentBlockIndex, delta } },
          ...(name === "citation" ? [{ contentBlockDelta: { contentBlockIndex, delta: { text: "b" } } }] : []),
          { contentBlockStop: { contentBlockIndex } },
        ];
      }),
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, metrics: { latencyMs: 1 } } },
    ];
    const messages = accumulate(runAll(streamDecoder(bedrockConverse), wire as unknown as Json[])); // JSON but for bytes
    const written = runAll(streamEncoder(bedrockConverse, { recipient: "store" }), emit(messages));
    const seen = (await sdkStreams(written)).map(fromSdk);
    expect(seen).toEqual(written);
    expect(accumulate(runAll(streamDecoder(bedrockConverse), seen))).toEqual(messages);
  });

  const stops: { readonly [stop in StopReason]: true } = {
    content_filtered: true,
    end_turn: true,
    guardrail_intervened: true,
    malformed_model_output: true,
    malformed_tool_use: true,
    max_tokens: true,
    model_context_window_exceeded: true,
    stop_sequence: true,
    tool_use: true,
  };
  test.each(Object.keys(stops))("ends answers by %s, which is a reason of ours", stopReason => {
    const [message] = decode(bedrockConverse, { output: {}, stopReason }, { shape: "answer" }).conversation.messages;
    expect((message as Message).finish?.reason).not.toBe("other"); // there is one
  });
});
