/** Rows of the table of types: what stands in a slot, by the name of its type or by `$type`. */

import { rowOf } from "../../codec/reader.ts";
import type { Json } from "../../model/json.ts";
import { foldKey } from "./casefold.ts";
import { type enums, sources, type TypeSource } from "./type-table.ts";

/** How one member is spelled. */
export interface MemberRow {
  readonly name: string;
  readonly type: Declared;
  /** Refused by .NET where missing: null, or blank too. */
  readonly needed?: "given" | "filled";
  /** What stands for a missing member; such a member is always written. */
  readonly absent?: Json;
  /** Written by .NET and not read back. */
  readonly isLost?: true;
}

export interface TypeRow {
  readonly name: string;
  readonly members: readonly MemberRow[];
  /** The member of a name, whatever its case. */
  member(name: string): MemberRow | undefined;
  /** Of a polymorphic base: `$type` → the type's name. */
  readonly kinds?: { readonly [word: string]: string };
  /** Cannot be read as itself. */
  readonly isAbstract?: true;
}

/** A type as declared where a value stands. */
export type Declared =
  | { readonly is: "scalar"; readonly scalar: Scalar }
  | { readonly is: "list"; readonly of: Declared }
  | { readonly is: "dictionary"; readonly of: Declared; readonly ignoresCase: boolean }
  | { readonly is: "type"; readonly row: TypeRow };

export type Scalar =
  | "json"
  | "string"
  /** Blank is none. */
  | "author"
  /** Blank is refused. */
  | "word"
  | "bool"
  | "long"
  | "int"
  | "float"
  | "date"
  | "uri"
  | "dataUri"
  | "mediaType"
  | "token"
  | keyof typeof enums;

const scalars: { readonly [name: string]: Scalar } = {
  object: "json",
  JsonElement: "json",
  ChatRole: "word",
  ChatFinishReason: "word",
  ResponseContinuationToken: "token",
  DateTimeOffset: "date",
  Uri: "uri",
  Boolean: "bool",
  Int32: "int",
  Int64: "long",
  Single: "float",
  String: "string",
  ReasoningEffort: "ReasoningEffort",
  ReasoningOutput: "ReasoningOutput",
};
const ownScalars = "json string author word bool long int float date uri dataUri mediaType token".split(
  " ",
) as Scalar[]; // the words of Scalar

const rows = new Map<string, TypeRow>();

/** The row of a type by its .NET name, `ChatResponse<T>` and `AgentResponse<T>` included. */
export function typeRow(name: string): TypeRow | undefined {
  const known = rows.get(name);
  if (known) return known;
  const typed = /^(ChatResponse|AgentResponse)<(.+)>$/.exec(name);
  const source = typed ? typedResponse(typed[1] ?? "") : rowOf(sources, name);
  if (!source) return undefined;
  const base = source.base === undefined ? undefined : typeRow(source.base);
  const own = membersOf(source.members, base);
  const byName = new Map(own.map(member => [member.name, member]));
  const byKey = new Map(own.map(member => [foldKey(member.name), member]));
  const row: TypeRow = {
    name,
    members: own,
    member: key => byName.get(key) ?? byKey.get(foldKey(key)),
    ...(source.kinds && { kinds: source.kinds }),
    ...(source.isAbstract && { isAbstract: true }),
  };
  rows.set(name, row);
  return row;
}

/** A typed answer writes its value before the rest, and .NET does not read it back. */
const typedResponse = (name: string): TypeSource => ({
  base: name,
  members: name === "ChatResponse" ? "result:json" : "isWrappedInObject:bool=false",
  isAbstract: true,
});

/** Own members, then the base's; a member that a type declares again stands with its own. Before `|`: with the base's. */
function membersOf(text: string, base: TypeRow | undefined): readonly MemberRow[] {
  const [replaced, added] = text.includes("|") ? text.split("|") : ["", text];
  const own = memberRows(added ?? "");
  const again = new Map(memberRows(replaced ?? "").map(member => [member.name, member]));
  const inherited = (base?.members ?? []).filter(({ name }) => !own.some(member => member.name === name));
  const isTool = again.size > 0;
  const [first, second, ...last] = inherited.map(member => again.get(member.name) ?? member);
  // A hosted tool overrides `name` and `additionalProperties`, so they stand before what it adds.
  if (isTool && first && second) return [first, second, ...own, ...last];
  return [...own, ...inherited];
}

const memberRows = (text: string): MemberRow[] => text.split(" ").filter(Boolean).map(memberRow);

function memberRow(text: string): MemberRow {
  const [, name = "", type = "", needed, absent, lost] =
    /^(\w+):([\w[\]]+)(!{1,2})?(?:=([^~]*))?(~)?$/.exec(text) ?? [];
  return {
    name,
    type: lazily(type),
    ...(needed && { needed: needed === "!!" ? "filled" : "given" }),
    ...(absent !== undefined && { absent: JSON.parse(absent) as Json }), // written above
    ...(lost && { isLost: true }),
  };
}

const dictionaries: { readonly [name: string]: Declared } = {
  properties: { is: "dictionary", of: { is: "scalar", scalar: "json" }, ignoresCase: true },
  arguments: { is: "dictionary", of: { is: "scalar", scalar: "json" }, ignoresCase: false },
  counts: { is: "dictionary", of: { is: "scalar", scalar: "long" }, ignoresCase: true },
  headers: { is: "dictionary", of: { is: "scalar", scalar: "string" }, ignoresCase: false },
};

/** Types contain one another, so a member's row is looked up when it is first asked for. */
function lazily(name: string): Declared {
  if (name.endsWith("[]")) return { is: "list", of: lazily(name.slice(0, -2)) };
  const simple = rowOf(dictionaries, name) ?? scalarOf(name);
  if (simple) return simple;
  return {
    is: "type",
    get row() {
      return typeRow(name) as TypeRow; // every name in the table has a row
    },
  };
}

function scalarOf(name: string): Declared | undefined {
  const scalar = ownScalars.find(word => word === name) ?? rowOf(scalars, name);
  return scalar && { is: "scalar", scalar };
}

/**
 * A .NET type by its name as code writes it: `AIContent`, `List<ChatMessage>`, `ChatMessage[]`, `Dictionary<string, AIContent>`,
 * `ChatRole?`, `object`. Undefined for a name that no table has.
 */
export function declared(name: string): Declared | undefined {
  const text = name.trim().replace(/\?$/, "");
  const list =
    /^(.+)\[\]$/.exec(text) ??
    /^(?:I?(?:ReadOnly)?(?:List|Collection)|IEnumerable|I?AsyncEnumerable)<(.+)>$/.exec(text);
  if (list) {
    const of = declared(list[1] ?? "");
    return of && { is: "list", of };
  }
  const dictionary = /^I?(?:ReadOnly)?Dictionary<string,\s*(.+)>$/.exec(text);
  if (dictionary) {
    const of = declared(dictionary[1] ?? "");
    return of && { is: "dictionary", of, ignoresCase: false };
  }
  const row = typeRow(text);
  if (row) return { is: "type", row };
  if (text === "AdditionalPropertiesDictionary") return dictionaries["properties"];
  return scalarOf(text);
}

/** The row of a value in a slot of this type: by `$type` where the type is a polymorphic base. Undefined for an unknown word. */
export function rowFor(row: TypeRow, word: Json | undefined): TypeRow | undefined {
  if (!row.kinds || word === undefined) return row;
  const name = typeof word === "string" ? rowOf(row.kinds, word) : undefined;
  return name === undefined ? undefined : typeRow(name);
}
