import { copyExact, type ExactText } from "../../model/exact-text.ts";
import type { Issue } from "../../model/issue.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import type { ChunkFields } from "./chunk.ts";
import { contentBeyond } from "./fill-content.ts";
import type { ChunkMerge } from "./merge.ts";
import { matchBlock, newsOf } from "./merge-blocks.ts";
import { MergedCalls, type ReportCalls } from "./merge-calls.ts";
import { type MergeRules, Merger, type Placed, thaw, thawObject } from "./merge-values.ts";

/** Told of what is new, once it is merged, with its place in the content or among the calls. */
export interface ChunkWatch {
  readonly text: (text: string, place: number) => void;
  readonly block: Placed;
  readonly call: Placed;
}

export interface MergeOptions {
  readonly watch?: ChunkWatch;
  /** Has the spelling of the chunks' numbers, and gets that of the whole's. */
  readonly exact?: ExactText | undefined;
}

/** What the languages agree on and lose nothing by; else whatever keeps everything once. Never refuses. */
export class LosslessMerge implements ChunkMerge {
  readonly #first: ChunkFields;
  readonly #issues: Issue[];
  readonly #watch: ChunkWatch | undefined;
  readonly #exact: ExactText | undefined;
  #number = 0;
  #content: Json;
  /** Whether the text that ends the list came as one, so that the next one continues it. */
  #endsInText = false;
  readonly #blocks: Merger;
  readonly #additional: Merger;
  readonly #metadata: Merger;
  readonly #artifact: Merger;
  readonly #calls: MergedCalls;
  /** Every member but content and calls. */
  readonly #fields: MutableJsonObject;
  readonly #hasCalls: boolean;

  constructor(first: ChunkFields, issues: Issue[], { watch, exact }: MergeOptions = {}) {
    this.#first = first;
    this.#issues = issues;
    this.#watch = watch;
    this.#exact = exact;
    this.#blocks = new Merger(this.#rules("content"), exact);
    this.#additional = new Merger(this.#rules("additional_kwargs"), exact);
    this.#metadata = new Merger(this.#rules("response_metadata"), exact);
    this.#artifact = new Merger(this.#rules("artifact"), exact);
    this.#calls = new MergedCalls(this.#rules("tool_call_chunks"), exact);
    const { content, content_blocks, tool_calls, invalid_tool_calls, tool_call_chunks, ...others } = first.fields;
    this.#hasCalls = [tool_calls, invalid_tool_calls, tool_call_chunks].some(list => list !== undefined);
    this.#content = typeof (content ?? content_blocks ?? "") === "string" ? "" : [];
    this.#fields = thawObject(others, exact);
  }

  /** Takes the first chunk: apart from the construction, so that who watches has the whole to ask. */
  begin(): this {
    const { fields } = this.#first;
    this.#addContent(fields["content"] ?? fields["content_blocks"] ?? "");
    this.#calls.add(fields, this.#number, this.#watch?.call);
    return this;
  }

  add({ fields }: ChunkFields): void {
    this.#number++;
    this.#addContent(fields["content"] ?? fields["content_blocks"] ?? "");
    this.#calls.add(fields, this.#number, this.#watch?.call);
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      if (value !== undefined && value !== null && !apart.has(key)) this.#addField(key, value);
    }
  }

  /** Takes what is not told yet. */
  fill(fields: JsonObject): void {
    this.#fillContent(fields["content"] ?? fields["content_blocks"] ?? "");
    this.#calls.fill(fields, this.#number + 1);
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      const own = this.#fields[key];
      if (value === undefined || apart.has(key)) continue;
      if (own === undefined || own === null || own === "") setMember(this.#fields, key, thaw(value, this.#exact));
      else if (isJsonObject(own) && isJsonObject(value)) this.#fillObject(own as MutableJsonObject, value); // ours: a copy
    }
  }

  #fillContent(whole: Json): void {
    const own = this.#content;
    if (own === "" || (Array.isArray(own) && own.length === 0)) {
      this.#addContent(whole);
      return;
    }
    const { text, blocks, differs } = contentBeyond(own, whole);
    if (differs) this.#report(["content"], "what came first stays", this.#number + 1);
    this.#addContent(text);
    if (blocks.length === 0) return;
    const list = this.#asList(this.#content);
    this.#content = list;
    this.#endsInText = false;
    for (const block of blocks) {
      this.#blocks.append(list, block);
      this.#watch?.block(block, list.length - 1);
    }
  }

  #fillObject(own: MutableJsonObject, value: JsonObject): void {
    const others = thawObject(value, this.#exact);
    for (const key of Object.keys(others)) if (!Object.hasOwn(own, key)) setMember(own, key, others[key] ?? null);
    if (this.#exact) copyExact(this.#exact, others, own);
  }

  #addField(key: string, right: Json): void {
    const left = this.#fields[key];
    if (left === undefined || left === null) setMember(this.#fields, key, thaw(right, this.#exact));
    else if (key === "id") this.#fields["id"] = this.#pickId(left, right);
    else if (key === "type" || equalCounts(key, left, right)) return;
    else if (key === "usage_metadata") this.#fields[key] = addUsage(left, right);
    else if (key === "status") this.#fields[key] = left === "error" || right === "error" ? "error" : right;
    else if (isJsonObject(left) && isJsonObject(right)) {
      const merger = key === "additional_kwargs" ? this.#additional : this.#metadata;
      (key === "artifact" ? this.#artifact : merger).dict(left as MutableJsonObject, right); // ours: a copy
    } else if (key === "artifact" && Array.isArray(left) && Array.isArray(right)) {
      this.#artifact.list(left as Json[], right); // ours: a copy
    } else if (key === "artifact" && typeof left === "string" && typeof right === "string") {
      this.#fields[key] = left + right;
    } else if (!equalJson(left, right)) this.#report([key], "the first one stays");
  }

  #addContent(right: Json): void {
    const left = this.#content;
    if (right === "" || (Array.isArray(right) && right.length === 0)) return;
    if (typeof left === "string" && typeof right === "string") {
      this.#content = left + right;
      this.#watch?.text(right, 0);
      return;
    }
    const list = this.#asList(left);
    this.#content = list;
    if (typeof right === "string") {
      this.#addText(list, right);
      this.#watch?.text(right, list.length - 1);
    } else {
      this.#endsInText = false;
      this.#blocks.list(list, Array.isArray(right) ? right : [right], this.#watch?.block);
    }
  }

  #asList(left: Json): Json[] {
    if (Array.isArray(left)) return left as Json[]; // ours: a copy
    if (typeof left !== "string") return [left];
    return left === "" ? [] : [{ type: "text", text: left }];
  }

  #addText(list: Json[], text: string): void {
    const last = list.at(-1);
    if (typeof last === "string") list[list.length - 1] = last + text;
    else if (this.#endsInText && isJsonObject(last)) {
      (last as MutableJsonObject)["text"] = `${last["text"] as string}${text}`; // made below
    } else {
      this.#blocks.append(list, { type: "text", text });
      this.#endsInText = true;
    }
  }

  #pickId(left: Json, right: Json): Json {
    if (left === right || rankOf(right) === 0) return left;
    if (rankOf(left) === 3 && rankOf(right) === 3) this.#report(["id"], "the first one stays");
    return rankOf(right) > rankOf(left) ? right : left;
  }

  /** The content so far: it grows in place. */
  get content(): Json {
    return this.#content;
  }

  /** The fragments of calls so far, one for each call: they grow in place. */
  get callChunks(): readonly Json[] {
    return this.#calls.fragments;
  }

  fields(): JsonObject {
    const report: ReportCalls = (number, list, what) => this.#report([list], what, number);
    const { tool_calls, invalid_tool_calls, tool_call_chunks } = this.#calls.read(report);
    const isAi = this.#first.kind === "ai";
    const count = tool_calls.length + invalid_tool_calls.length + tool_call_chunks.length;
    const calls = isAi && (this.#hasCalls || count > 0) && { tool_calls, invalid_tool_calls, tool_call_chunks };
    return { content: this.#content, ...this.#fields, ...calls };
  }

  #report(path: readonly string[], what: string, number = this.#number): void {
    this.#issues.push({
      code: "chunks-differ",
      severity: "warning",
      path: [],
      wirePath: [number, ...path],
      message: `the chunks say two things of \`${path.join(".")}\`; ${what}`,
    });
  }

  #rules(area: string): MergeRules {
    return {
      match: matchBlock,
      continuing: (element, item) => {
        // A fragment is no change of what it continues.
        const news = newsOf(element, item);
        const { type, ...others } = news;
        return element["type"] === undefined && type !== undefined ? news : others;
      },
      skips: () => false,
      scalar: (key, left, right) => {
        if (left === right && isRepeated(area, key, left)) return left;
        if (typeof left === "string" && typeof right === "string") {
          if (!lastWins.has(key) && !(area === "response_metadata" && facts.has(key))) return left + right;
          if (right === "") return left;
        } else if (typeof left === "number" && typeof right === "number" && !latest.has(key)) return left + right;
        if (!isEmpty(left)) this.#report([area, key], "the later one stays");
        return thaw(right, this.#exact);
      },
    };
  }
}

const isBlank = (value: Json | undefined): boolean => value === undefined || value === null || value === "";
const isEmpty = (value: Json): boolean =>
  isBlank(value) || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Members beside content and calls are fields. */
const apart: ReadonlySet<string> = new Set([
  "content",
  "content_blocks",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
]);

const lastWins: ReadonlySet<string> = new Set([
  "id",
  "type",
  "output_version",
  "model_provider",
  "role",
  "format",
  "index",
]);
/** What an answer says once, however often. */
const facts: ReadonlySet<string> = new Set([
  "finish_reason",
  "stop_reason",
  "stop_sequence",
  "model",
  "model_name",
  "model_id",
  "name",
  "object",
  "service_tier",
  "status",
  "system_fingerprint",
]);
const latest: ReadonlySet<string> = new Set(["index", "created", "created_at", "timestamp", "expires_at"]);

/** Whether the same value again is a repetition, and not two pieces that happen to be alike. */
const isRepeated = (area: string, key: string, value: Json): boolean =>
  typeof value !== "string" || area === "response_metadata" || key === "name" || lastWins.has(key);

/** 3: the provider's; 2: of a run; 1: another that LangChain made; 0: none. */
function rankOf(id: Json): number {
  if (typeof id !== "string" || id === "") return 0;
  if (id.startsWith("lc_run-") || id.startsWith("run-")) return 2;
  return id.startsWith("lc_") ? 1 : 3;
}

const equalCounts = (key: string, left: Json, right: Json): boolean =>
  key !== "usage_metadata" && key !== "artifact" && typeof left !== "object" && left === right;

/** Sums of every count there is, known or not. */
function addUsage(left: Json, right: Json): Json {
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (!isJsonObject(left) || !isJsonObject(right)) return right ?? left;
  const sum: MutableJsonObject = { ...left };
  for (const key of Object.keys(right)) {
    const value = right[key];
    const own = Object.hasOwn(sum, key) ? sum[key] : undefined;
    if (value === undefined || value === null) continue;
    setMember(sum, key, own === undefined || own === null ? value : addUsage(own, value));
  }
  return sum;
}
