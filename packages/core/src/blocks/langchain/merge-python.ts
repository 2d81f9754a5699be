import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { ChunkFields, ChunkKind } from "./chunk.ts";
import { readPython } from "./chunk-calls.ts";
import type { ChunkMerge } from "./merge.ts";
import { cannotMerge } from "./merge-refusal.ts";
import { type MergeRules, Merger, thaw, thawObject } from "./merge-values.ts";
import { text } from "./text.ts";

/** As `+` of langchain-core 1.6.5 merges, 2026-11-30: chunks added one after another. */
export class PythonMerge implements ChunkMerge {
  readonly #kind: ChunkKind;
  readonly #className: string;
  readonly #first: JsonObject;
  readonly #merger = new Merger(pythonRules);
  #content: Json;
  readonly #additional: MutableJsonObject;
  readonly #metadata: MutableJsonObject;
  #callChunks: Json[];
  #usage: JsonObject | undefined;
  readonly #ids: Json[];
  #isLast: boolean;
  #artifact: Json;
  #status: Json;

  constructor({ kind, className, fields }: ChunkFields) {
    this.#kind = kind;
    this.#className = className ?? classNames[kind];
    this.#first = fields;
    this.#content = thaw(fields["content"] ?? fields["content_blocks"] ?? "");
    this.#additional = thawObject(objectOr(fields["additional_kwargs"]));
    this.#metadata = thawObject(objectOr(fields["response_metadata"]));
    this.#callChunks = kind === "ai" ? chunksOf(fields) : [];
    this.#usage = usageOf(fields);
    this.#ids = [fields["id"] ?? null];
    this.#isLast = fields["chunk_position"] === "last";
    this.#artifact = thaw(fields["artifact"] ?? null);
    this.#status = fields["status"] ?? "success";
    this.#finish();
  }

  add(chunk: ChunkFields): void {
    const { kind, fields } = chunk;
    this.#check(chunk);
    this.#addContent(fields["content"] ?? fields["content_blocks"] ?? "");
    this.#merger.dict(this.#additional, objectOr(fields["additional_kwargs"]));
    this.#merger.dict(this.#metadata, objectOr(fields["response_metadata"]));
    if (this.#kind === "ai" && kind !== "ai") this.#forget();
    else if (this.#kind === "ai") this.#addAi(fields);
    else if (this.#kind === "tool") this.#addResult(fields);
    this.#finish();
  }

  #check({ kind, className, fields }: ChunkFields): void {
    const others = [className, this.#className].filter(name => name !== undefined && !name.endsWith("Chunk"));
    if (others.length > 0) throw cannotMerge(`${others.join(" and ")} is no chunk`);
    if (kind !== this.#kind) return;
    const key = mustAgree[kind];
    if (key && !equalJson(fields[key] ?? null, this.#first[key] ?? null)) {
      throw cannotMerge(`two values of \`${key}\` differ`);
    }
  }

  #addContent(right: Json): void {
    const left = this.#content;
    if (typeof left === "string") {
      if (typeof right === "string") this.#content = left + right;
      else this.#content = [left, ...(Array.isArray(right) ? right.map(each => thaw(each)) : [])];
      return;
    }
    const list = left as Json[]; // text or a list of ours
    if (Array.isArray(right)) this.#merger.list(list, right);
    else if (typeof right === "string") {
      const last = list.at(-1);
      if (typeof last === "string") list[list.length - 1] = last + right;
      // What is added to an empty list is lost.
      else if (right !== "" && list.length > 0) this.#merger.append(list, right);
    }
  }

  /** Plus a chunk of another class: only what every message has is kept. */
  #forget(): void {
    this.#callChunks = [];
    this.#usage = undefined;
    this.#isLast = false;
    this.#ids.length = 1;
  }

  #addAi(fields: JsonObject): void {
    this.#merger.list(this.#callChunks, chunksOf(fields));
    const usage = usageOf(fields);
    if (this.#usage === undefined) this.#usage = usage;
    else if (usage !== undefined) this.#usage = addCounts(this.#usage, usage);
    this.#ids.push(fields["id"] ?? null);
    this.#isLast ||= fields["chunk_position"] === "last";
  }

  #addResult(fields: JsonObject): void {
    if (fields["status"] === "error") this.#status = "error";
    this.#artifact = this.#mergeArtifacts(this.#artifact, fields["artifact"] ?? null);
  }

  #mergeArtifacts(left: Json, right: Json): Json {
    if (left === null || right === null) return left ?? thaw(right);
    if (typeof left === "string" && typeof right === "string") return left + right;
    if (Array.isArray(left) && Array.isArray(right))
      this.#merger.list(left as Json[], right); // ours: a copy
    else if (isJsonObject(left) && isJsonObject(right))
      this.#merger.dict(left as MutableJsonObject, right); // ours: a copy
    else if (left !== right) throw cannotMerge("artifacts that differ");
    return left;
  }

  /** With the last chunk of a version 1 message the calls inside its content are read. */
  #finish(): void {
    const content = this.#content;
    if (!this.#isLast || this.#metadata["output_version"] !== "v1" || !Array.isArray(content)) return;
    const calls = new Map(
      readPython(this.#callChunks).tool_calls.map(call => [isJsonObject(call) ? call["id"] : null, call]),
    );
    const list = content as Json[]; // ours: a copy
    for (const [place, block] of list.entries()) if (isJsonObject(block)) list[place] = finished(block, calls);
  }

  fields(): JsonObject {
    const { name = null, role, tool_call_id } = this.#first;
    const isNamed = this.#kind === "function";
    const base: JsonObject = {
      content: this.#content,
      additional_kwargs: this.#additional,
      response_metadata: this.#metadata,
      type: this.#className,
      name: isNamed ? name : null,
      id: this.#kind === "ai" ? bestId(this.#ids) : asId(this.#ids[0]),
    };
    switch (this.#kind) {
      case "ai": {
        const { tool_call_chunks, ...calls } = readPython(this.#callChunks);
        const position = this.#isLast ? "last" : null;
        return { ...base, ...calls, usage_metadata: this.#usage ?? null, tool_call_chunks, chunk_position: position };
      }
      case "tool":
        return { ...base, tool_call_id: tool_call_id ?? null, artifact: this.#artifact, status: this.#status };
      case "chat":
        return { ...base, role: role ?? null };
      default:
        return base;
    }
  }
}

const classNames: { readonly [kind in ChunkKind]: string } = {
  ai: "AIMessageChunk",
  human: "HumanMessageChunk",
  system: "SystemMessageChunk",
  tool: "ToolMessageChunk",
  chat: "ChatMessageChunk",
  function: "FunctionMessageChunk",
};

const mustAgree: { readonly [kind in ChunkKind]?: string } = {
  tool: "tool_call_id",
  chat: "role",
  function: "name",
};

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const objectsOf = (value: Json | undefined): readonly JsonObject[] => listOf(value).filter(isJsonObject);

/** Of its `UsageMetadata`: an empty one counts as none. */
function usageOf({ usage_metadata: usage }: JsonObject): JsonObject | undefined {
  return isJsonObject(usage) && Object.keys(usage).length > 0 ? usage : undefined;
}

/** What the constructor makes of the calls that a chunk has in one of its four forms. */
function chunksOf(fields: JsonObject): Json[] {
  const chunks = objectsOf(fields["tool_call_chunks"]);
  if (chunks.length > 0) return chunks.map(({ name, args, id, index }) => callChunk({ name, args, id, index }));
  const calls = objectsOf(fields["tool_calls"]);
  const invalid = objectsOf(fields["invalid_tool_calls"]);
  if (calls.length + invalid.length > 0) {
    return [
      ...calls.map(({ name, args, id }) => callChunk({ name, args: dumps(args ?? {}), id })),
      ...invalid.map(({ name, args, id }) => callChunk({ name, args, id })),
    ];
  }
  return objectsOf(objectOr(fields["additional_kwargs"])["tool_calls"]).map(({ function: called, id, index }) => {
    const { name, arguments: args } = objectOr(called);
    return callChunk({ name, args, id, index });
  });
}

const callChunk = (of: { readonly [member: string]: Json | undefined }): Json => ({
  name: of["name"] ?? null,
  args: of["args"] ?? null,
  id: of["id"] ?? null,
  index: of["index"] ?? null,
  type: "tool_call_chunk",
});

/** `json.dumps`. */
const dumps = (value: Json): string =>
  text.stringify(value, { shape: "message", dialect: "python-lc", style: "dumps" });

function finished(block: JsonObject, calls: ReadonlyMap<Json | undefined, Json>): Json {
  const { type, id, args, extras } = block;
  if (type === "tool_call_chunk") {
    const call = id ? calls.get(id) : undefined;
    if (!isJsonObject(call)) return block;
    const { name = null, args: read = null, id: callId = null } = call;
    return { type: "tool_call", name, args: read, id: callId, ...(extras !== undefined && { extras }) };
  }
  if ((type !== "server_tool_call" && type !== "server_tool_call_chunk") || typeof args !== "string") return block;
  try {
    const read = JSON.parse(args) as Json; // JSON.parse gives JSON
    return isJsonObject(read) ? { ...block, type: "server_tool_call", args: read } : block;
  } catch {
    return block;
  }
}

const asId = (id: Json | undefined): Json => (typeof id === "number" ? `${id}` : (id ?? null));

/** An id of the provider's goes before one of a run, and that before any other of LangChain's. */
export function bestId(ids: readonly Json[]): Json {
  const told = ids.map(asId).filter(id => typeof id === "string" && id !== "") as string[]; // only texts are left
  return told.find(id => !id.startsWith("lc_")) ?? told.find(id => id.startsWith("lc_run-")) ?? told[0] ?? null;
}

/** Sums of whole numbers at any depth, of the members of both. */
function addCounts(left: JsonObject, right: JsonObject): JsonObject {
  const sum: MutableJsonObject = {};
  for (const key of [...new Set([...Object.keys(left), ...Object.keys(right)])]) {
    const [a, b] = [left[key], right[key]];
    const areCounts = [a ?? 0, b ?? 0].every(count => Number.isInteger(count));
    if (a !== null && b !== null && areCounts) sum[key] = Number(a ?? 0) + Number(b ?? 0);
    else if (isJsonObject(a ?? {}) && isJsonObject(b ?? {}) && a !== null && b !== null) {
      sum[key] = addCounts(objectOr(a), objectOr(b));
    } else throw cannotMerge(`\`${key}\` of the usage is no whole number`);
  }
  return sum;
}

const agreeing: ReadonlySet<string> = new Set(["id", "output_version", "model_provider"]);
const latest: ReadonlySet<string> = new Set(["index", "created", "timestamp"]);
const isBlank = (id: Json | undefined): boolean => id === undefined || id === null || id === "";

const pythonRules: MergeRules = {
  match: (list, { index, id }) => {
    const merges = Number.isInteger(index) || (typeof index === "string" && index.startsWith("lc_"));
    if (!merges) return undefined;
    return list.withIndex(index as number | string).find(place => {
      // as just tested
      const known = list.at(place)["id"];
      return isBlank(known) || isBlank(id) || known === id;
    });
  },
  continuing: (element, item) => {
    const { type: _, ...others } = item;
    const { value } = item;
    if (item["type"] !== "non_standard" || !isJsonObject(value) || !element["type"]) return others;
    const { type: __, ...members } = value;
    if (element["type"] !== "non_standard") return { extras: members };
    return { value: members, ...(item["index"] !== undefined && { index: item["index"] }) };
  },
  skips: () => false,
  scalar: (key, left, right) => {
    if (typeName(left) !== typeName(right)) throw cannotMerge(`two values of \`${key}\` have different types`);
    if (typeof left === "string") {
      const isKept = (key === "index" && left.startsWith("lc_")) || (agreeing.has(key) && left === right);
      return isKept ? left : left + (right as string); // of one type
    }
    if (left === right) return left;
    if (typeName(left) !== "int") throw cannotMerge(`two values of \`${key}\` differ`);
    return latest.has(key) ? right : (left as number) + (right as number); // of one type
  },
};

/** JSON does not tell 1.0 from 1: what is whole counts as an int. */
const typeName = (value: Json): string => {
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return Array.isArray(value) ? "list" : typeof value;
};
