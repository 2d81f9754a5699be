import { isJsonObject, type Json, type JsonObject } from "translogue";
import type { Generation } from "../../generations.ts";
import { type Checks, holdsLeaves, isEmpty, member, type Place, stepsInto } from "./aisdk-provider-places.ts";

/** Where the SDK's packages and ours differ on purpose in what they make of answers. Each answers for one kind of difference. */

export interface AnswerCompared {
  readonly theirs: unknown;
  readonly ours: unknown;
  /** Ours with the carry, in which the rest travels. */
  readonly carried: unknown;
  /** What the service sent. */
  readonly wire: unknown;
  readonly generation: Generation;
}

export const answerChecks: Checks<AnswerCompared> = {
  "sdk empty values": ({ theirs, ours }) =>
    ours === undefined ? isEmpty(theirs) : ours === null && isEmpty(member(theirs, "parts")),
  "sdk raw usage": ({ at, theirs, ours, all }) =>
    at === "end.usage.raw" && ours === undefined && isCounted(theirs, [all.ours, all.carried]),
  "sdk counted nothing": ({ at, theirs, ours }) =>
    at.startsWith("end.usage.") && theirs === 0 && (ours === undefined || typeof ours === "number"),
  "sdk reasoning beside": ({ at, all }) => /^end\.usage\.(outputTokens|totalTokens)$/.test(at) && countsBeside(all),
  "sdk raw reasons": ({ key, ours, all }) =>
    key === "rawFinishReason" && ours === member(member(all.ours, "end"), "finishReason"),
  "sdk annotations": ({ key, theirs, ours, all }) => key === "annotations" && ours === undefined && isSaid(all, theirs),
  "sdk service members": ({ at, key, ours, theirs, all }) =>
    ours === undefined &&
    (at === "end.providerMetadata"
      ? isSaid(all, withoutWords(theirs))
      : /(\w*[mM]etadata|providerOptions)\.\w+\.\w+$/.test(at) && !seals.includes(String(key)) && isSaid(all, theirs)),
  "sdk dates of chunks": ({ key, theirs, ours, all }) =>
    key === "timestamp" &&
    typeof ours === "number" &&
    ours > Number(theirs) &&
    holdsLeaves(all.wire, [ours / 1000, Number(theirs) / 1000]),
  "sdk block ids": ({ at, ours }) => /^parts\.\*\.id$/.test(at) && typeof ours === "string",
  "sdk made ids": ({ key, ours }) => key === "id" && typeof ours === "string" && ours.startsWith("~"),
  "sdk rotated ids": ({ at, key, theirs, ours, all }) =>
    (key === "itemId" || at === "end.response.id") && isRotated({ theirs, ours }, all),
  "sdk rotated answers": ({ at, theirs, all }) => {
    const { responseId, ...rest } = Object(member(theirs, "openai")) as JsonObject;
    const own = member(member(member(all.ours, "end"), "response"), "id");
    return at === "end.providerMetadata" && isRotated({ theirs: responseId, ours: own }, all) && isSaid(all, rest);
  },
  "sdk failed steps": ({ at, ours, all }) =>
    /^end\.(finishReason|response)$/.test(at) && ours === undefined && hasFailed(all.theirs),
  "sdk raw reasoning": ({ key, path, theirs, ours, all }) =>
    key === "text" &&
    theirs === "" &&
    typeof ours === "string" &&
    member(itemAt(all.theirs, path), "type") === "reasoning",
  "sdk more text": ({ key, path, theirs, ours, all }) =>
    key === "text" &&
    typeof ours === "string" &&
    (theirs === "" ? isInputOf(ours, itemAt(all.theirs, path), all) : ours.startsWith(String(theirs))),
  "sdk open calls": ({ key, theirs, ours }) => key === "finishReason" && theirs === "stop" && ours === "tool-calls",
  "sdk cached beside": ({ at, theirs, ours, all }) =>
    at === "end.usage.inputTokenDetails.noCacheTokens" &&
    Number(ours) + countOf(all.ours, ["inputTokenDetails", "cacheReadTokens"]) === theirs,
  "sdk error objects": ({ at, path, ours, all }) =>
    /^parts\.\*\.error\./.test(at) &&
    ours === undefined &&
    holdsSome(all.ours, messagesIn(member(itemAt(all.theirs, path), "error"))),
  "sdk foreign makers": ({ at, theirs, ours, all }) =>
    /\.(\w*[mM]etadata|providerOptions)(\.openai)?$/.test(at) && ours === undefined && isSaid(all, theirs),
  "sdk known tools": ({ key, ours }) => key === "dynamic" && ours === undefined,
  "sdk names of MCP tools": ({ key, theirs, ours }) =>
    key === "toolName" && (theirs === `mcp.${String(ours)}` || String(ours).startsWith("mcp_")),
  "sdk names of hosted tools": ({ path, key, ours, all }) =>
    key === "toolName" && typeof ours === "string" && isHosted(itemAt(all.theirs, path), all.theirs),
  "sdk made dates": ({ at, theirs, ours }) =>
    at === "end.response.timestamp" && (ours === undefined || theirs === "<now>"),
  "sdk asked models": ({ at, theirs, ours, all }) => {
    if (!/^end\.response(\.modelId)?$/.test(at)) return false;
    const asked = member(theirs, "modelId") ?? theirs;
    return ours === undefined
      ? !holdsLeaves(all.wire, asked)
      : /^gemini-/.test(String(ours)) && /^gemini-/.test(String(asked));
  },
  "sdk open texts": ({ key, path, theirs, ours, all }) =>
    key === "state" &&
    theirs === "streaming" &&
    ours === "done" &&
    /^(text|reasoning)$/.test(String(member(itemAt(all.theirs, path), "type"))),
  "sdk seals said twice": ({ path, key, theirs, ours, all }) =>
    key === "amazonBedrock" &&
    ours === undefined &&
    JSON.stringify(theirs) === JSON.stringify(member(stepsInto(all.theirs, path.slice(0, -1)), "bedrock")),
  "sdk other sums": ({ at, theirs, ours, all }) =>
    all.generation === "v5" &&
    /^end\.usage\.(input|output|total)Tokens$/.test(at) &&
    typeof theirs === "number" &&
    typeof ours === "number" &&
    isOtherSum(at, { theirs, ours }, all),
  "sdk callers": ({ at, theirs, all }) =>
    /\.(\w*[mM]etadata|providerOptions)\.anthropic(\.caller(\.type)?)?$/.test(at) &&
    (/^code_execution_\d+$/.test(String(theirs)) || isSaid(all, theirs)),
  "sdk refused arguments": ({ path, at, theirs, all }) =>
    (/\.(invalid|dynamic|error|errorText|state|input|rawInput|toolName)(\.|$)/.test(at) &&
      isRefused(itemAt(all.theirs, path), all.theirs)) ||
    isRefused(theirs, all.theirs) ||
    (Array.isArray(member(theirs, "content")) && isRefused(itemAt(member(theirs, "content"), [0]), all.theirs)),
  "sdk unknown events": ({ theirs, ours }) =>
    ours === undefined &&
    member(theirs, "type") === "error" &&
    /^AI_(TypeValidation|InvalidResponseData)Error$/.test(String(member(member(theirs, "error"), "name"))),
  "sdk flags of results": ({ path, key, ours, all }) =>
    key === "providerExecuted" && ours === undefined && member(itemAt(all.theirs, path), "type") === "tool-result",
  "sdk interim results": ({ path, theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "type") === "tool-result" &&
    listAt(all.theirs, path).some(later => isResultOf(later, theirs)),
  "sdk unfinished tools": ({ path, key, all }) =>
    (typeof key === "number" || ["state", "errorText", "type", "output"].includes(String(key))) &&
    isUnfinished(itemAt(all.theirs, path)),
  "sdk document types": ({ key, theirs, ours }) =>
    key === "mediaType" && theirs === "text/plain" && (ours === undefined || ours === "application/octet-stream"),
  "sdk source details": ({ at, key, theirs, all }) =>
    (/source\.providerMetadata(\.openai)?(\.\w+)?$/.test(at) || /\.openai\.(type|index|containerId)$/.test(at)) &&
    (key === "type" || isSaid(all, theirs)),
  "sdk cited sources": ({ theirs, ours, all }) =>
    ours === undefined && isSource(theirs) && holdsSome(citationsIn(all.ours), sourceOf(theirs)),
  "sdk found sources": ({ theirs, ours, all }) =>
    ours === undefined && isSource(theirs) && holdsSome([all.ours, all.carried], sourceOf(theirs)),
  "sdk custom parts": ({ theirs, ours, all }) =>
    ours === undefined && member(theirs, "type") === "custom" && isSaid(all, member(theirs, "providerMetadata")),
  "sdk hosted tools": place => isOfHosted(place) && (isWord(place.at) || isSaid(place.all, inner(place.theirs))),
};

/** What must stand in the same member, for its package looks for it there. */
const seals = ["itemId", "reasoningEncryptedContent", "phase", "caller"];

/** Whether there is something to hold, and it is held. */
const holdsSome = (whole: unknown, values: readonly unknown[]): boolean =>
  values.length > 0 && holdsLeaves(whole, values);

/** Whether every text stands somewhere in ours or in what travels beside it. */
const isSaid = (all: AnswerCompared, theirs: unknown): boolean =>
  holdsLeaves([all.ours, all.carried], texts(withoutTypes(theirs)));

/** Whether the service sent both ids of one thing. */
const isRotated = (ids: { readonly theirs: unknown; readonly ours: unknown }, { wire }: AnswerCompared): boolean =>
  typeof ids.theirs === "string" && typeof ids.ours === "string" && holdsLeaves(wire, [ids.theirs, ids.ours]);

/** Words that every answer of the API says. */
function withoutWords(metadata: unknown): unknown {
  if (!isJsonObject(metadata)) return metadata;
  const providers = Object.values(metadata).filter(isJsonObject);
  return providers.map(({ responseObject: _, messageRole: __, usageMetadata, ...members }) => ({
    ...members,
    ...(isJsonObject(usageMetadata) && { usageMetadata: withModalities(usageMetadata) }),
  }));
}

/** Google's counts by modality, as ours names them. */
const withModalities = (usage: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(usage).map(([key, counts]) => {
      const side = { promptTokensDetails: "input", candidatesTokensDetails: "output" }[key];
      const isOurs = side !== undefined && Array.isArray(counts);
      const own = (count: Json): Json => `${side}.${String(member(count, "modality")).toLowerCase()}`;
      return [key, isOurs ? (counts as readonly Json[]).map(own) : counts]; // just looked at
    }),
  );

/** Whether a streamed input without deltas is that of its call. */
const isInputOf = (text: string, item: unknown, { theirs }: AnswerCompared): boolean => {
  const parts = member(theirs, "parts");
  const isCall = (part: unknown): boolean =>
    member(part, "type") === "tool-call" && member(part, "toolCallId") === member(item, "toolCallId");
  const call = Array.isArray(parts) ? parts.find(isCall) : undefined;
  return member(item, "type") === "tool-input" && JSON.stringify(inner(text)) === JSON.stringify(member(call, "input"));
};

/** Input, output and the members of a tool that the service runs, or that has a form of its own. */
function isOfHosted({ path, at, theirs, ours, all }: Place<AnswerCompared>): boolean {
  const item = itemAt(all.theirs, path);
  if (!isHosted(item, all.theirs)) return false;
  if (isWord(at)) return holdsLeaves(all.ours, member(item, "toolCallId"));
  return /\.(input|output|text|error)(\.|$)/.test(at) || (theirs === item && ours === undefined);
}

/** Whether there was an output, and of which sort, goes with it. */
const isWord = (at: string): boolean => /\.(state|output\.type)$/.test(at);

const hostedNames = [
  "apply_patch",
  "shell",
  "local_shell",
  "computer",
  "computer_use",
  "tool_search",
  "programmatic_tool_calling",
];

function isHosted(item: unknown, all: unknown): boolean {
  const id = member(item, "toolCallId");
  if (id === undefined) return false;
  return hostedNames.includes(String(member(item, "toolName"))) || isProviders(all, id);
}

/** Whether any item says that the provider ran the call. */
function isProviders(value: unknown, id: unknown): boolean {
  if (Array.isArray(value)) return value.some(item => isProviders(item, id));
  if (!isJsonObject(value)) return false;
  if (value["toolCallId"] === id && value["providerExecuted"] === true) return true;
  return ["parts", "content"].some(key => isProviders(value[key], id)) || isProviders(Object.values(value)[0], id);
}

const isResultOf = (later: unknown, result: unknown): boolean =>
  /^tool-(result|error)$/.test(String(member(later, "type"))) &&
  member(later, "toolCallId") === member(result, "toolCallId");

/** The items of a list that stand behind the one that a path leads to. */
function listAt(value: unknown, path: readonly (string | number)[]): readonly unknown[] {
  let at = value;
  for (const step of path.slice(0, -1)) at = isJsonObject(at) ? at[step] : (at as readonly unknown[])[Number(step)];
  return Array.isArray(at) ? at.slice(Number(path.at(-1)) + 1) : [];
}

/** A tool that had not ended, which newer packages tell as a failed one. */
const isUnfinished = (item: unknown): boolean =>
  /^(searching|in_progress|interpreting|generating)$/.test(String(member(member(item, "error"), "status"))) ||
  /"status":"(searching|in_progress|interpreting|generating)"/.test(
    JSON.stringify(member(item, "errorText") ?? member(item, "output") ?? "").replaceAll("\\", ""),
  );

/** The host counts reasoning beside its output, and ours adds it. */
function countsBeside({ theirs, ours }: AnswerCompared): boolean {
  const reasoning = countOf(ours, ["outputTokenDetails", "reasoningTokens"]);
  return countOf(ours, ["outputTokens"]) === countOf(theirs, ["outputTokens"]) + reasoning;
}

const countOf = (answer: unknown, path: readonly string[]): number =>
  Number(["end", "usage", ...path].reduce(member, answer));

/** Whether every number is one of ours, or of two of ours together. */
function isCounted(raw: unknown, ours: unknown): boolean {
  const known = numbers(ours);
  return numbers(raw).every(
    count => count === 0 || known.includes(count) || known.some(each => known.includes(count - each)),
  );
}

function numbers(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  const inner = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return inner.flatMap(numbers);
}

/** Whether a sum is the service's without what was cached, or that of all models which it asked. */
function isOtherSum(
  at: string,
  sums: { readonly theirs: number; readonly ours: number },
  { theirs: answer }: AnswerCompared,
): boolean {
  const end = member(answer, "end");
  const usage = member(member(member(end, "providerMetadata"), "anthropic"), "usage");
  const own = (name: string): number => Number(member(member(end, "usage"), name));
  if (at === "end.usage.totalTokens") return sums.theirs === own("inputTokens") + own("outputTokens");
  const name = at === "end.usage.inputTokens" ? "input_tokens" : "output_tokens";
  const asked = member(usage, "iterations");
  if (Array.isArray(asked))
    return sums.theirs === asked.reduce<number>((sum, each) => sum + Number(member(each, name)), 0);
  const cached =
    Number(member(usage, "cache_read_input_tokens")) + Number(member(usage, "cache_creation_input_tokens"));
  return name === "input_tokens" && sums.ours === sums.theirs + cached;
}

const hasFailed = (answer: unknown): boolean => {
  const parts = member(answer, "parts");
  return Array.isArray(parts) && parts.some(part => member(part, "type") === "error");
};

/** What went wrong, in words. */
function messagesIn(error: unknown): readonly unknown[] {
  if (!isJsonObject(error)) return [];
  return Object.entries(error).flatMap(([key, inner]) => (key === "message" ? [inner] : messagesIn(inner)));
}

/** The item of the list that a path goes through. */
function itemAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  let item: unknown;
  for (const step of path) {
    at = Array.isArray(at) ? (at as readonly unknown[])[Number(step)] : member(at, String(step));
    if (isJsonObject(at) && (at["toolCallId"] !== undefined || at["type"] !== undefined)) item ??= at;
  }
  return item;
}

/** A call whose arguments the package did not take, or what came of it. */
function isRefused(item: unknown, all: unknown): boolean {
  const id = member(item, "toolCallId");
  return id !== undefined && refusedIn(all).includes(id);
}

/** Ids of calls that are not valid for the package's own tool. */
function refusedIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(refusedIn);
  if (!isJsonObject(value)) return [];
  const isInvalid =
    value["invalid"] === true ||
    /^Invalid input for tool/.test(String(value["errorText"] ?? member(value["output"], "value") ?? value["error"]));
  return isInvalid ? [value["toolCallId"]] : ["parts", "content"].flatMap(key => refusedIn(value[key]));
}

const isSource = (item: unknown): boolean => /^source(-url|-document)?$/.test(String(member(item, "type")));

/** What a source tells: where it is, and of which file. */
function sourceOf(source: unknown): readonly unknown[] {
  const openai = member(member(source, "providerMetadata"), "openai");
  const told = ["url", "title", "filename"].map(key => member(source, key));
  return [...told, member(openai, "fileId")].filter(text => text !== undefined);
}

function citationsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(citationsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "citations" ? [inner] : citationsIn(inner)));
}

/** Types and states are words of the package. */
const withoutTypes = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutTypes)
    : isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, own]) =>
            key === "type" || key === "toolName" || key === "status" ? [] : [[key, withoutTypes(own)]],
          ),
        )
      : value;

/** Texts alone: counts and places are told in many ways. */
function texts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (isJsonObject(value)) return texts(Object.values(value));
  if (typeof value !== "string" || value === "" || value.startsWith("<guid-")) return [];
  return [value.replace(/…<\d+ characters>$/, "")]; // the cases cut what is long
}

/** JSON in a text, as what it says. */
function inner(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
