import {
  accumulate,
  decode,
  encode,
  isJsonObject,
  type Json,
  type Loss,
  type Message,
  type Part,
  runAll,
  streamDecoder,
} from "translogue";
import { dataStreamLines } from "translogue/ai-sdk-ui";
import { difference } from "../../difference.ts";
import { refusedMessages } from "../../generations.ts";
import { type CaseResult, claims } from "../case.ts";
import { untag } from "./tags.ts";

const format = "ai-sdk-ui v4";

export interface V4Case {
  readonly name: string;
  readonly [member: string]: Json;
}
type JsonRecord = { readonly [member: string]: Json };

/** Messages and streams of generation 4: what it made of them itself, and what the newer ones take of our reading. */
export async function v4Case(each: V4Case): Promise<CaseResult> {
  const about = { format, name: each.name };
  const out = record(each["out"]);
  const answers = list(each["responseMessages"]);
  if (Array.isArray(each["responseMessages"])) return await appendCase(about, list(out["messages"]), answers);
  if (typeof each["text"] === "string") return await streamCase(about, each["text"], { ...each, out });
  if (typeof out["text"] === "string") {
    const read = { ...each, out: record(out["read"]) };
    return await streamCase(about, out["text"], read, list(out["responseMessages"]));
  }
  if (Array.isArray(each["messages"])) return await messagesCase(about, each, out);
  return { ...about, outcome: { status: "failed", reason: "neither messages nor a stream" } };
}

interface About {
  readonly format: string;
  readonly name: string;
}

const aside = (about: About, rule: string): CaseResult => ({ ...about, outcome: { status: "set-aside", rule } });

// messages

async function messagesCase(about: About, each: V4Case, out: JsonRecord): Promise<CaseResult> {
  const given = untag(each["messages"] ?? []);
  const losses: Loss[] = [];
  const taken = await claims(about, [() => takenByNewest(given, losses)], losses);
  const rule = out["error"] === undefined ? differenceOf(list(given), each) : "refused by the SDK";
  if (taken.outcome.status === "failed" || rule)
    return taken.outcome.status === "failed" ? taken : aside(about, rule ?? "");
  const { conversation } = decode(given, { from: "ai-sdk-ui:v4", shape: "messages" });
  const expected = list(untag(out["coreMessages"] ?? []));
  // A message without parts says its reasoning to nobody in generation 4; ours keeps it.
  const isSilent = list(given).some(message => member(message, "parts") === undefined && member(message, "reasoning"));
  const said = saidBy(conversation.messages).map(
    ([role, items]): Said => [role, isSilent ? items.filter(([kind]) => kind !== "reasoning") : items],
  );
  return await claims(about, [() => difference(said, saidByCore(expected))], losses);
}

/** Where ours differs on purpose. */
function differenceOf(messages: readonly Json[], each: V4Case): string | undefined {
  if (each["options"] !== undefined) return "a tool's own words";
  for (const message of messages) {
    const parts = member(message, "parts");
    const steps = list(member(message, "toolInvocations")).map(call => member(call, "step") ?? 0);
    if (Array.isArray(parts) && parts.length === 0 && member(message, "content")) return "words beside no parts";
    if (parts === undefined && steps.some((step, index) => Number(step) > Number(steps[index - 1] ?? 0) + 1))
      return "steps with a gap";
    const isText = (attachment: Json): boolean => /^text\//.test(String(member(attachment, "contentType")));
    if (list(member(message, "experimental_attachments")).some(isText)) return "text attachments";
  }
  return undefined;
}

async function takenByNewest(given: Json, losses: Loss[]): Promise<string | undefined> {
  const { conversation } = decode(given, { from: "ai-sdk-ui:v4", shape: "messages" });
  const { value, losses: lost } = encode(conversation, { to: "ai-sdk-ui:v7", shape: "messages", carry: false });
  losses.push(...lost);
  const isOurs = (message: Json): boolean =>
    list(member(message, "parts")).every(part => isKnown(member(part, "type")));
  const messages = list(value as Json).filter(message => isOurs(message)); // the codec writes JSON
  return messages.length === 0 ? undefined : await refusedMessages("v7", messages);
}

/** A part that no generation knows stays as it is, and is refused. */
const isKnown = (type: Json | undefined): boolean =>
  typeof type === "string" &&
  (/^(?:tool|data)-/.test(type) ||
    ["text", "reasoning", "file", "source-url", "step-start", "dynamic-tool"].includes(type));

/** What a server appended to a chat says what the model had said. */
async function appendCase(about: About, messages: readonly Json[], answers: readonly Json[]): Promise<CaseResult> {
  return await claims(about, [
    () => {
      const { conversation } = decode(untag(messages), { from: "ai-sdk-ui:v4", shape: "messages" });
      const said = saidBy(conversation.messages).filter(([role]) => role !== "user");
      return difference(said, saidByCore(list(untag(answers))));
    },
    () => takenByNewest(untag(messages), []),
  ]);
}

// streams

async function streamCase(
  about: About,
  text: string,
  each: { readonly out: JsonRecord; readonly [member: string]: Json },
  answers?: readonly Json[],
): Promise<CaseResult> {
  const { out } = each;
  if (each["lastMessage"] !== undefined) return aside(about, "continues a message");
  if (each["onToolCall"] !== undefined) return aside(about, "answered by the client");
  const lines = runAll(dataStreamLines(), [text]);
  const decoder = streamDecoder("ai-sdk-ui:v4");
  const messages = accumulate(runAll(decoder, lines));
  const isBroken = out["partsError"] !== undefined;
  // The SDK ends at an error, and ours reads on: what stood before it is the same.
  const error = lines.findIndex(line => Array.isArray(line) && line[0] === "3");
  const before =
    error < 0
      ? messages
      : accumulate(runAll(streamDecoder("ai-sdk-ui:v4"), withoutLastSignature(lines.slice(0, error))));
  // A signature that comes last is told by no update: only the end of the answer has it.
  const message = untag((out["message"] && member(out["finish"], "message")) ?? out["message"] ?? null);
  const isThoughtAgain = thinksAgain(lines);
  const result = await claims(about, [
    () => (isBroken ? undefined : difference(lines.map(called), untag(out["parts"] ?? []))),
    () => sameInPieces(text, lines),
    () =>
      isComplaint(out, error) && decoder.issues.length === 0
        ? `the SDK says ${String(out["error"])}, and ours nothing`
        : undefined,
    () =>
      isBroken || isComplaint(out, error)
        ? undefined
        : isThoughtAgain
          ? sameThoughts(before, message)
          : sameMessage(before, message),
    () =>
      out["data"] && !decoder.losses.some(({ code }) => code === "transient-data")
        ? "data beside the message is lost without a word"
        : undefined,
    () => sameEnd(messages, record(untag(out["finish"] ?? null))),
    () => (answers && error < 0 ? difference(saidBy(messages), sentOf(answers, lines)) : undefined),
  ]);
  return isThoughtAgain && result.outcome.status === "passed" ? aside(about, "thoughts in one part") : result;
}

/** Whether something is thought in a step behind a signature, behind what is hidden, or behind something said. */
function thinksAgain(lines: readonly Json[]): boolean {
  let isClosed = false;
  let hasThought = false;
  for (const line of lines) {
    const code = Array.isArray(line) ? String(line[0]) : "";
    if (code === "e" || code === "f") isClosed = hasThought = false;
    else if (/^[gij]$/.test(code)) {
      if (hasThought && isClosed) return true;
      hasThought = true;
      isClosed = code === "j";
    } else if (/^[09abchk]$/.test(code)) isClosed = hasThought;
  }
  return false;
}

/** A signature that comes last is told by no update, and an error is no end. */
const withoutLastSignature = (lines: readonly Json[]): readonly Json[] =>
  lines.slice(0, lines.findLastIndex(line => !Array.isArray(line) || line[0] !== "j") + 1);

/** The same words in the same order, thoughts for themselves: the SDK's part of a step's thoughts stands where the first was. */
function sameThoughts(messages: readonly Message[], made: Json): string | undefined {
  const { conversation } = decode([made], { from: "ai-sdk-ui:v4", shape: "messages" });
  const [ours, theirs] = [messages, conversation.messages].map(list => {
    const items = saidBy(list).flatMap(([, all]) => all);
    const thoughts = items.filter(([kind]) => kind === "reasoning");
    return {
      said: items.filter(([kind]) => kind !== "reasoning"),
      thought: thoughts.map(([, text]) => text).join(""),
      hidden: thoughts.flatMap(([, , , data]) => data ?? []),
    };
  });
  // Of two thoughts that follow each other it has the signature of the last alone.
  const [all, some] = [messages, conversation.messages].map(signaturesIn);
  let at = 0;
  for (const signature of all ?? []) if (signature === some?.[at]) at++;
  const isWithin = at === some?.length && all?.at(-1) === some.at(-1);
  return (
    difference(ours, theirs) ?? (isWithin ? undefined : `signatures: got ${String(all)}, expected ${String(some)}`)
  );
}

const signaturesIn = (messages: readonly Message[]): readonly Json[] =>
  saidBy(messages).flatMap(([, items]) =>
    items.flatMap(([kind, , signature]) => (kind === "reasoning" ? (signature ?? []) : [])),
  );

/** What was said, as far as the server sends it: reasoning only where it was asked to. */
function sentOf(answers: readonly Json[], lines: readonly Json[]): readonly Said[] {
  const sendsReasoning = lines.some(line => Array.isArray(line) && /^[gij]$/.test(String(line[0])));
  const isSent = ([kind]: Item): boolean => kind !== "reasoning" || sendsReasoning;
  return saidByCore(list(untag(answers))).map(([role, items]): Said => [role, items.filter(isSent)]);
}

/** It fails for something else than an error that the stream tells. */
const isComplaint = (out: JsonRecord, error: number): boolean => out["error"] !== undefined && error < 0;

const names: { readonly [code: string]: string } = {
  "0": "Text",
  "2": "Data",
  "3": "Error",
  "8": "MessageAnnotations",
  "9": "ToolCall",
  a: "ToolResult",
  b: "ToolCallStreamingStart",
  c: "ToolCallDelta",
  d: "FinishMessage",
  e: "FinishStep",
  f: "StartStep",
  g: "Reasoning",
  h: "Source",
  i: "RedactedReasoning",
  j: "ReasoningSignature",
  k: "File",
};

const called = (line: Json): Json => (Array.isArray(line) ? [names[String(line[0])] ?? "", line[1] ?? null] : line);

const sameInPieces = (text: string, lines: readonly Json[]): string | undefined =>
  difference(runAll(dataStreamLines(), [...text]), lines);

/** Read from its lines and read from what the SDK made of them; made ids and the time of reading aside. */
function sameMessage(messages: readonly Message[], made: Json): string | undefined {
  if (made === null) return difference(saidBy(messages), []);
  const write = (of: readonly Message[]): Json =>
    list(
      encode({ messages: of }, { to: "ai-sdk-ui:v7", shape: "messages", recipient: "store", carry: false })
        .value as Json,
    ).map(
      withoutIds, // the codec writes JSON
    );
  const { conversation } = decode([made], { from: "ai-sdk-ui:v4", shape: "messages" });
  return difference(write(messages), write(conversation.messages));
}

/** Steps at the end that nothing was said in are told by their marks alone, which a stream that ends there does not come to. */
function withoutIds(message: Json): Json {
  const { id: _, createdAt: __, parts, ...others } = record(message);
  const kept = list(parts).map(part => {
    const { id, ...members } = record(part);
    return typeof id === "string" && id.startsWith("~") ? members : part;
  });
  return { ...others, parts: kept.slice(0, kept.findLastIndex(part => member(part, "type") !== "step-start") + 1) };
}

/**
 * Without a line that says how it ended, ours says that it was cut, or how its last step ended. The end says the usage of all
 * steps where the server counts them, else that of the last.
 */
function sameEnd(messages: readonly Message[], { usage, finishReason }: JsonRecord): string | undefined {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (!last || usage === undefined) return undefined;
  const { promptTokens, completionTokens } = record(usage);
  const counted = promptTokens === null ? undefined : { input: promptTokens, output: completionTokens };
  const all = messages.flatMap(message => message.usage ?? []);
  const sum = (key: "input" | "output"): number => all.reduce((total, each) => total + (each[key] ?? 0), 0);
  const isSum = difference({ input: sum("input"), output: sum("output") }, counted) === undefined;
  const reason = finishReason === "unknown" ? undefined : difference(last.finish?.reason, finishReason);
  return (isSum ? undefined : difference(last.usage, counted)) ?? reason;
}

// what is said

/** A piece of a message by its kind, in words that both models have. */
type Item = readonly [kind: string, ...Json[]];
type Said = readonly [role: string, items: readonly Item[]];

const spoken = (all: readonly Said[]): Said[] =>
  all
    .map(([role, items]): Said => [role, items.filter(item => item[0] !== "text" || item[1] !== "")])
    .filter(([, items]) => items.length > 0);

const saidBy = (messages: readonly Message[]): Said[] =>
  spoken(
    messages.filter(({ role }) => role !== "control").map(({ role, parts }): Said => [role, parts.flatMap(itemOf)]),
  );

function itemOf(part: Part): Item[] {
  switch (part.type) {
    case "text":
      return [["text", part.text]];
    case "reasoning":
      return [
        ["reasoning", part.text ?? "", part.seal?.values["signature"] ?? null, part.seal?.values["data"] ?? null],
      ];
    case "file":
      return [["file", "url" in part.source ? part.source.url : "data" in part.source ? part.source.data : ""]];
    case "tool-call":
      return [["call", part.callId, part.name, part.input ?? null]];
    case "tool-result":
      return [["result", part.callId, outputOf(part.output ?? [])]];
    default:
      return [];
  }
}

function outputOf([first]: readonly Part[]): Json {
  return first?.type === "text" ? first.text : first?.type === "data" ? first.data : null;
}

const saidByCore = (messages: readonly Json[]): Said[] =>
  spoken(
    messages.map((message): Said => {
      const content = member(message, "content");
      const parts = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
      return [String(member(message, "role")), parts.flatMap(part => coreItem(record(part)))];
    }),
  );

function coreItem(part: JsonRecord): Item[] {
  const {
    type,
    text = "",
    signature = null,
    data = null,
    image = null,
    toolCallId = "",
    toolName = "",
    args = null,
    result = null,
  } = part;
  switch (type) {
    case "text":
      return [["text", text]];
    case "reasoning":
      return [["reasoning", text, signature, null]];
    case "redacted-reasoning":
      return [["reasoning", "", null, data]];
    case "image":
      return [["file", image]];
    case "file":
      return [["file", data]];
    case "tool-call":
      return [["call", toolCallId, toolName, args]];
    case "tool-result":
      return [["result", toolCallId, result]];
    default:
      return [];
  }
}

const record = (value: Json | undefined): JsonRecord => (isJsonObject(value) ? value : {});
const member = (value: Json | undefined, key: string): Json | undefined => record(value)[key];
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
