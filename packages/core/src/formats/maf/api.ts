/** MAF's JSON by declared type, without the conversation: what .NET's JsonSerializer does with its options. */

import { TranslogueError } from "../../model/error.ts";
import { type ExactText, noExactText } from "../../model/exact-text.ts";
import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import { parseJson } from "../../model/json-text.ts";
import { readTyped } from "./read.ts";
import { type Declared, declared } from "./type-rows.ts";
import { type StyleName, styles, writeTyped } from "./write.ts";

/** A value of MAF's with its exact texts; `writeMaf` writes it back byte for byte. */
export interface MafValue {
  readonly value: Json;
  readonly exact: ExactText;
  /** What .NET would have refused or dropped. Empty where strict. */
  readonly issues: readonly { readonly code: string; readonly path: Path; readonly message: string }[];
}

export interface ReadMafOptions {
  /** The declared type by its .NET name: `AIContent`, `List<ChatMessage>`, `ChatRole?`, `object`, … */
  readonly type: string;
  /** Refuse what System.Text.Json refuses and drop what it drops. Default false. */
  readonly strict?: boolean;
}

const netDepth = 64;
/** .NET's types that have no null. */
const structs = ["word", "bool", "long", "int", "float", "date", "ReasoningEffort", "ReasoningOutput"];

/**
 * Reads the JSON text of a declared type. Throws `json/syntax`, `json/too-deep`; where strict, `decode/refused` for whatever
 * .NET refuses; `decode/no-such-type` for a type that no table here knows.
 */
export function readMaf(text: string, { type, strict = false }: ReadMafOptions): MafValue {
  const target = declaredOrThrow(type);
  const parsed = parseJson(text, strict ? { maxDepth: netDepth } : {});
  const exact = parsed.exact;
  const issues: MafValue["issues"][number][] = [];
  const issue = (code: string, path: Path, message: string): void => void issues.push({ code, path, message });
  const isStruct = target.is === "scalar" && structs.includes(target.scalar) && !type.trim().endsWith("?");
  if (strict && isStruct && parsed.value === null) {
    throw new TranslogueError("decode/refused", `.NET refuses the value: a ${type} is not null`, {
      data: { path: [], reason: "null is no value of it" },
    });
  }
  const value = readRoot(parsed.value, target, { strict, exact, issue });
  return { value, exact, issues };
}

/** A number that is the whole value has its text at the root. */
function readRoot(value: Json, type: Declared, options: Parameters<typeof readTyped>[2]): Json {
  if (typeof value !== "number") return readTyped(value, type, options);
  const { exact = noExactText() } = options ?? {};
  const { root } = exact;
  const holder = [value];
  if (root) exact.numbers.set(holder, new Map([[0, root.text]]));
  const [read = null] = readTyped(holder, { is: "list", of: type }, options) as readonly Json[]; // a list was given
  return read;
}

export interface WriteMafOptions {
  readonly type: string;
  /** `compact` (MAF, the default), `indented` (Microsoft.Extensions.AI), `nulls` (ASP.NET), `web` (bare Web options). */
  readonly style?: StyleName;
  /** Throw `encode/not-writable` where .NET throws, instead of writing what is nearest. Default false. */
  readonly strict?: boolean;
}

/** Writes a value as .NET writes the declared type. Throws `encode/no-such-style`, `decode/no-such-type`. */
export function writeMaf(
  given: Pick<MafValue, "value"> & { readonly exact?: ExactText },
  { type, style = "compact", strict = false }: WriteMafOptions,
): string {
  if (!Object.hasOwn(styles, style)) {
    const known = Object.keys(styles);
    const message = `there is no style \`${String(style)}\`; there are ${known.join(", ")}`;
    throw new TranslogueError("encode/no-such-style", message, { data: { format: "maf", style, known } });
  }
  const { value, exact } = given;
  if (typeof value === "number" && exact?.root?.value === value) return exact.root.text;
  return writeTyped(value, declaredOrThrow(type), { style, exact, strict });
}

function declaredOrThrow(type: string): Declared {
  const target = declared(type);
  if (target) return target;
  throw new TranslogueError(
    "decode/no-such-type",
    `\`${type}\` is no type of MAF's known here; name one as .NET code does, like \`AIContent\` or \`List<ChatMessage>\``,
    { data: { type } },
  );
}
