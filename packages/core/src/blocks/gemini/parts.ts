/** Google's parts → parts. */

import type { DecodeContext } from "../../codec/codec.ts";
import { at, defined, rowOf } from "../../codec/reader.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Part, PartOf, Seal } from "../../model/parts.ts";
import { codeTool, type OpenCalls, readCallId, toolTypes } from "./calls.ts";
import { isKind } from "./media.ts";
import { gemini, isUrlSignature, NodeReader } from "./node.ts";
import { readResponse } from "./responses.ts";

/** What the parts of one content share. */
export interface PartScope {
  readonly context: DecodeContext;
  readonly path: Path;
  /** What made ids begin with, after their `~`. */
  readonly made: string;
  readonly open: OpenCalls;
  /** Host whose signatures no other takes, where it is known. */
  readonly route: string | undefined;
  /** Results of functions stand here as those of the provider's tools do. */
  readonly isModel: boolean;
}

interface Place {
  readonly scope: PartScope;
  readonly index: number;
  readonly seal: { readonly seal?: Seal };
}

type ReadPart = (reader: NodeReader, place: Place) => Part | undefined;

/** A part of whatever kind; one that is not known stays as it is (R4). */
export function readPart(wire: Json, index: number, scope: PartScope): Part {
  const reader = isJsonObject(wire) ? new NodeReader(wire) : undefined;
  // Python's SDK stores what a part is not as null.
  const kinds = reader ? members.filter(([name]) => (reader.peek(name) ?? null) !== null) : [];
  const [kind] = kinds;
  if (reader && kinds.length <= 1) {
    const signature = reader.bytes("thoughtSignature", isUrlSignature);
    const seal = signature === undefined ? {} : { seal: sealOf(signature, scope.route) };
    const part = kind ? kind[1](reader, { scope, index, seal }) : readBare(reader, seal);
    if (part) return part;
  }
  const message = "expected one kind of content in an object; kept as it is";
  scope.context.issue("unknown-part", at(scope.path, index), message);
  return { type: "opaque", family: gemini, value: wire };
}

const sealOf = (thoughtSignature: string, route: string | undefined): Seal => ({
  maker: "google",
  ...(route !== undefined && { route }),
  values: { thoughtSignature },
});

/** Nothing but a signature, or a thought that is not shown. */
function readBare(reader: NodeReader, seal: { readonly seal?: Seal }): Part | undefined {
  if (reader.literal("thought", true)) return { type: "reasoning", ...seal, ...reader.kept() };
  return seal.seal ? { type: "text", text: "", ...seal, ...reader.kept({ $text: false }) } : undefined;
}

const readText: ReadPart = (reader, { seal }) => {
  const text = reader.string("text");
  if (text === undefined) return undefined;
  const type = reader.literal("thought", true) ? "reasoning" : "text";
  return { type, text, ...seal, ...reader.kept() };
};

const readFile =
  (holder: string): ReadPart =>
  (reader, { seal }) => {
    const inner = reader.inner(holder);
    const data = holder === "inlineData" ? inner?.bytes("data") : undefined;
    const url = holder === "fileData" ? inner?.string("fileUri") : undefined;
    if (!inner || (data === undefined && url === undefined)) return undefined;
    const mediaType = inner.string("mimeType");
    return defined<FilePart>({
      type: "file",
      mediaType,
      name: inner.string("displayName"),
      source: data === undefined ? { url: url ?? "" } : { data },
      reasoning: reader.literal("thought", true) ? true : undefined,
      ...seal,
      ...reader.kept({
        ...(isKind(mediaType) && { $mimeType: true }),
        ...(/^data:/i.test(url ?? "") && { $fileUri: true }),
      }),
    });
  };

/** A file beside a result; undefined where it is none. */
export const readBlob = (wire: JsonObject, scope: PartScope): Part | undefined => {
  const reader = new NodeReader(wire);
  const holder = ["inlineData", "fileData"].find(name => reader.peek(name) !== undefined);
  return holder === undefined ? undefined : readFile(holder)(reader, { scope, index: 0, seal: {} });
};

const madeId = ({ scope, index }: Place): string => `~${scope.made}.${index}`;

const readCall: ReadPart = (reader, place) => {
  const inner = reader.inner("functionCall");
  const name = inner?.string("name");
  if (!inner || name === undefined) return undefined;
  const { callId, hints } = readCallId(inner, madeId(place));
  place.scope.open.add(name, callId, Object.hasOwn(hints, "$id"));
  return defined<PartOf<"tool-call">>({
    type: "tool-call",
    callId,
    name,
    input: inner.object("args"),
    ...place.seal,
    ...reader.kept(hints),
  });
};

/** The call that a result answers: by its id, else by its tool's name and order (R9). */
function answered(reader: NodeReader, name: string, place: Place): { callId: string; hints: JsonObject } {
  const { open } = place.scope;
  const { callId, hints } = readCallId(reader, madeId(place));
  if (!Object.hasOwn(hints, "$id")) {
    open.answer(callId);
    return { callId, hints };
  }
  return { callId: open.next(name) ?? callId, hints };
}

const readResult: ReadPart = (reader, place) => {
  const inner = reader.inner("functionResponse");
  if (!inner) return undefined;
  const name = inner.string("name");
  const { callId, hints } = answered(inner, name ?? "", place);
  const { output, outcome, hints: spelled } = readResponse(inner, place.scope);
  const wire = place.scope.isModel ? { $wire: "functionResponse" } : {};
  return defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId,
    name,
    output,
    outcome,
    ...place.seal,
    ...reader.kept({ ...hints, ...spelled, ...wire, ...(name === undefined && { $name: false }) }),
  });
};

const readCode: ReadPart = (reader, place) => {
  const inner = reader.inner("executableCode");
  const code = inner?.string("code");
  if (!inner || code === undefined) return undefined;
  const language = inner.string("language");
  const { callId, hints } = readCallId(inner, madeId(place));
  place.scope.open.add(codeTool.name, callId, Object.hasOwn(hints, "$id"));
  return {
    type: "tool-call",
    callId,
    ...codeTool,
    executedBy: "provider",
    input: { ...(language !== undefined && { language }), code },
    ...place.seal,
    ...reader.kept({ ...hints, $wire: "executableCode" }),
  };
};

/** How code ended, where it is said as the API says it. */
export const codeOutcomes: { readonly [outcome: string]: PartOf<"tool-result">["outcome"] } = {
  OUTCOME_OK: undefined,
  OUTCOME_FAILED: "error",
  OUTCOME_DEADLINE_EXCEEDED: "interrupted",
};

const readCodeResult: ReadPart = (reader, place) => {
  const inner = reader.inner("codeExecutionResult");
  if (!inner) return undefined;
  const { callId, hints } = answered(inner, codeTool.name, place);
  const raw = inner.peek("outcome");
  const isKnown = typeof raw === "string" && Object.hasOwn(codeOutcomes, raw);
  if (isKnown) inner.take("outcome");
  const text = inner.string("output");
  return defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId,
    output: text === undefined ? undefined : [{ type: "text", text }],
    outcome: isKnown ? codeOutcomes[raw] : undefined,
    ...place.seal,
    ...reader.kept({ ...hints, $wire: "codeExecutionResult", ...(!isKnown && { $outcome: false }) }),
  });
};

const readToolCall: ReadPart = (reader, place) => {
  const inner = reader.inner("toolCall");
  const toolType = inner?.string("toolType");
  if (!inner || toolType === undefined) return undefined;
  const { callId, hints } = readCallId(inner, madeId(place));
  place.scope.open.add(toolType, callId, Object.hasOwn(hints, "$id"));
  return defined<PartOf<"tool-call">>({
    type: "tool-call",
    callId,
    ...(rowOf(toolTypes, toolType) ?? { name: toolType, kind: toolType }),
    executedBy: "provider",
    input: inner.object("args"),
    ...place.seal,
    ...reader.kept({ ...hints, $wire: "toolCall", $toolType: toolType }),
  });
};

const readToolResponse: ReadPart = (reader, place) => {
  const inner = reader.inner("toolResponse");
  const toolType = inner?.string("toolType");
  if (!inner || toolType === undefined) return undefined;
  const { callId, hints } = answered(inner, toolType, place);
  const data = inner.object("response");
  return defined<PartOf<"tool-result">>({
    type: "tool-result",
    callId,
    output: data && [{ type: "data", data }],
    ...place.seal,
    ...reader.kept({ ...hints, $wire: "toolResponse", $toolType: toolType }),
  });
};

/** A part has one of these. */
const members: readonly (readonly [string, ReadPart])[] = [
  ["text", readText],
  ["functionCall", readCall],
  ["functionResponse", readResult],
  ["inlineData", readFile("inlineData")],
  ["fileData", readFile("fileData")],
  ["executableCode", readCode],
  ["codeExecutionResult", readCodeResult],
  ["toolCall", readToolCall],
  ["toolResponse", readToolResponse],
];

/** Names of what a part can hold, in both spellings: for telling Google's parts from others. */
export const partMembers: ReadonlySet<string> = new Set(
  [...members.map(([name]) => name), "thoughtSignature"].flatMap(name => [
    name,
    name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
  ]),
);
