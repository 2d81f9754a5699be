/** Models of the AI SDK's provider packages as models of an agent. */

import { isJsonObject, type Json, type JsonObject } from "translogue";
import { aiSdkPrompt, asJson, withUrls } from "translogue/ai-sdk-prompt";
import { encode } from "translogue/convert";
import { failure } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { withCacheMarks } from "../models/cache-marks.ts";
import { isInWords, withSummaries } from "../models/compactions.ts";
import { keptHeaders } from "../models/headers.ts";
import { type RetryOptions, retrying } from "../models/retrying.ts";
import { sdkError } from "../models/sdk-error.ts";
import { valueEvents } from "../models/values.ts";

/**
 * What is used of a `LanguageModelV2`, `V3` or `V4`; any of theirs is one
 * (https://github.com/vercel/ai/tree/main/packages/provider/src/language-model, read 2026-11-30).
 */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** Takes the call options of its own version: what is written for it is. */
  doStream(options: never): PromiseLike<StreamResult>;
}

interface StreamResult {
  readonly stream: ReadableStream<unknown>;
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
}

export interface LanguageModelOptions extends RetryOptions {
  /** Sent to the provider as they are, under its own key: `{ openai: { store: false } }`. */
  readonly providerOptions?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const versions: ReadonlySet<string> = new Set(["v2", "v3", "v4"]);

/**
 * A model of a provider package of the AI SDK 5, 6 or 7. Throws `agent/invalid` for one of another version. Addresses of
 * files go to it as they are: a provider that takes none of a kind refuses the call, and the run's error says so.
 */
export function languageModel(model: LanguageModel, options: LanguageModelOptions = {}): Model {
  const { specificationVersion: version, modelId, provider } = model;
  if (!versions.has(version)) {
    const found = `the model \`${modelId}\` has the specification version \`${version}\``;
    throw failure("agent/invalid", `${found}; a model of the AI SDK 5, 6 or 7 is expected: v2, v3 or v4`);
  }
  // `openai.responses` and `openai.chat` are two doors to one provider.
  const [maker = provider] = provider.split(".");
  const asked: Model = {
    id: modelId,
    provider: maker,
    stream: request => stream(model, options, request),
    reads: isInWords,
  };
  return retrying(asked, options);
}

async function* stream(model: LanguageModel, options: LanguageModelOptions, request: ModelRequest) {
  const { promptCache, signal, report } = request;
  // Its marks are options of the providers that take them; others do not look.
  const marked = promptCache ? withCacheMarks(request.conversation, promptCache) : request.conversation;
  const { conversation, losses: flattened } = withSummaries(marked);
  const dialect = model.specificationVersion;
  const { value, losses } = encode(aiSdkPrompt, conversation, { shape: "request", recipient: "provider", dialect });
  report?.({ losses: [...flattened, ...losses] });
  const call = {
    ...(withUrls(value) as object), // a request is one
    ...(options.providerOptions && { providerOptions: options.providerOptions }),
    ...(options.headers && { headers: options.headers }),
    ...(signal && { abortSignal: signal }),
  };
  let result: StreamResult;
  try {
    result = await model.doStream(call as never); // written for the model's version
  } catch (thrown) {
    signal?.throwIfAborted();
    yield [{ type: "error", error: sdkError(thrown) } as const];
    return;
  }
  report?.({ headers: keptHeaders(Object.entries(result.response?.headers ?? {})) });
  yield* valueEvents(result.stream, { codec: aiSdkPrompt, dialect, report, signal, read });
}

/** An error of a stream is whatever the provider's package threw: its status is known only here. */
function read(value: unknown): { readonly json: Json } | { readonly error: ReturnType<typeof sdkError> } {
  if (isJsonObject(value) && value["type"] === "error") return { error: sdkError(value["error"]) };
  return { json: asJson(value) };
}
