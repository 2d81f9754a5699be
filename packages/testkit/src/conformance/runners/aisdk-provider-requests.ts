import { equalJson, isJsonObject, type Json, type JsonObject, type Loss, type Path } from "translogue";
import { type Kept, keeps } from "../../keeps.ts";
import { isSaidBy, lostTurn } from "./aisdk-lost-turns.ts";
import { blocksOf, isThinking, isToldInTurn, normal } from "./aisdk-provider-forms.ts";
import {
  bytesOf,
  type Compared,
  downloaded,
  isContent,
  listOf,
  parsedText,
  partsOf,
  wordsOf,
} from "./aisdk-provider-given.ts";
import { type Checks, holdsLeaves, isEmpty, member, optionsOf, pictureOf, stepsInto } from "./aisdk-provider-places.ts";
import { furtherChecks } from "./aisdk-provider-quirks.ts";

interface Request {
  readonly ours: Json;
  readonly losses: readonly Loss[];
  /** What both were made of. */
  readonly call: JsonObject;
}

/** Whether the request that we write holds all that the SDK's body holds. */
export function keepsRequest(theirs: Json, { ours, losses, call }: Request): Kept {
  const all = {
    theirs: normal(theirs),
    ours: normal(ours),
    sent: ours,
    given: call["messages"] ?? [],
    call,
    settings: call["settings"],
    losses,
  };
  const options = optionsOf(checks, all);
  const further = optionsOf(furtherChecks, all);
  const single = [...(options.allowances ?? []), ...(further.allowances ?? [])];
  const allowances = [...single, lostTurn({ allowances: single }, all)];
  return keeps(all.theirs, all.ours, {
    ...options,
    allowances,
  });
}

const checks: Checks<Compared> = {
  "sdk streaming": ({ at }) => at === "stream" || at === "stream_options",
  "sdk stored items": ({ theirs, all }) =>
    member(theirs, "type") === "item_reference" && holdsLeaves(all.ours, member(theirs, "id")),
  "sdk made ids": ({ path, key, theirs, all }) =>
    key === "id" && theirs === member(stepsInto(all.theirs, path.slice(0, -1)), "call_id"),
  "sdk item states": ({ at, ours }) => at === "input.*.status" && ours === undefined,
  "sdk defaults": ({ at, key, theirs, ours, all }) =>
    (ours === undefined &&
      ((key === "tool_choice" && (theirs === "auto" || member(theirs, "type") === "auto")) ||
        (at === "toolConfig" && JSON.stringify(theirs).includes('"AUTO"')) ||
        (key === "strict" && typeof theirs === "boolean") ||
        (key === "closed" && theirs === true) ||
        (key === "summary" && theirs === "detailed") ||
        (at === "thinking" && JSON.stringify(theirs) === '{"type":"enabled"}'))) ||
    (key === "max_tokens" && typeof ours === "number" && member(all.settings, "maxOutputTokens") === undefined) ||
    (key === "name" && theirs === "response" && ours === "answer"),
  "sdk developer messages": ({ path, theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "role") === "developer" &&
    member(stepsInto(all.ours, path), "role") === "system" &&
    holdsLeaves(stepsInto(all.ours, path), member(theirs, "content")),
  "sdk JSON text": ({ path, key, theirs, ours, all }) => {
    const [their, our] = [parsedText(member(theirs, "text") ?? theirs), parsedText(ours) ?? jsonBeside(path, key, all)];
    return their !== undefined && our !== undefined && equalJson(their, our);
  },
  "sdk errors in words": ({ theirs, ours }) => {
    const wrapped = member(parsedText(theirs), "error");
    const isDenial = theirs === "tool execution denied" && /denied/.test(String(ours));
    return isDenial || (wrapped !== undefined && (wrapped === ours || JSON.stringify(wrapped) === ours));
  },
  "sdk unread arguments": ({ at, key, theirs, ours }) =>
    (key === "arguments" && theirs === "{}" && typeof ours === "string" && !isJsonObject(parsedText(ours))) ||
    (/\.(input|args)$/.test(at) && equalJson((member(ours, "input") ?? null) as Json, (theirs ?? null) as Json)) ||
    (key === "rawInvalidInput" && ours === undefined),
  "sdk tool files": ({ at, theirs, ours, all }) =>
    (typeof theirs === "string" &&
      isContent(parsedText(theirs)) &&
      ours !== undefined &&
      holdsLeaves(ours, wordsOf(parsedText(theirs)))) ||
    (at.startsWith("contents.") && isOfToolFile(theirs, all.ours)),
  "sdk made names": ({ key, theirs, ours }) =>
    (key === "filename" && /^(part-\d+|document)\./.test(String(theirs)) && ours === undefined) ||
    (key === "name" && /^document-\d+$/.test(String(theirs)) && /^document(-\d+)+$/.test(String(ours))),
  "sdk asked members": ({ at, theirs, ours }) =>
    at === "additionalModelResponseFieldPaths" &&
    ours === undefined &&
    JSON.stringify(theirs) === '["/delta/stop_sequence"]',
  "sdk names of settings": ({ at, theirs, ours, all }) =>
    ours === undefined &&
    ((at === "inferenceConfig.topK" && topKOf(member(all.ours, "additionalModelRequestFields")) === theirs) ||
      (/^additionalModelRequestFields(\.output_config)?$/.test(at) &&
        equalJson(
          (schemaIn(theirs) ?? schemaIn({ output_config: theirs }) ?? null) as Json,
          (schemaOf(all.ours) ?? null) as Json,
        ))), // bodies are JSON
  "sdk marked ends": ({ path, at, theirs, ours, all }) =>
    at === "messages.*.prefix" &&
    theirs === true &&
    ours === undefined &&
    path[1] === listOf(member(all.theirs, "messages")).length - 1,
  "sdk documents": ({ at, theirs, ours, all }) =>
    at === "documents" && ours === undefined && listOf(theirs).every(document => isDocumentSaid(document, all)),
  "sdk names of the limit": ({ at, theirs, all }) =>
    at === "max_tokens" && member(all.ours, "max_completion_tokens") === theirs,
  "sdk package options": ({ at, theirs, ours, all }) =>
    (ours === undefined || at === "messages.*.content.*.title") &&
    /^((?!(messages|input|contents|system|tools|model)\b).*|tools\.\*\.(search_context_size|max_uses|input_examples|defer_loading|allowed_callers|eager_input_streaming)|messages\.\*\.content\.\*\.(title|context|citations))$/.test(
      at,
    ) &&
    !ofSettings.test(at) &&
    isOfOptions(theirs, all.call),
  "sdk clamps": ({ at, theirs, ours, all }) =>
    (at === "tool_choice.type" &&
      theirs === "auto" &&
      ours === "any" &&
      all.call["toolChoice"] === "required" &&
      isThinking(all.theirs) &&
      !isThinking(all.ours)) ||
    (/^(inferenceConfig\.)?temperature$/.test(at) &&
      ours === member(all.settings, "temperature") &&
      Number(ours) > Number(theirs)),
  "sdk budgets": ({ at, theirs, ours, all }) =>
    (/^(inferenceConfig\.)?max_?[tT]okens$|^inferenceConfig$/.test(at) && isWithBudget(theirs, ours, all)) ||
    (/^(additionalModelRequestFields(\.thinking)?|thinking(\.token_budget)?|generationConfig\.thinkingConfig(\.thinkingBudget)?)$/.test(
      at,
    ) &&
      ours === undefined &&
      isEffortTold(all)),
  "sdk trimmed ends": ({ path, key, theirs, ours, all }) =>
    key === "text" &&
    typeof ours === "string" &&
    ours.trim() === theirs &&
    path[1] === listOf(member(all.theirs, "messages")).length - 1 &&
    member(stepsInto(all.theirs, path.slice(0, 2)), "role") === "assistant",
  "sdk places": ({ at, path, theirs, ours, all }) =>
    ours === undefined &&
    ((at === "system" && holdsLeaves(systemIn(all.ours), leavesOf(theirs))) ||
      (at === "messages.*.content.*" &&
        isSaidBy({ ...Object(stepsInto(all.theirs, path.slice(0, 2))), content: [theirs] }, all.ours) &&
        isToldInTurn(all))),
  "sdk settings": ({ at, ours }) => ours === undefined && /^((frequency|presence)_penalty|top_k|seed)$/.test(at),
  "sdk foreign calls": ({ key, theirs, ours, all }) =>
    ours === undefined && (key === "tool_calls" ? isProviders(theirs, all.given) : isForeign(theirs, all.given)),
  "sdk stored approvals": ({ theirs, ours, all }) =>
    ours === undefined &&
    (/^mcp_approval_/.test(String(member(theirs, "type"))) || (isReference(theirs) && isAsked(theirs, all.given))),
  "sdk ids as bytes": ({ path, theirs, ours, all }) =>
    ours === undefined &&
    ((/^data:[^,]*;base64,file-/.test(String(theirs)) &&
      member(stepsInto(all.ours, path.slice(0, -1)), "file_id") === bytesOf(theirs)) ||
      /^file-/.test(String(member(member(theirs, "source") ?? theirs, "data"))) ||
      /;base64,file-/.test(String(member(member(theirs, "file"), "file_data")))),
  "sdk several references": ({ theirs, ours, all }) =>
    ours === undefined &&
    [member(member(theirs, "source"), "file_id"), member(theirs, "fileUri")].some(
      id => id !== undefined && partsOf(all.given).some(part => holdsLeaves(member(part["data"], "reference"), id)),
    ),
  "sdk foreign files": ({ theirs, ours, all }) =>
    ours === undefined &&
    partsOf(all.given).some(
      ({ data }) =>
        typeof data === "string" &&
        /^file-\w+$/.test(data) &&
        [
          member(member(theirs, "file"), "file_data"),
          member(member(member(theirs, "document"), "source"), "bytes"),
          member(theirs, "document_url"),
        ].some(bytes => bytesOf(bytes) === data),
    ) &&
    all.losses.some(({ code }) => /file|media/.test(code)),
  "sdk custom parts": ({ theirs, ours, all }) =>
    ours === undefined &&
    isReference(theirs) &&
    partsOf(all.given).some(part => part["type"] === "custom" && holdsLeaves(part, member(theirs, "id"))),
  "sdk seals of two makers": ({ key, theirs, ours, all }) =>
    (ours === undefined && isReference(theirs) && isItem(theirs, all.given, 2)) ||
    (key === "signature" && isOfSecond(theirs, all.given)) ||
    (ours === undefined &&
      isOfSecond(member(member(member(theirs, "reasoningContent"), "reasoningText"), "signature"), all.given)),
  "sdk glued reasoning": ({ key, theirs, ours }) =>
    (key === "reasoning" || key === "reasoning_content") &&
    typeof ours === "string" &&
    ours.replaceAll("\n\n", "") === theirs,
  "sdk downloads": ({ theirs, ours, all }) =>
    (bytesOf(theirs) === downloaded && /^https?:/.test(String(member(ours, "url") ?? ours))) ||
    (ours === undefined &&
      member(member(member(theirs, "image"), "source"), "bytes") === downloaded &&
      all.losses.some(({ code }) => code === "file-url")) ||
    (ours === undefined &&
      member(member(theirs, "inlineData") ?? theirs, "data") === downloaded &&
      /"fileUri":"https?:/.test(JSON.stringify(all.ours))),
  "sdk text files": ({ path, key, theirs, ours, all }) =>
    (key === "bytes" &&
      member(stepsInto(all.ours, path.slice(0, -1)), "text") === Buffer.from(String(theirs), "base64").toString()) ||
    (ours === undefined &&
      (JSON.stringify(all.ours).includes(Buffer.from(String(member(theirs, "text"))).toString("base64")) ||
        (member(theirs, "mimeType") === "text/plain" &&
          holdsLeaves(all.ours, Buffer.from(String(member(theirs, "data")), "base64").toString())))),
  "sdk guessed types": ({ path, theirs, ours, all }) => {
    if (typeof ours !== "string" || typeof theirs !== "string") return false;
    const [, inUrl, data] = /^data:([^;,]*);base64,(.*)$/s.exec(ours) ?? [];
    const beside = stepsInto(all.ours, path.slice(0, -1));
    const bytes = data ?? member(beside, "data");
    const isSame = data === undefined ? /^image\/(\*|\w+)$/.test(theirs) : bytesOf(theirs) === data;
    return isSame && typeof bytes === "string" && (inUrl ?? ours) === pictureOf(bytes);
  },
  "sdk schema in words": ({ theirs, ours, all }) =>
    ours === undefined &&
    member(theirs, "role") === "system" &&
    /Return JSON|You MUST answer with JSON\./.test(JSON.stringify(theirs)) &&
    member(member(all.ours, "response_format"), "type") === "json_object",
  "sdk schema as a tool": ({ at, theirs, all }) =>
    asksForSchema(all.ours) &&
    ((/^(tool_choice|toolConfig|toolConfig\.toolChoice|parallel_tool_calls)$/.test(at) &&
      /"name":"json"/.test(JSON.stringify(all.theirs))) ||
      [theirs, member(theirs, "function"), member(theirs, "toolSpec"), listOf(theirs)[0]].some(
        tool => member(tool, "name") === "json",
      )),
  "sdk empty values": ({ theirs, ours }) =>
    ours === undefined && (isEmpty(theirs) || isEmpty(parsedText(member(theirs, "text")) ?? theirs)),
};

const systemIn = (request: unknown): readonly unknown[] =>
  listOf(member(request, "messages")).filter(message => member(message, "role") === "system");

const leavesOf = (blocks: unknown): unknown =>
  Array.isArray(blocks) ? blocks.map(block => member(block, "text")) : blocks;

/** A call that a provider ran, or its result, by their id. */
function isForeign(block: unknown, given: Json): boolean {
  const id = member(block, "tool_use_id") ?? member(block, "id");
  return (
    id !== undefined && partsOf(given).some(part => part["toolCallId"] === id && part["providerExecuted"] === true)
  );
}

/** What a package says of files that a function gave, or the file itself, which stands within the result in ours. */
function isOfToolFile(part: unknown, ours: unknown): boolean {
  const { text } = isJsonObject(part) ? part : {};
  if (typeof text === "string")
    return /returned this (image|file) as a response/.test(text) || isContent([parsedText(text)]);
  const results = blocksOf(ours).filter(block => member(block, "functionResponse") !== undefined);
  const data = member(member(part, "inlineData") ?? part, "data");
  return data !== undefined && holdsLeaves(results, data);
}

const isReference = (item: unknown): boolean => member(item, "type") === "item_reference";

/** Whether the messages tell that the provider ran a call. */
const isProviders = (calls: unknown, given: Json): boolean =>
  Array.isArray(calls) &&
  calls.every(call =>
    partsOf(given).some(part => part["toolCallId"] === member(call, "id") && part["providerExecuted"] === true),
  );

/** Whether the messages name an item of the provider's, beside what at least so many providers say. */
const isItem = (reference: unknown, given: Json, providers = 1): boolean =>
  partsOf(given).some(({ providerOptions: options }) => {
    const own = isJsonObject(options) ? Object.values(options) : [];
    return own.length >= providers && own.some(each => member(each, "itemId") === member(reference, "id"));
  });

/** Whether a person is asked about a call, by the id of the call or of the question. */
const isAsked = (reference: unknown, given: Json): boolean =>
  partsOf(given).some(
    part =>
      part["type"] === "tool-approval-request" &&
      [part["toolCallId"], part["approvalId"]].includes(member(reference, "id") as string),
  ); // ids are texts

const topKOf = (fields: unknown): unknown =>
  member(fields, "top_k") ?? member(member(fields, "inferenceConfig"), "topK");

/** JSON that stands in ours where theirs has its text: in the block, or in the document in its place. */
function jsonBeside(path: Path, key: string | number | undefined, { ours }: Compared): Json | undefined {
  const block = stepsInto(ours, key === "text" ? path.slice(0, -1) : path);
  const json = member(block, "json") ?? member(member(block, "document"), "data");
  return json as Json | undefined; // a request is JSON
}

/** Whether the words of a document are ours, or its file is in our report. */
function isDocumentSaid(document: unknown, { ours, losses, given }: Compared): boolean {
  const text = String(member(member(document, "data"), "text"));
  if ([text, Buffer.from(text, "base64").toString()].some(words => holdsLeaves(member(ours, "messages"), words)))
    return true;
  const isFile = partsOf(given).some(part => part["type"] === "file" && holdsLeaves(part["data"], text));
  return isFile && losses.some(({ code }) => code === "media" || code === "foreign-file");
}

/** Whether a part says this signature for one provider, and another for the one before it. */
const isOfSecond = (signature: unknown, given: Json): boolean =>
  typeof signature === "string" &&
  partsOf(given).some(({ providerOptions: options }) =>
    (isJsonObject(options) ? Object.values(options) : [])
      .slice(1)
      .some(each => member(each, "signature") === signature),
  );

/** The answer's schema, where the package says it to Claude, and where the API has it for all. */
const schemaIn = (fields: unknown): unknown => member(member(member(fields, "output_config"), "format"), "schema");
const schemaOf = (request: unknown): unknown => {
  const format = member(member(request, "outputConfig"), "textFormat");
  return parsedText(member(member(member(format, "structure"), "jsonSchema"), "schema"));
};

const asksForSchema = (request: unknown): boolean =>
  schemaOf(request) !== undefined ||
  member(request, "response_format") !== undefined ||
  member(member(request, "output_config"), "format") !== undefined ||
  /"response(Json)?Schema"/.test(JSON.stringify(member(request, "generationConfig") ?? {}));

/** What a call says in settings of its own, and no options of a package. */
const ofSettings =
  /^(temperature|top_[pk]|max_(output_)?tokens|stop(_sequences)?|seed|(frequency|presence)_penalty|inferenceConfig|response_format|text\.format|tool_choice|toolConfig|stream|generationConfig\.(temperature|top[PK]|maxOutputTokens|stopSequences|seed|(frequency|presence)Penalty|response\w+))\b/;

/** Words that packages put beside what their options say. */
const packageWords: ReadonlySet<unknown> = new Set([
  true,
  "auto",
  "detailed",
  "enabled",
  "message.output_text.logprobs",
  "reasoning.encrypted_content",
  "web_search_call.action.sources",
]);

/** Whether every leaf is one of the options that the call has for packages. */
function isOfOptions(theirs: unknown, call: JsonObject): boolean {
  const told = new Set(optionLeaves(call, call["providerTools"] === "web-search"));
  const leaves = leavesIn(theirs);
  const isAsked = leaves.some(leaf => told.has(leaf)) || leaves.every(leaf => leaf !== true);
  return told.size > 0 && isAsked && leaves.every(leaf => told.has(leaf) || packageWords.has(leaf));
}

const optionNames: ReadonlySet<string> = new Set(["providerOptions", "inputExamples", "providerTools"]);

/** What stands in options for packages, anywhere in a call. The hosted search of the cases asks for little context, and two uses. */
function optionLeaves(value: unknown, isSearch = false): readonly unknown[] {
  if (isSearch) return ["low", 2, ...optionLeaves(value)];
  if (Array.isArray(value)) return value.flatMap(item => optionLeaves(item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    optionNames.has(key) ? leavesIn(inner) : optionLeaves(inner),
  );
}

function leavesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(leavesIn) : [value];
}

/** Whether a limit is ours and the package's own budget for thoughts; where none was asked for ours has none. */
function isWithBudget(theirs: unknown, ours: unknown, all: Compared): boolean {
  const thinking =
    member(all.theirs, "thinking") ?? member(member(all.theirs, "additionalModelRequestFields"), "thinking");
  const budget = Number(member(thinking, "budget_tokens"));
  const asked = member(all.settings, "maxOutputTokens");
  if (asked === undefined) return ours === undefined && Number(member(theirs, "maxTokens") ?? theirs) > budget;
  return ours === asked && theirs === Number(asked) + budget;
}

/** Whether the effort that was asked for is in our request, or in our report. */
function isEffortTold({ ours, settings, losses }: Compared): boolean {
  const effort = member(settings, "reasoning");
  if (typeof effort !== "string") return false;
  return JSON.stringify(ours).includes(`"${effort}"`) || losses.some(({ path }) => path.includes("reasoning"));
}
