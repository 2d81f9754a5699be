import {
  accumulate,
  type Conversation,
  context,
  decode,
  type FormatId,
  formats,
  isJsonObject,
  type Json,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  stringifyJson,
} from "translogue";
import { findTarget, type Prepared, prepare, rulesOf, targets } from "translogue/targets";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import { targetOf } from "./target-checks.ts";

/** Endpoints that take turns in every conversation, each with a model of its newest family. */
const others: readonly (readonly [target: string, model: string])[] = [
  ["anthropic-messages", "claude-opus-4-8"],
  ["openai-responses", "gpt-5"],
  ["gemini", "gemini-3-pro"],
  ["openai-chat", "gpt-5"],
  ["bedrock-converse", "amazon.nova-pro-v1:0"],
  ["mistral", "mistral-large-latest"],
];

/** A provider's recorded answer goes on with other providers, each turn prepared for the next, and comes home as it was. */
export const ledInTurn: Runner = {
  name: "led in turn",
  reads: file => file.folder === "recordings" && endpointOf(file) !== undefined,
  async *run(file) {
    const endpoint = endpointOf(file);
    const messages = endpoint && answerIn(file, endpoint);
    if (!endpoint || !messages || messages.length === 0) return;
    const name = `${file.path.split("/").slice(2).join("/")} (led in turn)`;
    yield await led({ format: endpoint.format, name }, { home: endpoint.target, messages });
  },
};

interface Endpoint {
  readonly format: FormatId;
  readonly target: string;
}

function endpointOf({ path }: FixtureFile): Endpoint | undefined {
  const [, id = "", ...rest] = path.split("/");
  const format = formats.map(each => each.id as FormatId).find(each => each === id); // formats are the registered ones
  if (!format || !targets.some(target => target.format === id)) return undefined;
  return { format, target: targetOf(id, rest.length > 1 ? (rest[0] ?? "") : id) };
}

/** What was said in it; none where it is an error. */
function answerIn(file: FixtureFile, { format, target }: Endpoint): readonly Message[] {
  const { dialect } = findTarget(target);
  const read = { ...(dialect !== undefined && { dialect }) };
  const text = file.read();
  const messages = file.path.endsWith(".json")
    ? decode(JSON.parse(text), { from: format, shape: "answer", ...read }).conversation.messages
    : accumulate(runAll(streamDecoder(format, read), text.split("\n").flatMap(parsed)));
  return context({ messages }).messages.filter(({ parts }) => parts.length > 0);
}

const parsed = (line: string): Json[] => {
  try {
    return line.trim() === "" ? [] : [JSON.parse(line) as Json]; // JSON.parse gives JSON
  } catch {
    return []; // broken lines are for other runners to report
  }
};

interface Led {
  readonly home: string;
  readonly messages: readonly Message[];
}

function led(about: { readonly format: string; readonly name: string }, { home, messages }: Led): Promise<CaseResult> {
  const model = messages.find(each => each.model !== undefined)?.model;
  let conversation = answered({ messages: [asks("first"), ...messages], ...toolsOf(messages) });
  const before = prepare(withTurn(conversation, "second"), home, model === undefined ? {} : { model });
  const claimed: (() => string | undefined)[] = [() => faultOf(before, home)];
  for (const [target, asked] of others) {
    const now = withTurn(conversation, `for ${target}`);
    claimed.push(() => readableBy(now, { target, model: asked, messages }));
    conversation = {
      ...now,
      messages: [...now.messages, { role: "assistant", parts: [{ type: "text", text: `said by ${target}` }] }],
    };
  }
  const last = withTurn(conversation, "last");
  claimed.push(() => {
    const after = prepare(last, home, model === undefined ? {} : { model });
    return faultOf(after, home) ?? changedIn(before, after) ?? missingIn(after, { home, messages });
  });
  return claims(about, claimed);
}

const asks = (text: string): Message => ({ role: "user", parts: [{ type: "text", text: `question: ${text}` }] });

const withTurn = (conversation: Conversation, text: string): Conversation => ({
  ...conversation,
  messages: [...conversation.messages, asks(text)],
});

/** With a result for each call that nobody has answered. */
function answered(conversation: Conversation): Conversation {
  const parts = conversation.messages.flatMap(message => message.parts);
  const told = new Set(parts.flatMap(part => (part.type === "tool-result" ? part.callId : [])));
  const open = parts.filter(part => isOwnCall(part) && !told.has(part.callId)) as readonly {
    callId: string;
    name: string;
  }[]; // of calls
  if (open.length === 0) return conversation;
  const results: Message = {
    role: "tool",
    parts: open.map(({ callId, name }) => ({
      type: "tool-result",
      callId,
      name,
      output: [{ type: "text", text: "done" }],
    })),
  };
  return { ...conversation, messages: [...conversation.messages, results] };
}

const isOwnCall = (part: Part): part is Extract<Part, { type: "tool-call" }> =>
  part.type === "tool-call" && part.executedBy !== "provider";

function toolsOf(messages: readonly Message[]): Pick<Conversation, "tools"> {
  const names = messages.flatMap(({ parts }) => parts.filter(isOwnCall).map(({ name }) => name));
  return names.length === 0 ? {} : { tools: [...new Set(names)].map(name => ({ name, input: { type: "object" } })) };
}

function faultOf({ issues }: Prepared, target: string): string | undefined {
  const [issue] = issues;
  return issue && `prepared for ${target}, yet ${issue.code}: ${issue.message}`;
}

/** What a model reads of the answer is in the request of another, and nothing of what was sealed. */
function readableBy(
  conversation: Conversation,
  {
    target,
    model,
    messages,
  }: { readonly target: string; readonly model: string; readonly messages: readonly Message[] },
): string | undefined {
  const prepared = prepare(conversation, target, { model });
  const text = textOf(prepared);
  const makers = rulesOf(findTarget(target), model)["seals-at-home"]?.makers ?? [];
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "text" && part.text.trim() !== "" && !text.includes(inJson(part.text)))
      return `${target} does not read ${JSON.stringify(part.text.slice(0, 60))}`;
    const isForeign = part.seal !== undefined && !makers.includes(part.seal.maker ?? "");
    const leaked = isForeign ? secretsOf(part).find(secret => text.includes(inJson(secret))) : undefined;
    if (leaked !== undefined) return `${target} gets what ${part.seal?.maker} sealed: ${leaked.slice(0, 40)}`;
  }
  return faultOf(prepared, target);
}

const textOf = ({ value, exact }: Prepared): string => stringifyJson(value, exact) ?? "";
const inJson = (text: string): string => JSON.stringify(text.toWellFormed()).slice(1, -1);

/** Long enough to be of one answer alone. */
const secretsOf = ({ seal }: Part): readonly string[] =>
  Object.values(seal?.values ?? {}).filter(value => value.length >= 16);

/** The messages of a request, by whatever name. */
function listIn({ value }: Prepared): readonly Json[] {
  const wire = value as Json; // a request
  const list = isJsonObject(wire) ? (wire["messages"] ?? wire["input"] ?? wire["contents"]) : undefined;
  return Array.isArray(list) ? list : [];
}

function changedIn(before: Prepared, after: Prepared): string | undefined {
  // The last one asked; what is before it is what was read already.
  const read = listIn(before).slice(0, -1);
  const again = listIn(after).slice(0, read.length);
  const at = read.findIndex((piece, index) => JSON.stringify(piece) !== JSON.stringify(again[index]));
  return at === -1 ? undefined : `message ${at} of what was sent before is sent in another way`;
}

/** What the provider sealed itself comes home. */
function missingIn(after: Prepared, { home, messages }: Led): string | undefined {
  const text = textOf(after);
  const makers = rulesOf(findTarget(home))["seals-at-home"]?.makers ?? [];
  const own = messages.flatMap(({ parts }) => parts).filter(({ seal }) => makers.includes(seal?.maker ?? ""));
  const missing = own.flatMap(secretsOf).find(secret => !text.includes(inJson(secret)));
  return missing === undefined ? undefined : `${home} does not get back what it sealed: ${missing.slice(0, 40)}`;
}
