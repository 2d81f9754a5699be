import { rowOf } from "../../codec/reader.ts";
import { copyExact, type ExactText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { TypeRow } from "./type-rows.ts";

interface OldKind {
  /** Its name now. */
  readonly word?: string;
  /** Old names of members and their names now. */
  readonly members: { readonly [old: string]: string };
  /** What kind of call stands in it, where it was not said. */
  readonly call?: string;
}

/** Contents as Microsoft.Extensions.AI wrote them up to 10.3. */
const oldKinds: { readonly [word: string]: OldKind } = {
  functionApprovalRequest: {
    word: "toolApprovalRequest",
    members: { id: "requestId", functionCall: "toolCall" },
    call: "functionCall",
  },
  functionApprovalResponse: {
    word: "toolApprovalResponse",
    members: { id: "requestId", functionCall: "toolCall" },
    call: "functionCall",
  },
  mcpServerToolApprovalRequest: {
    word: "toolApprovalRequest",
    members: { id: "requestId" },
    call: "mcpServerToolCall",
  },
  mcpServerToolApprovalResponse: { word: "toolApprovalResponse", members: { id: "requestId" } },
  toolApprovalRequest: { members: { id: "requestId", functionCall: "toolCall" }, call: "functionCall" },
  toolApprovalResponse: { members: { id: "requestId", functionCall: "toolCall" }, call: "functionCall" },
  mcpServerToolCall: { members: { toolName: "name" } },
  mcpServerToolResult: { members: { output: "outputs" } },
  imageGenerationToolCall: { members: { imageId: "callId" } },
  imageGenerationToolResult: { members: { imageId: "callId" } },
};

/** A content of an older version as the present one spells it; the same object where there is nothing old about it. */
export function modern(value: JsonObject, row: TypeRow, exact: ExactText | undefined): JsonObject {
  const word = value["$type"];
  const old = row.kinds && typeof word === "string" ? rowOf(oldKinds, word) : undefined;
  if (!old) return value;
  const names = Object.keys(old.members).filter(
    name => Object.hasOwn(value, name) && !isGiven(value, old.members[name]),
  );
  const needsKind = old.call !== undefined && lacksKind(value["toolCall"] ?? value["functionCall"], old);
  if (old.word === undefined && names.length === 0) return value;
  const renamed: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const held = value[key];
    const name = names.includes(key) ? (old.members[key] ?? key) : key;
    if (held === undefined || (name !== key && held === null)) continue;
    const isCall = needsKind && name === "toolCall";
    setMember(renamed, name, key === "$type" ? (old.word ?? held) : isCall ? typed(held, old, exact) : held);
  }
  if (exact) copyExact(exact, value, renamed);
  return renamed;
}

const isGiven = (value: JsonObject, name: string | undefined): boolean =>
  name !== undefined && (value[name] ?? null) !== null;

const lacksKind = (call: Json | undefined, { call: kind }: OldKind): boolean =>
  kind !== undefined && isJsonObject(call) && call["$type"] === undefined;

function typed(call: Json, { call: kind }: OldKind, exact: ExactText | undefined): Json {
  if (!isJsonObject(call) || kind === undefined) return call;
  const named = { $type: kind, ...call };
  if (exact) copyExact(exact, call, named);
  return named;
}
