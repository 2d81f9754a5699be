import { OpenCalls } from "../../blocks/gemini/calls.ts";
import { NodeReader } from "../../blocks/gemini/node.ts";
import { type PartScope, readPart } from "../../blocks/gemini/parts.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { at } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { carryMember, envelopeMembers, family, routeOf } from "./wire.ts";

export interface ReadContent {
  readonly messages: readonly Message[];
  readonly carry: Json | undefined;
}

/** A history. `first`: number of its first message in the conversation. */
export function readContents(
  list: readonly Json[],
  context: DecodeContext,
  { path, first = 0 }: { readonly path: Path; readonly first?: number },
): Message[] {
  const messages: Message[] = [];
  const open = new OpenCalls();
  for (const [index, wire] of list.entries()) {
    const read = readContent(wire, { context, path: at(path, index), made: `${index}`, open });
    if (read.carry !== undefined) context.carried(first + messages.length, read.carry);
    messages.push(...read.messages);
  }
  return messages;
}

export type ContentScope = Pick<PartScope, "context" | "path" | "made" | "open">;

/** A content → a message; results of functions and what a user says beside them are messages of their own (R15). */
export function readContent(wire: Json, scope: ContentScope): ReadContent {
  if (!isJsonObject(wire)) {
    scope.context.issue("not-a-content", scope.path, "expected an object with `role` and `parts`; kept as it is");
    const part: Part = { type: "opaque", family, value: wire };
    return { messages: [{ role: "control", parts: [part] }], carry: undefined };
  }
  const reader = new NodeReader(wire);
  const carry = takeCarry(reader);
  const wireRole = reader.string("role");
  const role = wireRole ?? (isSpoken(reader.peek("parts")) ? "model" : "user");
  if (role !== "model") scope.open.endTurn();
  const { parts, hints } = readParts(reader, { ...scope, isModel: role !== "user" && role !== "function" });
  const spelled = {
    ...hints,
    ...(wireRole === undefined ? { $role: false } : usualRoles.has(wireRole) ? {} : { $role: wireRole }),
  };
  return { messages: split(parts, role, reader.kept(spelled, envelopeMembers)), carry };
}

const usualRoles: ReadonlySet<string> = new Set(["user", "model"]);

function takeCarry(reader: NodeReader): Json | undefined {
  const carry = reader.peek(carryMember);
  const isCarry = isJsonObject(carry) && carry["v"] === 1 && typeof carry["base"] === "string";
  if (!isCarry) return undefined;
  reader.take(carryMember);
  return carry;
}

/** Without a role, what only a model says tells whose content it is. */
const isSpoken = (parts: Json | undefined): boolean =>
  (Array.isArray(parts) ? parts : [parts]).some(
    part => isJsonObject(part) && spoken.some(member => Object.hasOwn(part, member)),
  );
const spoken = ["functionCall", "function_call", "thought", "thoughtSignature", "thought_signature", "executableCode"];

/** The API takes an object for a list of one. */
export function readParts(
  reader: NodeReader,
  scope: ContentScope & Pick<PartScope, "isModel">,
): { readonly parts: readonly Part[]; readonly hints: JsonObject } {
  const wire = reader.peek("parts");
  const inner = { ...scope, path: at(scope.path, "parts"), route: routeOf(scope.context.dialect) };
  const list = reader.array("parts") ?? (isJsonObject(wire) ? [wire] : []);
  if (isJsonObject(wire)) reader.take("parts");
  const parts = list.map((part, index) => readPart(part, index, inner));
  const hints = Array.isArray(wire) ? {} : { $parts: isJsonObject(wire) ? "object" : false };
  return { parts, hints };
}

type Kept = ReturnType<NodeReader["kept"]>;

/** The role of a content: Google's assistant is a model, and roles that it does not know stay what they are. */
export const roleOf = (wireRole: string): string => (wireRole === "model" ? "assistant" : wireRole);

function split(parts: readonly Part[], role: string, kept: Kept): readonly Message[] {
  if (role !== "user" && role !== "function") return [{ role: roleOf(role), parts, ...kept }];
  const groups: { role: string; parts: Part[] }[] = [];
  for (const part of parts) {
    const side = part.type === "tool-result" && !Object.hasOwn(part.native?.[family] ?? {}, "$wire") ? "tool" : "user";
    const last = groups.at(-1);
    if (last?.role === side) last.parts.push(part);
    else groups.push({ role: side, parts: [part] });
  }
  const [first = { role: role === "function" ? "tool" : "user", parts: [] }, ...others] = groups;
  const joined = others.map(group => ({ ...group, native: { [family]: { $join: true } } }));
  return [{ ...first, ...kept }, ...joined];
}
