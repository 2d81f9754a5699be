import * as v5 from "ai-v5";
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import type { Json } from "translogue";

/** The AI SDK's generations whose real packages the tests compare with. */
export const generations = ["v5", "v6", "v7"] as const;
export type Generation = (typeof generations)[number];

interface Sdk {
  safeValidateUIMessages(options: { messages: unknown }): Promise<{ success: boolean; data?: unknown; error?: Error }>;
  readUIMessageStream(options: {
    stream: ReadableStream;
    message?: unknown;
    onError?: (error: unknown) => void;
    terminateOnError?: boolean;
  }): AsyncIterable<unknown>;
  uiMessageChunkSchema: unknown;
}

const sdks = { v5, v6, v7 } as unknown as Record<Generation, Sdk>; // three generations of one API, typed apart

/** The SDK's own word on messages: undefined where it takes them, else its error. */
export async function refusedMessages(generation: Generation, messages: Json): Promise<string | undefined> {
  const result = await sdks[generation].safeValidateUIMessages({ messages: structuredClone(messages) });
  return result.success ? undefined : `ai ${generation} refuses: ${clip(result.error?.message ?? "")}`;
}

/** What the SDK's own reader makes of chunks, and what it complained about on the way. */
export async function readChunks(
  generation: Generation,
  chunks: readonly Json[],
): Promise<{ readonly message: unknown; readonly errors: readonly string[] }> {
  const errors: string[] = [];
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk));
      controller.close();
    },
  });
  let message: unknown;
  try {
    const states = sdks[generation].readUIMessageStream({ stream, onError: error => errors.push(String(error)) });
    for await (const state of states) message = state;
  } catch (error) {
    errors.push(String(error));
  }
  return { message, errors };
}

/** The first chunk that the SDK's transport would not let through. */
export async function refusedChunk(generation: Generation, chunks: readonly Json[]): Promise<string | undefined> {
  const schema = await schemaOf(generation);
  for (const chunk of chunks) {
    const result = await schema(chunk);
    if (!result) return `ai ${generation} refuses the chunk ${clip(JSON.stringify(chunk))}`;
  }
  return undefined;
}

async function schemaOf(generation: Generation): Promise<(chunk: Json) => Promise<boolean>> {
  const given = sdks[generation].uiMessageChunkSchema;
  const schema = (typeof given === "function" ? given() : given) as {
    validate?: (value: unknown) => PromiseLike<{ success: boolean }> | { success: boolean };
    safeParse?: (value: unknown) => { success: boolean };
  }; // an AI SDK schema, lazy in the newer generations
  return async chunk => {
    if (schema.validate) return (await schema.validate(chunk)).success;
    if (schema.safeParse) return schema.safeParse(chunk).success;
    throw new Error(`the chunk schema of ai ${generation} has no way to validate`);
  };
}

const clip = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text);
