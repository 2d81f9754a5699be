/** How LangChain's two languages spell the members of a content block, and the reader and writer that know both. */

import { saidIn } from "../../codec/hints.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, remainderOf } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Node } from "../../model/parts.ts";

/** Family of the blocks that are LangChain's own, and of the hints on all others. */
export const langchainContent = "langchain";

export type Language = "python" | "js";

/** What a message says about its content. */
export interface ContentAbout {
  /** The language whose spelling is written, and expected first. */
  readonly language: Language;
  /** `response_metadata.model_provider`: who made the seals. */
  readonly modelProvider?: string | undefined;
  /** `response_metadata.output_version`: under `v1` calls stand in the content. */
  readonly outputVersion?: string | undefined;
  /** The message's role or type, as the wire has it. */
  readonly role: string;
}

/** Reports something that a block cannot say, by the codes of `contentLosses`. */
export type LoseContent = (code: keyof typeof contentLosses, path: Path, detail?: string) => void;

export const contentLosses = {
  "file-source": { kind: "dropped", note: "a content block has no place for a file of this source" },
  "file-member": { kind: "dropped", note: "a content block has no place for this member of a file" },
  "media-type": { kind: "approximated", note: "the media type is not said, or as the nearest that there is" },
  "cache-ttl": { kind: "dropped", note: "the cache breakpoint is written without its lifetime" },
  "text-file": { kind: "flattened", note: "a text document is written as text" },
  "tool-kind": { kind: "approximated", note: "the kind of the tool is told by its name alone" },
  "tool-member": { kind: "dropped", note: "a content block has no place for this member of a call or result" },
  "tool-open": {
    kind: "approximated",
    note: "a provider's call whose arguments are no object is read as one that is still being written",
  },
  "tool-input": { kind: "approximated", note: "a call's arguments are written as an object" },
  "result-output": { kind: "flattened", note: "the output is written as one JSON value" },
  "no-block": { kind: "dropped", note: "LangChain's content has no block for this part" },
  "foreign-members": { kind: "dropped", note: "members of another family's block have no place in LangChain's own" },
  "citation-place": {
    kind: "dropped",
    note: "the range of the text that a citation stands under is not said beside its place in the source",
  },
  envelope: {
    kind: "approximated",
    note: "what the provider says around its answer stands in `response_metadata`, where it is read as LangChain's own",
  },
  "summary-mark": {
    kind: "approximated",
    note: "reasoning is a summary where OpenAI made it, else its text",
  },
} as const;

/** Where a block stands in the conversation, and who is told what it cannot say. */
export interface Report {
  readonly path: Path;
  readonly lose: LoseContent;
}

/** Members of other families' nodes, which a block of this family does not have. */
export function reportForeign({ native }: Node, family: string, { path, lose }: Report): void {
  for (const other of Object.keys(native ?? {})) {
    if (other === family || other === langchainContent) continue;
    const names = saidIn(native?.[other] ?? {}).map(({ name }) => name);
    if (names.length > 0) lose("foreign-members", [...path, "native", other], names.join(", "));
  }
}

/** Where each thing may stand, by language; the first is where it is written. `a.b` = within the object `a`. */
const places = {
  mediaType: { python: ["mime_type", "mimeType"], js: ["mimeType", "mime_type"] },
  data: { python: ["base64", "data"], js: ["data", "base64"] },
  fileId: { python: ["file_id", "fileId"], js: ["fileId", "file_id"] },
  fileName: {
    python: [
      "extras.filename",
      "filename",
      "metadata.filename",
      "extras.name",
      "name",
      "metadata.name",
      "extras.title",
    ],
    js: ["metadata.filename", "metadata.name", "metadata.title", "filename", "name", "extras.filename"],
  },
  title: { python: ["title", "extras.title", "extras.filename"], js: ["title", "metadata.title", "metadata.filename"] },
  detail: {
    python: ["extras.detail", "detail", "metadata.detail"],
    js: ["metadata.detail", "detail", "extras.detail"],
  },
  transcript: { python: ["extras.transcript", "transcript"], js: ["transcript", "extras.transcript"] },
  resultOf: { python: ["tool_call_id", "toolCallId"], js: ["toolCallId", "tool_call_id"] },
  itemId: { python: ["extras.item_id"], js: ["extras.item_id"] },
  toolName: { python: ["extras.tool_name"], js: ["extras.tool_name"] },
  server: {
    python: ["extras.server_label", "extras.server_name", "server_label"],
    js: ["extras.server_label", "extras.server_name", "server_label"],
  },
  signature: { python: ["extras.signature", "signature"], js: ["signature", "extras.signature"] },
  thoughtSignature: {
    python: ["extras.signature", "extras.thought_signature", "thought_signature", "thoughtSignature", "signature"],
    js: ["thoughtSignature", "signature", "thought_signature", "extras.signature", "extras.thought_signature"],
  },
  encrypted: {
    python: ["encrypted_content", "extras.encrypted_content"],
    js: ["encrypted_content", "extras.encrypted_content"],
  },
  redacted: { python: ["extras.redacted"], js: ["extras.redacted"] },
  seal: { python: ["extras.translogue"], js: ["extras.translogue"] },
  cache: { python: ["cache_control", "extras.cache_control"], js: ["cache_control", "extras.cache_control"] },
  phase: { python: ["extras.phase", "phase"], js: ["extras.phase", "phase"] },
  annotationStart: { python: ["start_index", "startIndex"], js: ["startIndex", "start_index"] },
  annotationEnd: { python: ["end_index", "endIndex"], js: ["endIndex", "end_index"] },
  citedText: { python: ["cited_text", "citedText"], js: ["citedText", "cited_text"] },
  citedFile: {
    python: ["extras.file_id", "file_id", "fileId"],
    js: ["fileId", "file_id", "extras.file_id"],
  },
  citedName: { python: ["extras.filename", "filename"], js: ["extras.filename", "filename"] },
  encryptedIndex: {
    python: ["extras.encrypted_index", "encrypted_index"],
    js: ["extras.encrypted_index", "encrypted_index"],
  },
} as const satisfies { readonly [thing: string]: { readonly [L in Language]: readonly string[] } };

type Thing = keyof typeof places;

const isText = (value: Json): value is string => typeof value === "string";

/**
 * Reads a block. What stands where the language does not write it is remembered, and is written there again in the same
 * language; in the other it is written as that one does (R1).
 */
export class BlockReader extends Reader {
  readonly about: ContentAbout;
  readonly #odd: string[] = [];
  readonly #inner = new Map<string, Reader>();

  constructor(value: JsonObject, about: ContentAbout) {
    super(value);
    this.about = about;
  }

  /** The thing, wherever it stands. */
  find<T extends Json>(thing: Thing, is: (value: Json) => value is T): T | undefined {
    const list: readonly string[] = places[thing][this.about.language];
    for (const place of list) {
      const value = this.#at(place, is);
      if (value === undefined) continue;
      if (place !== list[0]) this.note(place);
      return value;
    }
    return undefined;
  }

  findText(thing: Thing): string | undefined {
    return this.find(thing, isText);
  }

  /** Remembers a spelling that is not the language's own. */
  note(spelling: string): void {
    this.#odd.push(spelling);
  }

  #at<T extends Json>(place: string, is: (value: Json) => value is T): T | undefined {
    const [holder = "", key] = place.split(".");
    if (key === undefined) return this.member(holder, is);
    return this.inner(holder)?.member(key, is);
  }

  /** The reader of an object within the block: what it does not take is left, in the object. */
  inner(name: string): Reader | undefined {
    const known = this.#inner.get(name);
    if (known) return known;
    const value = this.peek(name);
    if (!isJsonObject(value) || Object.keys(value).length === 0) return undefined;
    const inner = new Reader(value);
    this.#inner.set(name, inner);
    return inner;
  }

  override rest(): JsonObject | undefined {
    const rest: MutableJsonObject = { ...super.rest() };
    for (const [name, inner] of this.#inner) {
      const left = inner.rest();
      if (!left) delete rest[name];
      else if (Object.keys(left).length < Object.keys(inner.value).length) setMember(rest, name, left);
    }
    return Object.keys(rest).length > 0 ? rest : undefined;
  }

  /** What is left for `native`, with the spellings that are not the language's own. */
  ending(hints: JsonObject = {}, family: string = langchainContent): Pick<Node, "native"> {
    const own = { ...(this.#odd.length > 0 && { [`$${this.about.language}`]: this.#odd }) };
    if (family === langchainContent) return kept(family, this.rest(), { ...hints, ...own });
    const left = kept(family, this.rest());
    const ours = kept(langchainContent, undefined, { ...hints, ...own });
    return left.native || ours.native ? { native: { ...left.native, ...ours.native } } : {};
  }
}

/** Writes the members of a block, each where the language has it, or where the block had it. */
export class BlockWriter {
  readonly about: ContentAbout;
  readonly #node: Node;
  readonly #odd: readonly Json[];
  readonly #fields: MutableJsonObject = {};

  constructor(node: Node, about: ContentAbout) {
    this.about = about;
    this.#node = node;
    const odd = hintsOf(node, langchainContent)[`$${about.language}`];
    this.#odd = Array.isArray(odd) ? odd : [];
  }

  /** Whether the block had this spelling, in the language that is written. */
  had(spelling: string): boolean {
    return this.#odd.includes(spelling);
  }

  set(key: string, value: Json | undefined): this {
    if (value !== undefined) setMember(this.#fields, key, value);
    return this;
  }

  /** Sets members of an object within the block. */
  within(holder: string, members: { readonly [key: string]: Json | undefined }): this {
    const held = this.#fields[holder];
    const inner: MutableJsonObject = isJsonObject(held) ? { ...held } : {};
    for (const key of Object.keys(members)) {
      const value = members[key];
      if (value !== undefined) setMember(inner, key, value);
    }
    return this.set(holder, inner);
  }

  put(thing: Thing, value: Json | undefined): this {
    if (value === undefined) return this;
    const list: readonly string[] = places[thing][this.about.language];
    const place = list.find(option => this.had(option)) ?? list[0] ?? thing;
    const [holder = "", key] = place.split(".");
    return key === undefined ? this.set(holder, value) : this.within(holder, { [key]: value });
  }

  /** The block: the members that were set, then what the node has kept of it. */
  block(family: string = langchainContent): JsonObject {
    return fillAll(this.#fields, remainderOf(this.#node, family));
  }
}
