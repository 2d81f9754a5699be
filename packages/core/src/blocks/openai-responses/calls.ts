/** Tools' calls on the Responses wire: of functions, of the client's own tools, and of the provider's with their results inside. */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { Pairing } from "../../model/pairing.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import { idSpelling, readArguments } from "../chat-parts/calls.ts";
import { idHint, type ReadScope, readId, readStatus, responses, sealOf } from "./node.ts";
import { embeddedResults, readOutcome } from "./results.ts";

/** How a type of item says a call. */
export interface CallType {
  readonly kind?: string;
  /** Absent: the wire says it. */
  readonly name?: string;
  /** Who runs it; `told`: the item says it. */
  readonly runs: "client" | "provider" | "told";
  /** The member that pairs it with its result. */
  readonly id: "call_id" | "id";
  /** Where the input is: a text, members that are the whole of it (the first that is there), or members of it. */
  readonly text?: "arguments" | "input";
  readonly whole?: readonly [string, ...string[]];
  readonly members?: readonly string[];
  /** What the ids of OpenAI's items of this type begin with. */
  readonly prefix: string;
}

export const callTypes: { readonly [type: string]: CallType } = {
  function_call: { runs: "client", id: "call_id", text: "arguments", prefix: "fc" },
  custom_tool_call: { kind: "custom", runs: "client", id: "call_id", text: "input", prefix: "ctc" },
  mcp_call: { kind: "mcp", runs: "provider", id: "id", text: "arguments", prefix: "mcp" },
  mcp_list_tools: {
    kind: "mcp-list-tools",
    name: "mcp_list_tools",
    runs: "provider",
    id: "id",
    members: [],
    prefix: "mcpl",
  },
  web_search_call: {
    kind: "web-search",
    name: "web_search",
    runs: "provider",
    id: "id",
    whole: ["action"],
    prefix: "ws",
  },
  file_search_call: {
    kind: "file-search",
    name: "file_search",
    runs: "provider",
    id: "id",
    members: ["queries"],
    prefix: "fs",
  },
  code_interpreter_call: {
    kind: "code-interpreter",
    name: "code_interpreter",
    runs: "provider",
    id: "id",
    members: ["code"],
    prefix: "ci",
  },
  image_generation_call: {
    kind: "image-generation",
    name: "image_generation",
    runs: "provider",
    id: "id",
    members: [],
    prefix: "ig",
  },
  computer_call: {
    kind: "computer",
    name: "computer",
    runs: "client",
    id: "call_id",
    whole: ["action", "actions"],
    prefix: "cu",
  },
  shell_call: { kind: "shell", name: "shell", runs: "told", id: "call_id", whole: ["action"], prefix: "sh" },
  local_shell_call: {
    kind: "local-shell",
    name: "local_shell",
    runs: "client",
    id: "call_id",
    whole: ["action"],
    prefix: "lsh",
  },
  apply_patch_call: {
    kind: "apply-patch",
    name: "apply_patch",
    runs: "client",
    id: "call_id",
    whole: ["operation"],
    prefix: "apc",
  },
  tool_search_call: {
    kind: "tool-search",
    name: "tool_search",
    runs: "told",
    id: "call_id",
    whole: ["arguments"],
    prefix: "tsc",
  },
  program: { kind: "program", name: "program", runs: "provider", id: "call_id", members: ["code"], prefix: "cm" },
};

export const typesByKind = new Map(Object.entries(callTypes).map(([type, { kind }]) => [kind, type]));

/** A call of a type that is not in the table, but says what it is of: `x_search_call`. */
export const otherCall = (type: string): CallType => ({
  kind: type.replace(/_call$/, "").replaceAll("_", "-"),
  runs: "provider",
  id: "id",
  text: "arguments",
  prefix: "",
});

/** The row of an item's type; undefined where it is no call. */
export function callTypeOf(type: string, wire: JsonObject): CallType | undefined {
  const known = rowOf(callTypes, type);
  if (known) return known;
  const isCall = type.endsWith("_call") && typeof wire["name"] === "string" && typeof wire["arguments"] === "string";
  return isCall ? otherCall(type) : undefined;
}

/** What a call says of its results. */
type Called = Pick<ToolCallPart, "kind" | "executedBy">;

/** What the calls of a list say of the results that follow them. */
export class Calls {
  readonly #pairing = new Pairing<Called>();
  readonly #ids = new Set<string>();
  /** How many messages before this one are not the assistant's. */
  #message = 0;
  /** Calls that a result without an id answers, in their order, by kind (R9). */
  readonly #nameless = new Map<string | undefined, { readonly ids: string[]; next: number }>();

  /** Ids of calls by those of their items. */
  readonly #items = new Map<string, string>();

  add({ callId, kind, executedBy, seal }: ToolCallPart, isNamed: boolean): void {
    this.#pairing.call(callId, this.#message, {
      ...(kind !== undefined && { kind }),
      ...(executedBy && { executedBy }),
    });
    this.#ids.add(callId);
    const item = seal?.values["id"];
    if (item !== undefined) this.#items.set(item, callId);
    if (isNamed) return;
    const queue = this.#nameless.get(kind);
    if (queue) queue.ids.push(callId);
    else this.#nameless.set(kind, { ids: [callId], next: 0 });
  }

  /** The call that a result of this id is about (R9): a second one is of the kind of what the first has answered. */
  answer(callId: string): Called | undefined {
    return this.#pairing.answer(callId) ?? this.#pairing.last(callId);
  }

  /** Someone else than the assistant speaks: calls that follow are of another message. */
  endMessage(): void {
    this.#message++;
  }

  /** The id of the call whose item has this id, where no call goes by it. */
  ofItem(id: string): string | undefined {
    return this.#ids.has(id) ? undefined : this.#items.get(id);
  }

  /** The call that a result without an id answers. */
  next(kind: string | undefined): string | undefined {
    const queue = this.#nameless.get(kind);
    return queue?.ids[queue.next++];
  }
}

// reading

export interface CallFrom {
  readonly type: string;
  readonly row: CallType;
  readonly path: Path;
  /** Its id where the wire has none. */
  readonly made: string;
  readonly scope: ReadScope;
  readonly calls: Calls;
}

/** A call, and its result where the item holds it (R21). */
export function readCall(wire: JsonObject, from: CallFrom): readonly [ToolCallPart, ...Part[]] | undefined {
  const { type, row, scope, calls } = from;
  const reader = new Reader(wire);
  const name = row.name ?? reader.string("name");
  if (name === undefined) return undefined;
  reader.take("type");
  const status = readStatus(reader, type, scope.form);
  const runs = runner(reader, row);
  const id = readCallId(reader, { row, made: from.made, isProvider: runs === "provider" });
  const own = row.id === "call_id" && id.isOwn ? readId(reader) : undefined;
  const unnamed = row.id === "call_id" && runs !== "provider" ? idHint(wire, scope) : {};
  const embedded = rowOf(embeddedResults, type);
  const result = readOutcome(embedded?.read(reader, scope), type, reader);
  const { hints, ...input } = readInputOf(reader, row);
  const caller = readCaller(reader);
  const call: ToolCallPart = defined<ToolCallPart>({
    type: "tool-call",
    callId: id.callId,
    name: input.name ?? name,
    input: input.input,
    inputText: input.inputText,
    kind: row.kind,
    executedBy: runs === "provider" ? runs : undefined,
    caller,
    server: row.kind?.startsWith("mcp") ? reader.string("server_label") : undefined,
    seal: sealOf({ id: own }, scope),
    // A program's call is told to be in progress until it is answered (2026-11-30).
    partial: caller !== undefined && input.input !== undefined ? undefined : status.partial,
  });
  const isOther = !Object.hasOwn(callTypes, type);
  const all = { ...status.hints, ...unnamed, ...id.hints, ...hints, ...(isOther && { $type: type }) };
  const part = { ...call, ...kept(responses, reader.rest(), all) };
  calls.add(part, id.isNamed);
  if (result) calls.answer(part.callId);
  return result ? [part, { type: "tool-result", callId: part.callId, ...result }] : [part];
}

/** Who runs the call, where the item tells it: a shell in a container, a search on the server. */
export function runner(reader: Reader, { kind, runs }: CallType): "client" | "provider" {
  if (runs !== "told") return runs;
  if (kind === "tool-search") return reader.literal("execution", "server") ? "provider" : isClients(reader);
  const environment = reader.peek("environment");
  const type = isJsonObject(environment) ? environment["type"] : undefined;
  return typeof type === "string" && type.startsWith("container") ? "provider" : "client";
}

function isClients(reader: Reader): "client" {
  reader.literal("execution", "client");
  return "client";
}

interface ReadCallId {
  readonly callId: string;
  /** Whether the item has an id beside the one that pairs. */
  readonly isOwn: boolean;
  /** Whether results name it by this id. */
  readonly isNamed: boolean;
  readonly hints: JsonObject;
}

/** A provider-run item without a `call_id` goes by its own id. */
function readCallId(
  reader: Reader,
  { row, made, isProvider }: { readonly row: CallType; readonly made: string; readonly isProvider: boolean },
): ReadCallId {
  const wire = reader.peek(row.id);
  const spelling = row.id === "id" && typeof wire === "string" && wire !== "" ? undefined : idSpelling(wire);
  const isTold = typeof wire === "string" && wire !== "";
  if (isTold || spelling !== false) reader.take(row.id);
  const hints = spelling === undefined ? {} : { [`$${row.id}`]: spelling };
  if (isTold) return { callId: wire, isOwn: true, isNamed: true, hints };
  const own = row.id === "call_id" && isProvider ? reader.string("id") : undefined;
  if (own) return { callId: own, isOwn: false, isNamed: false, hints };
  return { callId: made, isOwn: true, isNamed: false, hints };
}

interface ReadInput {
  readonly input?: Json;
  readonly inputText?: string;
  readonly name?: string | undefined;
  readonly hints: JsonObject;
}

function readInputOf(reader: Reader, row: CallType): ReadInput {
  if (row.text) return readArguments(reader, row.text === "input" ? "custom" : undefined);
  // xAI's own tools come with the name and the arguments of a function (2026-11-30).
  if (!row.whole?.includes("arguments") && typeof reader.peek("arguments") === "string") {
    return { ...readArguments(reader), name: reader.string("name"), hints: { $form: "function" } };
  }
  if (row.whole) {
    const member = row.whole.find(name => reader.peek(name) !== undefined && reader.peek(name) !== null);
    if (member === undefined) return { hints: {} };
    reader.take(member);
    const { sources, ...action } = asObject(reader.peek(member));
    const input = row.kind === "web-search" && Array.isArray(sources) ? action : (reader.peek(member) ?? null);
    return { input, hints: member === row.whole[0] ? {} : { $member: member } };
  }
  const told = (row.members ?? []).filter(name => reader.peek(name) !== undefined && reader.peek(name) !== null);
  reader.take(...told);
  const input = Object.fromEntries(told.map(name => [name, reader.peek(name) ?? null]));
  return told.length > 0 ? { input, hints: {} } : { hints: {} };
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

function readCaller(reader: Reader): string | undefined {
  const wire = reader.peek("caller");
  const isProgram =
    isJsonObject(wire) &&
    wire["type"] === "program" &&
    typeof wire["caller_id"] === "string" &&
    Object.keys(wire).length === 2;
  if (!isProgram) return undefined;
  reader.take("caller");
  return wire["caller_id"] as string; // just looked at
}
