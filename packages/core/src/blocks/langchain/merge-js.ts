import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { ChunkFields } from "./chunk.ts";
import { collapseJs, parsedCallsJs } from "./chunk-calls.ts";
import type { ChunkMerge } from "./merge.ts";
import { cannotMerge } from "./merge-refusal.ts";
import { isMergeable, type MergeRules, Merger, thaw, thawObject } from "./merge-values.ts";

/** As `concat` of @langchain/core 1.4.0 merges, 2026-11-30. */
export class JsMerge implements ChunkMerge {
  readonly #first: ChunkFields;
  readonly #merger = new Merger(jsRules);
  #content: Json;
  #hasData: boolean;
  readonly #additional: MutableJsonObject;
  readonly #metadata: MutableJsonObject;
  readonly #calls: Json[];
  readonly #callChunks: Json[];
  #usage: JsonObject | undefined;
  #id: Json | undefined;
  #status: Json | undefined;
  #artifact: Json | undefined;
  #count = 1;

  constructor(first: ChunkFields) {
    const fields = constructed(first);
    this.#first = { ...first, fields };
    this.#content = thaw(fields["content"] ?? null);
    this.#hasData = hasData(this.#content);
    this.#additional = thawObject(objectOr(fields["additional_kwargs"]));
    this.#metadata = thawObject(objectOr(fields["response_metadata"]));
    this.#calls = listOf(fields["tool_calls"]).map(each => thaw(each));
    this.#callChunks = listOf(fields["tool_call_chunks"]).map(each => thaw(each));
    this.#usage = fields["usage_metadata"] as JsonObject | undefined; // read as one
    this.#id = fields["id"];
    this.#status = fields["status"];
    this.#artifact = thaw(fields["artifact"] ?? null);
  }

  get #isSystemMessage(): boolean {
    return this.#first.className === "SystemMessage";
  }

  add(chunk: ChunkFields): void {
    if (!this.#isSystemMessage && this.#first.className?.endsWith("Message")) {
      throw cannotMerge(`${this.#first.className} has no concat`);
    }
    this.#count++;
    const fields = constructed(chunk);
    this.#addContent(fields["content"] ?? null);
    const additional = objectOr(fields["additional_kwargs"]);
    const metadata = objectOr(fields["response_metadata"]);
    if (this.#isSystemMessage) {
      Object.assign(this.#additional, thawObject(additional));
      Object.assign(this.#metadata, thawObject(metadata));
      return;
    }
    this.#merger.dict(this.#additional, additional);
    this.#merger.dict(this.#metadata, metadata);
    this.#id ??= fields["id"];
    if (this.#first.kind === "ai") this.#addCalls(fields);
    if (this.#first.kind === "tool") this.#addResult(fields);
  }

  #addContent(right: Json): void {
    const left = this.#content;
    if (typeof left === "string") {
      if (left === "") this.#setContent(thaw(right));
      else if (typeof right === "string") this.#content = left + right;
      else if (!Array.isArray(right)) throw cannotMerge("a text and a content that is neither a text nor a list");
      else if (right.length > 0) {
        const text: JsonObject = hasData(right)
          ? { type: "text", source_type: "text", text: left }
          : { type: "text", text: left };
        this.#setContent([text, ...right.map(each => thaw(each))]);
      }
      return;
    }
    const list: Json[] = Array.isArray(left) ? (left as Json[]) : left === null ? [] : [left]; // ours: a copy
    if (list !== left) this.#setContent(list);
    if (Array.isArray(right)) {
      this.#merger.list(list, right);
      this.#hasData ||= hasData(right);
    } else if (right !== "") {
      const text = this.#hasData ? { type: "file", source_type: "text", text: right } : { type: "text", text: right };
      this.#merger.append(list, text);
    }
  }

  #setContent(content: Json): void {
    this.#content = content;
    this.#hasData = hasData(content);
  }

  #addCalls(fields: JsonObject): void {
    this.#merger.list(this.#callChunks, listOf(fields["tool_call_chunks"]));
    if (this.#callChunks.length > 0) this.#calls.length = 0;
    else this.#merger.list(this.#calls, listOf(fields["tool_calls"]));
    const usage = fields["usage_metadata"];
    if (this.#usage !== undefined || usage !== undefined) this.#usage = addUsage(this.#usage, usage);
  }

  #addResult(fields: JsonObject): void {
    this.#status = this.#status === "error" || fields["status"] === "error" ? "error" : "success";
    this.#artifact = this.#mergeArtifacts(this.#artifact ?? null, fields["artifact"] ?? null);
  }

  #mergeArtifacts(left: Json, right: Json): Json {
    if (left === null || right === null) return left ?? thaw(right);
    if (typeof left !== typeof right) throw cannotMerge("artifacts of different types");
    if (typeof left === "string") return left + (right as string); // of one type
    if (Array.isArray(left) && Array.isArray(right)) {
      this.#merger.list(left as Json[], right); // ours: a copy
      return left;
    }
    if (typeof left !== "object") {
      if (left === right) return left;
      throw cannotMerge("artifacts that differ");
    }
    // It takes a list for the object of its places.
    const object: MutableJsonObject = Array.isArray(left)
      ? Object.fromEntries(Object.entries(left))
      : (left as MutableJsonObject); // ours: a copy
    this.#merger.dict(object, { ...(right as JsonObject) }); // an object, or a list taken for one
    return object;
  }

  fields(): JsonObject {
    const { kind, fields } = this.#first;
    if (this.#count === 1) return this.#callChunks.length > 0 ? { ...fields, ...collapseJs(this.#callChunks) } : fields;
    const base = { content: this.#content, additional_kwargs: this.#additional, response_metadata: this.#metadata };
    const id = this.#id === undefined ? {} : { id: this.#id };
    const { name, role, tool_call_id } = fields;
    if (this.#isSystemMessage) return { ...base, ...id, ...(name !== undefined && { name }) };
    switch (kind) {
      case "ai":
        return this.#aiFields(base, id);
      case "tool": {
        const artifact = this.#artifact === null || this.#artifact === undefined ? {} : { artifact: this.#artifact };
        return { ...base, ...artifact, tool_call_id: tool_call_id ?? null, ...id, status: this.#status ?? "success" };
      }
      case "chat":
        return { ...base, ...(role !== undefined && { role }), ...id };
      case "function":
        return { ...base, name: name ?? "", ...id };
      default:
        return { ...base, ...id };
    }
  }

  #aiFields(base: JsonObject, id: JsonObject): JsonObject {
    const usage = this.#usage === undefined ? {} : { usage_metadata: this.#usage };
    const chunks = this.#callChunks;
    const calls = chunks.length > 0 ? collapseJs(chunks) : { tool_calls: this.#calls, invalid_tool_calls: [] };
    return { ...base, tool_call_chunks: chunks, ...id, ...usage, ...calls };
  }
}

/** What the class makes of its constructor's argument. */
function constructed({ kind, className, fields: given }: ChunkFields): JsonObject {
  const { content, content_blocks: blocks, ...others } = given;
  const isByBlocks = content === undefined && Array.isArray(blocks);
  const metadata = objectOr(given["response_metadata"]);
  const base: JsonObject = {
    content: (isByBlocks ? blocks : content) ?? [],
    ...others,
    additional_kwargs: objectOr(given["additional_kwargs"]),
    response_metadata: isByBlocks ? { output_version: "v1", ...metadata } : metadata,
  };
  if (kind !== "ai") return base;
  const chunks = listOf(given["tool_call_chunks"]);
  if (className === "AIMessage") return { ...base, ...callsOfMessage(given) };
  if (chunks.length > 0) return base;
  return { ...base, tool_calls: given["tool_calls"] ?? [], invalid_tool_calls: [], tool_call_chunks: [] };
}

function callsOfMessage({
  tool_calls: given,
  invalid_tool_calls: invalid = [],
  additional_kwargs: raw,
}: JsonObject): JsonObject {
  const rawCalls = isJsonObject(raw) ? raw["tool_calls"] : undefined;
  if (given === undefined && Array.isArray(rawCalls)) return parsedCallsJs(rawCalls);
  return { tool_calls: given ?? [], invalid_tool_calls: invalid };
}

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const sources: ReadonlySet<Json | undefined> = new Set(["url", "base64", "text", "id"]);
/** `isDataContentBlock`: blocks of version 0. */
const hasData = (content: Json): boolean =>
  Array.isArray(content) &&
  content.some(block => isJsonObject(block) && typeof block["type"] === "string" && sources.has(block["source_type"]));

const ignored: ReadonlySet<string> = new Set(["index", "created", "timestamp"]);
const lastWins: ReadonlySet<string> = new Set(["id", "name", "output_version", "model_provider"]);

const jsRules: MergeRules = {
  match: (list, item) => {
    const { index, id } = item;
    if (isMergeable(index)) {
      return list.withIndex(index).find(place => fitsJs(list.at(place), item));
    }
    return typeof id === "string" && id !== "" ? list.withId(id)[0] : undefined;
  },
  continuing: (_, item) => item,
  skips: item => isJsonObject(item) && item["text"] === "",
  scalar: (key, left, right) => {
    const isAlike = typeof left === typeof right && Array.isArray(left) === Array.isArray(right);
    if (!isAlike) throw cannotMerge(`two values of \`${key}\` have different types`);
    if (typeof left === "boolean" || key === "type" || ignored.has(key)) return left;
    if (typeof left === "number") return left + (right as number); // of one type
    if (lastWins.has(key)) return right === "" ? left : right;
    return (left as string) + (right as string); // of one type, and no other is left
  },
};

const baseOf = (type: string): string => (type.endsWith("_delta") ? type.slice(0, -6) : type);

function fitsJs(element: JsonObject, item: JsonObject): boolean {
  const { type, id } = element;
  const { type: itemType, id: itemId } = item;
  if (typeof type === "string" && typeof itemType === "string" && baseOf(type) !== baseOf(itemType)) return false;
  const hasBoth = ![id, itemId].some(each => each === undefined || each === null || each === "");
  return !hasBoth || id === itemId;
}

const details = {
  input_token_details: ["audio", "image", "video", "document", "text", "cache_read", "cache_creation"],
  output_token_details: ["audio", "image", "video", "document", "text", "reasoning"],
};

/** `mergeUsageMetadata`: sums what it knows, and drops the rest. */
function addUsage(left: Json | undefined, right: Json | undefined): JsonObject {
  const sides = [objectOr(left), objectOr(right)];
  const sum = (objects: readonly JsonObject[], key: string): number =>
    objects.reduce((total, { [key]: count }) => total + (typeof count === "number" ? count : 0), 0);
  const usage: MutableJsonObject = {};
  for (const key of ["input_tokens", "output_tokens", "total_tokens"]) usage[key] = sum(sides, key);
  for (const [member, keys] of Object.entries(details)) {
    const parts = sides.map(side => objectOr(side[member]));
    const known = keys.filter(key => parts.some(part => part[key] !== undefined));
    usage[member] = Object.fromEntries(known.map(key => [key, sum(parts, key)]));
  }
  return usage;
}
