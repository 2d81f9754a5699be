import * as v5 from "ai-v5";
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import type { Json } from "translogue";
import type { Generation } from "./generations.ts";

interface Sdk {
  modelMessageSchema: { safeParse(value: unknown): { success: boolean; error?: { issues: unknown } } };
  streamText(options: {
    model: unknown;
    messages: unknown;
    maxRetries: number;
    onError: () => void;
    allowSystemInMessages?: boolean;
  }): {
    fullStream: AsyncIterable<unknown>;
    response: PromiseLike<{ messages: unknown }>;
  };
}

const sdks = { v5, v6, v7 } as unknown as Record<Generation, Sdk>; // three generations of one API, typed apart

/** The models that each generation of the SDK calls. */
const specifications = { v5: "v2", v6: "v3", v7: "v4" } as const;

/** The SDK's own word on one model message: undefined where its schema takes it. */
export function refusedModelMessage(generation: Generation, message: unknown): string | undefined {
  const result = sdks[generation].modelMessageSchema.safeParse(message);
  return result.success
    ? undefined
    : `ai ${generation} refuses ${JSON.stringify(message).slice(0, 300)}: ${JSON.stringify(result.error?.issues).slice(0, 500)}`;
}

/** What `streamText` makes of a model that is called with the messages and streams these parts. */
export async function runOfParts(
  generation: Generation,
  { messages, parts }: { readonly messages: unknown; readonly parts: readonly Json[] },
): Promise<{ readonly prompt: unknown; readonly stream: readonly unknown[]; readonly messages: unknown }> {
  let prompt: unknown;
  const model = {
    specificationVersion: specifications[generation],
    provider: "test",
    modelId: "test",
    supportedUrls: { "*/*": [/.*/] },
    doStream: async (options: { prompt: unknown }) => {
      prompt = options.prompt;
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(structuredClone(part));
          controller.close();
        },
      });
      return { stream };
    },
  };
  const { fullStream, response } = sdks[generation].streamText({
    model,
    messages,
    maxRetries: 0,
    onError: () => undefined,
    ...(generation === "v7" && { allowSystemInMessages: true }),
  });
  const stream: unknown[] = [];
  for await (const part of fullStream) stream.push(part);
  return { prompt, stream, messages: (await response).messages };
}
