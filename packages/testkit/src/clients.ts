import * as v5 from "ai-v5";
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import type { Generation } from "./generations.ts";

/** A message as the AI SDK's clients have it. */
export interface ClientMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly metadata?: unknown;
}

export interface ChatCall {
  readonly api: string;
  /** Stands for the network. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly chatId: string;
  readonly messages: readonly ClientMessage[];
  /** Default `submit-message`. */
  readonly trigger?: "submit-message" | "regenerate-message";
  readonly messageId?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Further members of the body. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** What a client has in the end, and what it complained about. */
export interface ClientAnswer {
  readonly message: ClientMessage | undefined;
  readonly errors: readonly string[];
}

interface Transport {
  sendMessages(options: unknown): Promise<ReadableStream>;
  reconnectToStream(options: unknown): Promise<ReadableStream | null>;
}

interface Sdk {
  readonly DefaultChatTransport: new (options: {
    api: string;
    body?: object;
    headers?: { readonly [name: string]: string };
    fetch: typeof fetch;
  }) => Transport;
  readUIMessageStream(options: {
    stream: ReadableStream;
    message?: unknown;
    onError: (error: unknown) => void;
  }): AsyncIterable<ClientMessage>;
}

const sdks = { v5, v6, v7 } as unknown as Record<Generation, Sdk>; // three generations of one API, typed apart

/** Sends a turn with the SDK's own transport, and reads the answer with its own reader, as `useChat` does. */
export async function sendChat(generation: Generation, call: ChatCall): Promise<ClientAnswer> {
  const stream = await transportOf(generation, call).sendMessages({
    trigger: call.trigger ?? "submit-message",
    chatId: call.chatId,
    messageId: call.messageId,
    messages: structuredClone(call.messages),
    abortSignal: call.signal,
  });
  const last = call.messages.at(-1);
  return read(generation, stream, last?.role === "assistant" ? last : undefined);
}

/** Takes up a stream that is under way; undefined where the server has none. */
export async function resumeChat(
  generation: Generation,
  call: Pick<ChatCall, "api" | "fetch" | "chatId" | "headers">,
): Promise<ClientAnswer | undefined> {
  const stream = await transportOf(generation, call).reconnectToStream({ chatId: call.chatId });
  return stream ? read(generation, stream, undefined) : undefined;
}

function transportOf(
  generation: Generation,
  { api, fetch, body, headers }: Pick<ChatCall, "api" | "fetch" | "body" | "headers">,
): Transport {
  // A network ends both sides of an answer that the client gives up.
  const send: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(new Request(input, init));
    const signal = init?.signal;
    if (!response.body || !signal) return response;
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
  };
  return new sdks[generation].DefaultChatTransport({
    api,
    fetch: send,
    ...(body && { body }),
    ...(headers && { headers }),
  });
}

async function read(
  generation: Generation,
  stream: ReadableStream,
  begun: ClientMessage | undefined,
): Promise<ClientAnswer> {
  const errors: string[] = [];
  let message: ClientMessage | undefined;
  const options = {
    stream,
    onError: (error: unknown) => errors.push(error instanceof Error ? error.message : String(error)),
  };
  const states = sdks[generation].readUIMessageStream({
    ...options,
    ...(begun && { message: structuredClone(begun) }),
  });
  for await (const state of states) message = state;
  return { message, errors };
}
