import { toolTypes } from "../../blocks/gemini/calls.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Seal, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { type ResultForm, readOutput, writeOutput } from "./results.ts";
import { family, type Located, type ReadScope, sealOf, type WriteScope } from "./wire.ts";

/** A kind of tool: its steps are `x_call` and `x_result`. */
interface ToolType {
  readonly call: string;
  readonly result: string;
  readonly kind?: string;
  /** Absent: the wire says it. */
  readonly name?: string;
  readonly isProviders: boolean;
  readonly form: ResultForm;
  /** Whether arguments of this form are such a call's, wherever it was read. */
  fits(input: Json | undefined): boolean;
}

const isTexts = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every(item => typeof item === "string");
const hasOnly = (input: Json | undefined, members: { readonly [name: string]: (value: Json) => boolean }): boolean =>
  isJsonObject(input) &&
  Object.keys(input).every(name => {
    const is = rowOf(members, name);
    return is?.(input[name] ?? null);
  });
const isQueries = (input: Json | undefined): boolean => input === undefined || hasOnly(input, { queries: isTexts });
const isText = (value: Json): boolean => typeof value === "string";

/** The provider's own tools under the names that they have everywhere. */
const own = (type: keyof typeof toolTypes & string): { readonly name: string; readonly kind: string } =>
  toolTypes[type] ?? { name: type, kind: type };

type About = Pick<ToolType, "kind" | "name" | "fits"> & Partial<Pick<ToolType, "form">>;

const tool = (prefix: string, about: About): ToolType => ({
  call: `${prefix}_call`,
  result: `${prefix}_result`,
  isProviders: true,
  form: "found",
  ...about,
});

const types: readonly ToolType[] = [
  { call: "function_call", result: "function_result", isProviders: false, form: "said", fits: () => true },
  tool("mcp_server_tool", { kind: "mcp", form: "said", fits: isJsonObject }),
  tool("code_execution", {
    form: "said",
    name: "code_execution",
    kind: "code-interpreter",
    fits: input => hasOnly(input, { code: isText, language: isText }),
  }),
  tool("google_search", { ...own("GOOGLE_SEARCH_WEB"), fits: isQueries }),
  tool("url_context", {
    ...own("URL_CONTEXT"),
    fits: input => input === undefined || hasOnly(input, { urls: isTexts }),
  }),
  tool("file_search", { ...own("FILE_SEARCH"), fits: input => input === undefined }),
  tool("google_maps", { ...own("GOOGLE_MAPS"), fits: isQueries }),
  tool("retrieval", { name: "retrieval", kind: "retrieval", fits: isQueries }),
  tool("processing", { name: "processing", kind: "processing", fits: input => input === undefined }),
];

const byCall = new Map(types.map(type => [type.call, type]));
const byResult = new Map(types.map(type => [type.result, type]));

export const isCallType = (type: Json | undefined): boolean => typeof type === "string" && byCall.has(type);
export const isResultType = (type: Json | undefined): boolean => typeof type === "string" && byResult.has(type);

/** Whose turn a call or a result is in. */
export const sideOf = (type: string): "assistant" | "tool" => (type === "function_result" ? "tool" : "assistant");

export interface StepFrom {
  readonly index: number;
  readonly path: Path;
  readonly scope: ReadScope;
}

const madeId = ({ index, scope }: StepFrom): string => `~${scope.made === undefined ? "" : `${scope.made}.`}${index}`;

/** An id, or one made for it; how it was missing is a hint. */
function readId(reader: Reader, member: string): { readonly id: string | undefined; readonly hints: JsonObject } {
  const id = reader.peek(member);
  if (typeof id === "string" && id !== "") {
    reader.take(member);
    return { id, hints: {} };
  }
  if (id === null || id === "") reader.take(member);
  return { id: undefined, hints: { $id: id === null || id === "" ? id : false } };
}

/** "" says that there is none, and stays. */
export function readSeal(reader: Reader, { route }: ReadScope): Seal | undefined {
  const signature = reader.peek("signature");
  if (typeof signature !== "string" || signature === "") return undefined;
  reader.take("signature");
  return sealOf(signature, route);
}

/** A call of a function, or of a tool that the provider runs. */
export function readCall(wire: JsonObject, type: string, from: StepFrom): ToolCallPart | undefined {
  const row = byCall.get(type);
  const reader = new Reader(wire);
  reader.take("type");
  const name = row?.name ?? reader.string("name");
  if (!row || name === undefined) return undefined;
  const { id, hints: spelled } = readId(reader, "id");
  const args = readArguments(reader, row);
  const call = defined<ToolCallPart>({
    type: "tool-call",
    callId: id ?? madeId(from),
    name,
    ...args.input,
    kind: row.kind,
    executedBy: row.isProviders ? "provider" : undefined,
    server: row.isProviders ? reader.string("server_name") : undefined,
    seal: readSeal(reader, from.scope),
    ...kept(family, reader.rest(), { ...spelled, ...args.hints, ...(row.isProviders && { $type: type }) }),
  });
  from.scope.calls.add(call, id !== undefined);
  return call;
}

/** Arguments are an object; a text of them is read as others write it. */
function readArguments(
  reader: Reader,
  { isProviders }: ToolType,
): { readonly input: Pick<ToolCallPart, "input" | "inputText">; readonly hints: JsonObject } {
  const input = reader.object("arguments");
  if (input) return { input: { input }, hints: {} };
  const text = reader.string("arguments");
  if (text !== undefined) return { input: readInput(text), hints: { $arguments: "text" } };
  return { input: {}, hints: isProviders || reader.peek("arguments") !== undefined ? {} : { $arguments: false } };
}

/** What a tool returned. */
export function readResult(wire: JsonObject, type: string, from: StepFrom): ToolResultPart | undefined {
  const row = byResult.get(type);
  if (!row) return undefined;
  const { scope } = from;
  const reader = new Reader(wire);
  reader.take("type");
  const { id, hints: spelled } = readId(reader, "call_id");
  const callId = id ?? scope.calls.next(row.kind) ?? madeId(from);
  const isKnown = scope.calls.has(callId) && scope.calls.kindOf(callId) === row.kind;
  const output = readOutput(reader, row.form, from);
  return defined<ToolResultPart>({
    type: "tool-result",
    callId,
    name: row.name === undefined ? reader.string("name") : undefined,
    kind: isKnown ? undefined : row.kind,
    output: output.parts,
    outcome: reader.literal("is_error", true) ? "error" : undefined,
    seal: readSeal(reader, scope),
    ...kept(family, reader.rest(), { ...spelled, ...output.hints, ...(row.isProviders && { $type: type }) }),
  });
}

// writing

/** The row of a call; undefined where it is another provider's own. */
function rowOfCall(part: ToolCallPart): ToolType | undefined {
  if (part.executedBy === undefined) return types[0];
  const { $type: told } = hintsOf(part, family);
  const read = typeof told === "string" ? byCall.get(told) : undefined;
  if (read?.isProviders && read.kind === part.kind) return read;
  return types.find(
    ({ isProviders, kind, name, fits }) =>
      isProviders && kind === part.kind && (name ?? part.name) === part.name && fits(part.input),
  );
}

/** Undefined = the wire has no such call, which is reported. */
export function writeCall(place: Located<ToolCallPart>, scope: WriteScope): JsonObject | undefined {
  const { part, path } = place;
  const row = rowOfCall(part);
  if (!row) {
    scope.lose("server-tool", path, part.name);
    return undefined;
  }
  if (row.name !== undefined && row.name !== part.name) scope.lose("tool-name", [...path, "name"], part.name);
  if (part.kind !== row.kind) scope.lose("call-kind", [...path, "kind"], part.kind);
  if (part.server !== undefined && !row.isProviders) scope.lose("call-kind", [...path, "server"], part.server);
  const fields = present({
    id: writeId(part, scope),
    type: row.call,
    name: row.name === undefined ? part.name : undefined,
    server_name: row.isProviders ? part.server : undefined,
    arguments: writeArguments(place, row, scope),
    signature: signatureOf(place, scope),
  });
  return restored(fields, part, family);
}

/** Made ids of calls without one are not written where no result names them. */
function writeId(part: ToolCallPart | ToolResultPart, { named }: WriteScope): Json | undefined {
  const { $id: spelled } = hintsOf(part, family);
  if (spelled === undefined || named.has(part.callId)) return part.callId;
  return spelled === false ? undefined : spelled;
}

function writeArguments({ part, path }: Located<ToolCallPart>, row: ToolType, scope: WriteScope): Json | undefined {
  const { input, inputText } = part;
  const { $arguments: told } = hintsOf(part, family);
  if (told === "text" && (input !== undefined || inputText !== undefined)) return inputTextOf(part);
  if (isJsonObject(input)) return input;
  if (input !== undefined) {
    scope.lose("arguments", [...path, "input"]);
    return { input };
  }
  if (inputText !== undefined) scope.lose("arguments-text", [...path, "inputText"]);
  if (row.isProviders && inputText === undefined) return undefined;
  if (told === false || Object.hasOwn(hintsOf(part, family), "arguments")) return undefined;
  if (inputText === undefined) scope.lose("no-arguments", path);
  return {};
}

/** The signature that a step says: Google's alone, and nothing else of a seal. */
export function signatureOf({ part, path }: Located, scope: WriteScope): string | undefined {
  const { seal } = part;
  if (!seal) return undefined;
  const { thoughtSignature, ...others } = seal.values;
  const place = [...path, "seal"];
  if (seal.maker !== "google" || thoughtSignature === undefined || thoughtSignature === "") {
    scope.lose("foreign-seal", place, seal.maker);
    return undefined;
  }
  if (Object.keys(others).length > 0) scope.lose("seal-value", place, Object.keys(others).join(", "));
  if (seal.model !== undefined || seal.route !== scope.route) scope.lose("seal-origin", place);
  return thoughtSignature;
}

/** Undefined = the wire has no such result, which is reported. `isModels`: it stands among what the model said. */
export function writeResult(
  place: Located<ToolResultPart>,
  scope: WriteScope,
  isModels: boolean,
): JsonObject | undefined {
  const { part, path } = place;
  const row = rowOfResult(part, scope, isModels);
  if (!row) {
    scope.lose("server-tool", path, part.name);
    return undefined;
  }
  const call = scope.callOf(part);
  const read = call && rowOfCall(call)?.kind === row.kind ? undefined : row.kind;
  if (part.kind !== read) scope.lose("result-kind", [...path, "kind"], part.kind);
  if (part.name !== undefined && row.name !== undefined) scope.lose("result-name", [...path, "name"], part.name);
  if (part.outcome !== undefined && part.outcome !== "error") {
    scope.lose("outcome", [...path, "outcome"], part.outcome);
  }
  const fields = present({
    call_id: writeId(part, scope),
    type: row.result,
    name: row.name === undefined ? part.name : undefined,
    is_error: part.outcome === undefined ? undefined : true,
    result: writeOutput(place, row.form, scope),
    signature: signatureOf(place, scope),
  });
  return restored(fields, part, family);
}

/** A result is of its call's kind; one that is alone says its own. */
function rowOfResult(part: ToolResultPart, { callOf }: WriteScope, isModels: boolean): ToolType | undefined {
  const call = callOf(part);
  if (call) return rowOfCall(call);
  const { $type: told } = hintsOf(part, family);
  const read = typeof told === "string" ? byResult.get(told) : undefined;
  if (read?.isProviders && read.kind === part.kind) return read;
  return isModels && part.kind !== undefined ? undefined : types[0];
}
