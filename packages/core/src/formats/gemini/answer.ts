import { choiceOrder } from "../../blocks/choice-order.ts";
import { OpenCalls } from "../../blocks/gemini/calls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import { saidIn, tokensHint } from "../../codec/token-texts.ts";
import type { Message } from "../../model/conversation.ts";
import type { MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { errorRemainder, readError } from "./error.ts";
import { withCitations } from "./grounding.ts";
import { type ReadContent, readContent } from "./read-contents.ts";
import { readFinish, readUsage, usageRemainder, writeFinish } from "./usage.ts";
import { family } from "./wire.ts";

export interface ReadAnswer {
  readonly head: MessageHead;
  readonly parts: readonly Part[];
  readonly carry: Json | undefined;
}

interface Envelope {
  readonly head: Pick<MessageHead, "responseId" | "model" | "createdAt">;
  readonly usage: Message["usage"];
  /** What only the answer's last message has. */
  readonly hints: JsonObject;
  readonly error: PartOf<"error"> | undefined;
  readonly blocked: string | undefined;
  readonly candidates: readonly Json[] | undefined;
}

/** An answer → a message a candidate (R16). Several are siblings; a prompt that was refused has none, and is an empty message. */
export function readAnswer(wire: JsonObject, context: DecodeContext): readonly ReadAnswer[] {
  const envelope = readEnvelope(wire, context);
  const { candidates } = envelope;
  const read = choiceOrder(candidates ?? []).map((place, index) =>
    readCandidate(candidates?.[place] ?? null, { index, place }, { envelope, context }),
  );
  if (read.length === 0) {
    const hints = kept(family, undefined, { $candidates: candidates === undefined ? false : "none" });
    const finish =
      envelope.blocked === undefined ? {} : { finish: { reason: "content-filter" as const, raw: envelope.blocked } };
    read.push({ head: { role: "assistant", ...envelope.head, ...finish, ...hints }, parts: [], carry: undefined });
  }
  const last = read.length - 1;
  const other = envelope.usage?.other;
  if (other !== undefined) context.lose("usage-other", ["messages", last, "usage", "other"], `${other} tokens`);
  const messages = read.map((message, index) => (index === last ? withEnvelope(message, envelope) : message));
  if (messages.length === 1) return messages;
  return messages.map(({ head, ...message }, index) => {
    const made = siblingOf(head.responseId, index);
    return { ...message, head: { ...head, ...made, id: context.newId?.() ?? made.id } };
  });
}

/** Candidates have no ids, and siblings need them. */
export const siblingOf = (
  responseId: string | undefined,
  index: number,
): { readonly id: string; readonly parent: null } => ({ id: `~${responseId ?? "answer"}:${index}`, parent: null });

/** The number of the candidate that a message was, where its id is the one made for it. */
export function candidateOf({ id, responseId }: Pick<MessageHead, "id" | "responseId">): number | undefined {
  const number = Number(/:(\d+)$/.exec(id ?? "")?.[1] ?? Number.NaN);
  return siblingOf(responseId, number).id === id ? number : undefined;
}

function withEnvelope({ head, parts, carry }: ReadAnswer, { usage, hints, error }: Envelope): ReadAnswer {
  const { native, ...others } = head;
  const failure = error ? failed(head, parts) : {};
  const merged = { ...native?.[family], ...hints, ...failure };
  return {
    head: {
      ...others,
      ...(usage && { usage }),
      ...(error && { finish: { reason: "error" as const } }),
      ...kept(family, undefined, merged),
    },
    parts: error ? [...parts, error] : parts,
    carry,
  };
}

/** The end that the candidate tells beside an error of the whole answer. */
function failed({ finish }: MessageHead, parts: readonly Part[]): JsonObject {
  return finish ? { $finish: writeFinish(finish, hasCalls(parts)) ?? false } : {};
}

const readText = (reader: Reader, member: string): string | undefined =>
  reader.peek(member) === "" ? undefined : reader.string(member);

/** Takes what a body says of all its messages. */
export const readHead = (reader: Reader): Envelope["head"] =>
  defined<Envelope["head"]>({
    responseId: readText(reader, "responseId"),
    model: readText(reader, "modelVersion"),
    createdAt: isDate(reader.peek("createTime")) ? reader.string("createTime") : undefined,
  });

const isDate = (value: Json | undefined): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value);

function readEnvelope(wire: JsonObject, context: DecodeContext): Envelope {
  const reader = new Reader(wire);
  const head = readHead(reader);
  const candidates = reader.array("candidates");
  if (!candidates && reader.peek("candidates") !== undefined) {
    context.issue("unknown-candidates", ["candidates"], "expected a list of candidates; kept as it is");
  }
  const wireUsage = reader.peek("usageMetadata");
  const usage = isJsonObject(wireUsage) ? readUsage(wireUsage) : undefined;
  if (usage) reader.take("usageMetadata");
  const wireError = reader.peek("error");
  const error = wireError === undefined || wireError === null ? undefined : readError(wireError);
  if (error) reader.take("error");
  const errorRest = error && errorRemainder(wireError ?? null, error);
  const rest = reader.rest();
  const response = { ...rest, ...(errorRest !== undefined && { error: errorRest }) };
  return {
    head,
    usage,
    hints: {
      ...(usage && isJsonObject(wireUsage) ? usageRemainder(wireUsage, usage) : {}),
      ...(Object.keys(response).length > 0 && { response }),
    },
    error,
    blocked: blockedBy(reader.peek("promptFeedback")),
    candidates,
  };
}

function blockedBy(feedback: Json | undefined): string | undefined {
  const reason = isJsonObject(feedback) ? feedback["blockReason"] : undefined;
  return typeof reason === "string" ? reason : undefined;
}

/** What ids that are made in a candidate begin with, after their `~` (R8). */
export const madeFrom = (responseId: string | undefined, index: number): string =>
  responseId === undefined ? `${index}` : index > 0 ? `${responseId}:${index}` : responseId;

function readCandidate(
  candidate: Json,
  { index, place }: { readonly index: number; readonly place: number },
  { envelope, context }: { readonly envelope: Envelope; readonly context: DecodeContext },
): ReadAnswer {
  const path = ["candidates", place];
  if (!isJsonObject(candidate)) {
    context.issue("not-a-candidate", path, "expected an object; kept as it is");
    const part: Part = { type: "opaque", family, value: candidate };
    const hints = kept(family, undefined, { $candidates: "opaque" });
    return { head: { role: "assistant", ...envelope.head, ...hints }, parts: [part], carry: undefined };
  }
  const reader = new Reader(candidate);
  const hasIndex = reader.literal("index", index);
  const wire = reader.object("content");
  const content = readModelContent(wire, {
    context,
    path: [...path, "content"],
    made: madeFrom(envelope.head.responseId, index),
  });
  const parts = withCitations(content.parts, candidate);
  const raw = reader.peek("finishReason");
  const finish = typeof raw === "string" && raw !== "" ? readFinish(raw, hasCalls(parts)) : undefined;
  if (finish) reader.take("finishReason");
  const rest = reader.rest();
  const hints = {
    ...content.native,
    ...(!hasIndex && reader.peek("index") === undefined && { $index: false }),
    ...(!wire && reader.peek("content") === undefined && { $content: false }),
    // A stream that does not tell its end was cut.
    ...(!finish && raw === undefined && context.shape !== "stream" && { $finish: false }),
    ...tokensHint(rest && tokensOf(rest), saidIn(parts)),
    ...(rest && { candidate: rest }),
  };
  return {
    head: { role: "assistant", ...envelope.head, ...(finish && { finish }), ...kept(family, undefined, hints) },
    parts,
    carry: content.carry,
  };
}

interface ModelContent {
  readonly parts: readonly Part[];
  readonly native: JsonObject;
  readonly carry: Json | undefined;
}

/** The content of a candidate is the model's, whatever role it has. */
function readModelContent(
  wire: JsonObject | undefined,
  scope: Pick<Parameters<typeof readContent>[1], "context" | "path" | "made">,
): ModelContent {
  if (!wire) return { parts: [], native: {}, carry: undefined };
  const { role = null } = wire;
  const read: ReadContent = readContent({ ...wire, role: "model" }, { ...scope, open: new OpenCalls() });
  const [message] = read.messages;
  const spelled = Object.hasOwn(wire, "role") ? (role === "model" ? {} : { $role: role }) : { $role: false };
  return {
    parts: message?.parts ?? [],
    native: { ...message?.native?.[family], ...spelled },
    carry: read.carry,
  };
}

/** The tokens that were chosen, of which a candidate tells probabilities. */
export function tokensOf({ logprobsResult: told }: JsonObject): Json | undefined {
  return isJsonObject(told) ? told["chosenCandidates"] : undefined;
}

export const hasCalls = (parts: readonly Part[]): boolean =>
  parts.some(part => part.type === "tool-call" && !part.executedBy);

export const messageOf = ({ head, parts }: ReadAnswer): Message => ({ ...head, parts });
