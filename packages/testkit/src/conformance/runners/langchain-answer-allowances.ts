import { createHash } from "node:crypto";
import { isJsonObject } from "translogue";
import type { KeepOptions } from "../../keeps.ts";
import { type Checks, type Compared, holdsText, isEmpty, itemAt, member, optionsOf } from "./langchain-allowances.ts";

/** Where LangChain's messages of answers and ours differ on purpose. */
export const answerOptions = (all: Compared): KeepOptions => optionsOf(checks, all);

/** Where the class for Google's generative API looks for signatures, by the ids of calls. */
const signatures = "__gemini_function_call_thought_signatures__";

const checks: Checks = {
  "nothing said": ({ theirs, ours }) =>
    (ours === undefined || ours === theirs) && (isEmpty(theirs) || theirs === 0 || isZeros(theirs)),
  "id of the answer": ({ at, theirs, all }) =>
    /^(id|additional_kwargs\.id|response_metadata\.responseId)$/.test(at) &&
    theirs === member(member(all.ours, "response_metadata"), "id"),
  "name of the class": ({ at, theirs, ours }) =>
    at === "response_metadata.model_provider" &&
    classes.has(String(theirs)) &&
    (ours === undefined || (typeof ours === "string" && ours !== "")),
  "usage said again": ({ at, theirs, all }) =>
    isJsonObject(member(all.ours, "usage_metadata")) &&
    /^(response_metadata|additional_kwargs)\.(usage|tokenUsage|estimatedTokenUsage|usageMetadata|prompt|completion)(\.|$)/.test(
      at,
    ) &&
    isCounted(theirs, all),
  "summed counts": ({ at, theirs, ours, all }) =>
    all.isStream === true && /^usage_metadata\./.test(at) && isSumOf(theirs, ours, all),
  "pieces of hosted calls": ({ at, theirs, ours }) =>
    at === "invalid_tool_calls.*" && ours === undefined && member(theirs, "name") === "" && !member(theirs, "id"),
  "hosted tools in other words": ({ at, theirs, ours, all }) =>
    at === "contentBlocks.*" && ours === undefined && isHosted(theirs) && isSaid(withUseId(theirs), all.ours),
  "citations as they are": ({ at, theirs, all }) =>
    at === "contentBlocks.*" &&
    member(member(theirs, "value"), "type") === "text" &&
    textsOf(member(theirs, "value")).every(text => holdsText(all.ours, text)),
  "texts around citations": ({ at, theirs, ours, all }) =>
    at === "contentBlocks.*" &&
    ours === undefined &&
    member(theirs, "type") === "text" &&
    holdsText(all.words, member(theirs, "text")),
  "an answer as one text": ({ at, theirs, all }) => at === "contentBlocks.*.text" && isOneText(theirs, all.words),
  "ids of calls": ({ key, ours }) => key === "id" && typeof ours === "string" && ours.startsWith("~"),
  "pieces of calls": ({ at, theirs, ours, all }) =>
    at === "tool_calls.*" && ours === undefined && all.isStream === true && !member(theirs, "name"),
  "Google's calls": ({ at, theirs, all }) =>
    at === "contentBlocks.*" &&
    isCallOf(member(theirs, "functionCall") ?? member(member(theirs, "value"), "functionCall"), all),
  "signatures of calls": ({ at, theirs, all }) =>
    (/^(tool_calls|contentBlocks)\.\*\.thoughtSignature$/.test(at) ||
      at.startsWith(`additional_kwargs.${signatures}`)) &&
    textsOf(isJsonObject(theirs) && theirs["$long"] === undefined ? Object.values(theirs) : theirs).every(
      text =>
        holdsText(member(all.ours, "contentBlocks"), text) ||
        holdsText(member(member(all.ours, "additional_kwargs"), signatures), text),
    ),
  "Google's texts": ({ at, theirs, all }) =>
    /^additional_kwargs\.originalTextContentBlock$|^contentBlocks\.\*(\.thought|\.reasoningContentBlock)?$/.test(at) &&
    (theirs === true || ["text", "reasoning"].includes(String(member(theirs, "type")))) &&
    textsOf(theirs).every(text => holdsText(all.ours, text)),
  "output said again": ({ at, key, theirs, all }) =>
    /^response_metadata\.(output|tool_outputs)(\.|$)/.test(at) &&
    wordsOf(theirs, key).every(text => holdsText(all.ours, text) || isWithin(text, all.words)),
  "envelope's constants": ({ at, ours }) =>
    ours === undefined &&
    /^(response_metadata|additional_kwargs)\.(object|status|created_at|created|parallel_tool_calls|tool_choice|type|role|index|messageStart|contentBlockStop|metrics|\$metadata)$/.test(
      at,
    ),
  "words of the finish": ({ at, theirs, all }) =>
    /^(response_metadata|additional_kwargs)\.(stop_reason|stopReason|finishReason|finish_reason|messageStop)$/.test(
      at,
    ) &&
    isFinish(member(theirs, "stopReason") ?? theirs, member(member(all.ours, "response_metadata"), "finish_reason")),
  "glued by merging": ({ theirs, ours }) => isRepeated(theirs, ours),
  "raw reasoning": ({ at, theirs, ours }) =>
    at === "contentBlocks.*.reasoning" && theirs === "" && typeof ours === "string",
  "model of the answer": ({ at, theirs, all }) => {
    const model = member(member(all.ours, "response_metadata"), "model_name");
    return (
      (at === "response_metadata.model" || at === "additional_kwargs.model") &&
      (theirs === model || isRepeated(theirs, model))
    );
  },
  "raw calls": ({ at, theirs, all }) =>
    at === "additional_kwargs.tool_calls" &&
    isHeld(theirs, [member(all.ours, "tool_calls"), member(all.ours, "invalid_tool_calls")]),
  "blocks beside the content": ({ at, theirs, all }) =>
    /^additional_kwargs\.(reasoning|tool_outputs|reasoning_content|refusal|__openai_\w+_ids__)$/.test(at) &&
    isHeld(theirs, member(all.ours, "contentBlocks")),
  "output of code": ({ theirs, ours }) =>
    member(theirs, "type") === "code_interpreter_output" &&
    typeof ours === "string" &&
    String(member(theirs, "stdout")).trim() === ours.trim(),
  "kinds of citations": ({ at, theirs }) =>
    /\.annotations\.\*\.source$/.test(at) &&
    /^(?:char|page|block|url|search|(?:url|file|container_file)_citation)$/.test(String(theirs)),
  "pieces of the stream": ({ at, key, theirs }) =>
    at.startsWith("contentBlocks") && key === "index" && typeof theirs === "number",
  "members of the service": ({ at, ours }) =>
    ours === undefined &&
    /^(response_metadata|additional_kwargs)\.(container|stop_details|context_management|serviceTier|finishMessage|groundingSupport)(\.|$)|\.(output\.results\.\*\.(score|attributes)|annotations\.\*\.(startIndex|container_id|file_id|title)|metadata)(\.|$)/.test(
      at,
    ),
  "items as they are": ({ at, theirs, all }) =>
    at === "contentBlocks.*" && member(theirs, "type") === "non_standard" && isSaid(member(theirs, "value"), all.ours),
  "pictures in results": ({ at, theirs, all }) =>
    at === "contentBlocks.*" && member(theirs, "type") === "image" && holdsText(all.ours, member(theirs, "data")),
  "texts that the fold loses": ({ key, theirs, ours, all }) =>
    key === "text" &&
    typeof theirs === "string" &&
    theirs !== "" &&
    typeof ours === "object" &&
    isWithin(theirs, all.words),
  "seals of other makers": ({ at, theirs, all }) =>
    /^contentBlocks\.\*\.(id|encrypted_content)$/.test(at) && isHeld(theirs, all.ours),
  "ids that rotate": ({ at, theirs, ours, all }) =>
    ((at === "id" || at === "response_metadata.id") &&
      all.isStream === true &&
      kindOfId(theirs) === kindOfId(ours ?? member(member(all.ours, "response_metadata"), "id"))) ||
    (at === "additional_kwargs.reasoning" &&
      all.isStream === true &&
      isHeld(member(itemAt(member(theirs, "summary"), 0), "text"), all.ours)),
  approvals: ({ at, theirs, all }) =>
    at === "additional_kwargs.tool_outputs" && Array.isArray(theirs)
      ? theirs.some(isApproval) &&
        isHeld(
          theirs.filter(item => !isApproval(item)),
          member(all.ours, "contentBlocks"),
        )
      : at === "contentBlocks.*" && isApproval(member(theirs, "value")),
  "action of the call": ({ key, theirs, ours }) =>
    key === "output" && isEmpty(ours) && member(theirs, "action") !== undefined,
  "results of nothing": ({ theirs, ours }) =>
    ours === undefined && member(theirs, "type") === "server_tool_call_result" && isEmpty(member(theirs, "output")),
  "reasoning beside": ({ at, theirs, ours, all }) =>
    at === "usage_metadata.output_tokens" &&
    ours ===
      Number(theirs) + Number(member(member(member(all.ours, "usage_metadata"), "output_token_details"), "reasoning")),
};

/** What LangChain's classes call themselves. */
const classes: ReadonlySet<string> = new Set([
  "openai",
  "anthropic",
  "google",
  "google-genai",
  "google-vertexai",
  "bedrock-converse",
  "mistralai",
]);

/** Whether theirs is what a stream said of a count at first, or all of it added up, where ours is what it said last. */
function isSumOf(theirs: unknown, ours: unknown, { events, theirs: message }: Compared): boolean {
  const usage = member(message, "usage_metadata");
  const sum = Number(member(usage, "input_tokens")) + Number(member(usage, "output_tokens"));
  if (theirs === sum && theirs === member(usage, "total_tokens")) return typeof ours === "number"; // its own parts
  const told = countsIn(events);
  const first = (counts: readonly number[]): number => counts[0] ?? 0;
  const last = (counts: readonly number[]): number => counts.at(-1) ?? 0;
  const added = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  return [...[...told.keys()].map(name => [name]), inputCounts].some(names => {
    const of = (pick: (counts: readonly number[]) => number): number =>
      names.reduce((all, name) => all + pick(told.get(name) ?? []), 0);
    return (of(added) === theirs || of(first) === theirs) && of(last) === ours;
  });
}

/** What Anthropic counts of an input, each for itself. */
const inputCounts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/** The counts that events tell, by their names, in their order. */
function countsIn(value: unknown, found: Map<string, number[]> = new Map()): Map<string, number[]> {
  if (Array.isArray(value)) for (const item of value) countsIn(item, found);
  if (!isJsonObject(value)) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== "number") {
      if (name !== "iterations") countsIn(inner, found);
    } else if (/tokens|TokenCount/i.test(name)) found.set(name, [...(found.get(name) ?? []), inner]);
  }
  return found;
}

/** The beginning of an id that tells what it is of: `msg`, `resp`, `chatcmpl`. */
const kindOfId = (id: unknown): string => String(id).split(/[_-]/)[0] ?? "";

/** Whether the letters of a text stand among the words, in their order: what is left of them where pieces are lost. */
function isWithin(text: unknown, words = ""): boolean {
  let from = 0;
  for (const letter of String(text)) {
    const found = words.indexOf(letter, from);
    if (found < 0) return false;
    from = found + letter.length;
  }
  return true;
}

/** What items say in words. */
function wordsOf(value: unknown, key: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(item => wordsOf(item, undefined));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, inner]) => wordsOf(inner, name));
  return (key === "text" || key === "refusal") && typeof value === "string" && value !== "" ? [value] : [];
}

/** The classes' words for how an answer ended, where they are not the usual ones. */
const finishWords: { readonly [word: string]: string } = {
  end_turn: "stop",
  STOP: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  MAX_TOKENS: "length",
};

/** A call is awaited where the answer has calls, though Google says that it is over. */
const isFinish = (theirs: unknown, ours: unknown): boolean =>
  ours === (finishWords[String(theirs)] ?? theirs) || (theirs === "STOP" && ours === "tool_calls");

/** Whether a call, or a piece of one, is told among ours. */
const isCallOf = (call: unknown, { ours, isStream }: Compared): boolean =>
  isJsonObject(call) &&
  (isStream === true || holdsText(member(ours, "tool_calls"), member(call, "name"))) &&
  textsOf([call["name"], call["args"] ?? []]).every(text => holdsText(member(ours, "tool_calls"), text));

const isHosted = (block: unknown): boolean =>
  ["server_tool_call", "server_tool_call_result"].includes(String(member(block, "type")));

/** A block of a hosted tool as the item that it was made of. */
const withUseId = (block: unknown): unknown => ({
  tool_use_id: member(block, "toolCallId") ?? member(block, "id"),
  content: member(block, "output") ?? member(block, "args"),
});

/** Whether our words begin with a text; a long one is told by its length and its hash. */
function isOneText(theirs: unknown, words = ""): boolean {
  const long = member(theirs, "$long");
  if (long === undefined) return words.startsWith(String(theirs));
  const text = words.slice(0, Number(member(long, "length")));
  return createHash("sha256").update(text).digest("hex") === member(long, "sha256");
}

const isZeros = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every(inner => inner === 0 || isEmpty(inner));

const isApproval = (item: unknown): boolean => member(item, "type") === "mcp_approval_request";

/** Whether a text is another one several times. */
const isRepeated = (theirs: unknown, ours: unknown): boolean =>
  typeof theirs === "string" &&
  typeof ours === "string" &&
  ours !== "" &&
  theirs.length > ours.length &&
  theirs === ours.repeat(theirs.length / ours.length);

/** Whether every count of tokens is one of ours or, of a stream, of those it told or their sum, or made of two of these. */
function isCounted(theirs: unknown, { ours, isStream, events }: Compared): boolean {
  const told = isStream === true ? [...countsIn(events).values()] : [];
  const sums = told.flatMap(counts => [counts[0] ?? 0, counts.reduce((sum, count) => sum + count, 0)]);
  const known = [0, ...numbersIn(member(ours, "usage_metadata")), ...sums];
  const counts = typeof theirs === "number" ? [theirs] : [...countsIn(theirs).values()].flat();
  return counts.every(count => known.some(each => known.includes(count - each) || known.includes(count + each)));
}

function numbersIn(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(numbersIn);
  return typeof value === "number" ? [value] : [];
}

const isIds = (value: unknown): value is { readonly [id: string]: unknown } =>
  isJsonObject(value) && value["type"] === undefined && value["$long"] === undefined;

/** Whether a hosted tool's item is told otherwise: its id, and all that it says in words. */
function isSaid(item: unknown, ours: unknown): boolean {
  if (member(item, "tool_use_id") === undefined) return isHeld(item, ours);
  return [member(item, "tool_use_id"), ...textsOf(member(item, "content"))].every(text => holdsText(ours, text));
}

/** Texts that say something to people: no types, and nothing that is sealed. */
function textsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isJsonObject(value)) return typeof value === "string" && value !== "" ? [value] : [];
  const { $long: long } = value;
  if (long !== undefined) return [member(long, "sha256")];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "type" || /encrypted|retrieved_at|page_age|media_type|abort_reason|stop_reason/.test(key)
      ? []
      : textsOf(inner),
  );
}

/** Whether each item's id, or the text itself, stands among the blocks. */
function isHeld(theirs: unknown, blocks: unknown): boolean {
  const items = Array.isArray(theirs) ? theirs : isIds(theirs) ? Object.values(theirs) : [theirs];
  return items.every(item => {
    const long = member(item, "$long");
    const mark = typeof item === "string" ? item : (member(long, "sha256") ?? member(item, "id"));
    return holdsText(blocks, mark);
  });
}
