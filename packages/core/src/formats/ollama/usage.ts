import { defined, type Reader, rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import type { FinishReason, Message, Usage } from "../../model/conversation.ts";
import type { Json, JsonObject } from "../../model/json.ts";

/** What was read and what was made, thoughts and all. */
export const readUsage = (reader: Reader): Usage | undefined => {
  const usage = defined<Usage>({ input: reader.number("prompt_eval_count"), output: reader.number("eval_count") });
  return Object.keys(usage).length > 0 ? usage : undefined;
};

/** The counts as the API says them. */
export function writeUsage({ input, cacheRead, cacheWrite, output, reasoning }: Usage): JsonObject {
  const hasInput = input !== undefined || cacheRead !== undefined || cacheWrite !== undefined;
  const hasOutput = output !== undefined || reasoning !== undefined;
  return present({
    prompt_eval_count: hasInput ? (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0) : undefined,
    eval_count: hasOutput ? (output ?? 0) + (reasoning ?? 0) : undefined,
  });
}

type Finish = NonNullable<Message["finish"]>;

/** The last two are ours: the API has no words for a failure, and `stop` would deny it. */
const reasons: { readonly [raw: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  error: "error",
  content_filter: "content-filter",
};

/** An answer with calls stops like any other. */
function reasonOf(raw: string, hasCalls: boolean): FinishReason {
  const reason = rowOf(reasons, raw) ?? "other";
  return reason === "stop" && hasCalls ? "tool-calls" : reason;
}

const written: { readonly [reason in FinishReason]: string | undefined } = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  context: "length",
  "tool-calls": "stop",
  refusal: "stop",
  "content-filter": "content_filter",
  pause: "stop",
  compaction: "stop",
  "malformed-call": "error",
  error: "error",
  aborted: undefined,
  incomplete: undefined,
  pending: undefined,
  other: "stop",
};

export function readFinish(raw: string, hasCalls: boolean): Finish {
  const reason = reasonOf(raw, hasCalls);
  return written[reason] === raw ? { reason } : { reason, raw };
}

/** Undefined = it is not done. `own`: a word of Ollama's that the table does not have. */
export function writeFinish({ reason, raw }: Finish, hasCalls: boolean, own: Json | undefined): string | undefined {
  const isKnown = raw !== undefined && (raw === own || rowOf(reasons, raw) !== undefined);
  return isKnown && reasonOf(raw, hasCalls) === reason ? raw : written[reason];
}
