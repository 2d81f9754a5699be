import { equalJson, type FormatId, isJsonObject, type Json, type Path } from "translogue";
import { type Allowance, type KeepOptions, keeps } from "../../keeps.ts";
import type { langchainRules } from "../rules/langchain.ts";
import { type Fitted, isFitted, isReported } from "./fitted-schemas.ts";
import { nodesOf, places } from "./maf-allowances.ts";

/** Where LangChain's adapters and ours differ on purpose. Each answers for one kind of difference, by what stands there. */

/** What is compared. */
export interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
  /** An answer that was streamed. */
  readonly isStream?: boolean;
  /** What the stream of an answer said. */
  readonly events?: readonly Json[];
  /** What a request was made of: messages, fields and options of the class. */
  readonly given?: Json;
  /** All words of our answer. */
  readonly words?: string;
  /** What became of the schemas of a request. */
  readonly fitted?: Fitted;
  /** Whom a request is for. */
  readonly provider?: FormatId;
}

interface Place {
  readonly path: Path;
  /** The last member of the path, and the path with `*` for its numbers. */
  readonly key: string | number | undefined;
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  readonly all: Compared;
}
export type Checks = { readonly [rule in keyof typeof langchainRules]?: (place: Place) => boolean };

export const optionsOf = (checks: Checks, all: Compared): KeepOptions => ({
  places,
  allowances: Object.entries(checks).map(
    ([rule, check]): Allowance =>
      (path, theirs, ours) => {
        const at = path.map(step => (typeof step === "number" ? "*" : step)).join(".");
        return check({ path, key: path.at(-1), at, theirs, ours, all }) ? rule : undefined;
      },
  ),
});

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.values(value).every(isEmpty));

export const member = (value: unknown, key: string): unknown => (isJsonObject(value) ? value[key] : undefined);

export function parsedText(value: unknown): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

/** Whether a text, or a piece of JSON, stands anywhere in a value, also within the text of JSON. */
export function holdsText(value: unknown, text: unknown): boolean {
  const whole = JSON.stringify(value) ?? "";
  if (typeof text !== "string") return false;
  const inner = JSON.stringify(text).slice(1, -1);
  return [text, inner, JSON.stringify(inner).slice(1, -1)].some(spelled => whole.includes(spelled));
}

// requests

const isLast = (index: unknown, list: unknown): boolean => Array.isArray(list) && index === list.length - 1;

export const requestOptions = (all: Compared): KeepOptions => optionsOf(requestChecks, all);

const requestChecks: Checks = {
  "schemas that are fitted": ({ path, theirs, ours, all }) =>
    all.fitted !== undefined && isFitted({ path, theirs, ours, request: all.theirs }, all.fitted),
  "spelled-out defaults": ({ at, key, theirs, ours }) =>
    ours === undefined &&
    ((key === "detail" && theirs === "auto") ||
      (key === "tool_choice" && theirs === "auto") ||
      (key === "status" && theirs === "completed") ||
      (at === "temperature" && theirs === 0.7) ||
      (at === "top_p" && theirs === 1) ||
      (/^(messages\.\*\.prefix|safe_prompt)$/.test(at) && theirs === false)),
  // https://docs.mistral.ai/api (read 2026-11-30): an assistant's message may be the last only as a beginning of the answer.
  "an answer begun": ({ path, at, theirs, ours, all }) =>
    at === "messages.*.prefix" && theirs === false && ours === true && isLast(path[1], member(all.theirs, "messages")),
  "ids in other letters": ({ at, theirs, ours, all }) =>
    (/\.tool_calls\.\*\.id$/.test(at) && typeof ours === "string" && isNineLetters(theirs)) ||
    (at === "messages.*" &&
      isNineLetters(member(theirs, "tool_call_id")) &&
      holdsText(turnsOf(all.ours, "tool"), textsIn(contentOf(theirs)))),
  "calls of Ollama": ({ at, theirs, ours, all }) =>
    at === "messages.*.tool_calls.*" &&
    ours === undefined &&
    [undefined, "function"].includes(member(theirs, "type") as string | undefined) &&
    turnsOf(all.ours, "assistant").some(turn =>
      JSON.stringify(turn).includes(JSON.stringify(member(theirs, "function"))),
    ),
  "texts in one turn": ({ at, path, theirs, ours, all }) =>
    ours === undefined &&
    ((at === "messages.*" &&
      isMoved(Number(path[1]), all) &&
      holdsText(turnsOf(all.ours, String(member(theirs, "role"))), textsIn(contentOf(theirs)))) ||
      (at === "system" && textsOf(theirs).every(text => holdsText(member(all.ours, "messages"), text)))),
  "calls into another index": ({ at, path, ours }) => /\.tool_calls\.\*\.index$/.test(at) && ours === path.at(-2),
  "roles of the application": ({ at, theirs, ours, all }) =>
    at === "messages.*" &&
    ours === undefined &&
    otherTurns(all.ours).some(turn => holdsText(turn, textsIn(contentOf(theirs)))),
  "words for a choice": ({ at, theirs, ours }) => at === "tool_choice" && theirs === "required" && ours === "any",
  "options of the class": ({ at, theirs, ours, all }) =>
    ours === undefined &&
    classOptions.includes(at) &&
    (leavesOf(theirs).every(leaf => holdsLeaf(all.given, leaf)) || isOfOption(at, theirs, all.given)),
  "name of the limit": ({ at, theirs, all }) =>
    at === "max_tokens" && member(all.ours, "max_completion_tokens") === theirs,
  "texts left out": ({ key, theirs, ours, all }) =>
    key === "text" &&
    typeof ours === "string" &&
    typeof theirs === "string" &&
    ours.startsWith(theirs) &&
    isMadeOf(ours.slice(theirs.length), textsGiven(all.given)),
  "nothing said": ({ theirs, ours }) =>
    ours === undefined &&
    (isEmpty(theirs) || (member(theirs, "role") !== undefined && isEmpty(member(theirs, "content")))),
  "blocks sent twice": ({ at, path, theirs, ours, all }) =>
    at === "messages.*.content.*" &&
    ours === undefined &&
    sourceOf(theirs) !== undefined &&
    listAt(all.theirs, path).filter(block => sourceOf(block) === sourceOf(theirs)).length > 1 &&
    listAt(all.ours, path).some(block => sourceOf(block) === sourceOf(theirs)),
  "words of documents": ({ at, path, theirs, ours, all }) =>
    /^messages\.\*\.content\.\*\.document\.(name|source\.bytes)$/.test(at) &&
    (at.endsWith("name")
      ? String(theirs).startsWith("<id-") && typeof ours === "string" && ours !== ""
      : member(path.slice(0, -1).reduce(stepInto, all.ours), "text") ===
        Buffer.from(String(theirs), "base64").toString()),
  "blocks sent as they are": ({ at, theirs, ours, all }) =>
    (at === "messages.*.content.*" && (!isKnown(theirs, all.provider) || isBareFile(theirs, all.provider))) ||
    (at === "contents.*.parts.*" && member(theirs, "type") !== undefined) ||
    (at === "messages.*.content.*.image_url.url" && String(theirs).startsWith("data:") && typeof ours === "string") ||
    (at === "input.*.content.*" && ["image_url", "input_audio"].includes(String(member(theirs, "type")))) ||
    (/^(messages|input)\.\*\.content\.\*\.(cache_control|annotations|id)(\.|$)/.test(at) && ours === undefined),
  "Chat's tools in Responses": ({ at, theirs, all }) =>
    at === "tools.*" && member(theirs, "custom") !== undefined && member(all.ours, "input") !== undefined,
  "texts of a tool": ({ key, theirs, ours }) =>
    key === "output" && (isTextsOf(theirs, ours) || (Array.isArray(theirs) && String(ours) === textsIn(theirs))),
  "pictures beside a result": ({ at, theirs, all }) =>
    /^contents\.\*\.parts\.\*(\.inlineData)?$/.test(at) &&
    partsOf(all.theirs).some(part => member(part, "inlineData") !== undefined) &&
    dataIn(theirs).every(text =>
      holdsText(
        partsOf(all.ours).map(part => member(part, "functionResponse")),
        text,
      ),
    ),
  "roles by the model's name": ({ at, theirs, all }) =>
    at === "contents.*.parts.*" &&
    member(theirs, "text") !== undefined &&
    member(all.ours, "systemInstruction") === member(theirs, "text"),
  "errors of a tool": ({ at, theirs, ours }) =>
    /\.functionResponse\.response\.output(\.error)?$/.test(at) &&
    String(member(theirs, "details") ?? theirs) === String(member(ours, "error") ?? ours),
  "turns of one side": ({ at, path, theirs, ours, all }) =>
    (ours === undefined && at === "messages.*.content.*" && isNextOfSide(path, theirs, all)) ||
    (at === "contents.*.parts.*" && areAllSaid(theirs, partsOf(all.theirs), partsOf(all.ours))) ||
    (at === "systemInstruction" &&
      String(theirs).startsWith(String(ours ?? "")) &&
      holdsText(member(all.ours, "contents"), String(theirs).slice(String(ours ?? "").length))),
  "guessed types": ({ at, path, theirs, ours, all }) =>
    /^contents\.\*\.parts\.\*\.fileData\.mimeType$/.test(at) &&
    (theirs === "" || theirs === "image/jpeg") &&
    isTypeOfAddress(ours, member(path.slice(0, -1).reduce(stepInto, all.theirs), "fileUri")),
  "schemas as they are": ({ at, path, key, all }) =>
    at.startsWith("tools.*.functionDeclarations.") &&
    (key === "nullable" || key === "type") &&
    isNullable(path.slice(0, -1), all),
  "choices taken for names": ({ at, theirs }) =>
    at === "toolConfig.functionCallingConfig.allowedFunctionNames" && JSON.stringify(theirs) === '["required"]',
  "citations without seals": ({ at, path, theirs, ours, all }) =>
    ours === undefined &&
    ((at === "messages.*.content.*.citations.*" && /^\d+$/.test(String(member(theirs, "encrypted_index")))) ||
      (at === "messages.*.content.*.citationsContent" &&
        JSON.stringify(theirs).includes('"documentIndex":"NaN"') &&
        textsIn(contentOf(theirs)) === member(path.slice(0, -1).reduce(stepInto, all.ours), "text") &&
        isReported(/^citation$/, all))),
  "JSON within a text": ({ theirs, ours }) => {
    const [their, our] = [parsedText(theirs), parsedText(ours)];
    return their !== undefined && our !== undefined && equalJson(their, our);
  },
  "files from a tool": ({ at, theirs, ours, path, all }) =>
    at === "messages.*.content.*" &&
    ours === undefined &&
    member(theirs, "type") === "image_url" &&
    member(itemAt(member(all.theirs, "messages"), path[1]), "role") === "tool" &&
    isReported(/^tool-media$/, all),
  "seals of other makers": ({ theirs, ours, all }) =>
    ours === undefined &&
    (["reasoning", "redacted_thinking"].includes(String(member(theirs, "type"))) ||
      member(theirs, "reasoningContent") !== undefined) &&
    isReported(/^(bare-reasoning|foreign-seal)$/, all),
  "calls that a provider ran": ({ theirs, ours, all }) =>
    ours === undefined &&
    ["function_call", "function_call_output", "server_tool_use"].includes(String(member(theirs, "type"))) &&
    hostedIds(all.given).includes(member(theirs, "call_id") ?? member(theirs, "id")) &&
    isReported(/^foreign-call$/, all),
};

/** Ids of the calls in the messages that a provider ran. */
const hostedIds = (given: Json | undefined): readonly unknown[] =>
  nodesOf(given).flatMap(node => (node["type"] === "server_tool_call" ? [node["id"]] : []));

/** Whether a schema of theirs that says so in a member of its own says so in ours by its type. */
function isNullable(path: Path, { theirs, ours }: Compared): boolean {
  const [their, our] = [theirs, ours].map(request => path.reduce(stepInto, request));
  return (
    member(their, "nullable") === true &&
    JSON.stringify(member(our, "type")) === JSON.stringify([member(their, "type"), "null"])
  );
}

/** The type that the extension of an address tells. */
const isTypeOfAddress = (type: unknown, address: unknown): boolean => {
  const [, extension] = /\.(\w+)$/.exec(String(address)) ?? [];
  return extension !== undefined && type === `image/${extension}`;
};

const stepInto = (value: unknown, step: string | number): unknown =>
  Array.isArray(value) ? (value as readonly unknown[])[Number(step)] : member(value, String(step));

/** The list that an item stands in. */
const listAt = (request: unknown, path: Path): readonly unknown[] => {
  const list = path.slice(0, -1).reduce(stepInto, request);
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
};

/** The bytes or the address of a block's file. */
const sourceOf = (block: unknown): unknown => {
  const source = member(block, "source");
  return member(source, "data") ?? member(source, "url");
};

/** The leaves of a value. */
function leavesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isJsonObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
}

/** What the class says for an option of another name. */
const isOfOption = (at: string, theirs: unknown, given: Json | undefined): boolean => {
  const fields = member(given, "fields");
  if (at === "store") return theirs === false && member(fields, "zdrEnabled") === true;
  return at.endsWith(".includeThoughts") && theirs === true && member(fields, "thinkingBudget") !== undefined;
};

const holdsLeaf = (given: Json | undefined, leaf: unknown): boolean => leavesOf(given).includes(leaf);

/** Every text that stands in the messages, also those that blocks have as their data. */
const textsGiven = (given: Json | undefined): readonly string[] =>
  leavesOf(member(given, "messages")).flatMap(leaf => (typeof leaf === "string" && leaf !== "" ? [leaf] : []));

/** Whether a text is some of the others, one behind the other. */
function isMadeOf(text: string, others: readonly string[]): boolean {
  const rest = text.replace(/^\n+/, "");
  return rest === "" || others.some(other => rest.startsWith(other) && isMadeOf(rest.slice(other.length), others));
}

const partsOf = (request: unknown): readonly unknown[] => {
  const contents = member(request, "contents");
  return (Array.isArray(contents) ? contents : []).flatMap(content => member(content, "parts") ?? []);
};

/** What a result and the picture beside it say. */
const dataIn = (part: unknown): readonly unknown[] => {
  const output = member(member(member(part, "functionResponse"), "response"), "output");
  const texts = Array.isArray(output) ? output.map(item => member(item, "text")) : [];
  return [...texts, member(part, "data") ?? member(member(part, "inlineData"), "data")].filter(
    text => text !== undefined,
  );
};

const contentOf = (turn: unknown): readonly unknown[] => {
  const content = member(turn, "content");
  return Array.isArray(content) ? content : [];
};

const textsOf = (blocks: unknown): readonly unknown[] =>
  Array.isArray(blocks) ? blocks.map(block => member(block, "text")) : [];

/** Turns of roles that no API has. */
const otherTurns = (request: unknown): readonly unknown[] => {
  const messages = member(request, "messages");
  const usual = ["system", "developer", "user", "assistant", "tool"];
  return (Array.isArray(messages) ? messages : []).filter(turn => !usual.includes(String(member(turn, "role"))));
};

/** Whether a block stands in another turn of ours, which is of the same side. */
function isNextOfSide(path: Path, theirs: unknown, { theirs: request, ours }: Compared): boolean {
  const role = String(member(itemAt(member(request, "messages"), path[1]), "role"));
  const blocksOf = (all: unknown): readonly unknown[] => turnsOf(all, role).flatMap(contentOf);
  return areAllSaid(theirs, blocksOf(request), blocksOf(ours));
}

/** Whether what they say so often ours says as often, wherever; a call that stands in a list and in the content they say twice. */
function areAllSaid(wanted: unknown, theirs: readonly unknown[], ours: readonly unknown[]): boolean {
  const saying = (blocks: readonly unknown[]) => blocks.filter(block => keeps(wanted, block).missing.length === 0);
  const isCall = member(wanted, "functionCall") !== undefined;
  return saying(ours).length >= (isCall ? 1 : saying(theirs).length);
}

const isNineLetters = (id: unknown): boolean => typeof id === "string" && /^\w{9}$/.test(id);

/** Whether a turn may stand in another one: what one side says in a row, and a system message. */
function isMoved(index: number, { theirs }: Compared): boolean {
  const roleAt = (place: number) => member(itemAt(member(theirs, "messages"), place), "role");
  const role = roleAt(index);
  if (role === "tool") return false;
  return role === "system" || role === "developer" || role === roleAt(index - 1) || role === roleAt(index + 1);
}

/** The turns of a role. */
const turnsOf = (request: unknown, role: string): readonly unknown[] => {
  const messages = member(request, "messages");
  return (Array.isArray(messages) ? messages : []).filter(turn => member(turn, "role") === role);
};

/** The texts of a list, one a line. */
const textsIn = (list: readonly unknown[]): string => list.flatMap(item => member(item, "text") ?? []).join("\n");

/** Options that LangChain's classes have, and a conversation has not. */
const classOptions = [
  "n",
  "user",
  "store",
  "stop",
  "logprobs",
  "top_logprobs",
  "logit_bias",
  "service_tier",
  "prompt_cache_key",
  "truncation",
  "previous_response_id",
  "text.verbosity",
  "safetySettings",
  "safe_prompt",
  "random_seed",
  "response_format",
  "keep_alive",
  "think",
  "format",
  "options.seed",
  "options.num_predict",
  "options.num_ctx",
  "tools.*.function.strict",
  "cache_control",
  "tools.*.cache_control",
  "tools.*.defer_loading",
  "generationConfig.thinkingConfig.includeThoughts",
];

const chatPartTypes = ["text", "image_url", "input_audio", "file", "refusal"];
/** What the APIs know of their own; Converse's blocks are called by their one member. */
const blockTypes: { readonly [provider in FormatId]?: readonly string[] } = {
  "anthropic-messages": [
    ...["text", "image", "document", "search_result", "thinking", "redacted_thinking"],
    ...["tool_use", "tool_result", "server_tool_use"],
  ],
  "bedrock-converse": [
    ...["text", "image", "document", "video", "toolUse", "toolResult", "reasoningContent"],
    ...["cachePoint", "citationsContent", "guardContent"],
  ],
};

/** Chat has a file in a member of its own. */
const isBareFile = (block: unknown, provider: FormatId | undefined): boolean =>
  provider === "openai-chat" && member(block, "type") === "file" && member(block, "file") === undefined;

function isKnown(block: unknown, provider: FormatId | undefined): boolean {
  const types = (provider && blockTypes[provider]) ?? chatPartTypes;
  const names = provider === "bedrock-converse" ? Object.keys(Object(block)) : [String(member(block, "type"))];
  return names.some(name => types.includes(name));
}

export const itemAt = (list: unknown, index: unknown): unknown =>
  Array.isArray(list) && typeof index === "number" ? list[index] : undefined;

/** Texts as the JSON of their list, which the API takes as a list. */
function isTextsOf(theirs: unknown, ours: unknown): boolean {
  const list = parsedText(Array.isArray(theirs) ? member(theirs[0], "text") : theirs);
  if (!Array.isArray(list) || !Array.isArray(ours)) return false;
  const join = (items: readonly unknown[]): string => items.map(item => String(member(item, "text"))).join("");
  return join(list) === join(ours);
}
